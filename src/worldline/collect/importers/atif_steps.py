"""Steps of an ATIF document, and the turns they make."""

import json
from typing import Any, Literal

import msgspec

from worldline.trajectory import Turn

TURNLESS = "unanswered"
"""Where `meta` keeps actions that nothing came back for."""

_LONG = ("prompt_token_ids", "completion_token_ids", "logprobs")
_RAW_ACTION = ("swe_agent_action", "raw_action")
"""How Harbor wraps an action of SWE-agent."""


class Agent(msgspec.Struct, kw_only=True):
    """Who acted."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class _Media(msgspec.Struct, kw_only=True):
    media_type: str
    path: str
    duration_sec: float | None = None


class _Part(msgspec.Struct, kw_only=True):
    type: Literal["text", "image", "audio"]
    text: str | None = None
    source: _Media | None = None


_Content = str | list[_Part]


class _Call(msgspec.Struct, kw_only=True):
    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: dict[str, Any] | None = None

    @property
    def action(self) -> Any:
        """The call as the dialects of tool calls have it."""
        return {"name": self.function_name, "arguments": self.arguments}


class _Result(msgspec.Struct, kw_only=True):
    source_call_id: str | None = None
    content: _Content | None = None
    subagent_trajectory_ref: list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class _Observation(msgspec.Struct, kw_only=True):
    results: list[_Result]


class Step(msgspec.Struct, kw_only=True):
    """One step, as far as we know its fields."""

    step_id: int
    source: Literal["system", "user", "agent"]
    message: _Content
    timestamp: str | None = None
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None
    observation: _Observation | None = None
    metrics: dict[str, Any] | None = None
    is_copied_context: bool | None = None
    llm_call_count: int | None = None
    extra: dict[str, Any] | None = None
    row: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """The message's text."""
        return _text(self.message)

    @property
    def calls(self) -> list[_Call]:
        """The calls of the step."""
        return self.tool_calls or []

    @property
    def results(self) -> list[_Result]:
        """What came back, where anything did."""
        given = self.observation.results if self.observation else []
        return [one for one in given if one.content is not None]

    def wrong(self) -> str | None:
        """What makes it uncertain which result belongs to which call."""
        ids = [call.tool_call_id for call in self.calls]
        if len(set(ids)) < len(ids):
            return "two calls of the step have the same tool_call_id"
        for result in self.results:
            if result.source_call_id is not None and result.source_call_id not in ids:
                return f"source_call_id {result.source_call_id!r} is no call of the step"
        return None


def turns(steps: list[Step]) -> tuple[tuple[Turn, ...], list[dict[str, Any]]]:
    """The turns of the steps, and what made none: actions without an answer, last words."""
    made: list[Turn] = []
    left: list[dict[str, Any]] = []
    between: list[dict[str, Any]] = []
    task = next((step for step in steps if step.source == "user"), None)
    for step in steps:
        if step.source != "agent":
            if step is not task and (made or step.source == "user" or step.results):
                between.append(_spoken(step))
            continue
        info = _info(step)
        for calls, results in _pairs(step):
            action = _action(calls) or step.text
            if not results:
                left.append({"action": action, **info})
                continue
            text, media = _joined(results)
            more = {"between": between or None, "media": media or None}
            info |= {key: kept for key, kept in more.items() if kept}
            made.append(Turn(action=action, observation=text, info=info))
            info, between = {"step": step.step_id}, []
    if between:
        left.append({"between": between})
    return tuple(made), left


def _pairs(step: Step) -> list[tuple[list[_Call], list[_Result]]]:
    """Calls and what came back for them; one pair where that cannot be told apart."""
    named = [result.source_call_id for result in step.results]
    if len(step.calls) < 2 or not named or None in named:
        return [(step.calls, step.results)]
    if any("keystrokes" in call.arguments for call in step.calls):
        return [(step.calls, step.results)]
    return [
        ([call], [one for one in step.results if one.source_call_id == call.tool_call_id])
        for call in step.calls
    ]


def _action(calls: list[_Call]) -> str:
    """The calls as text: keystrokes of a terminal as one batch, others as JSON calls."""
    if not calls:
        return ""
    keys = [call.arguments for call in calls if isinstance(call.arguments.get("keystrokes"), str)]
    if keys:  # what else stands beside keystrokes only says that the agent is done
        return _json(keys)
    if len(calls) == 1 and calls[0].function_name == _RAW_ACTION[0]:
        raw = calls[0].arguments.get(_RAW_ACTION[1])
        if isinstance(raw, str):
            return raw
    return _json(calls[0].action if len(calls) == 1 else [call.action for call in calls])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _info(step: Step) -> dict[str, Any]:
    """What the agent thought and what the step cost."""
    metrics = {k: v for k, v in (step.metrics or {}).items() if k not in _LONG}
    info = {
        "step": step.step_id,
        "timestamp": step.timestamp,
        "model": step.model_name,
        "said": step.text if step.calls else None,
        "thought": step.reasoning_content,
        "metrics": metrics or None,
        "copied": step.is_copied_context,
        "extra": step.extra,
        "row": step.row or None,
        "calls_extra": [call.extra for call in step.calls if call.extra] or None,
        "results_extra": [one.extra for one in step.results if one.extra] or None,
        "subagents": _subagents(step) or None,
        "other_calls": _others(step.calls) or None,
    }
    return {key: kept for key, kept in info.items() if kept not in (None, "")}


def _others(calls: list[_Call]) -> list[Any]:
    """The calls beside keystrokes, which the action does not show."""
    keys = [call for call in calls if isinstance(call.arguments.get("keystrokes"), str)]
    return [call.action for call in calls if call not in keys] if keys else []


def _subagents(step: Step) -> list[dict[str, Any]]:
    given = step.observation.results if step.observation else []
    return [ref for one in given for ref in one.subagent_trajectory_ref or ()]


def _spoken(step: Step) -> dict[str, Any]:
    """A step of the user or the system between two turns."""
    text, media = _joined(step.results)
    said = {
        "source": step.source,
        "message": step.text,
        "observation": text or None,
        "media": media or None,
        "subagents": _subagents(step) or None,
        "timestamp": step.timestamp,
        "extra": step.extra,
    }
    return {key: kept for key, kept in said.items() if kept is not None}


def _joined(results: list[_Result]) -> tuple[str, list[dict[str, Any]]]:
    """The text of several results, and the pictures and sounds among them."""
    media = [
        msgspec.to_builtins(part.source)
        for one in results
        for part in (one.content if isinstance(one.content, list) else ())
        if part.source
    ]
    return "\n".join(_text(one.content or "") for one in results), media


def _text(content: _Content) -> str:
    """Text; a picture or a sound is a line that says what it is."""
    if isinstance(content, str):
        return content
    lines = []
    for part in content:
        if part.source:
            lines.append(f"[{part.type}: {part.source.path}]")
        else:
            lines.append(part.text or "")
    return "\n".join(lines)
