"""The Android domain: a phone's screen as a tree of elements, and what an agent does on it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from worldline.domains.android import checks as rules
from worldline.domains.android import ledger as ledgers
from worldline.domains.android import parts as pieces
from worldline.domains.android import prompt, telling
from worldline.domains.android.dialects import FORMS
from worldline.domains.android.memo import memo_of
from worldline.domains.base import Dialect, Domain, Known, Ledger, Start, Style
from worldline.domains.common import load_prompt
from worldline.domains.parts import Part
from worldline.facts import Fact, FactOrigin
from worldline.prediction import Violation
from worldline.trajectory import Trajectory, Turn


class Android(Domain):
    """A phone. Each part is a module of this package."""

    id = "android"
    title = "Android phone"
    dialects: ClassVar[Mapping[str, Dialect]] = {id: form.dialect() for id, form in FORMS.items()}
    default_dialect = "ui-elements"
    examples: ClassVar[Mapping[str, str]] = {
        "ui-elements": '{"action_type": "click", "index": 3}',
        "droidbot": '{"event_type": "touch", "view": {"temp_id": 3}}',
        "json": '{"action_type": "click", "index": 3}',
        "phone": '<invoke name="phone"><parameter name="action">click</parameter>'
        '<parameter name="index">3</parameter></invoke>',
    }

    runtime = pieces.RUNTIME

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt, with the paragraph of the trajectory's dialect."""
        return prompt.system_text(trajectory, style)

    def edit_system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt of the patch form."""
        return prompt.system_text(trajectory, style, edits=True)

    def info(self, action: str, dialect: str) -> dict[str, Any]:
        """What the action means, in words that do not depend on the dialect."""
        deed = FORMS[dialect].deed(action)
        if deed is None:
            return {}
        told = msgspec.to_builtins(deed)
        return {"deed": {name: value for name, value in told.items() if value not in (None, {})}}

    def fresh(self, dialect: str | None = None) -> Start:
        """A phone that shows its home screen."""
        return Start(text=load_prompt(prompt.PACKAGE, f"home.{dialect or self.default_dialect}"))

    def open(self, trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
        """The ledger before the first turn, with the first screen."""
        return ledgers.open(trajectory, facts)

    def changed(self, ledger: Ledger, state: str, origin: FactOrigin) -> Ledger:
        """The ledger at a state that came on its own."""
        return ledgers.changed(ledger, state, origin)

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        """The ledger after a turn; see `ledger`."""
        return ledgers.track(ledger, turn, origin)

    def protocol(self, ledger: Ledger, action: str) -> Known | None:
        """The answer to a text that is no action."""
        return ledgers.protocol(ledger, action)

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        """What the action is aimed at, where it led before, the app, what was typed."""
        return telling.chosen(ledger, action, budget)

    def facts_text(self, facts: Sequence[Fact]) -> str:
        """The facts in words, in a block that they cannot close."""
        return telling.text(facts)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Leaks, and what no screen of this session can be; see `checks`."""
        return rules.checks(ledger, action, observation)

    def parts(self, ledger: Ledger, action: str, observation: str) -> list[Part] | None:
        """Elements in parts; `None` for a text without any."""
        return pieces.parts(ledger.dialect, observation)

    def vocabulary(self, ledger: Ledger, action: str) -> Sequence[str]:
        """The words of the dialects and of Android's own elements."""
        return pieces.words()

    def status(self, ledger: Ledger, action: str, observation: str) -> str | None:
        """``same`` or ``changed`` screen; ``none`` where a text is no screen."""
        return pieces.status(memo_of(ledger).state, ledger.dialect, observation)
