"""Predicting recorded rows: every row answered once, in order, whatever happens on the way."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.stub import Answer, Call, Stub, error, too_long
from worldline import jsonl
from worldline.bench import results as results_module
from worldline.bench.infer import predict
from worldline.bench.reach import MOST, Reach
from worldline.bench.reach import Call as Call_
from worldline.bench.results import Predicted, Results
from worldline.bench.rows import bench_row
from worldline.errors import DataError, ModelError, UsageError
from worldline.models import load
from worldline.models.base import WorldModel
from worldline.prediction import Prediction, Usage
from worldline.storage import write_trajectories
from worldline.trajectory import Trajectory, Turn


def trajectory(name: str, turns: int) -> Trajectory:
    return Trajectory(
        id=name,
        domain="generic",
        dialect="text",
        turns=tuple(
            Turn(action=f"{name} do {n}", observation=f"{name} seen {n}")
            for n in range(1, turns + 1)
        ),
    )


def awb(id: object = 1, turn: int = 1, **more):
    prompts = [f"{id} do {n}" for n in range(1, turn + 1)]
    return {
        "task": "generic",
        "id": id,
        "prompt": prompts,
        "response": [f"seen {n}" for n in range(1, turn + 1)],
        "current_prompt": prompts[-1],
        "system_str": "s",
        "turn_idx": turn,
        "total_turns": turn,
        **more,
    }


class Answers(WorldModel):
    """Answers with the action in capitals, after `wait(number of the call)` seconds.

    `trouble` maps an action to what happens instead: an outcome's name, or an exception.
    """

    name = "answers"

    def __init__(self, wait=lambda call: 0.0, trouble=None):
        self.wait, self.trouble = wait, trouble or {}
        self.asked: list[str] = []
        self.running: set[str | None] = set()
        self.most = 0

    async def predict(self, request, on_text=None):
        call = len(self.asked)
        self.asked.append(request.action)
        self.running.add(request.session)
        self.most = max(self.most, len(self.running))
        await asyncio.sleep(self.wait(call))
        self.running.discard(request.session)
        trouble = self.trouble.get(request.action)
        if isinstance(trouble, Exception):
            raise trouble
        text = f"say {request.action.upper()}"
        raw = {"content": f"<predicted_observation>{text}</predicted_observation>"}
        return Prediction(
            outcome=trouble or "ok",
            origin="model",
            observation=None if trouble else text,
            reason="scripted" if trouble else None,
            raw={"content": None} if trouble else raw,
            model=self.name,
            seed=request.seed,
            request_sha=request.sha(self.name),
            usage=Usage(prompt=3, completion=1),
            latency_s=0.1 * call,
        )


def run(source, model, out, **options):
    return asyncio.run(predict(source, model, out, **options))


def lines(path) -> list[dict]:
    return [line.value for line in jsonl.read(path)]


def comparable(path) -> list[dict]:
    """Results without what may differ between two equal runs."""
    rows = lines(path)
    for row in rows:
        row["worldline"]["latency_s"] = row["worldline"]["usage"]["cached"] = None
    return rows


ITEMS = [trajectory("a", 4), bench_row(awb(7, 2, note=[1])), trajectory("b", 3)]


def test_every_input_field_stays_and_the_prediction_is_added(tmp_path):
    report = run(ITEMS, Answers(), tmp_path / "out.jsonl")
    rows = lines(tmp_path / "out.jsonl")
    assert [row["current_prompt"] for row in rows] == [
        *(f"a do {n}" for n in range(1, 5)),
        "7 do 2",
        *(f"b do {n}" for n in range(1, 4)),
    ]
    row = rows[4]
    assert {key: row[key] for key in awb(7, 2)} == awb(7, 2) and row["note"] == [1]
    assert list(row) == [*awb(7, 2, note=[1]), "gen", "worldline", "row_sha"]
    assert row["gen"] == "<predicted_observation>say 7 DO 2</predicted_observation>"
    assert row["worldline"]["observation"] == "say 7 DO 2"
    assert row["row_sha"] == jsonl.sha(awb(7, 2, note=[1]))
    assert (report.rows, report.resumed, report.outcomes) == (8, 0, {"ok": 8})
    assert report.usage.prompt == 24
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.jsonl",
        "out.jsonl.manifest.json",
    ]


@pytest.mark.parametrize("concurrency", [1, 3, 50])
def test_results_are_in_input_order_however_long_each_takes(tmp_path, concurrency):
    out, calm = tmp_path / "out.jsonl", tmp_path / "calm.jsonl"
    items = [trajectory(name, 5) for name in "abcdefgh"]
    run(items, Answers(), calm, concurrency=1)
    model = Answers(wait=lambda call: 0.02 if call % 7 == 0 else 0.001)
    run(items, model, out, concurrency=concurrency)
    assert comparable(out) == comparable(calm)
    assert len(model.asked) == 40


def test_sessions_run_side_by_side_and_each_in_order(tmp_path):
    model = Answers(wait=lambda call: 0.001 * (call % 3))
    run([trajectory(name, 6) for name in "abcd"], model, tmp_path / "o.jsonl", concurrency=4)
    assert model.most == 4
    for name in "abcd":
        own = [action for action in model.asked if action.startswith(name)]
        assert own == [f"{name} do {n}" for n in range(1, 7)]


def test_one_long_session_does_not_leave_slots_idle(tmp_path):
    model, start = Answers(wait=lambda call: 0.05), time.monotonic()
    run([trajectory("a", 40)], model, tmp_path / "o.jsonl", concurrency=20)
    assert time.monotonic() - start < 1.0


def test_deterministic_asks_one_at_a_time(tmp_path):
    model = Answers(wait=lambda call: 0.001)
    model.deterministic = False
    options = {"concurrency": 9, "deterministic": True}
    run([trajectory("a", 2), trajectory("b", 2)], model, tmp_path / "o.jsonl", **options)
    assert model.most == 1 and model.deterministic
    assert model.asked == ["a do 1", "a do 2", "b do 1", "b do 2"]


# resuming


def test_ur_s10_a_rerun_goes_on_where_the_first_stopped_and_then_asks_nothing(tmp_path):
    out, calm = tmp_path / "out.jsonl", tmp_path / "calm.jsonl"
    run(ITEMS, Answers(), calm)
    run(ITEMS, Answers(), out, limit=3)
    model = Answers()
    report = run(ITEMS, model, out)
    assert len(model.asked) == 5 and report.resumed == 3
    assert comparable(out) == comparable(calm)
    before, model = out.read_bytes(), Answers()
    report = run(ITEMS, model, out)
    assert (model.asked, report.resumed, report.rows) == ([], 8, 8)
    assert out.read_bytes() == before


KILLED = """
import asyncio, os, signal, sys
from worldline.bench.infer import predict
from worldline.bench.reach import MOST, Reach
from worldline.bench.reach import Call as Call_
from tests.test_predict import Answers

class Deadly(Answers):
    async def predict(self, request, on_text=None):
        with open(sys.argv[3], "a") as log:
            log.write(request.action + chr(10))
        if len(self.asked) == int(sys.argv[4]):
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().predict(request, on_text)

slow = lambda call: 0.3 if call == 0 else 0.001
asyncio.run(predict(sys.argv[1], Deadly(slow), sys.argv[2], concurrency=int(sys.argv[5])))
"""


def killed_run(tmp_path, source, out, die_at: int, concurrency: int) -> int:
    arguments = [str(source), str(out), str(tmp_path / "asked"), str(die_at), str(concurrency)]
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode


@pytest.mark.parametrize("concurrency", [1, 4])
def test_ur_s10_kill_9_loses_no_finished_row(tmp_path, concurrency):
    source, out, calm = tmp_path / "in.jsonl", tmp_path / "out.jsonl", tmp_path / "calm.jsonl"
    write_trajectories(source, [trajectory(name, 1) for name in "abcdefghijkl"])
    run(source, Answers(), calm)
    assert killed_run(tmp_path, source, out, die_at=6, concurrency=concurrency) == -signal.SIGKILL
    # With four at once the first is slow: what finished before it waits beside the output.
    assert (len(lines(out)) > 0) == (concurrency == 1)
    assert killed_run(tmp_path, source, out, die_at=-1, concurrency=concurrency) == 0
    assert comparable(out) == comparable(calm)
    asked = (tmp_path / "asked").read_text().split("\n")[:-1]
    assert set(asked) == {f"{name} do 1" for name in "abcdefghijkl"}
    assert len(asked) <= 12 + concurrency  # only rows in flight were asked twice
    assert not out.with_name("out.jsonl.ahead").exists()


def test_a_torn_last_line_is_set_aside_and_its_row_run_again(tmp_path):
    out, calm = tmp_path / "out.jsonl", tmp_path / "calm.jsonl"
    run(ITEMS, Answers(), calm)
    whole = calm.read_bytes()
    starts = [0, *(i + 1 for i, byte in enumerate(whole) if byte == 10)]
    for cut in (starts[3] + 1, starts[3] + 40, starts[4] - 2):
        for name in ("out.jsonl", "out.jsonl.torn"):
            (tmp_path / name).unlink(missing_ok=True)
        run(ITEMS, Answers(), out, limit=0)
        out.write_bytes(whole[:cut])
        model = Answers()
        run(ITEMS, model, out)
        assert comparable(out) == comparable(calm)
        assert len(model.asked) == 5
        assert (tmp_path / "out.jsonl.torn").read_bytes() == whole[starts[3] : cut] + b"\n"
    # a line that is whole but for its end is no torn line
    out.write_bytes(whole[: starts[4] - 1])
    model = Answers()
    run(ITEMS, model, out)
    assert comparable(out) == comparable(calm) and len(model.asked) == 4


def test_a_torn_middle_line_stops_with_file_and_line(tmp_path):
    out = tmp_path / "out.jsonl"
    run(ITEMS, Answers(), out)
    rows = out.read_bytes().split(b"\n")
    rows[2] = rows[2][:50]
    out.write_bytes(b"\n".join(rows))
    with pytest.raises(DataError) as caught:
        run(ITEMS, Answers(), out)
    assert (caught.value.file, caught.value.line) == (str(out), 3)
    assert out.read_bytes() == b"\n".join(rows)


def test_a_line_taken_out_by_hand_is_noticed(tmp_path):
    out = tmp_path / "out.jsonl"
    run(ITEMS, Answers(), out)
    rows = out.read_bytes().split(b"\n")
    out.write_bytes(b"\n".join(rows[:2] + rows[3:]))
    with pytest.raises(DataError, match=r"line 3, row_sha"):
        run(ITEMS, Answers(), out)
    out.write_bytes(b"\n".join([*rows[:-1], rows[0], b""]))
    with pytest.raises(DataError, match="holds 9 results, and the input has 8"):
        run(ITEMS, Answers(), out)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"seed": 1}, "seed"),
        ({"max_tokens": 5}, "model.sampling.max_tokens"),
        ({"context": 900}, "model.context"),
        ({"ground": "ledger"}, "ground"),
        ({"max_turns": 2}, "max_turns"),
        ({"deterministic": True}, "deterministic"),
    ],
)
def test_another_run_into_the_same_file_is_refused(tmp_path, options, field):
    out = tmp_path / "out.jsonl"
    run(ITEMS, Answers(), out, limit=2)
    before = out.read_bytes()
    with pytest.raises(UsageError) as caught:
        run(ITEMS, Answers(), out, **options)
    assert caught.value.field == field and "another output" in str(caught.value)
    assert out.read_bytes() == before
    with pytest.raises(UsageError, match=r"input\.sha"):
        run(ITEMS[:2], Answers(), out)
    other = Answers()
    other.name = "other"
    with pytest.raises(UsageError, match=r"model\.name"):
        run(ITEMS, other, out)


def test_a_file_of_something_else_is_not_touched(tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("precious\n")
    with pytest.raises(DataError, match="no manifest"):
        run(ITEMS, Answers(), out)
    assert out.read_text() == "precious\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_refused_run_keeps_what_waits_beside_the_output(tmp_path):
    out = tmp_path / "out.jsonl"
    model = Answers(trouble={"b do 1": ModelError("no key")}, wait=lambda call: 0.05 * (not call))
    with pytest.raises(ModelError):
        run([trajectory("a", 1), trajectory("c", 1), trajectory("b", 1)], model, out)
    waiting = out.with_name("out.jsonl.ahead").read_bytes()
    assert b"c do 1" in waiting
    with pytest.raises(UsageError):
        run([trajectory("a", 1)], Answers(), out)
    assert out.with_name("out.jsonl.ahead").read_bytes() == waiting


def test_a_second_process_on_the_same_output_is_refused(tmp_path):
    first = Results(tmp_path / "out.jsonl", Predicted)
    with pytest.raises(UsageError, match="another process"):
        run(ITEMS, Answers(), tmp_path / "out.jsonl")
    first.close()
    run(ITEMS, Answers(), tmp_path / "out.jsonl")


# trouble


def test_ur_s11_trouble_is_typed_counted_and_run_again_only_on_request(tmp_path):
    out, calm = tmp_path / "out.jsonl", tmp_path / "calm.jsonl"
    run(ITEMS, Answers(), calm)
    trouble = {"a do 2": "infra_error", "b do 1": "context_too_long", "7 do 2": "infra_error"}
    report = run(ITEMS, Answers(trouble=trouble), out)
    assert report.outcomes == {"ok": 5, "infra_error": 2, "context_too_long": 1}
    assert report.reasons == {"infra_error: scripted": 2, "context_too_long: scripted": 1}
    assert report.failed == 2
    rows = lines(out)
    assert [(row["gen"], row["worldline"]["observation"]) for row in (rows[1], rows[5])] == [
        ("", None),
        ("", None),
    ]
    model = Answers()
    assert run(ITEMS, model, out).failed == 2 and model.asked == []
    report = run(ITEMS, model, out, retry_failed=True)
    assert model.asked == ["a do 2", "7 do 2"] and report.failed == 0
    good = comparable(calm)
    good[5] = comparable(out)[5]
    assert comparable(out) == good and good[5]["worldline"]["outcome"] == "context_too_long"


def test_a_retry_that_is_killed_loses_nothing(tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    run(ITEMS, Answers(trouble={"a do 2": "infra_error"}), out)
    before, cut = out.read_bytes(), os.ftruncate

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(results_module.os, "ftruncate", die)
    with pytest.raises(KeyboardInterrupt):
        run(ITEMS, Answers(), out, retry_failed=True)
    assert out.read_bytes() == before
    monkeypatch.setattr(results_module.os, "ftruncate", cut)
    failing = Answers(trouble={"a do 2": ModelError("gone")})
    with pytest.raises(ModelError):
        run(ITEMS, failing, out, retry_failed=True)
    assert len(lines(out)) == 1
    model = Answers()
    report = run(ITEMS, model, out)
    assert (model.asked, report.outcomes) == (["a do 2"], {"ok": 8})


def test_what_no_retry_can_mend_stops_the_run_and_keeps_the_rest(tmp_path):
    out = tmp_path / "out.jsonl"
    with pytest.raises(ModelError, match="no key"):
        run(ITEMS, Answers(trouble={"7 do 2": ModelError("no key")}), out, concurrency=1)
    assert len(lines(out)) == 4
    run(ITEMS, Answers(), out, concurrency=1)
    assert len(lines(out)) == 8


def test_a_full_disk_is_a_clear_error_and_nothing_kept_is_lost(tmp_path, monkeypatch):
    out, calm, write = tmp_path / "out.jsonl", tmp_path / "calm.jsonl", os.write
    run(ITEMS, Answers(), calm)
    left = 3 * len(calm.read_bytes()) // 5

    def full(file, data):
        nonlocal left
        if left <= 0:
            raise OSError(28, "No space left on device")
        written = write(file, data[: max(1, left)])
        left -= written
        return written

    monkeypatch.setattr(results_module.os, "write", full)
    with pytest.raises(DataError, match=r"No space left.*every finished row is kept"):
        run(ITEMS, Answers(), out)
    monkeypatch.undo()
    kept = lines(out)
    assert kept
    assert run(ITEMS, Answers(), out).resumed >= len(kept)
    assert comparable(out) == comparable(calm)


def test_a_folder_that_is_not_there_is_made(tmp_path):
    assert run(ITEMS, Answers(), tmp_path / "runs" / "new" / "out.jsonl").rows == 8
    assert (tmp_path / "runs/new/out.jsonl.manifest.json").exists()


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        run(ITEMS, Answers(), tmp_path / "file" / "out.jsonl")
    with pytest.raises(UsageError, match="plain JSON Lines"):
        run(ITEMS, Answers(), tmp_path / "out.jsonl.gz")


def test_ur_s13_half_an_emoji_costs_no_row(tmp_path):
    class Halves(Answers):
        async def predict(self, request, on_text=None):
            found = await super().predict(request, on_text)
            text = {"1 do 1": "\ud83d", "2 do 1": "\ud83c\udf78".encode("utf-16", "surrogatepass")}
            said = text.get(request.action, "plain")
            said = said if isinstance(said, str) else said.decode("utf-16")
            return Prediction(
                outcome="ok",
                origin="model",
                observation=said,
                raw={"content": said},
                model="halves",
                request_sha=found.request_sha,
            )

    items = [bench_row(awb(1, response=["tool \udcb2"])), bench_row(awb(2)), bench_row(awb(3))]
    out = tmp_path / "out.jsonl"
    run(items, Halves(), out, limit=2)
    run(items, Halves(), out)
    assert [row["gen"] for row in lines(out)] == ["\ud83d", "\U0001f378", "plain"]
    assert lines(out)[0]["response"] == ["tool \udcb2"]
    out.read_bytes().decode("utf-8")
    json.loads(out.read_bytes().split(b"\n")[0])


def test_memory_stays_flat_on_a_long_file(tmp_path):
    """Rows are read as they are needed: a few are in memory, not the file."""
    path = tmp_path / "rows.jsonl"
    filler = "x" * 200_000
    with path.open("wb") as file:
        for n in range(300):  # 60 MB
            file.write(
                jsonl.dumps(awb(n, prompt=[f"{n} {filler}"], current_prompt=f"{n} {filler}"))
            )
            file.write(b"\n")
    code = (
        "import asyncio, resource, sys\n"
        "from worldline.bench.infer import predict\n"
        "from tests.test_predict import Answers\n"
        "kb = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "model = Answers(); model.asked = type('N', (list,), {'append': lambda s, x: None})()\n"
        "start = kb()\n"
        "asyncio.run(predict(sys.argv[1], model, sys.argv[2], concurrency=4))\n"
        "print((kb() - start) // 1024)\n"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(tmp_path / "out.jsonl")],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        check=True,
    )
    assert int(done.stdout) < 60, f"{done.stdout!r} MB more"


# against a server


def against(stub: Stub, tmp_path, items, *, attempts=3, **options):
    spec = f"openai:m@{stub.url}?attempts={attempts}&backoff=0.01"

    async def ask():
        async with load(spec) as model:
            return await predict(items, model, tmp_path / "out.jsonl", **options)

    return asyncio.run(ask()), lines(tmp_path / "out.jsonl")


def test_ur_s11_an_endpoint_in_trouble_costs_time_or_rows_never_a_false_answer(tmp_path):
    seen: Counter[str] = Counter()

    def answer(call: Call):
        action = call.body["messages"][-1]["content"]
        seen[action] += 1
        if action.startswith("1 "):
            return error(429, retry_after=0.05) if seen[action] < 3 else "good"
        if action.startswith("2 "):
            return error(429, retry_after=0.01)
        if action.startswith("3 "):
            return too_long("openai")
        return error(500) if seen[action] < 2 else "good"

    items = [bench_row(awb(n)) for n in (1, 2, 3, 4)]
    with Stub(answer) as stub:
        report, rows = against(stub, tmp_path, items)
    assert [row["worldline"]["outcome"] for row in rows] == [
        "ok",
        "infra_error",
        "context_too_long",
        "ok",
    ]
    assert [row["gen"] for row in rows] == ["good", "", "", "good"]
    assert [row["worldline"]["observation"] for row in rows] == ["good", None, None, "good"]
    assert report.reasons == {
        "infra_error: rate_limited": 1,
        "context_too_long: context_too_long": 1,
    }
    assert seen["3 do 1"] == 1 and seen["1 do 1"] == 3 and report.failed == 1


def test_a_run_goes_on_against_a_server_that_was_started_anew(tmp_path):
    items = [bench_row(awb(n)) for n in (1, 2)]
    with Stub([error(500), "one"]) as stub:
        report, _ = against(stub, tmp_path, items, attempts=1, concurrency=1)
        assert report.outcomes == {"infra_error": 1, "ok": 1}
    with Stub("two") as stub:
        report, rows = against(stub, tmp_path, items, attempts=4, concurrency=1, retry_failed=True)
        assert len(stub.requests) == 1
    assert [row["gen"] for row in rows] == ["two", "one"] and report.failed == 0


def test_ur_s13_a_request_with_half_an_emoji_is_valid_and_the_replacement_recorded(tmp_path):
    items = [bench_row(awb(1, 2, response=["tool \udcb2", "x"])), bench_row(awb(2))]
    with Stub("fine") as stub:
        _, rows = against(stub, tmp_path, items, concurrency=1)
        bodies = [json.loads(call.raw.decode("utf-8")) for call in stub.requests]
    assert [message["content"] for message in bodies[0]["messages"]] == [
        "s",
        "1 do 1",
        "tool \ufffd",
        "1 do 2",
    ]
    assert [row["worldline"]["raw"].get("replaced_surrogates") for row in rows] == [1, None]
    assert rows[0]["response"] == ["tool \udcb2", "x"]


def test_ur_s10_a_server_sees_each_row_once_over_a_kill_and_two_reruns(tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"".join(jsonl.dumps(awb(n)) + b"\n" for n in range(1, 7)))

    with Stub(lambda call: Answer(content="good", delay=0.15)) as stub:
        command = [sys.executable, "-m", "worldline", "predict", source, "-o", out, "-c", "1"]
        command += ["--model", f"openai:m@{stub.url}"]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while len(stub.requests) < 5:
            time.sleep(0.01)
        process.kill()
        process.wait()
        at_kill = len(stub.requests)
        subprocess.run(command, stderr=subprocess.DEVNULL, check=True)
        after = len(stub.requests)
        subprocess.run(command, stderr=subprocess.DEVNULL, check=True)
        assert len(stub.requests) == after
    asked = Counter(call.body["messages"][-1]["content"] for call in stub.requests)
    assert set(asked) == {f"{n} do 1" for n in range(1, 7)}
    assert asked.total() <= 7 and at_kill < 6  # the row in flight may be asked twice
    assert [row["id"] for row in lines(out)] == [1, 2, 3, 4, 5, 6]


def test_only_rows_of_the_domains_that_are_asked_for_are_predicted(tmp_path):
    rows = [bench_row(awb(n, task=task)) for n, task in enumerate(("web", "mcp", "web"))]
    report = run(rows, Answers(), tmp_path / "out.jsonl", domains=["web"])
    assert report.rows == 2
    assert [row["task"] for row in lines(tmp_path / "out.jsonl")] == ["web", "web"]
    with pytest.raises(UsageError, match="no row of wbe"):
        run(rows, Answers(), tmp_path / "none.jsonl", domains=["wbe"])


def unreachable() -> str:
    """The address of a server that is gone."""
    with Stub() as stub:
        return stub.url


def test_a_server_that_is_down_stops_the_run_and_what_is_done_is_kept(tmp_path):
    items, out = [bench_row(awb(n)) for n in range(40)], tmp_path / "out.jsonl"

    async def ask(url):
        async with load(f"openai:m@{url}?attempts=1") as model:
            return await predict(items, model, out, concurrency=4, retry_failed=True)

    with pytest.raises(ModelError, match=r"127\.0\.0\.1.*--retry-failed") as caught:
        asyncio.run(ask(unreachable()))
    assert caught.value.exit_code == 3 and 17 <= len(lines(out)) <= 24
    with Stub("fine") as stub:
        assert asyncio.run(ask(stub.url)).outcomes == {"ok": 40}


def test_one_reply_or_an_answer_that_needed_none_never_lets_a_run_stop():
    gone = Call_("connection", "gone")
    for first, stops in ((Call_(), False), (Call_("server_error"), False), (None, True)):
        reach = Reach()
        reach.told(first)
        told = [gone, None] * MOST
        if stops:
            with pytest.raises(ModelError, match="20 rows in a row"):
                for one in told:
                    reach.told(one)
        else:
            for one in told:
                reach.told(one)
