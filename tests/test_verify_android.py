"""Measures of phones: the truth is whole, each rule speaks and is silent."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.verify.counts import errors
from benchmarks.verify.sessions import lies
from worldline.domains.android import DOMAIN
from worldline.verify.corrupt import corruptions, variants
from worldline.verify.measure import Moment, score

LIES = {one.id: one for one in lies("android")}
MOMENTS = {id: one.moment for id, one in LIES.items()}
BY_DIALECT = {moment.ledger.dialect: moment for moment in MOMENTS.values()}
LISTED, VIEWS, STATES = (MOMENTS[f"android-{n}"] for n in ("02", "05", "07"))
KINDS = {one.name: one for one in corruptions("android")}
RULES = {
    "android-01": "typed",
    "android-02": "toggled",
    "android-03": "clock",
    "android-04": "order",
    "android-05": "renamed",
    "android-06": "package",
    "android-07": "state_id",
    "android-08": "class",
    "android-09": "switch",
    "android-10": "focused",
    "android-12": "container",
    "android-13": "scrolled",
    "android-16": "kept",
    "android-20": "wordless",
}
"""Which rule says that a lie cannot be."""
EDITS = {
    "numbers": (LISTED, "UI element 3", "UI element 5"),
    "line": (LISTED, '"Beans", "class_name"', '"Beans", "class"'),
    "box": (VIEWS, "[0,0][720,1280]", "[720,0][0,1280]"),
    "activity": (VIEWS, "foreground_activity: ", "activity: "),
    "editable": (VIEWS, " editable)", ")"),
    "focus": (
        LISTED,
        '"is_enabled": true, "is_focusable"',
        '"is_enabled": true, "is_focused": true, "is_focusable"',
    ),
    "checkable": (LISTED, '"is_checkable": true, ', ""),
    "kind": (VIEWS, "widget.TextView text", "widget.Button text"),
    "no_screen": (LISTED, "UI element", "Element"),
}
"""Rule -> a true screen, and what to replace in it to break the rule."""


def rules(moment: Moment, observation: str) -> set[str]:
    return {one.rule.removeprefix("android.") for one in errors(moment, observation)}


@pytest.mark.parametrize("id", LIES)
def test_the_truth_is_whole_and_draws_no_error(id: str):
    moment = MOMENTS[id]
    assert score(moment, moment.truth).true.score == 1
    assert errors(moment, moment.truth) == []


@pytest.mark.parametrize("id, rule", RULES.items())
def test_a_rule_finds_the_lie_and_shows_where_it_stands(id: str, rule: str):
    found = errors(MOMENTS[id], LIES[id].lie)
    one = next(one for one in found if one.rule == f"android.{rule}")
    assert one.span is not None and LIES[id].lie[slice(*one.span)].strip()
    clock = rule == "clock"  # nobody can know a time: only the guard sees that it goes back
    assert (score(MOMENTS[id], LIES[id].lie).true.score < 1) != clock


@pytest.mark.parametrize("rule, edit", EDITS.items())
def test_a_rule_finds_what_no_screen_can_be(rule: str, edit: tuple[Moment, str, str]):
    moment, old, new = edit
    broken = moment.truth.replace(old, new)
    assert rule in rules(moment, broken) and rule not in rules(moment, moment.truth)


def test_two_texts_do_not_lie_in_one_place():
    rows = LISTED.truth.split("\n")
    twin = rows[3].replace("Beans", "Peas").replace("element 3", "element 4")
    later = [re.sub(r"element (\d)", lambda m: f"element {int(m[1]) + 1}", r) for r in rows[4:]]
    assert rules(LISTED, "\n".join([*rows[:4], twin, *later])) == {"twice"}


def test_a_screen_is_not_the_last_one_cut_short():
    whole = (LISTED.before or "").split("\n")
    assert "cut" in rules(LISTED, "\n".join(whole[:5]))
    assert "cut" not in rules(LISTED, "\n".join(whole[:8]))  # the clock is still there


def test_an_id_is_remembered_beyond_the_last_screen():
    moment = MOMENTS["android-04"]
    assert "id" in rules(moment, moment.truth.replace(":id/title", ":id/heading"))


def test_a_field_of_digits_may_refuse_what_is_typed():
    moment = MOMENTS["android-15"]  # 'buy oats' is typed into the note
    words = moment.before or ""
    digits = words.replace('"Note"', '"12"')
    counted = moment._replace(ledger=DOMAIN.changed(moment.ledger, digits, "real"), before=digits)
    assert "typed" in rules(moment, words) and "typed" not in rules(counted, digits)


@pytest.mark.parametrize("dialect", BY_DIALECT)
def test_parts_stand_where_they_say(dialect: str):
    moment = BY_DIALECT[dialect]
    parts = DOMAIN.parts(moment.ledger, moment.action, moment.truth) or []
    assert {"content", "state"} <= {one.kind for one in parts}
    for one in parts:
        start, end = one.span or (0, 0)
        assert moment.truth[start:end].strip().endswith(one.text.strip().split(" ")[-1])


@pytest.mark.parametrize("moment", [LISTED, VIEWS], ids=["ui-elements", "droidbot"])
def test_a_corruption_costs_its_dimension(moment: Moment):
    made = {name: one.make(moment, Random(4), 0.0) for name, one in KINDS.items()}
    applied = {name: text for name, text in made.items() if text is not None}
    assert len(applied) >= 12
    for name, text in applied.items():
        card = score(moment, text).true
        assert getattr(card, KINDS[name].dimension) < 1 and card.score < 1, name


def test_another_time_is_as_true_as_the_recorded_one():
    for one in variants("android"):
        given = one.make(LISTED, Random(2))
        assert given is None or score(LISTED, given).true.score == 1, one.name
    other = LISTED.truth.replace('"9:12"', '"9:47"')
    assert score(LISTED, other).true.score == 1
    assert score(LISTED, other.replace('"9:47"', '"soon"')).true.realism < 1


def test_an_old_box_is_stale_and_another_id_contradicts_the_session():
    old = LISTED.truth.replace('"is_checked": true, ', "")
    assert score(LISTED, old).true.consistency < 1
    assert score(LISTED, LISTED.truth.replace("id/add", "id/plus")).true.consistency < 1


def test_status_says_whether_the_screen_changed():
    def status(text: str) -> str | None:
        return DOMAIN.status(LISTED.ledger, LISTED.action, text)

    before = LISTED.before or ""
    assert status(LISTED.truth) == "changed" and status("Error") == "none"
    assert status(before) == status(before.replace('"9:12"', '"9:13"')) == "same"


@settings(max_examples=60, deadline=None)
@given(
    id=st.sampled_from(sorted(LIES)),
    cut=st.integers(0, 2500),
    junk=st.text(alphabet='"\\[]{}()• -:=\n0aU', max_size=12),
)
def test_no_text_makes_a_measure_fail(id: str, cut: int, junk: str):
    moment = MOMENTS[id]
    given = moment.truth[:cut] + junk + moment.truth[cut + len(junk) :]
    for part in DOMAIN.parts(moment.ledger, moment.action, given) or ():
        start, end = part.span or (0, 0)
        assert 0 <= start <= end <= len(given)
    for one in DOMAIN.checks(moment.ledger, moment.action, given):
        start, end = one.span or (0, 0)
        assert 0 <= start <= end <= len(given)
    assert 0 <= score(moment, given).true.score <= 1
