"""What a terminal window says of the shell in it: commands that were typed, and what they printed.

Where a turn did nothing but type commands into the only terminal, the shell on paper of the
terminal domain follows them; after anything else it knows nothing.
"""

import re
from collections.abc import Sequence

from worldline.domains.base import Ledger
from worldline.domains.desktop import screen
from worldline.domains.desktop.actions import Call
from worldline.domains.terminal import DOMAIN as SHELL
from worldline.facts import FactOrigin
from worldline.trajectory import Trajectory, Turn
from worldline.trees import Tree

START = Trajectory(id="shell", domain="terminal", dialect="command")
WAITS = ("time.sleep", "pyautogui.sleep", "WAIT")
"""Calls that do nothing."""
TYPES = ("typewrite", "write")
_TURNS = re.compile(
    r"\b(?:cd|pushd|popd|su|sudo|ssh|exit|logout|source|exec|eval|login|docker|podman|newgrp|PS1"
    r"|bash|zsh|sh|fish|tmux|screen|conda|mamba|chroot|nix-shell|poetry|pipenv|hostname|hostnamectl"
    r"|unset|export|fc|history|alias|cdr?|z|j)\b|(?:^|[\s;&|])\.\s"
)
"""Words of commands that may change who and where the shell is."""
_CLEARS = re.compile(
    r"\b(?:clear|reset|tput|top|htop|btop|less|more|man|vim?|nano|emacs|watch|tmux|screen|exit"
    r"|logout|git|systemctl|journalctl|mc|ranger|fzf|dialog|whiptail|script|stty|resize|cls)\b"
    r"|\\(?:e|033|x1b)|\x0c"
)
"""Words of commands that may take away what a terminal showed."""


def only(tree: Tree | None) -> tuple[int, list[str]] | None:
    """The only terminal on a screen: its index and its lines."""
    found = [] if tree is None else list(screen.terminals(tree))
    return found[0] if len(found) == 1 else None


def idle(made: Sequence[Call]) -> bool:
    """Whether an action does nothing but wait and move the mouse."""
    return bool(made) and all(one.name in (*WAITS, "pyautogui.moveTo") for one in made)


def typed_into(call: Call) -> str | None:
    """The text that a call types."""
    text = call.value(0, "message", "text")
    name = call.name.rpartition(".")[2]
    known = call.name.startswith(("pyautogui.", "keyboard.")) and name in TYPES
    return text if known and isinstance(text, str) else None


def submitted(tree: Tree | None, made: Sequence[Call]) -> list[str] | None:
    """The command lines that an action sends off in the only terminal of a screen.

    `None`: something else may have been done, or a line stands typed and is not sent off.
    """
    terminal = only(tree)
    if tree is None or terminal is None or not made:
        return None
    last = screen.prompt(terminal[1])
    match = screen.PROMPT.fullmatch(last) if last is not None else None
    if match is None or match["command"].strip():
        return None
    lines: list[str] = []
    pending = ""
    for call in made:
        text = typed_into(call)
        if call.maybe:
            return None
        if text is not None:
            *whole, pending = (pending + text).split("\n")
            lines += whole
        elif call.name.endswith(".press") and call.value(0, "keys") in ("enter", "return"):
            lines.append(pending)
            pending = ""
        elif call.name not in WAITS and not _within(tree, terminal[0], call):
            return None
    return None if pending else [line.strip() for line in lines if line.strip()]


def _within(tree: Tree, terminal: int, call: Call) -> bool:
    """Whether a call is a plain click into the terminal."""
    box = screen.box(tree.nodes[terminal])
    places = list(screen.points([call]))
    if call.name not in ("pyautogui.click", "pyautogui.leftClick") or box is None or not places:
        return False
    x, y = places[0]
    return box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]


def ran(tree: Tree | None, lines: Sequence[str]) -> list[tuple[str, str]] | None:
    """Each of these command lines and what it printed, as the terminal now shows it.

    `None` where one of them is out of sight or has not ended.
    """
    terminal = only(tree)
    if terminal is None:
        return None
    shown = screen.commands(terminal[1])[-len(lines) :] if lines else []
    if [one.text for one in shown] != list(lines) or not all(one.done for one in shown):
        return None
    return [(one.text, "\n".join([*one.output, ""]) if one.output else "") for one in shown]


def advanced(
    shell: Ledger | None,
    before: Tree | None,
    after: Tree | None,
    made: Sequence[Call],
    origin: FactOrigin,
) -> Ledger | None:
    """The shell on paper after a turn; `None`: a new one that knows nothing."""
    if idle(made):
        return shell
    lines = submitted(before, made)
    done = ran(after, lines) if lines else None
    if done is None:
        return None
    shell = shell or SHELL.open(START)
    for command, output in done:
        shell = SHELL.track(shell, Turn(action=command, observation=output), origin)
    return shell


def may_turn(text: str) -> bool:
    """Whether what was typed may lead to another prompt."""
    return bool(_TURNS.search(text))


def may_clear(text: str) -> bool:
    """Whether what was typed may take away what a terminal showed."""
    return bool(_CLEARS.search(text))
