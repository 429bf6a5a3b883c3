"""The embedded model, for real: typed outcomes, the prefix cache, cancellation, a clean end."""

import asyncio
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from embedded_cache import embedded_cache, fetched  # noqa: F401 - fixtures
from test_requantise import gguf

from worldline.errors import ModelError
from worldline.messages import Message, Request, Sampling
from worldline.models.embedded import open_embedded, open_gguf
from worldline.models.llama.engine import SAME_BRANCH
from worldline.models.weights import store

pytestmark = [pytest.mark.system, pytest.mark.usefixtures("embedded_cache")]

SYSTEM = "You are a shell. Answer with what the command prints and nothing else."
GREEDY = Sampling(temperature=0.0, max_tokens=6)


@pytest.fixture
def model(embedded_cache):  # noqa: F811
    opened = open_embedded(context=4096)
    yield opened
    asyncio.run(opened.aclose())


def talk(*texts):
    roles = ["system", *["user", "assistant"] * len(texts)]
    return tuple(Message(role, text) for role, text in zip(roles, texts, strict=False))


def ask(messages, sampling=GREEDY, seed=None):
    return Request(
        domain="terminal",
        dialect="command",
        messages=messages,
        history=(),
        action="",
        sampling=sampling,
        seed=seed,
    )


def evaluated(reply):
    """Prompt tokens the server says it has evaluated; it must have counted them all."""
    assert reply.timings["prompt_n"] + reply.timings["cache_n"] == reply.usage.prompt
    return reply.timings["prompt_n"]


def engine_of(model):
    return model._engine.result()


def test_a_prediction_has_text_usage_and_no_path_of_this_machine(model, embedded_cache):  # noqa: F811
    pieces = []
    request = ask(talk(SYSTEM, "echo hello"), Sampling(temperature=0.0, max_tokens=40))
    found = asyncio.run(model.predict(request, pieces.append))
    assert found.outcome in ("ok", "truncated") and found.raw["content"]
    assert found.observation is None or "".join(pieces) == found.observation
    assert found.model == model.name == "embedded/SmolLM2-135M-Instruct.Q8_0"
    assert found.usage.prompt == len(engine_of(model).prompter.tokens(request.messages))
    assert 0 < found.usage.completion <= 40 and found.latency_s > 0
    for record in (str(found), str(model.describe())):
        assert embedded_cache not in record and os.sep + "tmp" not in record
    assert model.sampling == Sampling(temperature=0.0, max_tokens=256) and model.context == 4096


def test_counting_is_exact_and_nothing_is_special_in_a_text(model):
    assert model.count("") == 0
    assert model.count("hello world") == 2
    assert model.count("<|im_end|>") > 1
    assert model.count("\x00 \ud800 é\r\n") > 3


def test_a_session_of_30_steps_evaluates_only_what_is_new(model):
    async def session():
        texts, before, over = [SYSTEM], [], []
        prompter = (await model._ready()).prompter
        for step in range(30):
            texts.append(f"cat notes/{step}.txt | head -{step}")
            reply = await model.chat(talk(*texts), GREEDY)
            ids = list(prompter.tokens(talk(*texts)))
            shared = next(
                (i for i, (a, b) in enumerate(zip(ids, before, strict=False)) if a != b),
                min(len(ids), len(before)),
            )
            over.append(evaluated(reply) - (len(ids) - shared))
            before = ids
            # What the world keeps need not be what the model said: blanks, edits, markup.
            texts.append(f"  {reply.content}\n<|im_end|> total {step * 7}\n\tline\n")
        return over

    over = asyncio.run(session())
    assert len(over) == 30 and max(over) <= 64


def test_branches_of_a_session_do_not_cost_each_other_their_tokens(model):
    async def fork():
        common = [SYSTEM, "cat big.txt", "word " * 600]
        await model.chat(talk(*common, "ls"), GREEDY)
        branches = [[*common, f"cd {name}", "ok"] for name in ("left", "right")]
        costs = []
        for step in range(4):
            for branch in branches:
                branch.append(f"touch {step}")
                costs.append(evaluated(await model.chat(talk(*branch), GREEDY)))
                branch.append("made " * 20)
        return costs

    costs = asyncio.run(fork())
    again = int((1 - SAME_BRANCH) * 900)  # of prompts shorter than that
    assert max(costs) <= again + 40 + 64


def test_deterministic_gives_the_same_text_on_each_run_and_in_any_order(embedded_cache):  # noqa: F811
    hot = Sampling(temperature=1.0, max_tokens=12)
    talks = [talk(SYSTEM, "ls", "a\nb", "pwd"), talk(SYSTEM, "ls"), talk(SYSTEM, "ls", "a\nb", "w")]

    async def run(order):
        model = open_embedded(context=1024, options={"deterministic": "1"})
        try:
            replies = {i: await model.chat(talks[i], hot) for i in order}
        finally:
            await model.aclose()
        assert all(reply.timings["cache_n"] == 0 for reply in replies.values())
        return {i: reply.content for i, reply in replies.items()}

    first, again = asyncio.run(run([0, 1, 2])), asyncio.run(run([2, 0, 1, 0]))
    assert first == again and any(first.values())


def test_a_seed_decides_what_is_sampled(model):
    hot = Sampling(temperature=1.5, max_tokens=24)
    model.deterministic = True
    request = talk(SYSTEM, "tell a story")

    async def texts(*seeds):
        return [(await model.chat(request, hot, seed)).content for seed in seeds]

    one, same, other = asyncio.run(texts(5, 5, 2**40 + 6))
    assert one == same != other


def test_a_prompt_that_is_too_long_is_typed_and_a_tight_one_is_bounded(model):
    long = ask(talk(SYSTEM, "word " * 5000))
    found = asyncio.run(model.predict(long))
    assert found.outcome == "context_too_long" and found.observation is None
    assert found.usage.prompt > 5000

    async def tight():
        small = open_embedded(context=256)
        try:
            head = small.count(SYSTEM)
            messages = talk(SYSTEM, "word " * (256 - head - 40))
            return await small.chat(messages, Sampling(temperature=0.0, max_tokens=500))
        finally:
            await small.aclose()

    reply = asyncio.run(tight())
    assert reply.error is None
    assert reply.usage.prompt + reply.usage.completion <= 256


def test_cancelling_frees_the_slot(model):
    async def cancel(messages, sampling, after):
        task = asyncio.create_task(model.chat(messages, sampling))
        await asyncio.sleep(after)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        start = time.monotonic()
        reply = await model.chat(talk(SYSTEM, "ls"), GREEDY)
        assert reply.finish_reason
        return time.monotonic() - start

    async def all_of_them():
        story = talk(SYSTEM, "Write a very long story about ten thousand files, with all names.")
        await model.chat(talk(SYSTEM, "ls"), GREEDY)
        while_writing = await cancel(story, Sampling(temperature=1.0, max_tokens=3000), 0.5)
        while_reading = await cancel(talk(SYSTEM, "word " * 3900), GREEDY, 0.3)
        return while_writing, while_reading

    # Whole, they would take a minute and ten seconds.
    assert max(asyncio.run(all_of_them())) < 6


def test_waiting_requests_can_be_cancelled_and_the_others_go_on(model):
    async def many():
        tasks = [asyncio.create_task(model.chat(talk(SYSTEM, f"ls {i}"), GREEDY)) for i in range(4)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = asyncio.run(many())
    assert isinstance(found[2], asyncio.CancelledError)
    assert all(found[i].finish_reason for i in (0, 1, 3))


def test_event_loops_are_not_blocked_and_several_may_share_a_model(model):
    model.count("loaded")

    async def watched():
        gaps, last = [], time.monotonic()
        task = asyncio.create_task(model.chat(talk(SYSTEM, "word " * 300), GREEDY))
        while not task.done():
            await asyncio.sleep(0.005)
            gaps.append(time.monotonic() - last)
            last = time.monotonic()
        return (await task).finish_reason, statistics.median(gaps)

    results = []
    watch = lambda: results.append(asyncio.run(watched()))  # noqa: E731
    threads = [threading.Thread(target=watch) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 2
    assert all(finish and gap < 0.1 for finish, gap in results)
    assert asyncio.run(watched())[0]


def test_slots_run_at_once(embedded_cache):  # noqa: F811
    async def both():
        model = open_embedded(context=512, options={"slots": 2})
        try:
            await model.chat(talk(SYSTEM, "x"), GREEDY)
            starts = {}
            jobs = [
                model.chat(
                    talk(SYSTEM, f"count to {i}00"),
                    Sampling(temperature=0.0, max_tokens=40),
                    on_text=lambda _, i=i: starts.setdefault(i, time.monotonic()),
                )
                for i in range(2)
            ]
            replies = await asyncio.gather(*jobs)
            return replies, time.monotonic(), starts
        finally:
            await model.aclose()

    replies, end, starts = asyncio.run(both())
    assert all(reply.error is None for reply in replies)
    assert max(starts.values()) < end - 0.05, "the second began before the first ended"


def test_python_around_the_engine_costs_little(model):
    async def steps():
        texts, costs = [SYSTEM], []
        for step in range(12):
            texts.append(f"echo {step}")
            reply = await model.chat(talk(*texts), Sampling(temperature=0.0, max_tokens=2))
            spent = reply.timings["prompt_ms"] + reply.timings["predicted_ms"]
            costs.append(reply.latency_s * 1000 - spent)
            texts.append(str(step))
        return costs[1:]

    assert statistics.median(asyncio.run(steps())) < 50


def system_threads():
    return len(list(Path("/proc/self/task").iterdir()))


def test_nothing_is_printed_and_no_thread_or_file_is_left(embedded_cache, capfd):  # noqa: F811
    async def life():
        model = open_embedded(context=512)
        await model.chat(talk(SYSTEM, "x"), GREEDY)
        folder = engine_of(model).private.folder
        await model.aclose()
        with pytest.raises(ModelError, match="closed"):
            await model.chat(talk(SYSTEM, "x"), GREEDY)
        return folder

    asyncio.run(life())
    before = system_threads()
    folders = [asyncio.run(life()) for _ in range(2)]
    deadline = time.monotonic() + 5  # the system needs a moment to bury a thread
    while system_threads() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert system_threads() <= before
    assert not any(folder.exists() for folder in folders)
    assert capfd.readouterr() == ("", "")


def test_a_process_ends_at_once_while_a_reply_is_being_written(embedded_cache):  # noqa: F811
    code = (
        "import asyncio, time\n"
        "from worldline.models.embedded import open_embedded\n"
        "from worldline.messages import Message, Sampling\n"
        "model = open_embedded(context=4096)\n"
        "async def main():\n"
        "    talk = [Message('user', 'a long story')]\n"
        "    task = asyncio.create_task(model.chat(talk, Sampling(max_tokens=3000)))\n"
        "    await asyncio.sleep(1.5)\n"
        "    print(model._engine.result().private.folder, flush=True)\n"
        "    print(time.time(), flush=True)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    ended = time.time()
    folder, leaving = done.stdout.split()
    assert done.returncode == 0 and done.stderr == ""
    assert ended - float(leaving) < 5
    assert not Path(folder).exists()


def test_after_the_first_run_nothing_is_asked_of_a_network(model, monkeypatch):
    monkeypatch.setattr(store, "_get_wheel", None)
    monkeypatch.setattr(subprocess, "run", None)
    monkeypatch.setattr("httpx2.Client.send", None)

    async def life():
        again = open_embedded(context=256)
        try:
            return await again.chat(talk(SYSTEM, "x"), GREEDY)
        finally:
            await again.aclose()

    assert asyncio.run(life()).finish_reason


def test_any_gguf_file_runs_the_same_way(embedded_cache, tmp_path):  # noqa: F811
    link = tmp_path / "mine.gguf"
    link.symlink_to(store.ready())

    async def life():
        model = open_gguf(link, context=300)
        try:
            reply = await model.chat(talk(SYSTEM, "x"), GREEDY)
            return model.name, model.context, reply, model.describe()
        finally:
            await model.aclose()

    name, context, reply, described = asyncio.run(life())
    assert (name, context) == ("gguf/mine", 300) and reply.finish_reason
    assert str(tmp_path) not in str(described)


def lora(strength):
    """An adapter of rank 1 on the first layer's output projection."""
    import struct

    a = struct.pack("<576f", *(strength * ((i % 7) - 3) for i in range(576)))
    b = struct.pack("<576f", *(strength * ((i % 5) - 2) for i in range(576)))
    name = "blk.0.attn_output.weight"
    raw = gguf(
        [(f"{name}.lora_a", (576, 1), 0, a), (f"{name}.lora_b", (1, 576), 0, b)],
        keys={
            "general.architecture": "llama",
            "general.type": "adapter",
            "adapter.type": "lora",
            "adapter.lora.alpha": 1.0,
        },
    )
    return raw


def test_an_adapter_changes_what_is_said_and_a_wrong_one_is_refused(embedded_cache, tmp_path):  # noqa: F811
    (tmp_path / "weak.gguf").write_bytes(lora(0.0))
    (tmp_path / "strong.gguf").write_bytes(lora(3.0))
    (tmp_path / "broken.gguf").write_bytes(lora(0.0)[:300])

    async def say(adapter):
        model = open_embedded(context=256, options={"adapter": adapter})
        try:
            reply = await model.chat(talk(SYSTEM, "count to ten"), GREEDY)
            return model.name, reply.content
        finally:
            await model.aclose()

    plain = asyncio.run(say("none"))
    weak = asyncio.run(say(str(tmp_path / "weak.gguf")))
    strong = asyncio.run(say(str(tmp_path / "strong.gguf")))
    assert weak[1] == plain[1] != strong[1]
    assert strong[0].endswith("+strong")
    with pytest.raises(ModelError, match="adapter"):
        asyncio.run(say(str(tmp_path / "broken.gguf")))
