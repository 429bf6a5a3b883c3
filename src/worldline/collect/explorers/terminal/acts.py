"""What the explorer does and sees, whatever the dialect: command lines or keys, and outputs."""

import json
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

from worldline.domains.terminal.dialects.terminus2 import Screen, parse_screen


class Act(NamedTuple):
    """Command lines to run, or keys to press, as one batch.

    Args:
        lines: whole command lines (one may hold a here-document); with `keys` texts to be typed as
            they are, line ends and key names (``C-c``) included.
        why: what they are for, a few words that fit behind "to".
        wait: seconds that each may need; the terminal does not wait longer than it takes.
        intent: a word for statistics; the move's name, if empty.
        limit: seconds it may take in all, pauses not counted.
    """

    lines: tuple[str, ...]
    why: str
    wait: float = 0.1
    keys: bool = False
    intent: str = ""
    limit: float = 4.0


class Seen(NamedTuple):
    """What an act gave.

    Args:
        outputs: of each line, as far as it could be told apart; as many as the act has lines.
        screen: everything, as it was observed.
        outcome: `StepResult.outcome` of the last step.
        ready: whether the shell waits for the next command.
    """

    outputs: tuple[str, ...]
    screen: str
    outcome: str = "ok"
    ready: bool = True

    @property
    def text(self) -> str:
        """All outputs."""
        return "".join(self.outputs)


Script = Generator[Act, Seen, None]
"""Acts one after the other, each informed by what the one before gave."""


def batch(act: Act) -> list[dict[str, Any]]:
    """An act as entries of a batch of keystrokes."""
    texts = act.lines if act.keys else tuple(f"{line}\n" for line in act.lines)
    return [{"keystrokes": text, "duration": act.wait} for text in texts]


def written(entries: list[dict[str, Any]], said: dict[str, Any] | None) -> str:
    """The action's JSON: the bare list, or an object that also says what the agent thinks."""
    value = entries if said is None else {**said, "commands": entries}
    return json.dumps(value, ensure_ascii=False)


def seen_on_screen(act: Act, text: str, outcome: str) -> Seen:
    """What a screen tells of an act."""
    screen = parse_screen(text)
    last = screen.shown[-1] if screen.shown else None
    ready = last is not None and not last.typed.strip() and not any(last.lines)
    outputs = None if act.keys else _outputs(screen, act.lines)
    if outputs is None:
        rows = [row for one in screen.shown for row in one.lines] or list(screen.lead)
        outputs = ["\n".join(rows), *[""] * (len(act.lines) - 1)]
    return Seen(tuple(outputs), text, outcome, ready)


def _outputs(screen: Screen, lines: Sequence[str]) -> list[str] | None:
    shown = [one for one in screen.shown if one.typed.strip()]
    if len(shown) != len(lines):
        return None
    outputs = []
    for one, line in zip(shown, lines, strict=True):
        rows, echo = list(one.lines), one.typed[1:]
        rest = line.partition("\n")[0]
        while rows and len(echo) < len(rest) and rest.startswith(echo):
            echo += rows.pop(0)  # the echo of a long command wraps
        rows = [row for row in rows if not (row.startswith(">") and "\n" in line)]
        outputs.append("".join(f"{row}\n" for row in rows))
    return outputs
