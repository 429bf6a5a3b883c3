"""The MCP domain: tools called by name with JSON arguments, a tool list per session."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from worldline.domains.base import Dialect, Domain, Known, Ledger, Style
from worldline.domains.mcp import checks, prompt, protocol, status
from worldline.domains.mcp import ledger as rules
from worldline.domains.mcp.actions import CallError, parse_call, spelled_out
from worldline.domains.mcp.dialects.forms import DIALECTS
from worldline.domains.mcp.memo import Memo, is_closed, memo_of
from worldline.domains.mcp.parts import parts
from worldline.domains.mcp.tools import toolbox
from worldline.domains.parts import Part
from worldline.facts import Fact, FactOrigin
from worldline.prediction import Violation
from worldline.trajectory import SystemPrompt, Trajectory, Turn


class Mcp(Domain):
    """MCP servers and function calling. Each part is a module of this package."""

    id = "mcp"
    title = "MCP server"
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    default_dialect = "json"
    runtime: ClassVar[tuple[tuple[str, str], ...]] = status.RUNTIME
    action_rules: ClassVar[frozenset[str]] = frozenset({checks.UNDECLARED})
    examples: ClassVar[Mapping[str, str]] = dict.fromkeys(DIALECTS, 'get_weather {"city": "Ghent"}')

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt; see `prompt`."""
        return prompt.system_text(trajectory, style)

    def from_line(self, line: str, dialect: str) -> str:
        """``NAME {...}`` is short for the call in JSON."""
        return spelled_out(line)

    def info(self, action: str, dialect: str) -> dict[str, Any]:
        """The call with its arguments as an object, however they were sent."""
        try:
            call = parse_call(action)
        except CallError:
            return {}
        return {"call": {"name": call.name, "arguments": call.arguments}}

    def reset_text(self, system: SystemPrompt, ledger: Ledger) -> str:
        """The tools on offer, after the initial state if there is one."""
        return prompt.reset_text(system.initial_state, memo_of(ledger).box)

    def open(self, trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
        """The ledger of a session with these tools."""
        opened = super().open(trajectory, facts)
        memo = Memo(
            box=toolbox(trajectory.tools),
            recorded=trajectory.source.kind == "collected",
            closed=is_closed(trajectory),
        )
        return msgspec.structs.replace(opened, memo=memo)

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        """The ledger after a turn; see `ledger`."""
        return rules.track(ledger, turn, origin)

    def protocol(self, ledger: Ledger, action: str) -> Known | None:
        """Unknown tools and arguments that break a schema; see `protocol`."""
        return protocol.reject(ledger, action)

    def known(self, ledger: Ledger, action: str) -> Known | None:
        """What follows from the session; see `ledger`."""
        return rules.known(ledger, action)

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        """The tool's shape and what is known of the entities named; see `prompt`."""
        return prompt.facts_for(ledger, action, budget)

    def facts_text(self, facts: Sequence[Fact]) -> str:
        """The facts block."""
        return prompt.facts_text(facts)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Rules without truth; see `checks`."""
        return checks.violations(ledger, action, observation)

    def parts(self, ledger: Ledger, action: str, observation: str) -> list[Part] | None:
        """The wrapping, the values and the lines; see `parts`."""
        return parts(ledger, action, observation)

    def vocabulary(self, ledger: Ledger, action: str) -> Sequence[str]:
        """Words of refusals, and the called tool's own; see `status`."""
        return status.vocabulary(ledger, action)

    def status(self, ledger: Ledger, action: str, observation: str) -> str | None:
        """``ok``, ``error``, or ``error`` and an exit code; see `status`."""
        return status.status(ledger, observation)
