"""What a model is told about the search engine, pages and notes it stands in for."""

from worldline.domains.base import Ledger, Style
from worldline.domains.common import fill, load_prompt, system_prompt
from worldline.domains.mcp import prompt as tool_prompt
from worldline.domains.mcp.tools import toolbox
from worldline.domains.search.memo import memo_of
from worldline.trajectory import SystemPrompt, Trajectory

PACKAGE = "worldline.domains.search"


def system_text(trajectory: Trajectory, style: Style) -> str:
    """The system prompt, with the paragraph of the trajectory's dialect and its tools."""
    return system_prompt(
        PACKAGE,
        style,
        trajectory,
        dialect=load_prompt(PACKAGE, f"{trajectory.dialect}.{style}"),
        tools=tool_prompt.tool_list(toolbox(trajectory.tools), style),
    )


def instruction(query: str, answer: str) -> str:
    """A simulation instruction: what the agent is after, the answer, and that it must not leak.

    It goes into `SystemPrompt.simulation_instruction`; `checks` then watches over it.
    """
    return fill(load_prompt(PACKAGE, "instruction"), {"query": query, "answer": answer})


def reset_text(system: SystemPrompt, ledger: Ledger) -> str:
    """What an agent sees before its first action: the state, if given, and what it may do."""
    tools = memo_of(ledger).box.offered.values()
    told = "\n".join(tool_prompt.one_line(tool) for tool in tools)
    if not told:
        told = load_prompt(PACKAGE, f"{ledger.dialect}.reset") if memo_of(ledger).strict else ""
    return "\n\n".join(part for part in (system.initial_state, told) if part)
