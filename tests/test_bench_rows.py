"""AgentWorldBench rows: read and kept exactly, checked at load, sent as the row says."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.bench.cases import Plan, cases
from worldline.bench.rows import bench_row, read_rows, rows_of, session_of, trajectory_of
from worldline.collect.importers import importer
from worldline.collect.importers.awb import as_trajectory
from worldline.collect.importers.awb_prompts import parse_prompt, same_action
from worldline.errors import DataError
from worldline.models.base import WorldModel
from worldline.prediction import Prediction
from worldline.storage import read_trajectories, write_trajectories
from worldline.trajectory import SystemPrompt, Trajectory, Turn

SUFFIX = "\n\nAnalyse the input and think step by step. Wrap it in <predicted_observation>."
MARK = "**Environment Observation:**\n"


def prompt(number: int, action: str, state: str = "", task: str = "") -> str:
    parts = [f"### Turn {number}"]
    parts += [f"**Task Instruction:**\n{task}"] if task else []
    parts += [f"**Current State:**\n{state}"] if state else []
    return "\n".join([*parts, f"**Action:**\n```json\n{action}\n```"])


def awb(turn: int = 3, **more):
    """A row as the benchmark has it; only the last prompt carries instructions."""
    prompts = [prompt(n, f"A{n}", state="S1" if n == 1 else "") for n in range(1, turn + 1)]
    return {
        "task": "generic",
        "id": 145256090131919,
        "prompt": [*prompts[:-1], prompts[-1] + SUFFIX],
        "response": [f"{MARK}O{n}" for n in range(1, turn + 1)],
        "current_prompt": prompts[-1],
        "system_str": "ROW-SYS",
        "turn_idx": turn,
        "total_turns": 9,
        **more,
    }


class Seen(WorldModel):
    """Keeps what it is asked."""

    name = "seen"

    def __init__(self, **limits):
        self.requests = []
        self.context = limits.get("context")

    async def predict(self, request, on_text=None):
        self.requests.append(request)
        return Prediction(
            outcome="ok", origin="model", observation="o", model="seen", prompt=request.prompt
        )


def requests_of(*items, plan=None, model=None):
    model, plan = model or Seen(), plan or Plan()

    async def ask():
        return [await case.ask() for case in cases(items, model, plan)]

    return model.requests, asyncio.run(ask())


def sent(request):
    return [(message.role, message.content) for message in request.messages]


def test_ur_s01_the_request_holds_the_whole_history_and_never_the_truth():
    row = awb(3)
    (request,), _ = requests_of(bench_row(row))
    assert sent(request) == [
        ("system", "ROW-SYS"),
        ("user", row["prompt"][0]),
        ("assistant", row["response"][0]),
        ("user", row["prompt"][1]),
        ("assistant", row["response"][1]),
        ("user", row["prompt"][2]),
    ]
    assert "O3" not in jsonl.dumps([m.content for m in request.messages]).decode()
    assert [(turn.action, turn.observation) for turn in request.history] == [
        ("A1", "O1"),
        ("A2", "O2"),
    ]
    assert (request.action, request.initial_state) == ("A3", "S1")


def test_ur_s01_a_first_turn_sends_the_system_prompt_and_its_action():
    row = awb(1)
    (request,), _ = requests_of(bench_row(row))
    assert sent(request) == [("system", "ROW-SYS"), ("user", row["prompt"][0])]
    assert request.history == ()


def test_ur_s01_the_rows_own_system_prompt_wins_and_an_empty_one_falls_back_visibly():
    (own, fallback), predictions = requests_of(bench_row(awb()), bench_row(awb(system_str="")))
    assert own.messages[0].content == "ROW-SYS"
    assert fallback.messages[0].content not in ("", "ROW-SYS")
    assert [p.prompt.source for p in predictions] == ["row", "template"]
    assert predictions[1].prompt.name == "generic/full"


def test_ur_s01_more_turns_in_the_lists_than_evaluated_are_not_sent():
    row = awb(2)
    row["prompt"].append("LATER")
    row["response"].append("LATER")
    (request,), _ = requests_of(bench_row(row))
    assert "LATER" not in str(sent(request))


def test_ur_s02b_equal_actions_run_and_the_suffixed_prompt_is_sent_unchanged():
    for current in (awb()["current_prompt"], awb()["current_prompt"] + "  \n"):
        row = awb(current_prompt=current)
        (request,), _ = requests_of(bench_row(row))
        assert request.messages[-1].content == row["prompt"][2] and SUFFIX in row["prompt"][2]
    plain = awb(1, prompt=["X"], current_prompt="X")
    assert bench_row(plain).row is plain


@pytest.mark.parametrize(
    ("prompt_sent", "current"),
    [
        ("Y", "X"),
        ("XY", "X"),
        ("X", "XY"),
        ("", "X"),
        ("X", ""),
        ("**Action:**\n```sh\nls\nrm -rf x\n```\nThink.", "**Action:**\n```sh\nls"),
        (prompt(3, "other") + SUFFIX, prompt(3, "A3")),
    ],
)
def test_ur_s02b_truly_different_actions_are_rejected_with_both_values(
    tmp_path, prompt_sent, current
):
    row = awb(1, prompt=[prompt_sent], current_prompt=current)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(jsonl.dumps(awb()) + b"\n" + jsonl.dumps(row) + b"\n")
    with pytest.raises(DataError) as caught:
        list(read_rows(path))
    assert (caught.value.line, caught.value.field) == (2, "prompt[0]")
    assert "current_prompt" in str(caught.value)
    for value in (prompt_sent, current):
        assert any(part in str(caught.value) for part in (repr(value), repr(value)[1:20]))


def test_rows_are_kept_exactly(tmp_path):
    odd = awb(
        1, id="7", extra={"k": [1, None, 2.5]}, prompt=["a\u2028b"], current_prompt="a\u2028b"
    )
    odd = {"zzz": 1, **odd}
    path = tmp_path / "rows.jsonl"
    lines = [jsonl.dumps(value) for value in (awb(), odd)]
    path.write_bytes(b"\n".join(lines))
    read = list(read_rows(path))
    assert [jsonl.dumps(row.row) for row in read] == lines
    assert [type(row.row["id"]) for row in read] == [int, str]
    assert read[1].prompt == "a\u2028b"


def test_ids_repeat_so_sessions_are_told_apart_by_content_and_type():
    assert bench_row(awb(2)).session == bench_row(awb(3)).session
    assert bench_row(awb(1)).session == bench_row(awb(3)).session
    others = [awb(2, id="145256090131919"), awb(2, response=["x", "y"]), awb(2, task="a/web")]
    assert len({bench_row(row).session for row in [awb(2), *others]}) == 4
    assert bench_row(awb(2, task="bench/web")).domain == "web"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"turn_idx": 0}, "turn_idx"),
        ({"turn_idx": 4}, "prompt"),
        ({"response": []}, "response"),
        ({"turn_idx": 2.0}, "turn_idx"),
        ({"id": None}, "id"),
        ({"id": 1.5}, "id"),
        ({"system_str": None}, "system_str"),
        ({"prompt": ["a", 2, "c"]}, "prompt[1]"),
        ({"gen": "x"}, "gen"),
        ({"worldline_row": {"trajectory": "t"}}, "worldline_row"),
        (
            {"worldline_row": {"trajectory": "t", "dialect": "d", "cluster": "c", "context": "{"}},
            None,
        ),
    ],
)
def test_broken_rows_are_refused_at_load(tmp_path, change, field):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(jsonl.dumps(awb(3, **change)) + b"\n")
    with pytest.raises(DataError) as caught:
        list(read_rows(path))
    assert caught.value.line == 1 and caught.value.file == str(path)
    assert field is None or caught.value.field == field


def test_prompts_are_taken_apart():
    found = parse_prompt(prompt(4, '{"a": 1}', state="line 1\n\nline 3", task="Do it"))
    assert (found.turn, found.task, found.state) == (4, "Do it", "line 1\n\nline 3")
    assert (found.action, found.language) == ('{"a": 1}', "json")
    assert parse_prompt("ls -la").action == "ls -la"
    nested = prompt(1, "x", state="**Current Phone State:**\n**Action:**\n```\nno\n```\nmore")
    assert parse_prompt(nested).action == "x"
    assert "**Current Phone State:**" in (parse_prompt(nested).state or "")
    fenced = "**Action:**\n```md\n**Action:**\nnot this\n```"
    assert parse_prompt(fenced).action == "**Action:**\nnot this"
    assert parse_prompt("**Action:**\n````\n```\na\n```\n````\n").action == "```\na\n```"
    assert parse_prompt("**Action:**\n```json\n```").action == ""
    assert parse_prompt("**Action:**\nplain words").action == "plain words"


pieces = st.sampled_from(
    ["### Turn 3\n", "**Action:**", "**Current State:**", "\n", "```", "```json\n", "a", " ", "\r"]
)


@given(st.lists(pieces | st.text(max_size=3), max_size=12).map("".join))
def test_any_text_is_some_prompt_and_is_the_same_action_as_itself(text):
    found = parse_prompt(text)
    assert found.action in text
    assert same_action(text, text)
    assert same_action(text.rstrip() + "\n \n", text)


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_suffixed_prompt_is_the_same_action(action, suffix):
    current = prompt(2, action)
    assert same_action(f"{current}\n{suffix}", current)


def test_prompt_parsing_takes_linear_time():
    parse_prompt("**Action:**\n```" * 100_000)
    parse_prompt("### Turn 1\n" + "**Current State:**\n" * 100_000)
    same_action("**Action:**\n```\n" * 50_000 + "\nx", "**Action:**\n```\n" * 50_000)


recorded = Trajectory(
    id="t-1",
    domain="generic",
    dialect="text",
    system=SystemPrompt(task_description="a maze", initial_state="at the door"),
    tools=({"name": "f"},),
    task="leave",
    turns=tuple(
        Turn(action=f"go {n}", observation=f"room {n}", state_before="dark" if n == 2 else None)
        for n in range(1, 6)
    ),
)


def test_trajectories_become_rows_of_the_same_eight_fields():
    rows = list(rows_of(recorded))
    assert [row.turn for row in rows] == [1, 2, 3, 4, 5]
    assert list(rows[2].row)[:8] == list(awb())
    assert rows[2].row["prompt"] == ["go 1", "go 2", "go 3"]
    assert (rows[2].truth, rows[2].row["total_turns"]) == ("room 3", 5)
    assert rows[2].row["worldline_row"]["cluster"] == recorded.cluster
    assert [row.turn for row in rows_of(recorded, "last")] == [5]
    assert [row.turn for row in rows_of(recorded, [2, 4, 9])] == [2, 4]
    assert all(bench_row(jsonl.loads(jsonl.dumps(row.row))) == row for row in rows)


def test_a_row_of_ours_gives_its_trajectory_back():
    for row in rows_of(recorded):
        again = trajectory_of(row)
        kept = recorded.before(row.turn + 1)
        assert again.turns == kept.turns and again.system == kept.system
        assert (again.tools, again.task, again.id) == (kept.tools, kept.task, kept.id)
        assert again.cluster == recorded.cluster
        assert session_of(row) == f"t-1/{recorded.cluster}"


def test_a_trajectory_and_its_rows_ask_the_same_and_each_request_extends_the_last():
    direct, _ = requests_of(recorded)
    through_rows, _ = requests_of(*rows_of(recorded))
    assert direct == through_rows
    for before, after in pairwise(direct):
        assert after.messages[: len(before.messages)] == before.messages
    for number, request in enumerate(direct, 1):
        assert len(request.history) == number - 1
        assert f"room {number}" not in str(sent(request))
    assert len({request.seed for request in direct}) == 5
    assert {request.session for request in direct} == {f"t-1/{recorded.cluster}"}


def test_a_verbatim_system_prompt_is_sent_unchanged():
    system = SystemPrompt(verbatim="THEIRS", task_description="ours")
    own = Trajectory(
        id="v", domain="generic", dialect="text", system=system, turns=recorded.turns[:1]
    )
    requests, _ = requests_of(own, *rows_of(own))
    assert [request.messages[0].content for request in requests] == ["THEIRS", "THEIRS"]


def test_a_small_context_drops_the_oldest_turns_and_says_so():
    long = [f"{MARK}{'x' * 600}" for _ in range(3)]
    (request,), _ = requests_of(bench_row(awb(3, response=long)), model=Seen(context=500))
    assert request.fit.dropped_turns > 0
    assert request.messages[-1].content == awb(3)["prompt"][2]


def test_seeds_differ_by_turn_and_run_and_repeat_exactly():
    def seeds(seed):
        return [request.seed for request in requests_of(recorded, plan=Plan(seed=seed))[0]]

    assert seeds(1) == seeds(1) != seeds(2)
    assert seeds(None) == [None] * 5
    assert all(0 <= seed < 2**31 for seed in seeds(1))


def test_only_turns_up_to_the_limit():
    assert len(requests_of(recorded, bench_row(awb(3)), plan=Plan(max_turns=2))[0]) == 2


def test_benchmark_rows_import_as_trajectories_each_session_once(tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [awb(2), awb(3), awb(1), awb(2, id="145256090131919"), awb(2, response=["a", "b"])]
    path.write_bytes(b"".join(jsonl.dumps(row) + b"\n" for row in rows))
    made = list(importer("awb")(path))
    assert [len(one.turns) for one in made] == [3, 2, 2]
    assert made[0].turns[0] == Turn(action="A1", observation="O1")
    assert made[0].system == SystemPrompt(initial_state="S1", verbatim="ROW-SYS")
    assert made[0].meta == {"total_turns": 9, "source_id": 145256090131919}
    assert "source_id" not in made[1].meta
    bad = []
    path.write_bytes(path.read_bytes() + b"{}\n")
    assert len(list(importer("awb")(path, bad.append))) == 3 and bad[0].number == 6
    with pytest.raises(DataError, match="line 6"):
        list(importer("awb")(path))


def test_what_a_row_has_beside_its_eight_fields_is_kept_and_reads_back(tmp_path):
    path, out = tmp_path / "rows.jsonl", tmp_path / "t.jsonl"
    rows = [awb(1, mine={"a": [1, None]}), awb(3), awb(2, mine="x", note=2), awb(1, id="other")]
    rows = [{**row, "task": "suite/generic"} for row in rows]
    path.write_bytes(b"".join(jsonl.dumps(row) + b"\n" for row in rows))
    write_trajectories(out, importer("awb")(path))
    made, other = read_trajectories(out)
    assert made.meta["rows"] == [
        {"turn_idx": 1, "row": {"mine": {"a": [1, None]}}},
        {"turn_idx": 2, "row": {"mine": "x", "note": 2}},
    ]
    assert (made.domain, made.meta["task"]) == ("generic", "suite/generic")
    assert "rows" not in other.meta
    single = as_trajectory(bench_row(awb(2, mine=1)))
    assert single.meta["rows"] == [{"turn_idx": 2, "row": {"mine": 1}}]


def test_the_two_rows_of_the_documentation_agree_and_differ_as_it_says():
    text = (Path(__file__).parent.parent / "docs" / "formats.md").read_text("utf-8")
    block = text.split("```jsonl\n")[1].split("```")[0]
    good, bad = map(jsonl.loads, block.splitlines())
    assert bench_row(good).row == good
    with pytest.raises(DataError, match="different actions"):
        bench_row(bad)


def test_a_state_that_moved_on_its_own_is_kept():
    moved = [prompt(1, "a", state="S1"), prompt(2, "b", state="S2")]
    row = awb(2, prompt=moved, current_prompt=moved[1], response=[f"{MARK}other", f"{MARK}x"])
    assert [turn.state_before for turn in as_trajectory(bench_row(row)).turns] == [None, "S2"]
