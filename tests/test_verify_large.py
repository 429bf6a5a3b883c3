"""Long observations finish: nothing that is verified takes time by the square of their lines."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from search_rows import call, session

from worldline.domains.desktop.screen import Command, commands
from worldline.domains.search import DOMAIN as SEARCH
from worldline.prediction import VIOLATIONS, Violation, capped
from worldline.trajectory import Source, Trajectory, Turn
from worldline.verify import aligned as module
from worldline.verify.aligned import Span, aligned
from worldline.verify.measure import score
from worldline.verify.moments import moments

LINES = 300_000


def covered(spans: Sequence[Span], one: Sequence[int], other: Sequence[int]) -> None:
    """Each item of both stands in one span, in order; pairs are of equal length."""
    at = to = 0
    for span in spans:
        assert (span.start, span.to) == (at, to)
        assert not span.paired or span.end - span.start == span.to_end - span.to
        at, to = span.end, span.to_end
    assert (at, to) == (len(one), len(other))


def equal(spans: Sequence[Span], one: Sequence[int], other: Sequence[int]) -> int:
    return sum(
        a == b
        for span in spans
        if span.paired
        for a, b in zip(one[span.start : span.end], other[span.to : span.to_end], strict=True)
    )


items = st.lists(st.integers(0, 8), max_size=30)


@given(items, items)
def test_what_can_be_afforded_has_the_fewest_changes(one, other):
    spans = list(aligned(one, other))
    codes = Levenshtein.opcodes(one, other)
    assert [(s.start, s.end, s.to, s.to_end) for s in spans] == [
        (c.src_start, c.src_end, c.dest_start, c.dest_end) for c in codes
    ]


@given(items, items, st.integers(0, 40))
def test_what_cannot_be_afforded_is_covered_all_the_same(one, other, cells):
    before, module.CELLS = module.CELLS, cells
    try:
        covered(list(aligned(one, other)), one, other)
    finally:
        module.CELLS = before


@given(st.lists(st.integers(), unique=True, max_size=30), st.data())
def test_what_stands_once_in_both_is_set_against_itself(one, data):
    other = [item for item in one if data.draw(st.booleans())]
    before, module.CELLS = module.CELLS, 0
    try:
        spans = list(aligned(one, other))
    finally:
        module.CELLS = before
    covered(spans, one, other)
    assert equal(spans, one, other) == len(other)


@pytest.mark.parametrize("step", [1, 3])
def test_no_piece_that_is_aligned_exactly_is_too_large(step: int, monkeypatch):
    sizes: list[int] = []

    class Counting:
        @staticmethod
        def opcodes(one, other):
            sizes.append(len(one) * len(other))
            return Levenshtein.opcodes(one, other)

    monkeypatch.setattr(module, "Levenshtein", Counting)
    one = list(range(LINES))
    other = [n if n % step else n + LINES for n in one]
    spans = list(aligned(one, other))
    covered(spans, one, other)
    assert max(sizes, default=0) <= module.CELLS and sum(sizes) <= LINES * 10
    assert equal(spans, one, other) == LINES - LINES // step


@pytest.mark.parametrize("step", [1, 3])
def test_very_long_texts_are_compared(step: int):
    lines = LINES // 10
    truth = "\n".join(f"left {n}" for n in range(lines))
    shown = "\n".join(f"left {n}" if n % step else f"right {n}" for n in range(lines))
    turn = Turn(action="read", observation=truth)
    one = Trajectory(
        id="t", domain="generic", dialect="text", turns=(turn,), source=Source(kind="test")
    )
    *_, moment = moments(one)
    assert len(score(moment, shown).differences) == lines // step


def test_a_terminal_of_very_many_lines_is_one_command():
    lines = ["ada@box:~$ cat log", *map(str, range(LINES)), "ada@box:~$ ", "gone", "ada@box:~$ ls"]
    printed = tuple(map(str, range(LINES)))
    assert commands(lines) == [Command("cat log", printed, done=True), Command("ls")]


def test_very_many_stray_lines_are_told_by_the_first_and_a_count():
    head = "[1] https://a.example/b\nTitle: t\nSnippet: s\nDate: N/A"
    seen = "\n".join([head, *(f"stray {n}" for n in range(LINES))])
    ledger = SEARCH.open(session("awb", kind="collected"))
    found = [
        one
        for one in SEARCH.checks(ledger, call("web_search", query="inns"), seen)
        if one.message.startswith("belongs to no result")
    ]
    assert len(found) == LINES
    assert [seen[slice(*one.span)] for one in found[:2] if one.span] == ["stray 0", "stray 1"]
    kept = capped(found)
    assert len(kept) == VIOLATIONS + 1 and f"{LINES - VIOLATIONS:,} more" in kept[-1].message


def test_a_cap_loses_no_rule_and_no_severity():
    many = [Violation(rule="a", severity="warning", message=str(n)) for n in range(500)]
    late = Violation(rule="b", severity="error", message="late")
    kept = capped([*many, late])
    assert late in kept and kept[:VIOLATIONS] == many[:VIOLATIONS]
    assert capped(many[:VIOLATIONS]) == many[:VIOLATIONS]
