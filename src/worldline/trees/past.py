"""Edits of an earlier state: screens and pages that come back.

A menu closes, a page is left again: the next state is hardly an edit of the present one, and yet it
has been seen. Then the first line of a script names the turn after which it was (0: the first
state), and the edits are of that state::

    = turn 3
    ~ 12 checked=true
"""

from collections import Counter
from collections.abc import Sequence

from worldline.trees.edit import apply
from worldline.trees.node import TreeForm
from worldline.trees.patch import KEEP, PatchError
from worldline.trees.script import diff

TURN = "= turn "
WORTH = 240
"""Characters of an edit of the present state from which earlier ones are looked at."""
LOOK_BACK = 40
"""How many earlier states are looked at."""


def diff_past(form: TreeForm, earlier: Sequence[str | None], before: str, after: str) -> str:
    """The shortest edit found that leads to `after`.

    Args:
        earlier: the states after turns 0, 1, 2 ... of the session; `None` where there is none.
        before: the present state.
    """
    script = diff(form, before, after)
    if len(script) <= WORTH:
        return script
    number = _nearest(earlier, after)
    if number is None or (state := earlier[number]) is None or state == before:
        return script
    other = diff(form, state, after)
    if not other.startswith(KEEP):
        return script
    other = f"{TURN}{number}{other.removeprefix(KEEP)}"
    return other if len(other) < len(script) else script


def apply_past(form: TreeForm, script: str, earlier: Sequence[str | None], before: str) -> str:
    """The next state; `diff_past` says what `earlier` is.

    Raises:
        PatchError: as `apply`, or there was no such turn.
    """
    if not script.startswith(TURN):
        return apply(form, script, before)
    head, newline, edits = script.partition("\n")
    digits = head.removeprefix(TURN).strip()
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else -1
    state = earlier[number] if 0 <= number < len(earlier) else None
    if state is None:
        raise PatchError(f"line 1: there is no state after turn {digits[:20]!r}")
    return apply(form, f"{KEEP}{newline}{edits}", state)


def _nearest(earlier: Sequence[str | None], after: str) -> int | None:
    """The turn whose state shares the most lines with `after`; the latest of several."""
    lines, best, most = Counter(after.split("\n")), None, 0
    for number in range(max(len(earlier) - LOOK_BACK, 0), len(earlier)):
        state = earlier[number]
        if state is not None:
            shared = (lines & Counter(state.split("\n"))).total()
            if shared and shared >= most:
                best, most = number, shared
    return best
