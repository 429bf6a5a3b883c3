"""The patch form: a small model predicts edits of a state, code carries them out."""

import asyncio
import json

import msgspec
import pytest
from fakes import FakeModel
from hypothesis import given
from hypothesis import strategies as st

from worldline import World
from worldline.bench.cases import Plan, cases
from worldline.domains import domain
from worldline.errors import UsageError
from worldline.fit import first_kept
from worldline.messages import Window, closed, open_thread, pose, render
from worldline.trajectory import SystemPrompt, Trajectory, Turn
from worldline.trees import view

ANDROID = domain("android")
TREE = ANDROID.dialect("ui-elements").tree


def element(number, text, kind="TextView"):
    x = 100 * number
    fields = {
        "text": text,
        "class_name": f"android.widget.{kind}",
        "bbox_pixels": {"x_min": 0, "x_max": 500, "y_min": x, "y_max": x + 90},
        "is_enabled": True,
        "is_visible": True,
        "package_name": "org.example.tea",
    }
    return f"UI element {number}: {json.dumps(fields)}"


def screen(*texts, kind="TextView"):
    return "\n".join(element(number, text, kind) for number, text in enumerate(texts))


KETTLE = screen("Kettle", "off", "Boil")
BOILING = screen("Kettle", "on", "Boil")
SHELF = screen(*(f"Cup {number}" for number in range(8)), kind="Button")
BOIL, WAIT = '{"action_type": "click", "index": 2}', '{"action_type": "wait"}'


def played(*replies, actions, start=KETTLE, context=None, **options):
    model = FakeModel(*replies, context=context)
    model.form, model.style = "patch", "compact"
    system = SystemPrompt(initial_state=start)
    with World.open("android", model=model, system=system, seed=1, **options).sync() as world:
        results = [world.step(action) for action in actions]
    return model, results


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


# grounding in recordings


def recordings(folder, **splits):
    rows = [
        Trajectory(
            id=name,
            domain="android",
            dialect="ui-elements",
            system=SystemPrompt(initial_state=KETTLE),
            turns=(Turn(action=BOIL, observation=screen("Kettle", f"heard in {name}", "Boil")),),
        )
        for name in splits
    ]
    path = folder / "recorded, of tea.jsonl"
    path.write_bytes(b"".join(json.dumps(row.record()).encode() + b"\n" for row in rows))
    (folder / "splits.json").write_text(json.dumps(splits))
    return path


def test_examples_are_recorded_turns_of_the_training_split_in_the_form_that_is_asked(tmp_path):
    path = recordings(tmp_path, kitchen="train", cellar="test", attic="dev")
    plain = path.rename(tmp_path / "tea.jsonl")
    model, _ = played("= keep", actions=[BOIL], ground=f"ledger,retrieval:{plain}")
    told = model.requests[0].messages[-1].content
    assert "<examples>" in told and '~ 1 "heard in kitchen"' in told
    assert "cellar" not in told and "attic" not in told


def test_a_session_with_examples_is_continued_only_with_its_file_named_again(tmp_path):
    path = recordings(tmp_path, kitchen="train").rename(tmp_path / "tea.jsonl")
    ground, kept = f"ledger,retrieval:{path}", tmp_path / "session.jsonl"
    played("= keep", actions=[BOIL], ground=ground, save=kept)
    model = FakeModel("= keep")
    model.form, model.style = "patch", "compact"
    with pytest.raises(UsageError, match="--ground"):
        World.load(kept, model=model)
    with World.load(kept, model=model, ground=ground).sync() as world:
        world.step(WAIT)
    assert "heard in kitchen" in model.requests[0].messages[1].content


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
