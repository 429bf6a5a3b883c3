"""The command line as a process of its own."""

import subprocess
import sys
from typing import Any


def worldline(
    *words: object, timeout: float = 120, **more: Any
) -> subprocess.CompletedProcess[str]:
    """``worldline WORDS``; what it says is captured.

    Args:
        more: of `subprocess.run`; with a `stdout` of its own nothing is captured.
    """
    command = [sys.executable, "-m", "worldline", *map(str, words)]
    captured = "stdout" not in more
    return subprocess.run(
        command, capture_output=captured, text=True, timeout=timeout, check=False, **more
    )


def told(*words: object) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of ``worldline WORDS``."""
    done = worldline(*words)
    return done.returncode, done.stdout, done.stderr
