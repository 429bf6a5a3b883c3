"""From a backend's reply to a typed prediction: how each way a call can end is recorded."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.messages import Message, Request, Sampling
from worldline.prediction import Prediction, PromptRef, Usage
from worldline.reply import Reply, asks_for_tags, prediction, refuses

O, C = "<predicted_observation>", "</predicted_observation>"  # noqa: E741


def request(system: str = f"You are a shell. Answer in {O} and {C}.") -> Request:
    return Request(
        domain="terminal",
        dialect="command",
        messages=(Message("system", system), Message("user", "ls")),
        history=(),
        action="ls",
        sampling=Sampling(temperature=0.6, top_p=0.95),
        seed=7,
        prompt=PromptRef(source="template", name="terminal/full", sha="0" * 64),
    )


BARE = request("You are a shell. Print what it prints.")


def predict(content: str | None, *, to: Request | None = None, **fields: object) -> Prediction:
    fields = {"finish_reason": "stop", **fields}
    reply = msgspec.convert({"content": content, **fields}, Reply)
    return prediction(reply, to or request(), "m")


def test_a_prediction_carries_its_request_and_its_reply_as_received():
    usage = Usage(prompt=10, cached=4, completion=3)
    content = f"<think>hm</think>\n{O}\n a.txt\n{C}"
    got = predict(content, usage=msgspec.to_builtins(usage), attempts=2, latency_s=1.5)
    assert got == Prediction(
        outcome="ok",
        origin="model",
        observation=" a.txt",
        reasoning="hm",
        raw={"content": content, "reasoning": None},
        finish_reason="stop",
        attempts=2,
        model="m",
        sampling={"temperature": 0.6, "top_p": 0.95},
        seed=7,
        request_sha=request().sha("m"),
        prompt=request().prompt,
        usage=usage,
        latency_s=1.5,
    )


def test_thoughts_of_both_places_are_kept_apart_from_the_observation():
    got = predict(f"\n\n<think>b</think>{O}x{C}", reasoning="a")
    assert (got.observation, got.reasoning) == ("x", "a\nb")
    assert got.raw == {"content": f"\n\n<think>b</think>{O}x{C}", "reasoning": "a"}
    got = predict("\n\n  x\n", reasoning="a", to=BARE)
    assert (got.outcome, got.observation, got.reasoning) == ("ok", "  x\n", "a")


@pytest.mark.parametrize(
    ("fields", "outcome", "reason"),
    [
        ({"content": f"{O}x{C}"}, "ok", None),
        ({"content": f"{O}{C}"}, "ok", None),
        ({"content": f"{O}x{C}", "finish_reason": "length"}, "ok", None),
        ({"content": f"{O}x{C}", "finish_reason": None}, "ok", None),
        ({"content": "x"}, "ok", "untagged"),
        ({"content": f"{O}x"}, "ok", "unclosed_tag"),
        ({"content": f"x{C}"}, "ok", "unopened_tag"),
        ({"content": f"<think>hm {O}x{C}"}, "ok", "unclosed_think"),
        ({"content": "x<|im_end|>"}, "ok", "untagged; end_mark"),
        ({"content": f"{O}x<|im_end|>"}, "ok", "unclosed_tag; end_mark"),
        ({"content": f"{O}x{C}<|im_end|>"}, "ok", None),
        ({"content": None, "reasoning": f"hm\n{O}x{C}\n"}, "ok", "answer_in_reasoning"),
        ({"content": "", "reasoning": f"hm</think>{O}x{C}"}, "ok", "answer_in_reasoning"),
        ({"content": None, "reasoning": "hm"}, "no_prediction", "no_answer_after_reasoning"),
        (
            {"content": None, "reasoning": f"{O}draft{C} no"},
            "no_prediction",
            "no_answer_after_reasoning",
        ),
        ({"content": None, "reasoning": f"{O}x"}, "no_prediction", "no_answer_after_reasoning"),
        ({"content": f"<think>hm</think>{O}"}, "no_prediction", "unclosed_tag"),
        ({"content": ""}, "no_prediction", "empty"),
        ({"content": None}, "no_prediction", "empty"),
        ({"content": None, "choices": 0, "finish_reason": None}, "no_prediction", "empty_choices"),
        ({"content": f"{O}x", "finish_reason": "length"}, "truncated", "cut_in_block"),
        ({"content": "x", "finish_reason": "length"}, "truncated", "cut_in_text"),
        ({"content": "x", "finish_reason": "max_tokens"}, "truncated", "cut_in_text"),
        (
            {"content": None, "reasoning": f"hm {O}x{C}", "finish_reason": "length"},
            "truncated",
            "cut_in_reasoning",
        ),
        ({"content": None, "finish_reason": "length"}, "truncated", "cut_in_text"),
        ({"content": f"{O}x{C}", "finish_reason": "content_filter"}, "filtered", None),
        ({"content": None, "finish_reason": "content_filter"}, "filtered", None),
        ({"content": f"{O}x{C}", "finish_reason": "abort"}, "infra_error", "finish_abort"),
        ({"content": None, "refusal": "I can't help with that."}, "refused", "refusal"),
        ({"content": "I can't help with that."}, "refused", "refusal_text"),
        ({"content": f"{O}I can't help with that.{C}"}, "ok", None),
        ({"error": {"code": "context_too_long", "message": "8192"}}, "context_too_long", None),
        ({"error": {"code": "rate_limited", "status": 429}}, "infra_error", "rate_limited"),
        ({"error": {}}, "infra_error", "unknown_error"),
    ],
)
def test_every_end_of_a_call_has_its_outcome(
    fields: dict[str, object], outcome: str, reason: str | None
):
    got = predict(**{"content": None, **fields})  # pyright: ignore[reportArgumentType]
    assert got.outcome == outcome
    assert reason is None or got.reason == reason
    assert (got.observation is not None) == (outcome == "ok")
    assert (got.reason is not None) or outcome == "ok"


def test_an_empty_screen_is_an_answer_only_where_bare_text_was_asked_for():
    assert predict("", to=BARE).outcome == "ok"
    assert (predict("", to=BARE).observation, predict("", to=BARE).reason) == ("", "empty_reply")
    assert predict("<think>\n\n</think>\n\n", to=BARE).observation == ""
    assert predict("", to=BARE, finish_reason=None).outcome == "no_prediction"
    assert predict("", to=BARE, finish_reason="length").outcome == "truncated"
    assert predict(None, to=BARE).outcome == "no_prediction"
    assert predict("", to=BARE, reasoning="hm").reason == "no_answer_after_reasoning"
    assert predict("  x", to=BARE).reason is None
    assert predict("I can't help with that.", to=BARE).outcome == "ok"


def test_whether_tags_were_asked_for_is_read_from_the_prompt_not_the_past():
    assert asks_for_tags(request())
    assert not asks_for_tags(BARE)
    past = (
        Message("system", "shell"),
        Message("user", "cat p"),
        Message("assistant", O),
        Message("user", f"grep {O} p"),
        Message("assistant", ""),
        Message("user", "ls"),
    )
    assert not asks_for_tags(msgspec.structs.replace(BARE, messages=past))
    suffixed = (*past[:-1], Message("user", f"ls\n\nWrap it in {O}."))
    assert asks_for_tags(msgspec.structs.replace(BARE, messages=suffixed))
    told = prediction(Reply(content="x", finish_reason="stop"), BARE, "m", tags_expected=True)
    assert told.reason == "untagged"


def test_ur_s08_cut_inside_reasoning():
    """Never the trace as the answer, and told apart from each other by the status."""
    cut = predict("<think>The file probably lists a.txt", finish_reason="length")
    assert (cut.outcome, cut.reason, cut.observation) == ("truncated", "cut_in_reasoning", None)
    assert cut.reasoning == "The file probably lists a.txt"
    nothing = predict("<think>…</think>")
    assert (nothing.outcome, nothing.observation) == ("no_prediction", None)
    assert nothing.reason == "no_answer_after_reasoning"
    field = predict(None, reasoning="It lists", finish_reason="length")
    assert (field.outcome, field.reasoning) == ("truncated", "It lists")
    assert all(one.raw is not None for one in (cut, nothing, field))


@pytest.mark.parametrize("text", [f"{O}\ud83d{C}", "<think>\udcb2</think>\ud83d", "\U0001f378"])
def test_ur_s13_half_an_emoji_passes_through(text: str, tmp_path):
    """It reaches the file and comes back equal; an escaped pair is one character."""
    got = predict(text)
    assert got.outcome == "ok"
    jsonl.write(tmp_path / "rows.jsonl", [msgspec.to_builtins(got), {"next": "row"}])
    first, second = jsonl.read(tmp_path / "rows.jsonl")
    assert msgspec.convert(first.value, Prediction) == got
    assert second.value == {"next": "row"}
    assert jsonl.loads('"\\ud83c\\udf78"') == "\U0001f378"


def test_the_partial_text_of_a_broken_stream_is_kept_but_never_the_answer():
    got = predict(f"{O}half", finish_reason=None, error={"code": "stream_incomplete"})
    assert (got.outcome, got.reason, got.observation) == ("infra_error", "stream_incomplete", None)
    assert got.raw is not None and got.raw["content"] == f"{O}half"
    assert got.raw["error"] == {"code": "stream_incomplete"}


REFUSALS = [
    "I can't help with that.",
    "I’m sorry, but I can’t assist with this request.",
    "Sorry, I cannot comply.",
    "I'm unable to provide the output of that command.",
    "As an AI language model, I cannot simulate a terminal.",
    "I apologize, but I cannot continue this simulation.",
    "I must decline.",
    " I won't do that.\n",
]
OUTPUTS = [
    "Sorry, try again.",
    "sudo: 3 incorrect password attempts",
    "bash: can't open file",
    "I can't believe it's not butter",
    "sorry, you must have a tty to run sudo",
    "cannot access 'x': No such file or directory",
    "I",
    "$ cat note\nI can't help with that.",
    "I can't help with that. " * 30,
]


def test_a_refusal_is_told_from_what_an_environment_prints():
    assert [text for text in REFUSALS if not refuses(text)] == []
    assert [text for text in OUTPUTS if refuses(text)] == []


maybe = st.none() | st.text(max_size=20) | st.sampled_from([f"<think>a</think>{O}x{C}", O, "x"])


@given(
    st.builds(
        Reply,
        content=maybe,
        reasoning=maybe,
        finish_reason=st.sampled_from([None, "stop", "length", "content_filter", "tool_calls"]),
        refusal=st.none() | st.just("no"),
        choices=st.integers(0, 1),
        error=st.none() | st.just({"code": "timeout"}),
        usage=st.just(Usage()),
        timings=st.just({}),
    ),
    st.booleans(),
)
def test_only_ok_carries_an_observation_and_all_else_a_reason(reply: Reply, expected: bool):
    got = prediction(reply, request(), "m", tags_expected=expected)
    assert (got.observation is None) == (got.outcome != "ok")
    assert got.outcome == "ok" or got.reason
    assert got.raw is not None and got.raw["content"] == reply.content
    if reply.finish_reason == "length" and got.outcome == "ok":
        assert C in (reply.content or "")
