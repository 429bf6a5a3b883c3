"""The demo: a simulated terminal over a small folder, then a simulated MCP server.

It only runs the commands it prints, so each can be copied:

    make demo        or        python examples/demo.py
"""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent / "demo"


SIM_OPTIONS = ("--model", "embedded?max_tokens=96", "--seed", "7", "--script")


def worldline(*arguments: str, may_miss: bool = False) -> None:
    """Run a verb. Exit code 1 of `sim` means that some step brought no observation: the small
    model was cut off while it rambled. That is a typed outcome and shown, not a failed demo."""
    print(f"\n$ worldline {shlex.join(arguments)}", flush=True)
    command = [sys.executable, "-m", "worldline", *arguments]
    code = subprocess.run(command, cwd=HERE, check=False).returncode
    if code and not (may_miss and code == 1):
        sys.exit(f"failed: worldline {shlex.join(arguments)}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = str(Path(folder) / "project.json")
        worldline("model", "pull")
        worldline("snapshot", "terminal", "project", "-o", state)
        start = ("--snapshot", state)
        worldline("sim", "terminal", *start, *SIM_OPTIONS, "terminal.txt", may_miss=True)
        start = ("--tools", "tools.json")
        worldline("sim", "mcp", *start, *SIM_OPTIONS, "mcp.txt", may_miss=True)
    print("\nNow try it by hand: .venv/bin/worldline sim terminal")


if __name__ == "__main__":
    main()
