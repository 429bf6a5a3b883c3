"""What a domain is: five parts, and the dialects its text comes in.

A domain is a stateless object; everything that changes lives in a `Ledger`, which is frozen too:
`track` returns the next one. So a fork costs nothing and nothing is hidden in a process.

The defaults here already serve any text environment (that is the `generic` domain). A domain of its
own overrides what it knows better. See docs/domains.md.
"""

from abc import ABC
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import msgspec

from worldline.domains.parts import Part, line_parts
from worldline.errors import UsageError
from worldline.facts import Fact, FactOrigin
from worldline.prediction import Violation
from worldline.trajectory import SystemPrompt, Trajectory, Turn
from worldline.trees import TreeForm

Style = Literal["full", "compact"]
"""``full`` prompts for capable models, ``compact`` ones (under 350 tokens) for small ones."""


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One concrete text form of a domain.

    A parse dumped to JSON and reloaded renders back exactly: ``render(load(dump(parse(t)))) == t``.
    Parsers never raise on an observation (anything is an observation); `parse_action` raises
    `ActionError` on text that is no action of this dialect.
    """

    id: str
    action: type[Any]
    parse_action: Callable[[str], Any]
    render_action: Callable[[Any], str]
    observation: type[Any]
    parse_observation: Callable[[str], Any]
    render_observation: Callable[[Any], str]
    detect: Callable[[Trajectory], float]
    """How sure one can be, 0 to 1, that a trajectory is in this dialect."""
    recorded: bool = True
    """False: no recorded row has this dialect; written *from reference* and reported apart."""
    tree: TreeForm | None = None
    """Where states are trees: how, so that small models can predict edits of them."""


class ActionError(ValueError):
    """The text is not an action of the dialect. The message says what was expected."""


class Text(msgspec.Struct, frozen=True):
    """The parse of text that has no structure we rely on."""

    text: str


def text_dialect(id: str = "text", *, recorded: bool = True) -> Dialect:
    """A dialect in which actions and observations are plain text."""
    return Dialect(
        id=id,
        action=Text,
        parse_action=Text,
        render_action=lambda action: action.text,
        observation=Text,
        parse_observation=Text,
        render_observation=lambda observation: observation.text,
        detect=lambda trajectory: 0.1,
        recorded=recorded,
    )


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """An observation that follows with certainty, without asking a model."""

    observation: str
    rule: str
    """Which rule decided, as ``terminal.cwd``."""
    because: tuple[str, ...] = ()
    """Ids of the facts it rests on."""
    origin: Literal["known", "protocol", "fault"] = "known"
    consistent_only: bool = False
    """True when it rests on something only a model said: consistent with the session, not true."""


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """Facts established so far. `turn` counts the turns tracked; `memo` is the domain's own."""

    dialect: str
    tools: tuple[dict[str, Any], ...] | None = None
    facts: Mapping[str, Fact] = {}
    turn: int = 0
    memo: Any = None

    def get(self, kind: str, key: str) -> Fact | None:
        """The fact of this kind and key, if established."""
        return self.facts.get(f"{kind}:{key}")

    def with_facts(self, *new: Fact, without: Iterable[str] = ()) -> Self:
        """The ledger with some facts added or replaced and the ids in `without` forgotten."""
        facts = dict(self.facts)
        for gone in without:
            facts.pop(gone, None)
        for one in new:
            facts[one.id] = one
        return msgspec.structs.replace(self, facts=facts)


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """A state a session begins in, as text for a model and as facts for a ledger."""

    text: str | None = None
    facts: tuple[Fact, ...] = ()


class Domain(ABC):
    """One kind of environment as text. Subclasses set `id` and `dialects`, and override parts."""

    id: ClassVar[str]
    title: ClassVar[str]
    """What `sim` and the docs call it, as ``terminal``."""
    dialects: ClassVar[Mapping[str, Dialect]]
    default_dialect: ClassVar[str]
    examples: ClassVar[Mapping[str, str]] = {}
    """Dialect -> an action as a person would type it."""
    runtime: ClassVar[tuple[tuple[str, str], ...]] = ()
    """(name, RE2 pattern) of what nobody can know beforehand, beside what any program prints."""

    action_rules: ClassVar[frozenset[str]] = frozenset()
    """Rules of `checks` that blame the action alone: whatever comes back, they say the same."""

    # dialects

    def dialect(self, name: str) -> Dialect:
        """The dialect of this name; `UsageError` lists the others."""
        try:
            return self.dialects[name]
        except KeyError:
            raise UsageError(
                f"the domain {self.id!r} has no dialect {name!r}",
                field="dialect",
                remedy=f"It has: {', '.join(self.dialects)}.",
            ) from None

    def detect(self, trajectory: Trajectory) -> str:
        """The most likely dialect of a trajectory whose own is not known."""
        return max(self.dialects, key=lambda name: self.dialects[name].detect(trajectory))

    # prompt

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt in our own words, from the trajectory's five parts and tools."""
        raise NotImplementedError

    def edit_system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt of the patch form; only dialects whose states are trees need one.

        The first state is no part of it: each state is shown with handles when it is asked about.
        """
        raise NotImplementedError

    def user_text(self, action: str, dialect: str, facts: Sequence[Fact] = ()) -> str:
        """The user message of one turn: a facts block, if any, then the action."""
        block = self.facts_text(facts)
        return f"{block}\n\n{action}" if block else action

    def from_line(self, line: str, dialect: str) -> str:
        """The action a person means by a typed line; a shorthand is spelled out, else unchanged."""
        return line

    def info(self, action: str, dialect: str) -> dict[str, Any]:
        """What a kept turn says of its action beside the text itself, as its normalised form."""
        return {}

    def fresh(self, dialect: str | None = None) -> Start:
        """What a simulated session starts from when nothing is given; by default nothing.

        Args:
            dialect: the text form, where that is not the default one.
        """
        return Start()

    def reset_text(self, system: SystemPrompt, ledger: Ledger) -> str:
        """What an agent sees before its first action (a prompt line, a greeting); may be empty."""
        return system.initial_state or ""

    # ledger

    def open(self, trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
        """The ledger before the first turn. `trajectory.turns` is not looked at."""
        ledger = Ledger(dialect=trajectory.dialect, tools=trajectory.tools)
        return ledger.with_facts(*facts)

    def changed(self, ledger: Ledger, state: str, origin: FactOrigin) -> Ledger:
        """The ledger once the environment has come to another state on its own."""
        return ledger

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        """The ledger after a turn whose observation is of this origin (``real`` or ``model``)."""
        return msgspec.structs.replace(ledger, turn=ledger.turn + 1)

    def protocol(self, ledger: Ledger, action: str) -> Known | None:
        """The protocol's own answer to an action it rejects (unknown tool, bad arguments)."""
        return None

    def known(self, ledger: Ledger, action: str) -> Known | None:
        """The observation, when it follows with certainty from the facts."""
        return None

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        """What the model should be told, most telling first, in `budget` characters."""
        return []

    def facts_text(self, facts: Sequence[Fact]) -> str:
        """The facts block as sent to the model; empty without facts."""
        return ""

    # checks

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Rules that need no truth, run on an observation before it is tracked."""
        return []

    # measures

    def parts(self, ledger: Ledger, action: str, observation: str) -> list[Part] | None:
        """The observation in parts, as measures compare them with the truth's.

        Args:
            ledger: before the turn.

        Returns:
            Parts in the order of the text; `None` when the dialect cannot read it.
        """
        return line_parts(observation)

    def vocabulary(self, ledger: Ledger, action: str) -> Sequence[str]:
        """Texts whose words the environment itself always uses here, as messages of a program."""
        return ()

    def status(self, ledger: Ledger, action: str, observation: str) -> str | None:
        """How the action went, in a word that two observations can agree on; `None`: not said."""
        return None
