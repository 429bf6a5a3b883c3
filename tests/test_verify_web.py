"""Measures and rules of the web: the truth is whole, what is wrong costs what it is."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web_play import HOME, call, moment, page, shop, snapshot
from worldline.collect.importers.common import read_common
from worldline.domains.web import DOMAIN
from worldline.domains.web.dialects.labelled import FAILED
from worldline.verify.compare import DIMENSIONS
from worldline.verify.corrupt import corruptions, variants
from worldline.verify.measure import Moment, score
from worldline.verify.moments import moments

ROWS = Path(__file__).parents[1] / "benchmarks" / "show" / "rows" / "web.jsonl"
OWN = [(one.dialect, moment) for one in read_common(ROWS) for moment in moments(one)]


def broken(at: Moment, observation: str) -> set[str]:
    """The rules of severity `error`."""
    found = DOMAIN.checks(at.ledger, at.action, observation)
    for one in found:
        assert one.span is None or 0 <= one.span[0] <= one.span[1] <= len(observation)
    return {one.rule for one in found if one.severity == "error"}


@pytest.mark.parametrize(("dialect", "at"), OWN)
def test_the_truth_is_whole_and_draws_no_error(dialect, at):
    card = score(at, at.truth)
    assert card.true.score == card.plausible.score == 1 and broken(at, at.truth) == set()


@pytest.mark.parametrize("corruption", corruptions("web"), ids=lambda one: one.name)
def test_a_corruption_costs_its_dimension(corruption):
    made = 0
    for number, (_, at) in enumerate(OWN):
        text = corruption.make(at, Random(number), 0.0)
        if text is None or text.rstrip() == at.truth.rstrip():
            continue
        made += 1
        true = score(at, text).true
        assert getattr(true, corruption.dimension) < 1 and true.score < 1, text
    assert made


@pytest.mark.parametrize("variant", variants("web"), ids=lambda one: one.name)
def test_what_nobody_can_know_costs_nothing(variant):
    shown = shop(
        more=(
            "[20] link 'Cart', describedby='tip-41', url='http://kites.example/c?token=a81f'",
            "StaticText '7 minutes ago, 2025-03-01 10:11:12, 25ms'",
        )
    )
    at = moment("noop()", shown)
    text = variant.make(at, Random(3))
    assert text and text != shown and score(at, text).true.score == 1


def test_a_heavier_corruption_is_never_better():
    for number, (_, at) in enumerate(OWN):
        for one in corruptions("web"):
            light, heavy = (one.make(at, Random(number), weight) for weight in (0.0, 1.0))
            if light and heavy:
                assert score(at, heavy).true.score <= score(at, light).true.score + 1e-9, one.name


def test_each_kind_of_part_costs_its_own():
    at = moment("click('9')", shop(line="14"))
    moved = score(at, shop(line="14").replace("[9] button", "[99] button")).true
    assert moved.consistency < 1 and moved.factuality == moved.quality == moved.format == 1
    other = score(at, shop(line="15")).true
    assert other.factuality < 1 and other.consistency == other.quality == 1
    stale = score(at, shop(line="12")).true
    assert stale.consistency < 1 and stale.factuality == stale.quality == 1
    gone = score(at, shop(line="14").replace("\n\t[9] button 'Order'", "")).true
    assert gone.quality < 1 and gone.factuality == gone.consistency == 1
    loose = score(at, shop(line="14").replace("button 'Order'", "button 'Order")).true
    assert loose.format < 1 and loose.factuality == 1


def test_a_row_is_unknowable_where_new_words_come_from_nowhere():
    known = moment("click('9')", shop(gift="true"))
    assert not score(known, known.truth).unknowable
    new = moment("click('9')", shop(more=("StaticText 'Parcel zebra-77'",)))
    assert score(new, new.truth).unknown == ("Parcel", "zebra", "77")


def test_the_status_is_that_of_the_harness():
    at = moment("click('9')", shop())
    assert DOMAIN.status(at.ledger, at.action, shop()) == "ok"
    failed = shop(error="TimeoutError: late")
    assert DOMAIN.status(at.ledger, at.action, failed) == "error"
    assert score(at, failed).plain.status == 0


NOT_FOUND = 'ValueError: Could not find element with bid "77"'
TABS = (("Kites", HOME, False), ("Wind", f"{HOME}wind", True))
BACK = (("Kites", HOME, True), ("Wind", f"{HOME}wind", False))
FIRES = [
    ("frame_ids", "noop()", shop().replace("[a2]", "[12]"), shop()),
    ("roots", "noop()", shop() + "\nRootWebArea 'Two', url='http://kites.example/'", shop()),
    ("odd_line", "noop()", shop().replace("button 'Order'", "button 'Order"), shop()),
    ("stray_line", "noop()", f"The page:\n{shop()}", shop()),
    ("no_heading", "noop()", shop().replace("Accessibility tree:\n", ""), shop()),
    ("no_tabs", "noop()", shop().partition("Accessibility tree:\n")[2], shop()),
    ("tab_numbers", "noop()", shop().replace("Tab 0", "Tab 3"), shop()),
    ("combobox_value", "noop()", shop().replace("value='Small'", "value='Large'"), shop()),
    (
        "two_focused",
        "noop()",
        shop().replace("'Order'", "'Order', focused").replace("'Kites'\n", "'Kites', focused\n"),
        shop().replace("'Order'", "'Order', focused"),
    ),
    ("choice_ignored", "select_option('5', 'Large')", shop(), shop(size="Large")),
    ("complaint_of_another", "click('78')", shop(error=NOT_FOUND), shop()),
    ("found_after_all", "click('77')", shop(more=("[77] button 'X'",), error=NOT_FOUND), shop()),
    ("error_form", "click('77')", shop(error="x").replace("Error: x", "x"), shop(error="x")),
    ("rejection_words", "jump('4')", shop(error="x"), None),
    ("succeeds_against_protocol", "jump('4')", shop(), None),
    ("other_role", "hover('9')", shop().replace("button 'Order'", "link 'Order'"), shop()),
    ("page_gone", "noop()", page(), shop()),
    ("value_of_no_field", "noop()", shop().replace("'Gift',", "'Gift' value='x',"), shop()),
    ("talks_about_itself", "noop()", f"{shop()}\nI am confident that this is right.", shop()),
]


@pytest.mark.parametrize(("rule", "action", "lie", "truth"), FIRES, ids=[one[0] for one in FIRES])
def test_each_rule_fires_on_a_lie_and_is_silent_on_the_truth(rule, action, lie, truth):
    more = tuple(f"[{number}] button 'B{number}'" for number in range(30, 36))
    start = shop(more=("[77] button 'X'",)) if rule == "found_after_all" else shop(more=more)
    at = moment(action, lie, start=start)
    assert rule in broken(at, lie)
    if truth is None:
        known = DOMAIN.protocol(at.ledger, action)
        assert known is not None
        truth = known.observation
    assert broken(at, truth) == set()


@pytest.mark.parametrize(
    ("action", "lie", "truth"),
    [
        ("tab_focus(0)", page(tabs=TABS), page(tabs=BACK)),
        ("new_tab()", page(tabs=TABS), page(tabs=(*BACK, ("", "about:blank", False)))),
        ("tab_close()", page(tabs=TABS), page()),
        ("scroll(0, 9)", page(tabs=(*TABS, ("Ad", HOME, False))), page(tabs=TABS)),
    ],
)
def test_tabs_come_and_go_as_the_action_says(action, lie, truth):
    at = moment(action, truth, start=page(tabs=TABS))
    assert broken(at, lie) == {"tabs_and_action"} and broken(at, truth) == set()


def test_what_the_agent_wrote_stays_while_nobody_writes():
    wrote = ("fill('4', '30')", shop(line="30"))
    at = moment("scroll(0, 9)", shop(line="30"), wrote, ("hover('9')", shop(line="30")))
    assert broken(at, shop(line="51")) == {"forgotten_field"}
    assert broken(at, shop(line="30")) == broken(at, shop(line="30 m")) == set()
    # a page may complete what was written a moment later
    assert broken(moment("scroll(0, 9)", shop(line="30"), wrote), shop(line="51")) == set()


def test_a_click_that_turned_a_box_turns_it_again():
    once = moment("click('8')", shop(), start=shop())
    assert broken(once, shop()) == set()  # a page may refuse
    twice = moment("click('8')", shop(), ("click('8')", shop(gift="true")))
    assert broken(twice, shop(gift="true")) == {"not_ticked"} and broken(twice, shop()) == set()


def test_what_changes_although_nothing_was_done_is_odd():
    at = moment("scroll(0, 9)", shop())
    found = DOMAIN.checks(at.ledger, at.action, shop().replace("'Order'", "'Pay'"))
    assert [(one.rule, one.severity) for one in found] == [("changed_untouched", "warning")]
    clicked = moment("click('9')", shop())
    assert DOMAIN.checks(clicked.ledger, "click('9')", shop().replace("'Order'", "'Pay'")) == []


LIST = '[0]: <button> "Menu";\t[2]: "Kites";\t[3]: <input> "Find"; '.rstrip()


def test_labels_count_and_rejected_actions_get_their_one_sentence():
    at = moment("Scroll [WINDOW]; down", LIST, start=LIST, dialect="labelled")
    assert broken(at, LIST) == set()
    assert broken(at, LIST.replace("[2]", "[0]")) == {"label_order"}
    assert broken(at, "A list of kites.") == {"no_page"}
    wrong = moment("Press [2]", FAILED, start=LIST, dialect="labelled")
    assert broken(wrong, FAILED) == set()
    assert broken(wrong, LIST) == {"succeeds_against_protocol"}
    assert broken(wrong, FAILED.replace(" or Action format", "")) == {"rejection_words"}


HOVER = "await page.getByRole('button').hover();"
TYPED = "await page.getByRole('textbox').fill('30 m');"


@pytest.mark.parametrize(
    ("rule", "action", "lie", "truth"),
    [
        ("ref_renamed", call("hover", ref="e3"), snapshot("Pay"), snapshot(ran=HOVER)),
        ("ref_unknown", call("click", ref="e9"), snapshot(), "### Error\nError: Ref e9 not found"),
        ("code_of_another", call("click", ref="e3"), snapshot(ran=HOVER), snapshot("Pay")),
        (
            "code_of_another",
            call("type", ref="e2", text="30 m"),
            snapshot(ran=TYPED.replace("30", "51"), text="30 m"),
            snapshot(ran=TYPED, text="30 m"),
        ),
        ("cut_off", call("snapshot"), snapshot().removesuffix("```"), snapshot()),
        ("stray_line", call("snapshot"), f"Done:\n{snapshot()}", snapshot()),
        ("stray_line", call("snapshot"), f"{snapshot()}\nAll is well.", snapshot()),
        (
            "frame_ids",
            call("click", ref="e3"),
            snapshot(more="\n- iframe [ref=e4]:\n  - link [ref=e5]"),
            snapshot(more="\n- iframe [ref=e4]:\n  - link [ref=f1e5]"),
        ),
        (
            "two_focused",
            call("click", ref="e3"),
            snapshot(more=" [active]\n- link [active] [ref=e4]").replace("[ref=e3] [a", "[a"),
            snapshot(more="\n- link [active] [ref=e4]"),
        ),
    ],
)
def test_snapshots_of_playwright(rule, action, lie, truth):
    at = moment(action, truth, start=snapshot(), dialect="playwright")
    if rule == "two_focused":
        lie = lie.replace('"Order" [active]', '"Order" [active] [ref=e3]')
    assert rule in broken(at, lie) and broken(at, truth) == set()


PIECES = re.findall(
    r"[^~]+",
    "[4]~[ref=e3]~'~\"~\t~\n~;\t~[9]: ~```~### Page~- Page URL: ~RootWebArea '~Open tabs:\n"
    "~Accessibility tree:\n~- Tab 1 (active)\n~\\~🪁",
)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(OWN),
    st.lists(st.tuples(st.integers(0, 3000), st.sampled_from(PIECES), st.integers(0, 40))),
)
def test_whatever_comes_is_read_scored_and_checked(row, edits):
    _, at = row
    text = at.truth
    for place, piece, cut in edits:
        place = place % (len(text) + 1)
        text = text[:place] + piece + text[place + cut :]
    for part in DOMAIN.parts(at.ledger, at.action, text) or ():
        assert part.span is None or text[slice(*part.span)] == part.text
    broken(at, text)
    true = score(at, text).true
    assert all(0 <= getattr(true, name) <= 1 for name in DIMENSIONS)
