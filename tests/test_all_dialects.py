"""What every dialect of every domain promises, whoever wrote it: nothing lost, nothing raised.

Rows are small ones of our own (`benchmarks/show/rows`); hostile text is drawn by hypothesis.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline import jsonl
from worldline.collect.importers.common import read_common
from worldline.domains import domain as find_domain
from worldline.domains import names
from worldline.domains.base import ActionError, Dialect
from worldline.fit import estimate
from worldline.trajectory import SystemPrompt, Trajectory, Turn
from worldline.trees import PatchError, apply, diff, view

ROWS = Path(__file__).resolve().parents[1] / "benchmarks" / "show" / "rows"
BUILT_IN = ("generic", "terminal", "swe", "mcp", "search", "web", "os", "android")
SEVEN = BUILT_IN[1:]
COMPACT = 350
"""Tokens of a compact prompt without anything given."""
FROM_REFERENCE = {
    "search/awb",
    "swe/qwen-cli",
    "web/playwright",
    "os/xml",
    "android/json",
    "android/phone",
}
"""Dialects of which nobody recorded a row: they say so themselves."""
MARKS = [
    '"', "'", "\\", "{", "}", "[", "]", "(", ")", "<", ">", "</", "|", "\n", "\r", "\t", "\x00",
    "\ud800", "\u2028", "é", " ", "=", ":", "- ", "~ ", "= keep\n", "0", "12", "null", "..",
    "<a b='",
    '{"name": "', "[1] button 'x'", "<returncode>", "UI element 0: {", "a\tb\tc", "\u200b", "```\n",
]  # fmt: skip
hostile = (
    st.lists(st.sampled_from(MARKS) | st.text(max_size=5), max_size=12)
    .map("".join)
    .map(lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))
)


def dialects() -> list[Any]:
    """Every dialect of every built-in domain, named ``domain/dialect``."""
    return [
        pytest.param(find_domain(name), dialect, id=f"{name}/{dialect.id}")
        for name in BUILT_IN
        if name in names()
        for dialect in find_domain(name).dialects.values()
    ]


def rows(domain: str) -> list[Trajectory]:
    path = ROWS / f"{domain}.jsonl"
    return list(read_common(path)) if path.is_file() else []


def reloaded(parsed, kind):
    """A parse after a dump to JSON and back."""
    return msgspec.convert(jsonl.loads(jsonl.dumps(msgspec.to_builtins(parsed))), kind)


def acted(dialect: Dialect, text: str) -> str:
    return dialect.render_action(reloaded(dialect.parse_action(text), dialect.action))


def seen(dialect: Dialect, text: str) -> str:
    parsed = dialect.parse_observation(text)
    return dialect.render_observation(reloaded(parsed, dialect.observation))


def states(trajectory: Trajectory) -> list[str]:
    found = [trajectory.system.initial_state]
    for turn in trajectory.turns:
        found += [turn.state_before, turn.observation]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("name", SEVEN)
def test_each_of_the_seven_domains_is_there(name: str):
    assert name in names()
    assert find_domain(name).id == name


def test_dialects_that_nobody_recorded_say_so():
    found = {
        f"{name}/{dialect.id}"
        for name in SEVEN
        for dialect in find_domain(name).dialects.values()
        if not dialect.recorded
    }
    assert found == FROM_REFERENCE


@pytest.mark.parametrize(("domain", "dialect"), dialects())
def test_each_dialect_has_small_rows_of_our_own_and_is_told_from_the_others(domain, dialect):
    mine = [one for one in rows(domain.id) if one.dialect == dialect.id]
    assert mine, "write a row for it in benchmarks/show/rows"
    assert {domain.detect(one) for one in mine} == {dialect.id}


@pytest.mark.parametrize(("domain", "dialect"), dialects())
def test_small_rows_come_back_exactly(domain, dialect):
    for one in rows(domain.id):
        if one.dialect == dialect.id:
            for turn in one.turns:
                assert acted(dialect, turn.action) == turn.action
            for text in states(one):
                assert seen(dialect, text) == text


@pytest.mark.parametrize(("domain", "dialect"), dialects())
def test_edits_between_small_states_give_the_next_state(domain, dialect):
    if dialect.tree is None:
        return
    for one in rows(domain.id):
        if one.dialect == dialect.id:
            texts = states(one)
            assert any(dialect.tree.parse(text) for text in texts), "no row holds a state"
            for before in texts:
                for after in texts:
                    assert apply(dialect.tree, diff(dialect.tree, before, after), before) == after


@pytest.mark.parametrize(("domain", "dialect"), dialects())
@given(text=hostile)
@settings(max_examples=40, deadline=None)
def test_any_text_is_an_observation_and_comes_back(domain, dialect, text: str):
    assert seen(dialect, text) == text


@pytest.mark.parametrize(("domain", "dialect"), dialects())
@given(text=hostile)
@settings(max_examples=40, deadline=None)
def test_any_text_is_an_action_or_said_to_be_none(domain, dialect, text: str):
    try:
        again = acted(dialect, text)
    except ActionError as error:
        assert str(error)
    else:
        assert again == text


@pytest.mark.parametrize(("domain", "dialect"), dialects())
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_damaged_rows_come_back_or_are_said_to_be_none(domain, dialect, data):
    one = data.draw(st.sampled_from([row for row in rows(domain.id) if row.dialect == dialect.id]))
    text = data.draw(st.sampled_from([*states(one), *(turn.action for turn in one.turns)]))
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(hostile) + text[at + data.draw(st.integers(0, 8)) :]
    damaged = damaged.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert seen(dialect, damaged) == damaged
    try:
        again = acted(dialect, damaged)
    except ActionError:
        return
    assert again == damaged


@pytest.mark.parametrize(("domain", "dialect"), dialects())
@given(action=hostile, observation=hostile)
@settings(max_examples=25, deadline=None)
def test_no_turn_is_too_strange_for_the_rules(domain, dialect, action: str, observation: str):
    system = SystemPrompt(initial_state=observation)
    one = Trajectory(id="h", domain=domain.id, dialect=dialect.id, system=system)
    ledger = domain.open(one)
    for _ in range(2):
        domain.protocol(ledger, action)
        domain.known(ledger, action)
        domain.facts_text(domain.facts(ledger, action, 2400))
        domain.checks(ledger, action, observation)
        ledger = domain.track(ledger, Turn(action=action, observation=observation), "real")
    assert ledger.turn == 2
    assert domain.detect(one) in domain.dialects


@pytest.mark.parametrize(("domain", "dialect"), dialects())
@given(text=hostile)
@settings(max_examples=25, deadline=None)
def test_any_state_can_be_edited_and_viewed(domain, dialect, text: str):
    if dialect.tree is None:
        return
    for before, after in ((text, text + "x"), ("x" + text, text)):
        assert apply(dialect.tree, diff(dialect.tree, before, after), before) == after
    assert len(view(dialect.tree, text, action=text, budget=200)[0]) <= 200
    try:
        apply(dialect.tree, f"= keep\n{text}", text)
    except PatchError as error:
        assert str(error)


@pytest.mark.parametrize(("domain", "dialect"), dialects())
def test_compact_prompts_are_short_and_full_ones_say_more(domain, dialect):
    one = Trajectory(id="p", domain=domain.id, dialect=dialect.id)
    compact, full = (domain.system_text(one, style) for style in ("compact", "full"))
    assert 0 < estimate(compact) < COMPACT
    assert len(full) > len(compact)


@pytest.mark.parametrize(("domain", "dialect"), dialects())
def test_handles_of_states_are_all_different(domain, dialect):
    if dialect.tree is None:
        return
    for one in rows(domain.id):
        if one.dialect == dialect.id:
            for text in states(one):
                tree = dialect.tree.parse(text)
                if tree is not None:
                    handles = dialect.tree.handles(tree)
                    assert len(handles) == len(set(handles)) == len(tree.nodes)
