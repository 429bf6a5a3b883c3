"""The one interface of every real environment.

A *driver* drives the real thing (a shell, a server, an index) inside a process of its own; an
`Environment` (`worldline.environments.process`) is its handle in the caller's process. Both speak
of the same four things: what a session opens with, what one action gave, a snapshot, the end.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from worldline.trajectory import SystemPrompt

Status = Literal["ok", "awaiting_input", "timeout", "capture_failed"]
"""``awaiting_input``: a program holds the screen and waits for keys. ``timeout``: it ran past its
limit. ``capture_failed``: what the environment showed could not be read: no observation."""


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """What one action gave.

    Args:
        observation: text of the dialect; `None` only with ``capture_failed``.
        status: how it ended.
        info: what a recording keeps beside it: ``duration_s``, ``exit_code``, ``raw`` (base64 of
            the bytes as captured, where they are not the observation), ``recovered`` (how a hung
            session was made usable again: ``interrupted``, ``restarted``), ``blocks``, ``noise``.
        reason: why there is no observation, in the environment's own words.
        terminated: the session is over; the next thing is a reset.
    """

    observation: str | None
    status: Status = "ok"
    info: dict[str, Any] = {}
    reason: str | None = None
    terminated: bool = False


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What a session starts with: everything a trajectory needs but its turns.

    Args:
        observation: what the agent sees before its first action, if anything.
        meta: what a recording keeps: ``versions`` ({name: version}), ``options`` as resolved,
            ``facts`` of the start, masks.
    """

    domain: str
    dialect: str
    system: SystemPrompt
    tools: tuple[dict[str, Any], ...] | None = None
    observation: str | None = None
    meta: dict[str, Any] = {}


class Driver(ABC):
    """Drives one real environment. Lives in a process of its own; used by one caller at a time.

    Args:
        options: what the caller asked for, as JSON values. A driver refuses an option it does not
            know with `UsageError` naming it.
    """

    @abstractmethod
    def __init__(self, options: dict[str, Any]) -> None: ...

    @abstractmethod
    def reset(self, seed: int) -> Opening:
        """A fresh session: nothing of the one before is left. The same seed gives the same one."""

    @abstractmethod
    def step(self, action: str, limit_s: float) -> Observed:
        """Carry out one action, written in the dialect; returns within about `limit_s` seconds.

        An action that cannot be read is not an error: the environment answers as the harness of
        the dialect does.
        """

    @abstractmethod
    def snapshot(self) -> dict[str, Any]:
        """The state now, as a ``worldline.snapshot/1`` record with facts."""

    @abstractmethod
    def close(self) -> None:
        """End the session; no process, mount or folder of it stays. May be called twice."""


class Need(NamedTuple):
    """Something of the machine that an environment needs.

    `found` gives what is there (a version or a path) or `None`. `remedy` is the command that gets
    it. `optional` ones only make it better.
    """

    name: str
    found: Callable[[], str | None]
    remedy: str
    optional: bool = False


class Kind(NamedTuple):
    """An environment that can be made: one a domain.

    Args:
        name: the domain's id.
        driver: ``module:Class`` of its `Driver`.
        needs: what the machine must have.
        prepare: makes what is cached between sessions (a root file system, servers, an index) if
            it is not there yet; called in the caller's process before the first session, with a
            function that is told what happens. Says in its docstring how long it takes.
        personal: whether with these options it shows data of the person who runs it. Then names,
            addresses and home folders are replaced in recordings (secrets always are); in a
            made-up home they are part of what is to be learnt.
    """

    name: str
    driver: str
    needs: Callable[[], tuple[Need, ...]]
    prepare: Callable[[dict[str, Any], Callable[[str], None]], None]
    personal: Callable[[dict[str, Any]], bool] = lambda _: True
