"""The terminal domain: a shell as text, in four dialects.

The five parts: `actions` and `observations` (with `dialects/`) read and write the text, `prompt` is
what a model is told, `ledger` (with `session`, `foresee`, `observe` and the shell on paper in
`shell/`) knows what is certain, `checks` (with `rules/`) finds what cannot be, `parts` and `status`
are what measures compare.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from worldline.domains.base import Dialect, Domain, Known, Ledger, Start, Style
from worldline.domains.parts import Part
from worldline.domains.terminal import checks as rules
from worldline.domains.terminal import ledger as ledgers
from worldline.domains.terminal import parts as measured
from worldline.domains.terminal import prompt, telling, volatile
from worldline.domains.terminal.dialects import FORMS
from worldline.domains.terminal.status import status, words
from worldline.facts import Fact, FactOrigin, fact
from worldline.prediction import Violation
from worldline.trajectory import SystemPrompt, Trajectory, Turn

HOME = "/home/user"
FRESH = Start(
    text=f"A Debian machine. The user is user, the current directory is {HOME}. It is empty.",
    facts=(
        fact("cwd", "cwd", HOME, origin="given"),
        fact("entity", "user", "user", origin="given"),
        fact("entity", "home", HOME, origin="given"),
        fact("entity", "locale", "C.UTF-8", origin="given"),
        fact("file", HOME, {"type": "dir", "entries": [], "writable": True}, origin="given"),
    ),
)


class Terminal(Domain):
    """A shell in a terminal."""

    id = "terminal"
    title = "terminal"
    dialects: ClassVar[Mapping[str, Dialect]] = {id: form.dialect() for id, form in FORMS.items()}
    default_dialect = "command"
    examples: ClassVar[Mapping[str, str]] = {
        "command": "ls -la",
        "terminus2": '[{"keystrokes": "ls -la\\n", "duration": 0.1}]',
        "json": '{"name": "terminal", "arguments": {"command": "ls -la"}}',
        "aci": "open notes.txt",
    }
    runtime = volatile.patterns()

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt, with the paragraph of the trajectory's dialect."""
        return prompt.system_text(trajectory, style)

    def fresh(self, dialect: str | None = None) -> Start:
        """A machine with one user and an empty home, so that not everything must be invented."""
        return FRESH

    def reset_text(self, system: SystemPrompt, ledger: Ledger) -> str:
        """The state at the start and, on a screen, the first prompt."""
        return prompt.reset_text(system, ledger)

    def open(self, trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
        """The ledger before the first turn, with the facts of a snapshot."""
        return ledgers.open(trajectory, facts)

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        """What the turn established, and what it made doubtful."""
        after = ledgers.track(ledger, turn, origin)
        if "LC_" in turn.action or "LANG" in turn.action:
            return after.with_facts(without=("entity:locale",))  # names may sort differently now
        return after

    def known(self, ledger: Ledger, action: str) -> Known | None:
        """The observation, where it follows with certainty."""
        return ledgers.known(ledger, action)

    def protocol(self, ledger: Ledger, action: str) -> Known | None:
        """The answer to an action that is no tool call or no keystrokes, in a world of ours."""
        return ledgers.protocol(ledger, action)

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        """The current directory, and what is known of the files and variables it mentions."""
        return telling.chosen(ledger, action, budget)

    def facts_text(self, facts: Sequence[Fact]) -> str:
        """The facts in words, in a block that they cannot close."""
        return telling.text(facts)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Leaks, and what contradicts the session or the way a terminal works."""
        return rules.checks(ledger, action, observation)

    def parts(self, ledger: Ledger, action: str, observation: str) -> list[Part] | None:
        """Lines that were printed, the prompts and echoes between them, the fields around them."""
        return measured.parts(ledger.dialect, action, observation)

    def vocabulary(self, ledger: Ledger, action: str) -> Sequence[str]:
        """What shells and their usual programs say whatever they work on."""
        return words()

    def status(self, ledger: Ledger, action: str, observation: str) -> str | None:
        """The exit code where it is shown, else whether a program complains."""
        return status(ledger.dialect, observation)


DOMAIN = Terminal()
