"""From a session to the chat messages a model is sent.

Layout: system | user = action | assistant = bare observation | ... | user = facts block + action.
A facts block stays in the turn where it was sent until fitting drops that turn, so a history only
ever grows at its end and a step costs only its new tokens. No message holds an observation at or
after the predicted turn.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from worldline import jsonl
from worldline.domains.base import Domain, Ledger, Style
from worldline.facts import Fact
from worldline.fit import estimate, first_kept
from worldline.prediction import Fit, PromptRef
from worldline.trajectory import Trajectory, Turn


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
    initial_state: str | None = None
    tools: tuple[dict[str, Any], ...] | None = None
    sampling: Sampling = Sampling()
    seed: int | None = None
    prompt: PromptRef | None = None
    fit: Fit = Fit()
    session: str | None = None

    def sha(self, model: str) -> str:
        """Content address of the request as `model` would receive it."""
        return jsonl.sha(
            {
                "model": model,
                "messages": msgspec.to_builtins(self.messages),
                "sampling": msgspec.to_builtins(self.sampling),
                "seed": self.seed,
            }
        )


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One past turn as it was sent: user text with its facts block, and the bare observation."""

    user: str
    observation: str
    sent: tuple[tuple[str, int], ...] = ()
    """Facts in the block, as (id, turn that established it): the same is not sent twice."""


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """The conversation so far with one model: system text and exchanges, oldest first."""

    system: str
    prompt: PromptRef
    exchanges: tuple[Exchange, ...] = ()


def open_thread(domain: Domain, trajectory: Trajectory, style: Style) -> Thread:
    """The thread before the first turn. A `verbatim` system prompt is sent unchanged."""
    verbatim = trajectory.system.verbatim
    if verbatim is not None:
        text, source, name = verbatim, "row", "verbatim"
    else:
        text, source, name = (
            domain.system_text(trajectory, style),
            "template",
            f"{domain.id}/{style}",
        )
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Thread(system=text, prompt=PromptRef(source=source, name=name, sha=digest))


def pose(
    domain: Domain,
    thread: Thread,
    ledger: Ledger,
    action: str,
    *,
    grounded: bool,
    start: int = 0,
    budget: int = 2400,
) -> Exchange:
    """The next exchange, its observation still empty: facts not yet sent, then the action.

    Args:
        start: the oldest exchange that the request will hold; facts sent before it are gone.
        budget: characters the facts block may take.
    """
    block: Sequence[Fact] = ()
    if grounded:
        sent = {pair for exchange in thread.exchanges[start:] for pair in exchange.sent}
        block = [f for f in domain.facts(ledger, action, budget) if (f.id, f.turn) not in sent]
    user = domain.user_text(action, ledger.dialect, block)
    return Exchange(user=user, observation="", sent=tuple((f.id, f.turn) for f in block))


def render(
    thread: Thread,
    asked: Exchange,
    *,
    context: int | None = None,
    reserve: int = 0,
    count: Callable[[str], int] = estimate,
) -> tuple[tuple[Message, ...], Fit]:
    """The messages of one request, fitted to `context` tokens less `reserve` for the reply."""
    start = 0
    if context is not None:
        overhead = 8  # role markers of a chat template, a message
        sizes = [
            count(e.user) + count(e.observation) + 2 * overhead for e in (*thread.exchanges, asked)
        ]
        start = first_kept(sizes, context - reserve - count(thread.system) - 2 * overhead)
    messages = [Message("system", thread.system)]
    for exchange in thread.exchanges[start:]:
        messages += [Message("user", exchange.user), Message("assistant", exchange.observation)]
    messages.append(Message("user", asked.user))
    return tuple(messages), Fit(dropped_turns=start)
