"""Calculator tools: the value is computed, the way it is printed is learned.

Whether sixty is ``60`` or ``60.0`` only the tool can show, so the first answer of a session is the
model's. Once one whole number has been seen, every other whole value follows.
"""

from worldline.domains.base import Known, Ledger
from worldline.domains.mcp import arithmetic
from worldline.domains.mcp.kinds import words
from worldline.domains.mcp.memo import parse_observation
from worldline.domains.mcp.observations import Body, render_body
from worldline.domains.mcp.reading import leaf, with_leaf
from worldline.domains.mcp.tools import Target
from worldline.facts import Fact, FactOrigin, fact

_NAMES = frozenset({"calculate", "calculator", "calc", "compute", "evaluate"})


def learn(target: Target, body: Body, origin: FactOrigin, turn: int) -> Fact | None:
    """The fact that this calculator prints whole numbers so, if this result shows it."""
    whole = _whole(target)
    if whole is None:
        return None
    text = render_body(leaf(body))
    if text not in (str(whole), f"{whole}.0"):
        return None
    shown = {"expression": _expression(target), "observation": render_body(body)}
    return fact("tool", _key(target), shown, origin=origin, turn=turn)


def known(ledger: Ledger, target: Target) -> Known | None:
    """The answer to a literal expression with a whole value."""
    whole = _whole(target)
    shown = ledger.get("tool", _key(target))
    if whole is None or shown is None:
        return None
    before = parse_observation(ledger.dialect, shown.value["observation"]).body
    text = f"{whole}.0" if render_body(leaf(before)).endswith(".0") else str(whole)
    body = with_leaf(before, text)
    if body is None:
        return None
    return Known(
        observation=render_body(body),
        rule="mcp.calculator",
        because=(shown.id,),
        consistent_only=shown.origin == "model",
    )


def _key(target: Target) -> str:
    return f"{target.label}: whole numbers"


def _expression(target: Target) -> str | None:
    values = list(target.arguments.values())
    if len(values) != 1 or not isinstance(values[0], str) or not _NAMES & set(words(target.name)):
        return None
    return values[0]


def _whole(target: Target) -> int | None:
    expression = _expression(target)
    value = None if expression is None else arithmetic.value(expression)
    return None if value is None or value.denominator != 1 else value.numerator
