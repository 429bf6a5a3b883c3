"""Make the benchmark that comes with Worldline: ``python -m benchmarks.corpus.bench [FOLDER]``.

Episodes of the held-out families, with seeds of their own, then ``worldline bench make``.
"""

import subprocess
import sys
from pathlib import Path

from benchmarks.corpus.recipe import recipe
from worldline.bench.make import Choice, make
from worldline.bench.suite import HOME

EPISODES = 100
SEED = 4052
CHOICE = Choice(trajectories=90, rows=4)


def main() -> int:
    """Collect what is missing, then make it."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("runs/bench")
    folders: list[Path] = []
    for part in recipe().parts:
        out = folder / part.domain
        command = [sys.executable, "-m", "worldline", "collect", part.domain, "--held-out"]
        command += ["--episodes", str(EPISODES), "--seed", str(SEED), "--out", str(out)]
        subprocess.run(command, check=True)
        folders.append(out)
    made = make(folders, HOME, CHOICE)
    for domain, rows in made.rows.items():
        print(f"{domain}: {made.trajectories[domain]} trajectories, {rows} evaluated turns")
    print(f"{made.size / 1e6:.2f} MB in {HOME}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
