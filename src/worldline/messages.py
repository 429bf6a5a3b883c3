"""From a session to the chat messages a model is sent.

Layout: system | user = action | assistant = bare observation | ... | user = facts block + action.
In the patch form (`worldline.states`) the assistant's text is an edit of the state, and the user's
shows the state where it is needed. What a message holds beside the action stays in it until fitting
drops its turn, so a history only ever grows at its end and a step costs only its new tokens. No
message holds an observation at or after the predicted turn.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from worldline import jsonl
from worldline.domains.base import Domain, Ledger, Style
from worldline.facts import Fact
from worldline.fit import OVERHEAD, UNLIMITED, Window, first_kept
from worldline.prediction import Fit, Form, PromptRef
from worldline.states import Exchange, Shown, edited, handled, needed, whole
from worldline.trajectory import Trajectory, Turn
from worldline.trees import TreeForm

FACTS_CHARS = 2400
"""Characters of facts in a message at most."""


class Message(msgspec.Struct, frozen=True):
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


class Sampling(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the model samples; `None` leaves the server's default."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """All that a world model may look at to predict one observation.

    Chat models read `messages`; models without a language model read `history` and `action`.
    `session` tells requests that share a prefix, so that a backend can keep them on one slot.
    """

    domain: str
    dialect: str
    messages: tuple[Message, ...]
    history: tuple[Turn, ...]
    action: str
    state: str | None = None
    """The state before the action, where it is not what the last turn showed."""
    initial_state: str | None = None
    tools: tuple[dict[str, Any], ...] | None = None
    sampling: Sampling = Sampling()
    seed: int | None = None
    prompt: PromptRef | None = None
    fit: Fit = Fit()
    session: str | None = None
    grammar: str | None = None
    """GBNF that the reply must follow, for models that can be held to one."""

    @property
    def before(self) -> str:
        """The state before the action; nothing where there is none."""
        if self.state is not None:
            return self.state
        return self.history[-1].observation if self.history else self.initial_state or ""

    def sha(self, model: str) -> str:
        """Content address of the request as `model` would receive it."""
        sent = {
            "model": model,
            "messages": msgspec.to_builtins(self.messages),
            "sampling": msgspec.to_builtins(self.sampling),
            "seed": self.seed,
        }
        return jsonl.sha(sent if self.grammar is None else {**sent, "grammar": self.grammar})


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """The conversation so far with one model: system text and exchanges, oldest first."""

    system: str
    prompt: PromptRef
    exchanges: tuple[Exchange, ...] = ()
    later: str | None = None
    """The system text without the first state, once later states have taken its place."""
    first: str | None = None
    """The first state."""
    tree: TreeForm | None = None
    """How states are trees, if the dialect's are."""
    form: Form = "full"


def open_thread(
    domain: Domain, trajectory: Trajectory, style: Style, form: Form = "full"
) -> Thread:
    """The thread before the first turn. A `verbatim` system prompt is sent unchanged.

    Args:
        form: ``patch`` asks for edit scripts where the dialect's states are trees.
    """
    system, later = trajectory.system, None
    # A trajectory of a domain that is not installed keeps the name of its own dialect.
    dialect = domain.dialects.get(trajectory.dialect)
    tree = dialect.tree if dialect else None
    if system.verbatim is not None:
        text, source, name, form = system.verbatim, "row", "verbatim", "full"
    else:
        if tree is None:
            form = "full"
        untold = msgspec.structs.replace(
            trajectory, system=msgspec.structs.replace(system, initial_state=None)
        )
        if form == "patch":
            text = domain.edit_system_text(untold, style)
        else:
            text = domain.system_text(trajectory, style)
            if tree is not None and system.initial_state:
                later = domain.system_text(untold, style)
        source = "template"
        name = f"{domain.id}/{style}" + ("/patch" if form == "patch" else "")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Thread(
        system=text,
        prompt=PromptRef(source=source, name=name, sha=digest),
        later=later,
        first=system.initial_state,
        tree=tree,
        form=form,
    )


def pose(
    domain: Domain,
    thread: Thread,
    ledger: Ledger,
    action: str,
    *,
    grounded: bool,
    start: int = 0,
    budget: int = FACTS_CHARS,
    state: str | None = None,
    examples: str = "",
    window: Window = UNLIMITED,
    asked: bool = True,
) -> Exchange:
    """The next exchange, its reply still empty: state if needed, facts not yet sent, the action.

    Args:
        start: the oldest exchange that the request will hold; facts sent before it are gone.
        budget: characters the facts block may take.
        state: the state before the action.
        examples: a block of recorded turns, or nothing.
        asked: False for a turn that no model is asked about.
    """
    past = thread.exchanges[start:]
    block: Sequence[Fact] = ()
    if grounded:
        sent = {pair for exchange in past for pair in exchange.sent}
        block = [f for f in domain.facts(ledger, action, budget) if (f.id, f.turn) not in sent]
    user = domain.user_text(action, ledger.dialect, block)
    if examples:
        user = f"{examples}\n\n{user}"
    shown = _shown(thread, past, action, state, user, window) if asked else None
    if shown is not None and shown.text:
        user = f"{shown.text}\n\n{user}"
    return Exchange(
        user=user,
        sent=tuple((f.id, f.turn) for f in block),
        state=state,
        shows=shown.size if shown else 0,
        clipped=shown.clipped if shown else 0,
    )


def _shown(
    thread: Thread,
    past: Sequence[Exchange],
    action: str,
    state: str | None,
    user: str,
    window: Window,
) -> Shown | None:
    if thread.tree is None or not state:
        return None
    if thread.form == "patch":
        if not needed(past, state):
            return None
        room = window.room(thread.system)
        left = None if room is None else room - window.count(user) - 2 * OVERHEAD
        return handled(thread.tree, state, action, left, window.count)
    # The last reply is the state, unless the screen changed on its own since.
    return whole(state) if past and past[-1].observation != state else None


def closed(thread: Thread, asked: Exchange, observation: str) -> Exchange:
    """The exchange once its observation is there."""
    reply, stale = observation, False
    if thread.form == "patch" and thread.tree is not None:
        earlier = (thread.first, *(exchange.observation for exchange in thread.exchanges))
        reply, stale = edited(thread.tree, earlier, asked.state, observation)
    return msgspec.structs.replace(asked, reply=reply, observation=observation, stale=stale)


def render(
    thread: Thread, asked: Exchange, window: Window = UNLIMITED
) -> tuple[tuple[Message, ...], Fit]:
    """The messages of one request, fitted to the window.

    In order of priority: system, what is asked (its state and facts in it), the newest turns. The
    first state goes, from the system text, once turns would have to go for it.
    """
    start, system = 0, thread.system
    if (room := window.room(system)) is not None:
        sizes = [
            window.count(e.user) + window.count(e.reply) + 2 * OVERHEAD
            for e in (*thread.exchanges, asked)
        ]
        start = first_kept(sizes, room)
        fits = sum(sizes[start:]) <= room
        if thread.later is not None and thread.exchanges and (start or not fits):
            system = thread.later
            start = first_kept(sizes, window.room(system) or 0)
    messages = [Message("system", system)]
    for exchange in thread.exchanges[start:]:
        messages += [Message("user", exchange.user), Message("assistant", exchange.reply)]
    messages.append(Message("user", asked.user))
    return tuple(messages), Fit(
        dropped_turns=start,
        form=thread.form,
        dropped_first=system is not thread.system,
        clipped=asked.clipped,
    )
