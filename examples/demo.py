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


def worldline(*arguments: str) -> None:
    print(f"\n$ worldline {shlex.join(arguments)}", flush=True)
    command = [sys.executable, "-m", "worldline", *arguments]
    if subprocess.run(command, cwd=HERE, check=False).returncode:
        sys.exit(f"failed: worldline {shlex.join(arguments)}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = str(Path(folder) / "project.json")
        worldline("model", "pull")
        worldline("snapshot", "terminal", "project", "-o", state)
        worldline("sim", "terminal", "--snapshot", state, "--seed", "7", "--script", "terminal.txt")
        worldline("sim", "mcp", "--tools", "tools.json", "--seed", "7", "--script", "mcp.txt")
    print("\nNow try it by hand: .venv/bin/worldline sim terminal")


if __name__ == "__main__":
    main()
