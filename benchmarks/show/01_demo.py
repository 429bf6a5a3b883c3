"""A clean clone and an empty cache: `make demo`, then once more without network."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.show import Show

ROOT = Path(__file__).resolve().parents[2]


def check(show: Show) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "worldline"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        env = {**os.environ, "WORLDLINE_CACHE": str(Path(folder) / "cache")}
        first, text = demo(clone, env, [])
        print(text)
        show.measure("first_run_s", first, better="lower", floor=300, goal=120, n=int(first > 0))
        shown = text.count("known") > 0 and text.count("protocol") > 0 and text.count("model") > 0
        show.measure("origins_shown", int(shown), better="higher", floor=1, goal=1)
        again, text = demo(clone, env, offline())
        print(f"\nwithout network: {again:.1f} s, last line: {text.strip().splitlines()[-1]}")
        show.measure("offline_run_s", again, better="lower", floor=120, goal=60, n=int(again > 0))


def offline() -> list[str]:
    """What runs a command without any network."""
    rootless = ["unshare", "-rn"]
    if subprocess.run([*rootless, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0:
        return rootless
    return ["unshare", "-n"]


def demo(clone: Path, env: dict[str, str], prefix: list[str]) -> tuple[float, str]:
    """Seconds of `make demo` and what it printed; 0 seconds when it failed."""
    assert shutil.which("make")
    start = time.monotonic()
    done = subprocess.run(
        [*prefix, "make", "demo"],
        cwd=clone,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    took = time.monotonic() - start
    return (took if done.returncode == 0 else 0.0), done.stdout
