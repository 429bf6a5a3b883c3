"""A world: one step after the other, forks that cost nothing, failures that change nothing."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from fakes import FakeModel, failed

from worldline import World, jsonl
from worldline.errors import DataError, UsageError
from worldline.messages import Sampling
from worldline.prediction import Prediction


def run(work):
    return asyncio.run(work)


def contents(request):
    return [(m.role, m.content) for m in request.messages[1:]]


def test_a_step_sends_the_history_and_only_the_history():
    model = FakeModel("one", "two", "three")

    async def session():
        async with World.open("generic", model=model, seed=1) as world:
            for action in ("a", "b", "c"):
                await world.step(action)

    run(session())
    assert contents(model.requests[2]) == [
        ("user", "a"),
        ("assistant", "one"),
        ("user", "b"),
        ("assistant", "two"),
        ("user", "c"),
    ]
    first, second = model.requests[0].messages, model.requests[1].messages
    assert second[: len(first)] == first, "a history only grows at its end"
    assert model.closed


def test_every_result_says_where_it_came_from_and_what_it_cost():
    async def session():
        async with World.open("generic", model=FakeModel("hi"), seed=1) as world:
            return await world.step("hello")

    result = run(session())
    assert (result.origin, result.outcome, result.seq, result.branch) == ("model", "ok", 1, "main")
    assert result.usage.prompt == 10 and result.usage.cached == 4


@pytest.mark.parametrize("outcome", ["truncated", "refused", "infra_error", "context_too_long"])
def test_a_failed_step_is_typed_and_changes_nothing(outcome):
    model = FakeModel("one", failed(outcome, "why"), "two")

    async def session():
        async with World.open("generic", model=model, seed=1) as world:
            await world.step("a")
            lost = await world.step("b")
            again = await world.step("b")
            return lost, again, world.trajectory()

    lost, again, kept = run(session())
    assert lost.observation is None and lost.outcome == outcome and lost.reason == "why"
    assert lost.seq == 1 and again.seq == 2
    assert [turn.action for turn in kept.turns] == ["a", "b"]
    assert contents(model.requests[2]) == contents(model.requests[1])


def test_forks_share_the_past_and_not_the_future():
    async def session():
        async with World.open("generic", model=FakeModel("1", "2", "3", "4"), seed=1) as world:
            await world.step("a")
            await world.step("b")
            other = world.fork(1)
            await other.step("c")
            await world.step("d")
            return world.trajectory(), other.trajectory(), other.branch

    main, other, branch = run(session())
    assert [turn.action for turn in main.turns] == ["a", "b", "d"]
    assert [turn.action for turn in other.turns] == ["a", "c"]
    assert branch == "b1"


def test_back_is_a_fork_and_deletes_nothing():
    async def session():
        async with World.open("generic", model=FakeModel("1", "2"), seed=1) as world:
            await world.step("a")
            await world.step("b")
            earlier = world.back()
            assert earlier.seq == 1 and world.seq == 2
            with pytest.raises(UsageError, match="steps 0 to 2"):
                world.fork(7)
            with pytest.raises(UsageError):
                world.back(5)

    run(session())


def test_seeds_reach_the_sampler_and_depend_on_branch_and_reseed():
    def seeds(seed, **fork):
        model = FakeModel("x")

        async def session():
            async with World.open("generic", model=model, seed=seed) as world:
                await world.step("a")
                await world.fork(**fork).step("b")

        run(session())
        return [request.seed for request in model.requests]

    assert seeds(7) == seeds(7)
    assert seeds(7) != seeds(8)
    assert seeds(7)[1] != seeds(7, reseed=1)[1] != seeds(7, reseed=2)[1]
    assert all(0 <= seed < 2**31 for seed in seeds(7))


def test_the_guard_asks_once_more_and_counts_both_calls():
    model = FakeModel("<predicted_observation>leak", "clean")

    async def session():
        async with World.open("generic", model=model, seed=1, guard=True) as world:
            return await world.step("a")

    result = run(session())
    assert result.observation == "clean" and not result.violations
    assert result.usage.prompt == 20 and len(model.requests) == 2
    assert model.requests[0].seed != model.requests[1].seed


def test_the_guard_does_not_ask_a_greedy_model_for_the_same_again():
    model = FakeModel("<predicted_observation>leak", "clean")
    model.sampling = Sampling(temperature=0.0, max_tokens=64)
    with World.open("generic", model=model, guard=True).sync() as world:
        world.step("a")
    assert model.requests[1].sampling.temperature


def test_fitting_drops_the_oldest_turns_and_says_so():
    model = FakeModel("x" * 300, context=1200)

    async def session():
        async with World.open("generic", model=model, seed=1) as world:
            return [await world.step(f"action {n}") for n in range(12)]

    results = run(session())
    assert results[-1].outcome == "ok"
    last = model.requests[-1]
    assert last.fit.dropped_turns > 0
    assert last.messages[0].role == "system" and last.messages[-1].content == "action 11"


def test_a_session_is_on_disk_before_its_step_returns(tmp_path):
    """kill -9 loses nothing that was acknowledged."""
    path = tmp_path / "session.jsonl"
    code = f"""
        import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
        from fakes import FakeModel
        from worldline import World
        fake = FakeModel("first", "second")
        world = World.open("generic", model=fake, seed=3, save={str(path)!r}).sync()
        for action in ("a", "b"):
            world.step(action); print(action, flush=True)
        world.back(); print("back", flush=True)
        input()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert [process.stdout.readline() for _ in range(3)] == [b"a\n", b"b\n", b"back\n"]
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    process.stdin.close()
    with path.open("ab") as file:
        file.write(b'{"kind": "step", "bran')  # the step that was being written

    model = FakeModel("third")

    async def resumed():
        async with World.load(path, model=model) as world:
            assert (world.branch, world.seq) == ("b1", 1)
            await world.step("c")
            return world.trajectory()

    turns = [(turn.action, turn.observation) for turn in run(resumed()).turns]
    assert turns == [("a", "first"), ("c", "third")]
    assert contents(model.requests[0])[:2] == [("user", "a"), ("assistant", "first")]
    assert path.with_name("session.jsonl.torn").read_bytes().startswith(b'{"kind"')
    kinds = [line.value.get("kind") for line in jsonl.read(path)][1:]
    assert kinds == ["step", "step", "fork", "step"]


def test_a_broken_session_names_the_line(tmp_path):
    path = tmp_path / "session.jsonl"
    with World.open("generic", model=FakeModel("x"), save=path).sync() as world:
        world.step("a")
        world.step("b")
    lines = path.read_bytes().split(b"\n")
    lines[1] = lines[1][:40]
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(DataError, match="line 2"):
        World.load(path, model=FakeModel())


def test_a_session_is_never_written_over_another(tmp_path):
    path = tmp_path / "session.jsonl"
    World.open("generic", model=FakeModel(), save=path).sync().close()
    with pytest.raises(UsageError, match="something else"):
        World.open("generic", model=FakeModel(), save=path)


def test_simulated_is_never_presented_as_real():
    with World.open("generic", model=FakeModel("x"), seed=1).sync() as world:
        world.step("a")
        assert world.trajectory().source.kind == "simulated"


def test_lone_surrogates_survive_a_session_file(tmp_path):
    path = tmp_path / "session.jsonl"
    with World.open("generic", model=FakeModel("half \ud83d"), save=path).sync() as world:
        world.step("a \udcb2")
    with World.load(path, model=FakeModel()).sync() as world:
        turn = world.trajectory().turns[0]
    assert (turn.action, turn.observation) == ("a \udcb2", "half \ud83d")


def test_raw_grounding_asks_the_model_alone():
    with pytest.raises(UsageError, match="--ground"):
        World.open("generic", model=FakeModel(), ground="everything")
    world = World.open("generic", model=FakeModel(), ground="none")
    assert world.ground.parts == ()


def test_two_steps_at_once_on_one_branch_are_refused():
    async def session():
        async with World.open("generic", model=FakeModel("x", delay_s=0.05)) as world:
            return await asyncio.gather(
                world.step("a"), world.step("b"), return_exceptions=True
            ), world.seq

    outcomes, seq = run(session())
    assert sum(isinstance(one, UsageError) for one in outcomes) == 1 and seq == 1


def test_forks_may_step_at_the_same_time():
    async def session():
        async with World.open("generic", model=FakeModel("x", delay_s=0.02)) as world:
            forks = [world.fork(reseed=n) for n in range(5)]
            return await asyncio.gather(*(fork.step("a") for fork in forks))

    assert [result.seq for result in run(session())] == [1] * 5


def test_a_full_disk_acknowledges_nothing(tmp_path, monkeypatch):
    path = tmp_path / "session.jsonl"
    world = World.open("generic", model=FakeModel("x"), save=path)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="No space"):
        run(world.step("a"))
    assert world.seq == 0


def test_the_model_sees_nothing_at_or_after_the_step(tmp_path):
    secret = "TRUTH-7731"
    model = FakeModel(
        lambda request: Prediction(outcome="ok", origin="model", observation=secret, model="fake")
    )

    async def session():
        async with World.open("generic", model=model) as world:
            await world.step("a")
            earlier = world.fork(0)
            await earlier.step("b")

    run(session())
    assert secret not in str(model.requests[1].messages)
    assert model.requests[1].history == ()


def test_facts_that_went_with_dropped_turns_are_sent_again():
    tool = {
        "name": "look_up",
        "description": "Look a word up.",
        "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}},
    }
    model = FakeModel("x" * 700, context=1800)

    async def session():
        async with World.open("mcp", model=model, tools=[tool], seed=1) as world:
            for n in range(14):
                await world.step(world.domain.from_line(f'look_up {{"word": "{n}"}}', "json"))

    run(session())
    for request in model.requests:
        described = sum("Look a word up" in m.content for m in request.messages[1:])
        assert described == 1, "the shape of the tool is in every request, once"
    assert model.requests[-1].fit.dropped_turns > 0


def test_ur_s21_a_kept_turn_holds_the_arguments_as_an_object_and_the_raw_text():
    action = '{"name": "f", "arguments": "{\\"a\\": 1}"}'
    with World.open("mcp", model=FakeModel("x"), seed=1).sync() as world:
        world.step(action)
        turn = world.trajectory().turns[0]
    assert turn.action == action
    assert turn.info == {"call": {"name": "f", "arguments": {"a": 1}}}


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("list_notes", '{"name": "list_notes", "arguments": {}}'),
        ('read {"id": 1}', '{"name": "read", "arguments": {"id": 1}}'),
        ('read {"id": ', '{"name": "read", "arguments": "{\\"id\\":"}'),
        ('{"name": "read"}', '{"name": "read"}'),
    ],
)
def test_a_typed_call_is_spelled_out_and_never_mended(line, action):
    world = World.open("mcp", model=FakeModel())
    assert world.domain.from_line(line, "json") == action


def test_nothing_is_learnt_from_an_observation_that_cannot_be():
    tool = {"name": "get_note", "inputSchema": {"type": "object"}}
    model = FakeModel("<facts>\nleaked", "a note")

    async def session():
        async with World.open("mcp", model=model, tools=[tool], seed=1) as world:
            call = world.domain.from_line("get_note", "json")
            return [await world.step(call) for _ in range(3)]

    broken, asked, known = run(session())
    assert broken.violations and asked.origin == "model"
    assert known.origin == "known" and known.observation == "a note"
    assert known.prediction is not None and known.prediction.consistent_only


def test_what_a_model_invents_does_not_become_the_protocols_answer():
    tool = {
        "name": "get_note",
        "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}}},
    }
    invented = "Oops! 'x' is not of type 'integer' (code 77)"
    with World.open("mcp", model=FakeModel(invented), tools=[tool], ground="none").sync() as raw:
        raw.step('{"name": "get_note", "arguments": {"id": "x"}}')
        ledger = raw.world.state.ledger
    answer = raw.world.domain.protocol(ledger, '{"name": "get_note", "arguments": {"id": "y"}}')
    assert answer is not None and "Oops" not in answer.observation


def test_all_branches_are_there_after_a_session_is_resumed(tmp_path):
    path = tmp_path / "session.jsonl"
    with World.open("generic", model=FakeModel("1", "2", "3"), save=path).sync() as world:
        world.step("a")
        other = world.fork()
        other.step("b")
        world.step("c")
    resumed = World.load(path, model=FakeModel())
    assert set(resumed.branches) == {"main", "b1"}
    assert [turn.action for turn in resumed.branches["b1"].trajectory().turns] == ["a", "b"]
    assert resumed.branch == "main" and resumed.seq == 2


def test_a_session_that_cannot_be_kept_says_so(tmp_path):
    (tmp_path / "nowhere").write_text("")
    with pytest.raises(DataError, match=r"nowhere.*cannot be written.*folder exists"):
        World.open("generic", model=FakeModel(), save=tmp_path / "nowhere" / "s.jsonl")


@pytest.mark.parametrize("content", [b"line1\nmy last line", b"{}", b'{"a": 1}\n{"b"', b"x"])
def test_a_file_that_is_no_session_is_never_touched(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises((DataError, UsageError), match=r"notes\.txt"):
        World.open("generic", model=FakeModel(), save=path)
    with pytest.raises((DataError, UsageError), match=r"notes\.txt"):
        World.load(path, model=FakeModel())
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


def test_one_session_file_has_one_process(tmp_path):
    path = tmp_path / "session.jsonl"
    with World.open("generic", model=FakeModel("x"), save=path).sync() as world:
        world.step("a")
        with pytest.raises(UsageError, match="another process"):
            World.load(path, model=FakeModel())
    World.load(path, model=FakeModel()).session.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[1].update(branch="b7"),
        lambda rows: rows[1].update(seq=5),
        lambda rows: rows[2].update(origin_branch="b9"),
        lambda rows: rows[2].update(origin_seq=99),
        lambda rows: rows[1].update(result=None),
        lambda rows: rows[1].update(kind="\ud800"),
        lambda rows: rows[0]["trajectory"].update(dialect="none"),
        lambda rows: rows[0].update(schema="worldline.session/9"),
    ],
)
def test_an_edited_session_is_one_clear_error(tmp_path, change):
    path = tmp_path / "session.jsonl"
    with World.open("generic", model=FakeModel("x"), save=path).sync() as world:
        world.step("a")
        world.fork()
    rows = [line.value for line in jsonl.read(path)]
    change(rows)
    jsonl.write(path, rows)
    with pytest.raises((DataError, UsageError)):
        World.load(path, model=FakeModel())


def test_a_failed_write_leaves_memory_and_disk_the_same(tmp_path, monkeypatch):
    path = tmp_path / "session.jsonl"
    world = World.open("generic", model=FakeModel("x"), save=path)
    run(world.step("a"))
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left")))
        with pytest.raises(DataError, match="No space"):
            run(world.step("lost"))
    run(world.step("b"))
    run(world.aclose())
    again = World.load(path, model=FakeModel())
    assert [turn.action for turn in again.trajectory().turns] == ["a", "b"]


def test_a_session_file_does_not_decide_whom_it_is_sent_to(tmp_path):
    path = tmp_path / "session.jsonl"
    World.open("generic", model=FakeModel(), save=path).sync().close()
    rows = [line.value for line in jsonl.read(path)]
    rows[0]["model"]["spec"] = "openai:x@http://192.0.2.1/v1"
    jsonl.write(path, rows)
    with pytest.raises(UsageError, match="--model"):
        World.load(path)
