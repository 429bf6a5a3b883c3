"""The two dialects: plain results (``json``), and MCP results with their wrapping.

Actions look the same in both. ``json`` is what function-calling harnesses show: the result's JSON
or text itself. ``call-tool-result`` shows the whole MCP result, as Python prints a
``CallToolResult`` or as the JSON of the wire.
"""

from collections.abc import Mapping

from worldline.domains.base import Dialect
from worldline.domains.mcp import observations
from worldline.domains.mcp.actions import Call, parse_call, render_call
from worldline.domains.mcp.memo import RESULT_FORM
from worldline.domains.mcp.observations import Cut, Observation, ToolResult
from worldline.trajectory import Trajectory

LOOKED_AT = 12
"""Turns that decide; a session does not change its form."""


def _shows_results(trajectory: Trajectory) -> bool:
    return any(
        isinstance(observations.parse_result_form(turn.observation).body, ToolResult | Cut)
        for turn in trajectory.turns[:LOOKED_AT]
    )


JSON = Dialect(
    id="json",
    action=Call,
    parse_action=parse_call,
    render_action=render_call,
    observation=Observation,
    parse_observation=observations.parse_json_form,
    render_observation=observations.render,
    detect=lambda trajectory: 0.2 if _shows_results(trajectory) else 0.6,
)
RESULT = Dialect(
    id=RESULT_FORM,
    action=Call,
    parse_action=parse_call,
    render_action=render_call,
    observation=Observation,
    parse_observation=observations.parse_result_form,
    render_observation=observations.render,
    detect=lambda trajectory: 0.95 if _shows_results(trajectory) else 0.1,
)
DIALECTS: Mapping[str, Dialect] = {dialect.id: dialect for dialect in (JSON, RESULT)}
