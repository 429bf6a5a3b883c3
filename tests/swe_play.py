"""Short sessions for the tests of the swe domain: play turns, ask what is known."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from worldline.domains.base import Known, Ledger
from worldline.domains.swe import DOMAIN
from worldline.facts import Fact, FactOrigin
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

FOREIGN = Source(kind="recorded", name="somewhere")
"""A recording of a harness that we do not know."""
Turns = Iterable[tuple[str, str]]

LOOM = (
    '"""Weaves."""\n\nWARP = 12\n\n\ndef picks(rows):\n    """Picks of a cloth."""\n'
    "    return rows * WARP\n"
)
ROWS = LOOM.split("\n")


def call(name: str, **arguments: Any) -> str:
    """A tool call as an action."""
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def returned(output: str, code: int = 0) -> str:
    """What the dialect bash-returncode makes of an output."""
    return f"<returncode>{code}</returncode>\n<output>\n{output}</output>"


def numbered(text: str, mark: str = "\t", width: int = 0, first: int = 1) -> str:
    """Every line with its number."""
    return "\n".join(f"{n:>{width}}{mark}{row}" for n, row in enumerate(text.split("\n"), first))


def trajectory(
    turns: Turns = (), *, dialect: str = "bash-returncode", foreign: bool = True, **parts: Any
) -> Trajectory:
    """A trajectory of (action, observation) pairs."""
    tools = parts.pop("tools", None)
    return Trajectory(
        id="t",
        domain="swe",
        dialect=dialect,
        system=SystemPrompt(**parts),
        tools=tools,
        turns=tuple(Turn(action=action, observation=seen) for action, seen in turns),
        source=FOREIGN if foreign else Source(),
    )


def play(
    turns: Turns = (), *, facts: Sequence[Fact] = (), origin: FactOrigin = "real", **options: Any
) -> Ledger:
    """The ledger after the turns."""
    played = trajectory(turns, **options)
    ledger = DOMAIN.open(played, facts)
    for turn in played.turns:
        ledger = DOMAIN.track(ledger, turn, origin)
    return ledger


def ask(turns: Turns, action: str, **options: Any) -> Known | None:
    """What is known of the observation after `action`, once the turns have been played."""
    return DOMAIN.known(play(turns, **options), action)


def shell(turns: Iterable[tuple[str, str]], command: str) -> str | None:
    """What is known to be printed by a command, all commands before having succeeded."""
    known = ask([(line, returned(output)) for line, output in turns], command)
    if known is None:
        return None
    head, tail = "<returncode>0</returncode>\n<output>\n", "</output>"
    assert known.observation.startswith(head) and known.observation.endswith(tail)
    return known.observation[len(head) : -len(tail)]
