"""What a chat backend gave back, and the prediction it amounts to.

`prediction` types every way a call can end. Text is parsed by `worldline.extract` alone; thoughts
never become an observation, and nothing that was cut by a length limit does.
"""

import re
from typing import Any

import msgspec

from worldline.domains.common import ANSWER_TAG
from worldline.extract import Extract, extract, separated
from worldline.messages import Request
from worldline.prediction import Outcome, Prediction, Usage


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A completed (or failed) call, as received.

    `content` and `reasoning` are unchanged. `error` is the typed trouble of a call that brought no
    reply: ``{"code": ..., "message": ..., "status"?: int}``; then everything else may be empty.
    """

    content: str | None = None
    reasoning: str | None = None
    """Thoughts that came in a field of their own."""
    finish_reason: str | None = None
    refusal: str | None = None
    choices: int = 1
    """How many choices the reply had; 0 is an answer too (an empty one)."""
    usage: Usage = Usage()
    timings: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    attempts: int = 1
    latency_s: float = 0.0


_BY_FINISH: dict[str, Outcome] = {
    "content_filter": "filtered",
    "refusal": "refused",
    "abort": "infra_error",
    "error": "infra_error",
}
CUT = frozenset({"length", "max_tokens", "model_length"})
"""Finish reasons of a reply that was stopped by a length limit."""
_NO_ANSWER = frozenset({"no_answer_after_reasoning", "empty"})

_REFUSAL_LIMIT = 400
_REFUSAL = re.compile(
    r"(?:(?:i['’]m|i am)(?: (?:really|very|so))? sorry|sorry|unfortunately|i apologi[sz]e)?"
    r"[,.;:!]? ?(?:but )?(?:as an ai(?: language)?(?: model| assistant)?, )?"
    r"(?:i(?: must| have to|['’]ll have to)? decline\b"
    r"|i(?:['’]m| am) (?:unable|not able) to (?:help|assist|comply|provide|fulfil|continue|engage)"
    r"|i (?:can['’]?t|cannot|can not|won['’]?t|will not) "
    r"(?:help|assist|comply|provide|fulfil|continue|engage|simulate|do that))",
    re.IGNORECASE | re.ASCII,
)


def asks_for_tags(request: Request) -> bool:
    """Whether the prompt (the system message or the one to answer) names the answer tag.

    Past turns do not count: an agent may have looked at a file that holds it.
    """
    asked = [message for message in request.messages if message.role == "system"]
    return any(ANSWER_TAG in message.content for message in [*asked, *request.messages[-1:]])


def refuses(text: str) -> bool:
    """Whether the whole text is a model declining in its own voice.

    Careful on purpose: short, from the very start, in the first person, with what it will not do.
    ``Sorry, try again.`` is what `sudo` prints.
    """
    text = text.strip()
    return len(text) <= _REFUSAL_LIMIT and _REFUSAL.match(text) is not None


def stamp(request: Request, model: str, outcome: Outcome, **fields: Any) -> Prediction:
    """A prediction of origin ``model`` with what follows from its request filled in."""
    following: dict[str, Any] = {
        "sampling": msgspec.to_builtins(request.sampling),
        "seed": request.seed,
        "request_sha": fields.get("request_sha") or request.sha(model),
        "prompt": request.prompt,
        "fit": request.fit,
    }
    return Prediction(outcome=outcome, origin="model", model=model, **{**following, **fields})


def prediction(
    reply: Reply, request: Request, model: str, *, tags_expected: bool | None = None
) -> Prediction:
    """The typed outcome of a call, and its observation if it has one.

    An error is ``context_too_long`` by that code, and ``infra_error`` by any other.

    Args:
        model: name that results carry and that keys the request.
        tags_expected: whether the prompt asked for tags; `asks_for_tags` of the request if `None`.

    `reason` says why there is no observation, or how one was found that was not given as asked:
    ``untagged``, ``unclosed_tag``, ``unopened_tag``, ``unclosed_think``, ``answer_in_reasoning``,
    ``empty_reply``, and ``end_mark`` for a chat template's mark taken off its end.
    """
    expected = asks_for_tags(request) if tags_expected is None else tags_expected
    outcome, reason, found = _judge(reply, expected)
    raw: dict[str, Any] = {"content": reply.content, "reasoning": reply.reasoning}
    if reply.refusal:
        raw["refusal"] = reply.refusal
    if reply.error is not None:
        raw["error"] = reply.error
    if "draft_n" in reply.timings:
        raw["drafted"] = {
            "tokens": reply.timings["draft_n"],
            "kept": reply.timings.get("draft_n_accepted"),
        }
    thoughts = [part for part in (reply.reasoning, found.reasoning) if part and part.strip()]
    if reason == "answer_in_reasoning":
        thoughts = [found.reasoning] if found.reasoning else []
    return stamp(
        request,
        model,
        outcome,
        observation=found.observation if outcome == "ok" else None,
        reason=reason,
        reasoning="\n".join(thoughts) or None,
        raw=raw,
        finish_reason=reply.finish_reason,
        attempts=reply.attempts,
        usage=reply.usage,
        latency_s=reply.latency_s,
    )


_NOTHING = Extract(how="empty")


def _judge(reply: Reply, expected: bool) -> tuple[Outcome, str | None, Extract]:
    """Outcome, reason and what the text holds."""
    finish = reply.finish_reason or ""
    if reply.error is not None:
        code = str(reply.error.get("code") or "unknown_error")
        outcome = "context_too_long" if code == "context_too_long" else "infra_error"
        return outcome, code, _NOTHING
    if finish in _BY_FINISH:
        return _BY_FINISH[finish], f"finish_{finish}", _NOTHING
    if reply.refusal:
        return "refused", "refusal", _NOTHING
    if reply.choices == 0:
        return "no_prediction", "empty_choices", _NOTHING
    content, thought = reply.content or "", bool(reply.reasoning and reply.reasoning.strip())
    cut = finish in CUT
    if thought and not content.strip() and not cut:
        return _answer_in_reasoning(reply.reasoning or "")
    found = extract(separated(content) if thought else content, tags_expected=expected, cut=cut)
    if found.observation is not None:
        return _found(found, expected)
    if cut:
        how = "cut_in_reasoning" if thought and not content.strip() else found.how
        return "truncated", how, found
    if found.how == "empty" and reply.content is not None and finish == "stop" and not expected:
        return "ok", "empty_reply", Extract(how="empty", observation="")
    return "no_prediction", found.how, found


def _found(found: Extract, expected: bool) -> tuple[Outcome, str | None, Extract]:
    if expected and found.how == "untagged" and refuses(found.observation or ""):
        return "refused", "refusal_text", found
    as_asked = found.how == "tagged" or (found.how == "untagged" and not expected)
    notes = ([] if as_asked else [found.how]) + (["end_mark"] if found.end_mark else [])
    return "ok", "; ".join(notes) or None, found


def _answer_in_reasoning(reasoning: str) -> tuple[Outcome, str | None, Extract]:
    """Servers that saw no end of the thoughts send all in the reasoning field, answer included.

    It counts only as a complete block that ends the field: a draft further up is still a thought.
    """
    found = extract(f"<think>{reasoning}")
    if found.how in ("tagged", "unclosed_think"):
        return "ok", "answer_in_reasoning", found
    return "no_prediction", "no_answer_after_reasoning", _NOTHING
