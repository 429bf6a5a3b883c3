"""Getting a screen back from a program that holds it."""

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk


def settle(desk: Desk) -> Script:
    """Leave whatever holds the screen, as its last line suggests."""
    for attempt in range(5):
        if not desk.screen or desk.last.ready:
            return
        key = _key(desk.last.screen.rstrip("\n").rsplit("\n", 1)[-1], attempt)
        yield desk.type(
            key, why="leave the program that holds the screen", wait=0.3, intent="recover"
        )


def _key(line: str, attempt: int) -> str:
    if attempt >= 3:
        return ("C-d", "C-\\")[attempt - 3]
    if attempt and ">>>" not in line:
        return "C-c"
    if line.startswith(">>>"):
        return "exit()\n"
    if line.startswith(("sqlite>", "   ...>")):
        return ".quit\n"
    if (
        line.startswith((":", "(END)", "lines ", "Manual page", "/"))
        or "(END)" in line
        or "help" in line
    ):
        return "q"
    return "C-c"
