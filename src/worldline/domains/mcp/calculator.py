"""Calculator tools: the value is computed, the way it is printed is learned.

Whether sixty is ``60`` or ``60.0`` only the tool can show, so the first answer of a session is the
model's. From then on whole values follow, as far as what was shown carries: a tool that prints
``2 + 3`` as ``5`` may still print ``6 / 2`` as ``3.0``, and a longer number than any seen so far
may get separators.
"""

from typing import Any

from worldline.domains.base import Known, Ledger
from worldline.domains.mcp import arithmetic
from worldline.domains.mcp.kinds import words
from worldline.domains.mcp.memo import parse_observation
from worldline.domains.mcp.observations import Body, render_body
from worldline.domains.mcp.reading import leaf, with_leaf
from worldline.domains.mcp.tools import Target
from worldline.facts import Fact, FactOrigin, fact

PLAIN_DIGITS = 3
"""Numbers of so many digits are printed alike by every tool."""
_NAMES = frozenset({"calculate", "calculator", "calc", "compute", "evaluate"})


def learn(ledger: Ledger, target: Target, body: Body, origin: FactOrigin) -> Fact | None:
    """The fact that this calculator prints whole numbers so, if this result shows it."""
    asked = _asked(target)
    if asked is None:
        return None
    whole, fractions = asked
    text = render_body(leaf(body))
    if text not in (str(whole), f"{whole}.0"):
        return None
    before = ledger.get("tool", _key(target, fractions))
    digits = max(_digits(whole), before.value["digits"] if before else 0)
    shown = {"observation": render_body(body), "digits": digits}
    return fact("tool", _key(target, fractions), shown, origin=origin, turn=ledger.turn)


def known(ledger: Ledger, target: Target) -> Known | None:
    """The answer to a literal expression with a whole value."""
    asked = _asked(target)
    if asked is None:
        return None
    whole, fractions = asked
    shown = _shown(ledger, target, fractions)
    if shown is None or _digits(whole) > max(PLAIN_DIGITS, shown.value["digits"]):
        return None
    before = parse_observation(ledger.dialect, shown.value["observation"]).body
    body = with_leaf(before, f"{whole}.0" if _has_point(before) else str(whole))
    if body is None:
        return None
    return Known(
        observation=render_body(body),
        rule="mcp.calculator",
        because=(shown.id,),
        consistent_only=shown.origin == "model",
    )


def _shown(ledger: Ledger, target: Target, fractions: bool) -> Fact | None:
    """What is known of how this kind of expression is printed."""
    own = ledger.get("tool", _key(target, fractions))
    if own is not None:
        return own
    other = ledger.get("tool", _key(target, not fractions))
    if other is None:
        return None
    body = parse_observation(ledger.dialect, other.value["observation"]).body
    # 5.0 for 2 + 3 means that everything is printed as a float; 3 for 6 / 2, that nothing is
    return other if _has_point(body) == fractions else None


def _has_point(body: Body) -> bool:
    return render_body(leaf(body)).endswith(".0")


def _key(target: Target, fractions: bool) -> str:
    return f"{target.label}: whole numbers" + (" from fractions" if fractions else "")


def _digits(whole: int) -> int:
    return len(str(abs(whole)))


def _asked(target: Target) -> tuple[int, bool] | None:
    """The whole value of the expression, and whether fractions occur in it."""
    values: list[Any] = list(target.arguments.values())
    if len(values) != 1 or not isinstance(values[0], str) or not _NAMES & set(words(target.name)):
        return None
    value = arithmetic.value(values[0])
    if value is None or value.denominator != 1:
        return None
    return value.numerator, "/" in values[0] or "." in values[0]
