"""What the terminal environment shows of a command is what tmux captures of it.

At least 300 varied command lines, generated from a seed, run in both, each in a sandbox of its
own: as plain commands on a screen (tmux: ``capture-pane -J -p`` of the output, wrapped lines
joined), as keystrokes (the rows with prompt and echo), and through a pipe, for commands that print
the same there and use no codes of the screen.
"""

import json
import re

from benchmarks.show import Show
from benchmarks.show.terminal_lines import lines
from benchmarks.show.terminal_pane import Pane
from worldline import environment
from worldline.environments.process import Environment

SEED, COUNT = 20_250_601, 320
COLUMNS, ROWS = 200, 50
FLOOR, GOAL = 0.99, 1.0
_CODES = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
SIZE = {"width": COLUMNS, "height": ROWS, "max_bytes": 1 << 20}


def check(show: Show) -> None:
    commands = lines(SEED, COUNT)
    plain(show, commands)
    typed(show, commands)


def plain(show: Show, commands: list[str]) -> None:
    """Plain commands: on a screen, and through a pipe."""
    same = piped = 0
    alike: list[str] = []
    with (
        Pane(COLUMNS, ROWS, typed=False) as pane,
        environment("terminal", observe="screen", **SIZE) as ours,
        environment("terminal", **SIZE) as stream,
    ):
        ours.reset(0)
        stream.reset(0)
        for command in commands:
            told = pane.run(command)
            seen, said = observed(ours, command), observed(stream, command)
            same += compare("screen", command, told, seen.rstrip("\n"))
            if said is not None and not _CODES.search(said) and "ls" not in command:
                alike.append(command)
                piped += compare("pipe", command, told, said.rstrip("\n"))
    n = len(commands)
    show.measure("screen equal", same / n, better="higher", floor=FLOOR, goal=GOAL, n=n)
    n = len(alike)
    show.measure("pipe equal", piped / n, better="higher", floor=FLOOR, goal=GOAL, n=n)


def typed(show: Show, commands: list[str]) -> None:
    """Keystrokes: prompt, echo and output, row by row."""
    same = 0
    with (
        Pane(COLUMNS, ROWS, typed=True) as pane,
        environment("terminal", dialect="terminus2", **SIZE) as ours,
    ):
        ours.reset(0)
        before = pane.screen()
        for command in commands:
            now = pane.enter(command + "\n")
            told = new(before, now)
            before = now
            batch = json.dumps([{"keystrokes": command + "\n", "duration": 5.0}])
            seen = observed(ours, batch).partition("\n\n")[2]
            same += compare("keystrokes", command, told, seen.rstrip("\n"))
    n = len(commands)
    show.measure("keystrokes equal", same / n, better="higher", floor=FLOOR, goal=GOAL, n=n)


def observed(real: Environment, action: str) -> str:
    """The observation of an action (what went wrong, in angle brackets)."""
    result = real.step(action, 20.0)
    if result.observation is None or result.outcome != "ok":
        return f"<{result.outcome}: {result.reason}> {result.observation}"
    return result.observation


def new(before: str, now: str) -> str:
    """The rows from the last one of `before` on."""
    return "\n".join(now.split("\n")[before.count("\n") :])


def compare(kind: str, command: str, told: str, seen: str) -> bool:
    """Whether both are the same; shows where they part."""
    if told == seen:
        return True
    at = next((i for i, (a, b) in enumerate(zip(told, seen, strict=False)) if a != b), None)
    at = min(len(told), len(seen)) if at is None else at
    start = max(at - 30, 0)
    print(f"{kind}: {command!r}")
    print(f"    tmux {told[start : at + 50]!r}\n    ours {seen[start : at + 50]!r}")
    return False
