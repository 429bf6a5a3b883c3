"""The client of every chat endpoint, against a real server on this machine."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from benchmarks.stub import Answer, Stub, error, too_long
from worldline.errors import ModelError, UsageError
from worldline.messages import Message, Request, Sampling
from worldline.models.openai import OpenAIModel
from worldline.models.spec import load
from worldline.prediction import Prediction

GOLDEN = Path(__file__).parent / "data" / "golden"
QUICK = {"backoff": 0.01, "attempts": 4}


def ask(action: str = "ls", *, tags: bool = False, **fields) -> Request:
    system = "You are a terminal."
    if tags:
        system += " Answer inside <predicted_observation> tags."
    messages = (Message("system", system), Message("user", action))
    return Request(
        domain="generic", dialect="text", messages=messages, history=(), action=action, **fields
    )


def predict(stub: Stub, request: Request | None = None, on_text=None, **settings) -> Prediction:
    extra = {**QUICK, **settings.pop("extra", {})}

    async def run() -> Prediction:
        async with OpenAIModel("m", stub.url, extra=extra, **settings) as model:
            return await model.predict(request or ask(), on_text)

    return asyncio.run(run())


# a good call


def test_a_prediction_is_the_observation_with_its_cost():
    answer = Answer(content="a.txt\nb.txt\n", prompt_tokens=1000, cached_tokens=900)
    with Stub(answer) as stub:
        found = predict(stub, extra={"price_in": 2, "price_out": 10})
    assert (found.outcome, found.observation) == ("ok", "a.txt\nb.txt\n")
    assert found.finish_reason == "stop" and found.attempts == 1 and found.latency_s > 0
    assert (found.usage.prompt, found.usage.cached, found.usage.completion) == (1000, 900, 4)
    assert found.usage.cost_usd == pytest.approx((1000 * 2 + 4 * 10) / 1e6)


def test_without_prices_the_cost_is_unknown_and_not_nothing():
    with Stub("x") as stub:
        assert predict(stub).usage.cost_usd is None


def test_llama_cpp_says_how_much_it_reused_in_its_own_timings():
    with Stub("x", flavour="llamacpp") as stub:
        assert predict(stub).usage.cached == 0


def test_the_seed_and_the_sampling_reach_the_server():
    sampling = Sampling(temperature=0.0, top_p=0.5, top_k=7, max_tokens=99, stop=("$ ",))
    with Stub("x") as stub:
        predict(stub, ask(seed=1234, sampling=sampling), thinking=False)
        body = stub.requests[0].body
    assert body["seed"] == 1234
    assert body["temperature"] == 0.0 and body["top_p"] == 0.5 and body["top_k"] == 7
    assert body["max_tokens"] == 99 and body["stop"] == ["$ "]
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


def test_what_is_not_set_is_left_to_the_server():
    with Stub("x") as stub:
        predict(stub)
        assert set(stub.requests[0].body) == {"model", "messages", "stream", "stream_options"}


@pytest.mark.parametrize("flavour", ["vllm", "sglang", "openai"])
@pytest.mark.parametrize("field", [None, "reasoning_details"])
def test_thoughts_in_a_field_of_their_own(flavour, field):
    answer = Answer(content="out", reasoning="let me think", reasoning_field=field)
    with Stub(answer, flavour=flavour) as stub:
        found = predict(stub)
    assert (found.observation, found.reasoning) == ("out", "let me think")
    assert found.raw == {"content": "out", "reasoning": "let me think"}


def test_thoughts_sent_in_two_fields_are_read_once():
    message = {"content": "out", "reasoning": "once", "reasoning_content": "once"}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    with Stub(Answer(body=body)) as stub:
        assert predict(stub).reasoning == "once"


def test_text_with_any_kind_of_line_break_survives_the_stream():
    text = "a\u2028b\u2029c\x85d\r\ne\x0bf \u00e9\U0001f378"
    with Stub(Answer(content=text, piece=1)) as stub:
        assert predict(stub).observation == text


def test_a_server_that_answers_in_one_piece_although_asked_to_stream():
    with Stub(Answer(content="whole", ignore_stream=True)) as stub:
        assert predict(stub).observation == "whole"


@pytest.mark.parametrize(
    ("refusals", "streams"), [(["unknown field stream_options"], True), (["no stream"] * 2, False)]
)
def test_a_server_that_cannot_stream_is_asked_more_plainly_and_once(refusals, streams):
    answers = [error(400, text) for text in refusals] + ["one", "two"]

    async def run(model: OpenAIModel) -> list[str | None]:
        async with model:
            return [(await model.predict(ask())).observation for _ in range(2)]

    with Stub(answers) as stub:
        assert asyncio.run(run(OpenAIModel("m", stub.url, extra=QUICK))) == ["one", "two"]
        last = stub.requests[-1].body
        assert len(stub.requests) == len(refusals) + 2
    assert "stream_options" not in last and last.get("stream", False) is streams


def test_one_model_serves_several_event_loops():
    with Stub("x") as stub:
        model = OpenAIModel("m", stub.url)
        assert [asyncio.run(model.predict(ask())).outcome for _ in range(2)] == ["ok", "ok"]


# golden requests


@pytest.mark.parametrize("server", ["vllm", "sglang"])
def test_the_preset_of_agentworld_sends_exactly_what_its_card_advises(server):
    golden = json.loads((GOLDEN / f"agentworld-35b.{server}.json").read_text("utf-8"))
    text = "<predicted_observation>\na.txt\n</predicted_observation>"
    with Stub(Answer(content=text, reasoning="a folder"), flavour=server) as stub:

        async def run() -> Prediction:
            async with load(f"agentworld-35b@{stub.url}") as model:
                return await model.predict(ask(tags=True, seed=7, sampling=model.sampling))

        found = asyncio.run(run())
        call = stub.requests[0]
    assert call.path == "/v1/chat/completions"
    assert call.headers["content-type"] == "application/json"
    assert call.body == golden and list(call.body) == list(golden)
    assert (found.observation, found.reasoning) == ("a.txt", "a folder")


# replies that are no answer (UR-S07's shapes)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [
        ({"choices": False}, "no_prediction", "empty_choices"),
        ({"null_message": True, "finish_reason": "content_filter"}, "filtered", None),
        ({"content": None}, "no_prediction", "empty"),
        ({"refusal": "I can't help with that.", "content": None}, "refused", None),
        ({"content": "half of i", "finish_reason": "length"}, "truncated", None),
    ],
)
def test_ur_s07_shapes_are_typed_outcomes(stream, answer, outcome, reason):
    with Stub(Answer(**answer, ignore_stream=not stream)) as stub:
        found = predict(stub)
        assert len(stub.requests) == 1
    assert found.outcome == outcome and found.observation is None
    assert reason in (None, found.reason)


# trouble


def test_ur_s11_retry_after_is_honoured_and_the_row_succeeds():
    with Stub([error(429, retry_after=1), error(429, retry_after=1), "fine"]) as stub:
        found = predict(stub)
        times = [call.at for call in stub.requests]
    assert (found.outcome, found.observation, found.attempts) == ("ok", "fine", 3)
    assert times[1] - times[0] >= 1 and times[2] - times[1] >= 1


def test_ur_s11_an_http_date_is_honoured_too():
    with Stub([error(503, retry_after="Fri, 31 Dec 1999 23:59:59 GMT"), "fine"]) as stub:
        assert predict(stub).observation == "fine"


def test_ur_s11_a_server_error_then_a_good_reply():
    with Stub([error(500, "boom"), "fine"]) as stub:
        found = predict(stub)
    assert (found.outcome, found.observation, found.attempts) == ("ok", "fine", 2)


def test_ur_s11_always_429_is_an_infra_error_and_never_an_observation():
    with Stub(error(429, "slow down please")) as stub:
        found = predict(stub)
        assert len(stub.requests) == 4
    assert (found.outcome, found.reason, found.observation) == ("infra_error", "rate_limited", None)
    assert found.attempts == 4
    assert found.raw["error"] == {
        "code": "rate_limited",
        "message": "slow down please",
        "status": 429,
    }


@pytest.mark.parametrize("flavour", ["openai", "vllm", "sglang", "llamacpp"])
def test_ur_s11_a_context_that_is_too_long_is_said_once(flavour):
    with Stub(too_long(flavour)) as stub:
        found = predict(stub)
        assert len(stub.requests) == 1
    assert (found.outcome, found.observation) == ("context_too_long", None)


def test_a_refused_request_is_not_tried_again():
    with Stub(error(400, "temperature must not be negative")) as stub:
        found = predict(stub)
        assert len(stub.requests) == 1
    assert (found.outcome, found.reason) == ("infra_error", "bad_request")
    assert "temperature" in found.raw["error"]["message"]


def test_a_wait_beyond_the_deadline_is_not_waited_for():
    with Stub(error(429, retry_after=60)) as stub:
        began = time.monotonic()
        found = predict(stub, extra={"deadline": 1})
    assert found.reason == "rate_limited" and time.monotonic() - began < 5
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(401, "WORLDLINE_KEY_127_0_0_1"), (403, "keys.toml"), (404, "/v1"), (402, "credit")],
)
def test_what_no_retry_can_mend_stops_the_run_and_says_what_to_do(status, remedy):
    with Stub(error(status, "no\x1b[2J way")) as stub:
        with pytest.raises(ModelError) as raised:
            predict(stub)
        assert len(stub.requests) == 1
    assert remedy in str(raised.value) and "\x1b" not in str(raised.value)


def test_silence_is_a_timeout_and_tried_again():
    silent = Answer(content="never seen whole", cut_after=2, cut="silence")
    with Stub([Answer(delay=5), silent, "fine"]) as stub:
        found = predict(stub, extra={"read_timeout": 0.1})
    assert (found.observation, found.attempts) == ("fine", 3)


def test_a_reply_that_never_ends_hits_the_total():
    with Stub(Answer(content="x" * 80_000, gap=0.02)) as stub:
        found = predict(stub, extra={"timeout": 2, "attempts": 1})
    assert (found.outcome, found.reason, found.observation) == ("infra_error", "timeout", None)
    assert found.raw["content"].startswith("xxx")


def test_no_server_is_a_connection_error_that_names_the_host():
    with Stub() as stub:
        url = stub.url
    extra = {**QUICK, "attempts": 2}
    found = asyncio.run(OpenAIModel("m", url, extra=extra).predict(ask()))
    assert (found.outcome, found.reason, found.attempts) == ("infra_error", "connection", 2)
    assert "127.0.0.1" in found.raw["error"]["message"]


@pytest.mark.parametrize("cut", ["abort", "clean"])
def test_ur_s42_a_cut_stream_is_incomplete_and_not_an_answer(cut):
    broken = Answer(content="total 8\ndrwxr-xr-x", cut_after=2, cut=cut)
    with Stub(broken) as stub:
        found = predict(stub)
        assert len(stub.requests) == 4
    assert (found.outcome, found.reason) == ("infra_error", "stream_incomplete")
    assert found.observation is None and found.raw["content"] == "total 8\n"


def test_ur_s42_a_cut_stream_is_tried_again():
    with Stub([Answer(content="half a line", cut_after=2), "whole"]) as stub:
        found = predict(stub)
    assert (found.outcome, found.observation, found.attempts) == ("ok", "whole", 2)


def test_ur_s42_a_finished_answer_without_an_end_mark_neither_hangs_nor_is_lost():
    with Stub(Answer(content="whole", done=False)) as stub:
        began = time.monotonic()
        found = predict(stub)
    assert found.observation == "whole" and time.monotonic() - began < 10


def test_an_error_inside_a_stream_is_read_like_any_other():
    busy = {"message": "engine died", "code": "internal"}
    long = {"message": "This model's maximum context length is 10 tokens", "code": 400}
    answers = [Answer(content="abc", cut_after=1, stream_error=e) for e in (busy, long)]
    with Stub(answers) as stub:
        found = predict(stub)
    assert (found.outcome, found.attempts) == ("context_too_long", 2)


@pytest.mark.parametrize("body", ["<html>log in</html>", "[" * 100_000, "{}", '{"choices": 3}'])
def test_a_body_that_is_no_completion_is_a_server_error(body):
    with Stub(Answer(body=body)) as stub:
        found = predict(stub, extra={"attempts": 2})
    assert (found.outcome, found.reason, found.attempts) == ("infra_error", "server_error", 2)


def test_cancelling_hangs_up():
    async def run(url: str) -> None:
        async with OpenAIModel("m", url) as model:
            task = asyncio.create_task(model.predict(ask()))
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert model.limiter.active == 0

    with Stub(Answer(content="x" * 800, gap=0.05)) as stub:
        asyncio.run(run(stub.url))
        assert stub.requests[0].gone.wait(2)


def test_push_back_lowers_the_number_of_requests_in_flight():
    with Stub(lambda call: error(503) if call.number < 8 else "fine") as stub:

        async def run() -> float:
            extra = {"backoff": 0.01, "concurrency": 8}
            async with OpenAIModel("m", stub.url, extra=extra) as model:
                found = await asyncio.gather(*(model.predict(ask(str(i))) for i in range(8)))
                assert {one.outcome for one in found} == {"ok"}
                return model.limiter.limit

        assert 1 <= asyncio.run(run()) < 8


# surrogates


def test_ur_s13_a_request_with_half_an_emoji_is_valid_utf_8_and_says_so():
    with Stub("fine") as stub:
        found = predict(stub, ask("cat \ud83d and \udcb2 and \ud83c\udf78"))
        sent = json.loads(stub.requests[0].raw.decode("utf-8", "strict"))
    assert sent["messages"][1]["content"] == "cat \ufffd and \ufffd and \U0001f378"
    assert found.outcome == "ok" and found.raw["replaced_surrogates"] == 2


def test_ur_s13_a_reply_with_half_an_emoji_is_kept():
    with Stub(Answer(content="a\ud83db")) as stub:
        assert predict(stub).observation == "a\ud83db"


# streaming to a person


def test_pieces_add_up_to_the_observation_without_thoughts_or_tags():
    text = "<think>hm</think>\n<predicted_observation>\n  a < b\nc\n</predicted_observation>"
    pieces: list[str] = []
    with Stub(Answer(content=text, piece=3)) as stub:
        found = predict(stub, ask(tags=True), pieces.append)
    assert found.observation == "  a < b\nc" == "".join(pieces)
    assert len(pieces) > 1


def test_untagged_text_streams_when_thoughts_cannot_be_in_it():
    pieces: list[str] = []
    with Stub(Answer(content="one two three four", piece=4)) as stub:
        predict(stub, ask(), pieces.append, thinking=False)
    assert len(pieces) > 2 and "".join(pieces) == "one two three four"


def test_after_a_cut_no_piece_is_shown_twice():
    pieces: list[str] = []
    with Stub([Answer(content="one two three", cut_after=2, piece=4), "one two three"]) as stub:
        predict(stub, ask(), pieces.append, thinking=False)
    assert "".join(pieces) == "one two three"


# the cache


def test_the_second_time_the_cache_answers(tmp_path):
    extra = {"cache": str(tmp_path), "price_in": 1, "price_out": 1}
    with Stub(["first", "second"]) as stub:
        first, again = (predict(stub, ask(seed=1), extra=extra) for _ in range(2))
        other = predict(stub, ask(seed=2), extra=extra)
        assert len(stub.requests) == 2
    assert first.observation == again.observation == "first"
    assert again.raw["cache"] is True and "cache" not in first.raw
    assert again.usage.prompt == first.usage.prompt and again.usage.cost_usd == 0
    assert other.observation == "second"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(content="half", finish_reason="length"),
        Answer(content="half", cut_after=1),
        error(500),
        Answer(content=None),
    ],
)
def test_only_complete_replies_are_cached(tmp_path, answer):
    with Stub(answer) as stub:
        for _ in range(2):
            predict(stub, extra={"cache": str(tmp_path), "attempts": 1})
        assert len(stub.requests) == 2
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"schema":"worldline.reply/1"}', b"\xff"])
def test_a_damaged_cache_file_is_a_miss_and_reported(tmp_path, caplog, damage):
    extra = {"cache": str(tmp_path)}
    with Stub(["first", "second", "third"]) as stub:
        predict(stub, extra=extra)
        (file,) = tmp_path.rglob("*.json")
        file.write_bytes(damage)
        assert predict(stub, extra=extra).observation == "second"
        assert predict(stub, extra=extra).observation == "second"
    assert "unusable" in caplog.text and file.name in caplog.text


def test_a_cache_that_cannot_be_written_costs_no_row(tmp_path, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with Stub("fine") as stub:
        assert predict(stub, extra={"cache": str(blocked)}).outcome == "ok"
    assert "cannot be cached" in caplog.text


# options and description


@pytest.mark.parametrize(
    ("extra", "named"),
    [({"tmieout": 1}, "timeout"), ({"timeout": "soon"}, "timeout"), ({"attempts": 0}, "attempts")],
)
def test_a_bad_option_is_named(extra, named):
    with pytest.raises(UsageError, match=named):
        OpenAIModel("m", "http://127.0.0.1:1/v1", extra=extra)


def test_options_may_come_as_text():
    extra = {"timeout": "3.5", "attempts": "2", "insecure": "1", "price_in": "0.1"}
    options = OpenAIModel("m", "http://127.0.0.1:1/v1", extra=extra).options
    assert (options.timeout, options.attempts, options.insecure) == (3.5, 2, True)


def test_a_chat_of_any_messages_gives_the_reply_itself():
    async def run(url: str):
        async with OpenAIModel("m", url) as model:
            return await model.chat([Message("user", "grade this")], Sampling(temperature=0.0), 5)

    with Stub("4") as stub:
        reply = asyncio.run(run(stub.url))
        assert stub.requests[0].body["seed"] == 5
    assert reply.content == "4" and reply.timings["first_token_s"] > 0
