"""The swe domain: a coding agent's tools on a repository, in seven dialects.

The five parts: `actions` and `observations` (with `dialects/`) read and write the text, `prompt` is
what a model is told, `ledger` (with `session`, `shell`, `tools` and `parts`, on the terminal
domain's shell on paper) knows what is certain, `checks` finds what cannot be; `scored` and `words`
are what measures compare.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from worldline.domains.base import Dialect, Domain, Known, Ledger, Start, Style
from worldline.domains.parts import Part
from worldline.domains.swe import checks as rules
from worldline.domains.swe import ledger as ledgers
from worldline.domains.swe import prompt, scored, telling, words
from worldline.domains.swe.dialects import FORMS
from worldline.facts import Fact, FactOrigin, fact
from worldline.prediction import Violation
from worldline.trajectory import Trajectory, Turn

REPOSITORY = "/repo"
FRESH = Start(
    text=f"A Debian machine. The user is user. The repository is {REPOSITORY}, the current "
    "directory. It is empty.",
    facts=(
        fact("cwd", "cwd", REPOSITORY, origin="given"),
        fact("entity", "user", "user", origin="given"),
        fact("entity", "locale", "C.UTF-8", origin="given"),
        fact("file", REPOSITORY, {"type": "dir", "entries": [], "writable": True}, origin="given"),
    ),
)


class Swe(Domain):
    """A coding agent's tools on a repository."""

    id = "swe"
    title = "coding tools"
    dialects: ClassVar[Mapping[str, Dialect]] = {id: form.dialect() for id, form in FORMS.items()}
    default_dialect = "bash-returncode"
    runtime = words.RUNTIME
    examples: ClassVar[Mapping[str, str]] = {
        "bash-returncode": "cat setup.py",
        "claude-code": 'Read {"file_path": "/testbed/setup.py"}',
        "aci": "open setup.py",
        "hermes": 'read_file {"path": "setup.py"}',
        "opencode": 'read {"filePath": "/testbed/setup.py"}',
        "pi": 'read {"path": "setup.py"}',
        "qwen-cli": 'read_file {"absolute_path": "/testbed/setup.py"}',
    }

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt, with the paragraph of the trajectory's dialect."""
        return prompt.system_text(trajectory, style)

    def from_line(self, line: str, dialect: str) -> str:
        """``NAME {...}``, or a command line, as a call of this dialect."""
        return prompt.from_line(line, dialect)

    def fresh(self, dialect: str | None = None) -> Start:
        """A machine with an empty repository, so that not everything must be invented."""
        return FRESH

    def open(self, trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
        """The ledger before the first turn, with the facts of a snapshot."""
        return ledgers.open(trajectory, facts)

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        """What the turn established, and what it made doubtful."""
        return ledgers.track(ledger, turn, origin)

    def known(self, ledger: Ledger, action: str) -> Known | None:
        """The observation, where it follows with certainty."""
        return ledgers.known(ledger, action)

    def protocol(self, ledger: Ledger, action: str) -> Known | None:
        """The answer to an action that is no call of a tool, in a world of ours."""
        return ledgers.protocol(ledger, action)

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        """The current directory, and what is known of the files that the action names."""
        return telling.chosen(ledger, action, budget)

    def facts_text(self, facts: Sequence[Fact]) -> str:
        """The facts in words, in a block that they cannot close."""
        return telling.text(facts)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Leaks, and what contradicts the session or the way the harness answers."""
        return rules.checks(ledger, action, observation)

    def parts(self, ledger: Ledger, action: str, observation: str) -> list[Part] | None:
        """Frame, state and content of what a tool or a shell answered."""
        return scored.parts(ledger.dialect, action, observation)

    def vocabulary(self, ledger: Ledger, action: str) -> Sequence[str]:
        """The harness's own words, and those of the programs that the action names."""
        return words.vocabulary(ledger.dialect, action)

    def status(self, ledger: Ledger, action: str, observation: str) -> str | None:
        """The exit code, or whether a change was made."""
        return scored.status(ledger.dialect, action, observation)


DOMAIN = Swe()
