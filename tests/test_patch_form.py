"""The patch form: a small model predicts edits of a state, code carries them out."""

import asyncio

import msgspec
import pytest
from fakes import FakeModel
from hypothesis import given
from hypothesis import strategies as st
from tea import (
    ANDROID,
    BOIL,
    BOILING,
    KETTLE,
    SHELF,
    TREE,
    WAIT,
    asked_of,
    played,
    recorded,
    screen,
)

from worldline.bench.cases import Plan, cases
from worldline.bench.rows import rows_of, trajectory_of
from worldline.fit import first_kept
from worldline.messages import Window, closed, open_thread, pose, render
from worldline.trajectory import SystemPrompt, Trajectory, Turn
from worldline.trees import view


def test_an_edit_is_carried_out_and_the_agent_gets_the_whole_screen():
    model, (first, second) = played('= keep\n~ 1 "on"', "= keep", actions=[BOIL, WAIT])
    assert first.observation == BOILING and second.observation == BOILING
    assert (first.outcome, first.origin) == ("ok", "model")
    assert model.requests[0].fit.form == "patch"


def test_a_state_is_shown_once_and_then_edits_add_up():
    model, _ = played('= keep\n~ 1 "on"', "= keep", "= keep", actions=[BOIL, WAIT, WAIT])
    first, _, third = ([m.content for m in request.messages] for request in model.requests)
    assert "<state>" in first[1] and '1 TextView "off"' in first[1]
    assert "android.widget" not in first[1], "the view, not the source"
    assert [m.count("<state>") for m in third[1:]] == [1, 0, 0, 0, 0]
    assert third[2] == '= keep\n~ 1 "on"' and third[: len(first)] == first


def test_a_state_is_shown_again_when_handles_name_other_nodes():
    model, (first, _) = played("= keep\n- 0", "= keep", actions=[BOIL, WAIT])
    assert first.observation == "\n".join(
        line.replace(f"UI element {n + 1}", f"UI element {n}")
        for n, line in enumerate(KETTLE.split("\n")[1:])
    )
    last = model.requests[1].messages[-1].content
    assert '0 TextView "off"' in last


def test_another_screen_is_written_whole_and_an_earlier_one_is_named():
    replies = f"= none\n{SHELF}", "= turn 0", '= turn 1\n~ 0 "My cup"', "= keep"
    model, results = played(*replies, actions=[BOIL, WAIT, BOIL, WAIT])
    seen = [result.observation for result in results]
    assert seen[:2] == [SHELF, KETTLE]
    assert seen[2] == SHELF.replace("Cup 0", "My cup")
    told = [m.content for m in model.requests[3].messages if m.role == "assistant"]
    assert told == [f"= none\n{SHELF}", "= turn 0", '= turn 1\n~ 0 "My cup"']


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("The kettle boils.", "line 1"),
        ('= keep\n~ 9 "x"', "no node '9'"),
        ("= keep\nboil it", "line 2"),
        ("= turn 7", "no state after turn '7'"),
        ("", "line 1"),
    ],
)
def test_a_reply_that_is_no_edit_is_no_observation(reply, why):
    _, (result, after) = played(reply, "= keep", actions=[BOIL, WAIT])
    assert (result.outcome, result.observation) == ("no_prediction", None)
    assert result.reason.startswith("bad_patch: ") and why in result.reason
    assert after.observation == KETTLE and after.seq == 1


def test_without_a_first_state_the_first_one_is_written_whole():
    trajectory = Trajectory(id="x", domain="android", dialect="ui-elements")
    thread = open_thread(ANDROID, trajectory, "compact", "patch")
    ledger = ANDROID.open(trajectory)
    asked = pose(ANDROID, thread, ledger, BOIL, grounded=False)
    assert "<state>" not in asked.user
    done = closed(thread, asked, KETTLE)
    assert done.reply == f"= none\n{KETTLE}" and done.stale


def test_a_guarded_world_asks_again_in_the_same_form():
    wrong = "= none\nno screen at all"
    model, (result,) = played(wrong, '= keep\n~ 1 "on"', actions=[BOIL], guard=True)
    assert result.observation == BOILING and len(model.requests) == 2


def test_a_screen_that_changed_on_its_own_is_shown_again():
    turns = (
        Turn(action=BOIL, observation=BOILING),
        Turn(action=WAIT, observation=SHELF, state_before=SHELF),
    )
    for form in ("patch", "full"):
        model = FakeModel("= keep" if form == "patch" else SHELF)
        model.form = form
        trajectory = Trajectory(
            id="x",
            domain="android",
            dialect="ui-elements",
            system=SystemPrompt(initial_state=KETTLE),
            turns=turns,
        )
        made = [asyncio.run(case.ask()) for case in cases([trajectory], model, Plan())]
        assert made[1].observation == SHELF, "the edit is of the state before the action"
        assert "Cup 7" in model.requests[1].messages[-1].content


def test_a_state_that_has_no_room_is_cut_around_what_is_acted_on():
    many = screen(*(f"Entry {number} of a long list" for number in range(200)))
    action = '{"action_type": "click", "index": 120}'
    model, (result,) = played('= keep\n~ 120 "done"', actions=[action], start=many, context=1500)
    request = model.requests[0]
    assert request.fit.clipped > 100
    assert "Entry 120 " in request.messages[-1].content
    assert "Entry 0 " not in request.messages[-1].content
    assert result.observation == many.replace("Entry 120 of a long list", "done")


def test_in_the_full_form_the_first_screen_yields_to_newer_ones():
    trajectory = Trajectory(
        id="x",
        domain="android",
        dialect="ui-elements",
        system=SystemPrompt(initial_state=screen(*(f"Row {n}" for n in range(30)))),
    )
    thread, ledger = open_thread(ANDROID, trajectory, "compact"), ANDROID.open(trajectory)
    asked = closed(thread, pose(ANDROID, thread, ledger, BOIL, grounded=False), BOILING)
    thread = msgspec.structs.replace(thread, exchanges=(asked,))
    now = pose(ANDROID, thread, ledger, WAIT, grounded=False, state=BOILING)
    wide, fit = render(thread, now, Window(20_000))
    assert "Row 29" in wide[0].content and not fit.dropped_first
    tight, fit = render(thread, now, Window(2_000))
    assert "Row 29" not in tight[0].content and fit.dropped_first and fit.dropped_turns == 0
    assert tight[2].content == BOILING, "the newest state stays"


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 200))
def test_what_is_kept_fits_and_the_newest_state_stays_wherever_it_can(sizes, budget):
    start = first_kept(sizes, budget)
    assert start <= len(sizes) - 1
    assert sum(sizes[start:]) <= budget or start == len(sizes) - 1
    if len(sizes) > 1 and sum(sizes[-2:]) <= budget:
        assert start <= len(sizes) - 2


# what others found


def test_facts_are_of_the_state_that_came_on_its_own():
    click = '{"action_type": "click", "index": 7}'
    turns = (
        Turn(action=WAIT, observation=KETTLE),
        Turn(action=click, observation=SHELF, state_before=SHELF),
    )
    told = asked_of(recorded(*turns))[1].messages[-1].content
    assert 'aimed at: 7 Button "Cup 7"' in told


def test_a_row_of_a_recording_is_asked_as_in_its_session():
    turns = (Turn(action=BOIL, observation=BOILING), Turn(action=WAIT, observation=SHELF))
    trajectory = recorded(*turns)
    row = next(rows_of(trajectory, [2]))
    assert trajectory_of(row).source == trajectory.source
    model = FakeModel("= keep")
    model.form, model.style = "patch", "compact"
    (case,) = cases([row], model, Plan(grounded=True))
    asyncio.run(case.ask())
    assert model.requests[0].messages == asked_of(trajectory)[1].messages


def test_a_view_that_was_cut_is_shown_anew_around_the_next_action():
    many = screen(*(f"Entry {number} of a long list" for number in range(200)))
    actions = [f'{{"action_type": "click", "index": {n}}}' for n in (20, 180)]
    model, _ = played("= keep", actions=actions, start=many, context=3000)
    for request, number in zip(model.requests, (20, 180), strict=True):
        assert request.fit.clipped > 0
        assert f"Entry {number} " in "".join(m.content for m in request.messages[1:])


def test_facts_leave_room_in_a_small_context():
    model, _ = played("= keep", actions=[BOIL], start=SHELF, context=700)
    (request,) = model.requests
    assert sum(model.count(m.content) for m in request.messages) + 64 <= 700


@pytest.mark.parametrize(
    "reply",
    [
        "= keep\n" + "+ <2@99999 Button\n" * 20_000,
        "= keep\n~ 1 " + " ".join(f"x{n}=1" for n in range(20_000)),
        "= keep\n" + "- 0..2\n" * 50_000,
        "= keep\n~ 0..2 box+=1\n" * 3,
        "= keep\n- 0..2\n- @1",
        '= keep\n- 1\n~ 1 "again"',
        "= keep\n~ 0..1 nothing+=5",
    ],
)
def test_a_reply_cannot_blow_up_or_undo_a_state(reply):
    _, (result,) = played(reply, actions=[BOIL])
    assert result.outcome == "no_prediction" and result.reason.startswith("bad_patch")


def test_a_view_of_the_same_state_is_the_same_in_worlds_and_in_benchmarks():
    trajectory = Trajectory(
        id="x",
        domain="android",
        dialect="ui-elements",
        system=SystemPrompt(initial_state=KETTLE),
        turns=(Turn(action=BOIL, observation=BOILING), Turn(action=WAIT, observation=BOILING)),
    )
    model, _ = played('= keep\n~ 1 "on"', "= keep", actions=[BOIL, WAIT])
    bench = FakeModel("= keep")
    bench.form, bench.style = "patch", "compact"
    for case in cases([trajectory], bench, Plan(grounded=True)):
        asyncio.run(case.ask())
    assert [r.messages for r in bench.requests] == [r.messages for r in model.requests]
    assert view(TREE, KETTLE)[0] in bench.requests[0].messages[1].content
