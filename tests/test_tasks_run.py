"""Agents at tasks in a real environment of our own and in simulated worlds."""

import msgspec
import pytest

from tests.fakes import FakeModel, failed
from tests.shelf import install
from worldline.environments.process import Environment
from worldline.prediction import Usage
from worldline.sync import SyncWorld
from worldline.tasks.agents import (
    Agent,
    Answer,
    BlindAgent,
    Lost,
    ModelAgent,
    NullAgent,
    ReferenceAgent,
    acting,
)
from worldline.tasks.run import Limits, run
from worldline.tasks.task import Check, Place, Probe, Task
from worldline.world import World

COPY = Task(
    id="shelf/copy",
    kind="effect",
    domain="generic",
    dialect="text",
    instruction="Put the word of the first box into the box named out.",
    environment=Place(name="shelf", options={"boxes": 2}),
    seed=5,
    probes=(Probe(action="open out", checks=(Check(op="regex", arg="^[a-z]{4,6}$"),)),),
    reference=("look", r"open {{1:(box-\d+)}}", r"put out {{2:\w+}}"),
    unseen=True,
)
TELL = msgspec.structs.replace(
    COPY,
    id="shelf/tell",
    kind="answer",
    instruction="How many boxes are there?",
    environment=Place(name="shelf", options={"boxes": 1}),
    probes=(Probe(checks=(Check(op="regex", arg=r"^box-\d+$", of="answer"),)),),
    reference=("look", r"{{1:box-\d+}}"),
)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    made = []

    def make(task):
        made.append(Environment(task.environment.name, task.environment.options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def probe(task, *checks, action="look"):
    return msgspec.structs.replace(task, probes=(Probe(action=action, checks=checks),))


def test_the_reference_succeeds_where_nobody_and_the_blind_fail(shelf):
    for task in (COPY, TELL):
        real = shelf(task)
        results = {
            a.name: run(task, real, a) for a in (NullAgent(), ReferenceAgent(), BlindAgent())
        }
        assert {name: one.success for name, one in results.items()} == {
            "null": False,
            "reference": True,
            "blind": False,
        }
        assert results["reference"].score == 1.0
        assert results["null"].score == 0.0
        assert results["null"].turns == ()
        assert results["reference"].world == "real"
        assert results["reference"].reason == "stopped"
    assert results["reference"].answer.startswith("box-")


def test_probes_run_in_reality_itself_and_in_a_fork_of_a_simulated_world(shelf):
    real = shelf(COPY)
    run(COPY, real, ReferenceAgent())
    assert real.trajectory().turns[-1].action == "open out"
    model = FakeModel("box-1", "amber", "Done.", "amber")
    world = World.open("generic", model=model, seed=1)
    result = run(COPY, SyncWorld(world), ReferenceAgent())
    assert result.success is True
    assert result.world == "sim"
    assert [turn.action for turn in world.trajectory().turns] == [
        "look",
        "open box-1",
        "put out amber",
    ]
    assert result.probes[0].observation == "amber"
    assert result.cost == Usage(prompt=40, cached=16, completion=8)


def test_an_observation_that_does_not_show_what_the_reference_needs_leaves_it_stuck():
    world = SyncWorld(World.open("generic", model=FakeModel("nothing here"), seed=1))
    result = run(COPY, world, ReferenceAgent())
    assert result.reason == "stuck"
    assert "turn 1 does not show it" in (result.detail or "")
    assert result.success is False


@pytest.mark.parametrize("action", ["crash", "lose", "slow"])
def test_a_probe_without_an_observation_is_undecided(shelf, action):
    task = probe(COPY, Check(op="absent", arg="x"), action=action)
    result = run(task, shelf(task), NullAgent())
    assert result.success is None
    assert result.score is None
    assert result.probes[0].verdicts[0].ok is None
    assert "undecided" in result.why


def test_after_a_crash_no_probe_is_run_and_the_next_task_works(shelf):
    real = shelf(COPY)
    task = msgspec.structs.replace(COPY, reference=("crash", "look"))
    result = run(task, real, ReferenceAgent())
    assert result.reason == "no_observation"
    assert [one.outcome for one in result.probes] == ["not_run"]
    assert result.success is None
    assert run(COPY, real, ReferenceAgent()).success is True


def test_an_agent_may_go_on_after_a_step_that_could_not_be_captured(shelf):
    seen = []

    def act(turns):
        seen[:] = turns
        return [*["lose", "look"], None][len(turns)]

    result = run(COPY, shelf(COPY), acting(act))
    assert result.reason == "stopped"
    assert seen[0].observation == ""
    assert seen[0].info["outcome"] == "capture_failed"
    assert seen[1].observation.startswith("box-")


def test_the_reference_takes_nothing_from_a_turn_that_showed_nothing(shelf):
    task = msgspec.structs.replace(COPY, reference=("lose", "put out x{{1:.*}}"))
    assert run(task, shelf(task), ReferenceAgent()).reason == "stuck"


def test_a_session_that_ends_ends_the_run_and_its_probes_are_undecided(shelf):
    task = msgspec.structs.replace(COPY, reference=("leave", "look"))
    result = run(task, shelf(task), ReferenceAgent())
    assert (result.reason, result.success) == ("terminated", None)


def test_limits_stop_an_agent_and_what_it_did_is_judged(shelf):
    forever = acting(lambda turns: "put out amber")
    result = run(COPY, shelf(COPY), forever, Limits(turns=3))
    assert (result.reason, len(result.turns), result.success) == ("turns", 3, True)
    result = run(COPY, shelf(COPY), forever, Limits(seconds=0))
    assert (result.reason, result.success) == ("seconds", False)


def test_a_failed_prediction_decides_nothing():
    model = FakeModel(failed("infra_error", "no route"))
    world = SyncWorld(World.open("generic", model=model, seed=1))
    result = run(COPY, world, ReferenceAgent())
    assert (result.reason, result.success) == ("no_observation", None)
    assert "no route" in result.why
    world = SyncWorld(World.open("generic", model=model, seed=1))
    result = run(TELL, world, ReferenceAgent())  # it had no chance to answer
    assert (result.success, result.answer) == (None, "")


def test_an_agent_whose_own_model_is_down_is_not_blamed(shelf):
    class Down(Agent):
        name = "down"

        def act(self, turns):
            raise Lost("no route")

    result = run(COPY, shelf(COPY), Down())
    assert (result.reason, result.success) == ("lost", None)


def test_score_is_the_weighted_share_of_what_holds(shelf):
    task = probe(
        COPY, Check(op="contains", arg="box-", weight=3), Check(op="contains", arg="zebra")
    )
    result = run(task, shelf(task), NullAgent())
    assert (result.success, result.score) == (False, 0.75)


def test_exit_codes_come_from_what_the_environment_recorded(shelf):
    task = probe(COPY, Check(op="exit", arg=3), action="fail 3")
    assert run(task, shelf(task), NullAgent()).success is True
    world = SyncWorld(World.open("generic", model=FakeModel(""), seed=1))
    assert run(task, world, NullAgent()).success is None  # nothing tells it


def test_the_first_observation_is_turn_zero_and_a_state(shelf):
    task = msgspec.structs.replace(
        COPY,
        environment=Place(name="shelf", options={"greets": True}),
        reference=(r"put out {{0:a (\w+)}}",),
        probes=(
            Probe(action="open out", checks=(Check(op="equals", arg="shelf"),)),
            Probe(checks=(Check(op="equals", arg="Done.", of="state"),)),
        ),
    )
    assert run(task, shelf(task), ReferenceAgent()).success is True


def test_a_policy_is_any_function_and_its_last_message_is_the_answer(shelf):
    told = []

    def begin(task, start, first):
        told.append((task.instruction, start.system.task_description, first))
        return lambda turns: "look" if not turns else f"ANSWER: {turns[-1].observation.strip()}"

    ended = []
    agent = ModelAgent(
        begin,
        answer=lambda text: text[8:] if text.startswith("ANSWER: ") else None,
        end=lambda: ended.append(1),
    )
    result = run(TELL, shelf(TELL), agent)
    assert result.success is True
    assert told == [(TELL.instruction, "A shelf of boxes.", None)]
    assert ended == [1]


def test_an_answer_given_in_words_is_the_agents_own():
    class Says(Agent):
        name = "says"

        def act(self, turns):
            return Answer("box-7")

    world = SyncWorld(World.open("generic", model=FakeModel("x"), seed=1))
    assert run(TELL, world, Says()).success is True


def test_a_result_is_one_json_object(shelf):
    from worldline import jsonl

    row = jsonl.loads(jsonl.dumps(msgspec.to_builtins(run(COPY, shelf(COPY), ReferenceAgent()))))
    assert row["schema"] == "worldline.task-result/1"
    assert row["turns"][0]["action"] == "look"
    assert row["probes"][0]["verdicts"][0]["ok"] is True


def test_a_simulated_world_knows_the_snapshot_and_the_agent_does_not_see_it(shelf):
    from worldline.cli.task_worlds import Reality, simulation

    model, real, told = FakeModel("box-1"), Reality(), []

    def begin(task, start, first):
        told.append((start.system.initial_state, start.system.task_description, first))
        return lambda turns: None if turns else "look"

    try:
        world = simulation(COPY, model, real)
        result = run(COPY, world, ModelAgent(begin))
    finally:
        real.close()
    assert result.world == "sim"
    assert told == [(None, "A shelf of boxes.", None)]
    with Environment("shelf", {"boxes": 2}) as reality:
        reality.reset(COPY.seed)
        text = reality.snapshot()["text"]
    assert text in "\n".join(message.content for message in model.requests[0].messages)
