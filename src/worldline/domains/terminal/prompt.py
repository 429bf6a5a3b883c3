"""What a model is told about the terminal it stands in for."""

import json
from typing import Any

from worldline.domains.base import Ledger, Style
from worldline.domains.common import load_prompt, system_prompt
from worldline.trajectory import SystemPrompt, Trajectory

PACKAGE = "worldline.domains.terminal"


def system_text(trajectory: Trajectory, style: Style) -> str:
    """The system prompt in our own words, with the parts of the trajectory filled in."""
    return shell_prompt(PACKAGE, trajectory, style)


def shell_prompt(package: str, trajectory: Trajectory, style: Style) -> str:
    """The system prompt of a package whose dialects are told apart and may have tools."""
    actions = (trajectory.system.action_space, tools_text(trajectory, style))
    return system_prompt(
        package,
        style,
        trajectory,
        dialect=load_prompt(package, f"{trajectory.dialect}.{style}"),
        actions="\n".join(part for part in actions if part),
    )


def tools_text(trajectory: Trajectory, style: Style) -> str:
    """The tools of a trajectory: whole schemas, or in the compact style a line each."""
    return "\n".join(_tool(tool, style) for tool in trajectory.tools or ())


def _tool(tool: dict[str, Any], style: Style) -> str:
    function = tool.get("function", tool)
    if style == "full":
        return json.dumps(function, ensure_ascii=False)
    schema = function.get("parameters") or function.get("inputSchema") or {}
    names = ", ".join(schema.get("properties") or {})
    told = str(function.get("description") or "").strip().partition("\n")[0][:100]
    return f"- {function.get('name')}({names}): {told}".rstrip(": ")


def reset_text(system: SystemPrompt, ledger: Ledger) -> str:
    """What is seen before the first action: the state at the start and, on a screen, the prompt."""
    state = system.initial_state or ""
    prompt = ledger.memo.look.prompt
    if not prompt or prompt in state:
        return state
    return f"{state}\n{prompt}" if state else prompt
