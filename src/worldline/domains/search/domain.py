"""The search domain: what agents see of the web, as text."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from worldline.domains.base import Dialect, Domain, Known, Ledger, Style
from worldline.domains.mcp.actions import call_text, spelled_out
from worldline.domains.parts import Part
from worldline.domains.search import checks, prompt, telling, words
from worldline.domains.search import ledger as rules
from worldline.domains.search import parts as pieces
from worldline.domains.search.dialects.forms import DIALECTS
from worldline.facts import Fact, FactOrigin
from worldline.prediction import Violation
from worldline.trajectory import SystemPrompt, Trajectory, Turn

_MAIN = {"web_search": "query", "web_extractor": "url", "search": "query", "browse": "url"}
"""The argument that is meant when a person types a tool's name and a text."""


class Search(Domain):
    """Web search. Each part is a module of this package."""

    id = "search"
    title = "search"
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    default_dialect = "awb"
    examples: ClassVar[Mapping[str, str]] = {
        "awb": "web_search blue otters",
        "json": '{"name": "web_search", "arguments": {"search_query": "blue otters"}}',
        "react": "Search[Sea otter]",
    }
    runtime: ClassVar[tuple[tuple[str, str], ...]] = words.RUNTIME

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt; see `prompt`."""
        return prompt.system_text(trajectory, style)

    def from_line(self, line: str, dialect: str) -> str:
        """``NAME {...}`` or ``NAME text`` is short for the call in JSON."""
        if dialect == "react":
            return line
        name, _, rest = line.strip().partition(" ")
        if name in _MAIN and rest.strip() and rest.lstrip()[0] not in '{["':
            return call_text(name, {_MAIN[name]: rest.strip()})
        return spelled_out(line)

    def info(self, action: str, dialect: str) -> dict[str, Any]:
        """The call with its arguments as an object, however they were sent."""
        if dialect == "react":
            step = rules.step_of(action)
            return {} if step is None else {"step": {"name": step.name, "argument": step.argument}}
        call = rules.call_of(action)
        return {} if call is None else {"call": {"name": call.name, "arguments": call.arguments}}

    def reset_text(self, system: SystemPrompt, ledger: Ledger) -> str:
        """The tools on offer, after the initial state if there is one."""
        return prompt.reset_text(system, ledger)

    def open(self, trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
        """The ledger of a session; see `ledger`."""
        return rules.opened(super().open(trajectory), trajectory, facts)

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        """The ledger after a turn; see `ledger`."""
        return rules.track(ledger, turn, origin)

    def protocol(self, ledger: Ledger, action: str) -> Known | None:
        """Unknown tools, arguments that break a schema, steps of no form; see `ledger`."""
        return rules.protocol(ledger, action)

    def known(self, ledger: Ledger, action: str) -> Known | None:
        """What follows from the session; see `ledger`, `memory` and `lookups`."""
        return rules.known(ledger, action)

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        """Results, pages and notes that bear on this action; see `telling`."""
        return telling.chosen(ledger, action, budget)

    def facts_text(self, facts: Sequence[Fact]) -> str:
        """The facts block."""
        return telling.text(facts)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Rules without truth; see `checks`."""
        return checks.violations(ledger, action, observation)

    def parts(self, ledger: Ledger, action: str, observation: str) -> list[Part] | None:
        """What the measures compare; see `parts`."""
        return pieces.parts(ledger, action, observation)

    def vocabulary(self, ledger: Ledger, action: str) -> Sequence[str]:
        """What the tools say of their own accord."""
        return words.vocabulary(ledger)

    def status(self, ledger: Ledger, action: str, observation: str) -> str | None:
        """``ok``, ``error`` or ``missing``."""
        return pieces.status(ledger, action, observation)
