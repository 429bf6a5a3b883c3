"""The web domain: a browser as text, in three dialects."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from worldline.domains.base import ActionError, Dialect, Domain, Known, Ledger, Start, Style
from worldline.domains.parts import Part
from worldline.domains.web import checks, measures, prompt, protocol, telling
from worldline.domains.web import ledger as ledgers
from worldline.domains.web import parts as readers
from worldline.domains.web.forms import DIALECTS, FORMS
from worldline.facts import Fact, FactOrigin
from worldline.prediction import Violation
from worldline.trajectory import Trajectory, Turn

FRESH = Start(
    text="Open tabs:\n- Tab 0 (active)\n  - Title: \n  - URL: about:blank\n\n"
    "Accessibility tree:\nRootWebArea '', focused, url='about:blank'"
)


class Web(Domain):
    """A web browser. Each part is a module of this package."""

    id = "web"
    title = "browser"
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    runtime = measures.RUNTIME
    default_dialect = "browsergym"
    examples: ClassVar[Mapping[str, str]] = {
        "browsergym": "click('12')",
        "labelled": "Click [3]",
        "playwright": '{"name": "browser_click", "arguments": {"element": "Save", "ref": "e12"}}',
    }

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt, with the paragraph of the trajectory's dialect."""
        return prompt.system_text(trajectory, style)

    def edit_system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt of the patch form."""
        return prompt.system_text(trajectory, style, edits=True)

    def info(self, action: str, dialect: str) -> dict[str, Any]:
        """What the action does, in the words of BrowserGym whatever the dialect."""
        try:
            deeds = FORMS[dialect].deeds(action)
        except ActionError:
            return {}
        return {"deeds": [deed._asdict() for deed in deeds]}

    def fresh(self, dialect: str | None = None) -> Start:
        """A browser with one empty tab; nothing in dialects that do not show tabs."""
        return FRESH if dialect in (None, self.default_dialect) else Start()

    def open(self, trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
        """The ledger at the first page."""
        return ledgers.open(super().open(trajectory, facts), trajectory, facts)

    def changed(self, ledger: Ledger, state: str, origin: FactOrigin) -> Ledger:
        """The ledger at a state that came on its own."""
        return ledgers.changed(ledger, state, origin)

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        """The ledger after a turn; see `ledger`."""
        return ledgers.track(ledger, turn, origin)

    def protocol(self, ledger: Ledger, action: str) -> Known | None:
        """Actions that never reach the page; see `protocol`."""
        return protocol.reject(ledger, action)

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        """The element aimed at, the address, the fields, pages that come back; see `telling`."""
        return telling.chosen(ledger, action, budget)

    def facts_text(self, facts: Sequence[Fact]) -> str:
        """The facts in words, in a block that they cannot close."""
        return telling.text(facts)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Rules without truth; see `checks`."""
        return checks.violations(ledger, action, observation)

    def parts(self, ledger: Ledger, action: str, observation: str) -> list[Part] | None:
        """Nodes with their places; see `parts`."""
        return readers.parts(ledger, action, observation)

    def vocabulary(self, ledger: Ledger, action: str) -> Sequence[str]:
        """Roles, attributes and what browsers complain in."""
        return measures.words()

    def status(self, ledger: Ledger, action: str, observation: str) -> str | None:
        """``error`` or ``ok``."""
        return measures.status(ledger.dialect, observation)
