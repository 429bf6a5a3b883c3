"""The three dialects and how each is told from the others."""

from collections.abc import Callable, Iterable, Mapping

from worldline.domains.base import ActionError, Dialect
from worldline.domains.mcp.actions import Call, CallError, parse_call, render_call
from worldline.domains.search.dialects import nested, numbered, react
from worldline.trajectory import Trajectory, Turn

LOOKED_AT = 12
"""Turns that decide; a session does not change its form."""
AWB_TOOLS = frozenset({"web_search", "web_extractor", "dict_memory"})


def _share(turns: Iterable[Turn], is_so: Callable[[Turn], bool]) -> float:
    """The share of turns of which something is so; 0 without turns."""
    verdicts = [is_so(turn) for turn in turns]
    return sum(verdicts) / len(verdicts) if verdicts else 0.0


def _is_step(turn: Turn) -> bool:
    try:
        return react.parse_action(turn.action).name != ""
    except ActionError:
        return False


def _call(turn: Turn) -> Call | None:
    try:
        return parse_call(turn.action)
    except CallError:
        return None


def _is_ours(turn: Turn) -> bool:
    """A call of this form's own tools, with their arguments and not another search tool's."""
    call = _call(turn)
    if call is None or call.name not in AWB_TOOLS:
        return False
    if call.name == "web_search":
        return bool({"query", "queries"} & call.arguments.keys()) and not _answers_json(turn)
    return True


def _answers_json(turn: Turn) -> bool:
    return isinstance(nested.parse(turn.observation).body, nested.Tree)


def _detect_react(trajectory: Trajectory) -> float:
    return 0.97 * _share(trajectory.turns[:LOOKED_AT], _is_step)


def _detect_awb(trajectory: Trajectory) -> float:
    if not trajectory.turns:
        return 0.4 if _names(trajectory) & {"web_extractor", "dict_memory"} else 0.3
    return 0.96 * _share(trajectory.turns[:LOOKED_AT], _is_ours)


def _detect_json(trajectory: Trajectory) -> float:
    if not trajectory.turns:
        return 0.35 if trajectory.tools else 0.2
    return 0.9 * _share(trajectory.turns[:LOOKED_AT], lambda turn: _call(turn) is not None)


def _names(trajectory: Trajectory) -> set[object]:
    tools = trajectory.tools or ()
    return {tool.get("name", (tool.get("function") or {}).get("name")) for tool in tools}


AWB = Dialect(
    id="awb",
    action=Call,
    parse_action=parse_call,
    render_action=render_call,
    observation=numbered.Observation,
    parse_observation=numbered.parse_observation,
    render_observation=numbered.render_observation,
    detect=_detect_awb,
    recorded=False,
)
JSON = Dialect(
    id="json",
    action=Call,
    parse_action=parse_call,
    render_action=render_call,
    observation=nested.Observation,
    parse_observation=nested.parse,
    render_observation=nested.render,
    detect=_detect_json,
)
REACT = Dialect(
    id="react",
    action=react.Step,
    parse_action=react.parse_action,
    render_action=react.render_action,
    observation=react.Observation,
    parse_observation=react.parse_observation,
    render_observation=react.render_observation,
    detect=_detect_react,
)
DIALECTS: Mapping[str, Dialect] = {dialect.id: dialect for dialect in (AWB, JSON, REACT)}
