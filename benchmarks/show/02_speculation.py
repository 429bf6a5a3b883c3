"""Decoding with drafts against without: faster where a state is copied, no slower elsewhere.

`embedded` drafts by looking further up for the last tokens and copying what followed them there.
Forced rows decode the recorded next state (a grammar allows nothing else), so the output is equal
by construction and is compared all the same; they show a model that is right. Free rows decode what
the model itself says, greedily, after the same beginning: batches of other shapes round
differently, so equal text is told there and not promised. Judge ratios of time on a machine that
does nothing else; those of processor time say how much work there was.
"""

import asyncio
import time
from collections.abc import Callable, Iterable

from benchmarks.show import Show
from benchmarks.speculation import Case, Duel, Timed, median_interval
from benchmarks.speculation_cases import copied, elsewhere, prose
from worldline.models.embedded import open_embedded

STATES = 3
"""Copied states of a domain."""
TURNS = 2
"""Other turns of a domain."""
FEWEST, ENOUGH_S = 6, 150.0
"""So many of each will do after so many seconds."""
FREE, PIECES = 4, 2
"""States that are gone on with freely, and pieces of each."""


def check(show: Show) -> None:
    show.measure("on_by_default", int(on_by_default()), better="higher", floor=1, goal=1)
    with Duel() as duel:
        print("copied states, forced: tokens, without -> with drafts")
        states = forcedly(duel, copied(show.real, duel.count, STATES))
        print("\ncopied states, free and greedy")
        free = freely(duel, (one.case for one in reversed(states[-FREE:])))
        print("\nelsewhere: other domains forced, prose free")
        others = forcedly(duel, elsewhere(show.real, duel.count, TURNS))
        others += freely(duel, prose())
    ratio(show, "copied", states, floor=1.3, goal=2.0)
    ratio(show, "elsewhere", others, floor=0.95, goal=1.0)
    ratio(show, "copied_free", free)
    for name, some in (("copied", states), ("elsewhere", others)):
        ratio(show, f"{name}_cpu", some, of=lambda one: one.cpu_ratio)
    forced = [one for one in (*states, *others) if one.case.truth]
    equal(show, "equal_output", forced, floor=1.0)
    equal(show, "equal_free_text", [*free, *(one for one in others if not one.case.truth)])


def on_by_default() -> bool:
    """Whether `embedded` drafts when nobody says so."""

    async def asked() -> bool:
        async with open_embedded(context=512) as model:
            return model.describe()["spec"]

    return asyncio.run(asked())


def forcedly(duel: Duel, cases: Iterable[Case]) -> list[Timed]:
    """True answers, until there are enough."""
    found: list[Timed] = []
    start = time.monotonic()
    for case in cases:
        if len(found) >= FEWEST and time.monotonic() - start > ENOUGH_S:
            break
        found.append(told(duel.forced(case)))
    return found


def freely(duel: Duel, cases: Iterable[Case]) -> list[Timed]:
    """Free text; a case where the model says nothing is left out."""
    return [told(timed) for case in cases if (timed := duel.free(case, PIECES)).pieces]


def told(timed: Timed) -> Timed:
    """The same, printed."""
    print(timed.line(), flush=True)
    return timed


def ratio(
    show: Show,
    name: str,
    found: list[Timed],
    floor: float | None = None,
    goal: float | None = None,
    of: Callable[[Timed], float] = lambda one: one.ratio,
) -> None:
    """How many times as fast: median over cases, its interval over runs."""
    if not found:
        return show.measure(f"{name}_ratio", 0.0, better="higher", floor=floor, goal=goal, n=0)
    middle, low, high = median_interval([(one.case.cluster, of(one)) for one in found])
    show.measure(
        f"{name}_ratio",
        middle,
        better="higher",
        floor=floor,
        goal=goal,
        n=len(found),
        lo=round(low, 3),
        hi=round(high, 3),
        recorded=True,
    )


def equal(show: Show, name: str, found: list[Timed], floor: float | None = None) -> None:
    """The share of pieces that both engines wrote alike (and as it was forced)."""
    pieces = sum(one.pieces for one in found)
    share = sum(one.equal for one in found) / pieces if pieces else 0.0
    show.measure(name, share, better="higher", floor=floor, goal=floor, n=pieces)
