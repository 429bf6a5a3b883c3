"""Run the checks of one part: ``python -m benchmarks.show N [NAME] [--official DIR]``."""

import argparse
import importlib
import sys
from pathlib import Path

from benchmarks.show import Show, real_data


def main() -> int:
    """Run them; the exit code is the worst of theirs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.show")
    parser.add_argument("part", type=int)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--official", type=Path, help="a checkout of QwenLM/Qwen-AgentWorld")
    given = parser.parse_args()
    part, name = f"{given.part:02d}", given.name
    scripts = sorted(Path(__file__).parent.glob(f"{part}_{name or '*'}.py"))
    if not scripts:
        print(f"part {part} has no check {name or ''}", file=sys.stderr)
        return 2
    codes: list[int] = []
    for script in scripts:
        check = script.stem.removeprefix(f"{part}_")
        print(f"\n=== part {int(part)}: {check} ===", flush=True)
        show = Show(check, real_data(), given.official)
        importlib.import_module(f"benchmarks.show.{script.stem}").check(show)
        print()
        for line in show.lines():
            print(line, flush=True)
        codes.append(show.exit_code)
        if show.exit_code == 3:
            print("WORLDLINE_REAL is not set: own small rows only, so exit 3 (not a failure)")
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
