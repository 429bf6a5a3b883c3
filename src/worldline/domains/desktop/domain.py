"""The desktop domain: a computer's screen as a tree, worked with mouse and keyboard from Python."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from worldline.domains.base import ActionError, Dialect, Domain, Ledger, Style
from worldline.domains.desktop import checks as rules
from worldline.domains.desktop import ledger as ledgers
from worldline.domains.desktop import parts as pieces
from worldline.domains.desktop import prompt, telling
from worldline.domains.desktop.actions import parse_action
from worldline.domains.desktop.dialects.forms import DIALECTS
from worldline.domains.desktop.memo import memo_of
from worldline.domains.parts import Part
from worldline.facts import Fact, FactOrigin
from worldline.prediction import Violation
from worldline.trajectory import Trajectory, Turn

LISTED = 40
"""Calls of an action that a kept turn lists."""


class Desktop(Domain):
    """A computer with windows. Each part is a module of this package.

    `known` and `protocol` claim nothing: see `ledger`.
    """

    id = "os"
    title = "desktop"
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    default_dialect = "a11y-tsv"
    examples: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("a11y-tsv", "xml"), "pyautogui.click(640, 360)"
    )

    runtime = pieces.RUNTIME

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt, with the paragraph of the trajectory's dialect."""
        return prompt.system_text(trajectory, style)

    def edit_system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt of the patch form."""
        return prompt.edit_system_text(trajectory, style)

    def info(self, action: str, dialect: str) -> dict[str, Any]:
        """The names of the calls that the code makes, in order."""
        try:
            made = parse_action(action).calls
        except ActionError:
            return {}
        return {"calls": [call.name for call in made[:LISTED]]} if made else {}

    def open(self, trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
        """The ledger before the first turn, with what the first screen shows."""
        return ledgers.open(trajectory, facts)

    def changed(self, ledger: Ledger, state: str, origin: FactOrigin) -> Ledger:
        """The ledger at a state that came on its own."""
        return ledgers.changed(ledger, state, origin)

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        """What the turn typed, and what the screen then shows."""
        return ledgers.track(ledger, turn, origin)

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        """The elements under the mouse, the focus, what is typed, where the terminal is."""
        return telling.chosen(ledger, action, budget)

    def facts_text(self, facts: Sequence[Fact]) -> str:
        """The facts in words, in a block that they cannot close."""
        return telling.text(facts)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Leaks, and what no screen of this dialect looks like."""
        return rules.checks(ledger, action, observation)

    def parts(self, ledger: Ledger, action: str, observation: str) -> list[Part] | None:
        """Elements in parts, terminals line by line; `None` for a text that is no screen."""
        return pieces.parts(ledger.dialect, observation)

    def vocabulary(self, ledger: Ledger, action: str) -> Sequence[str]:
        """Kinds of elements, and the names a desktop itself always shows."""
        return pieces.words()

    def status(self, ledger: Ledger, action: str, observation: str) -> str | None:
        """``same`` or ``changed`` screen; ``none`` where a text is no screen."""
        return pieces.status(memo_of(ledger).text, ledger.dialect, observation)
