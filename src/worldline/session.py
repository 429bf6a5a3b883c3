"""A session as a document: events keyed (branch, seq), append-only.

Nothing about a world is hidden in a process: whoever has the events has the session. Going back is
a fork at an earlier step, never a deletion. With a file, every event is on disk before the step
that made it returns, so `kill -9` loses nothing that was acknowledged; a torn last line is set
aside on loading, and the step it belonged to was never acknowledged.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal, cast

import msgspec

from worldline import jsonl
from worldline.errors import DataError, UsageError
from worldline.facts import Fact
from worldline.prediction import StepResult
from worldline.trajectory import Trajectory, check_schema, validation_error

SESSION_SCHEMA = "worldline.session/1"


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a session file: everything the first step started from."""

    id: str
    trajectory: Trajectory
    facts: tuple[Fact, ...] = ()
    seed: int = 0
    ground: tuple[str, ...] = ()
    model: dict[str, Any] = {}
    schema: str = SESSION_SCHEMA


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A step taken (``step``), a step that brought no observation (``failed``), or a ``fork``.

    `seq` of a failed step is the one it would have had; the branch does not move.
    `origin_branch`/`origin_seq` say where a fork began, `reseed` what its sampler starts from.
    """

    kind: Literal["step", "failed", "fork"]
    branch: str
    seq: int
    action: str | None = None
    result: StepResult | None = None
    origin_branch: str | None = None
    origin_seq: int | None = None
    reseed: int | None = None


class Session:
    """The events of one world and all its branches, in memory and, if asked, in a file."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.events: list[Event] = []
        self._file: IO[bytes] | None = None
        self.path: Path | None = None

    def append(self, event: Event) -> None:
        """Add an event; with a file, it is on disk when this returns.

        Raises:
            DataError: the file cannot be written; the event has not happened.
        """
        if self._file is not None:
            try:
                self._file.write(jsonl.dumps(msgspec.to_builtins(event)) + b"\n")
                self._file.flush()
                os.fsync(self._file.fileno())
            except OSError as error:
                raise jsonl.unwritable(self.path or "the session", error) from error
        self.events.append(event)

    def new_branch(self) -> str:
        """An id no branch of this session has: ``b1``, ``b2``, ..."""
        return f"b{sum(event.kind == 'fork' for event in self.events) + 1}"

    def save(self, path: str | Path) -> None:
        """Write the session to `path` and keep appending there from now on.

        Raises:
            UsageError: the file exists and is not this session.
        """
        path = Path(path)
        if self.path is not None and path.resolve() == self.path.resolve():
            return
        if path.exists() and path.stat().st_size and _head(path).id != self.head.id:
            raise UsageError(
                "holds another session",
                file=path,
                remedy="Choose another name, or continue it with --resume.",
            )
        lines = [msgspec.to_builtins(self.head), *map(msgspec.to_builtins, self.events)]
        jsonl.write(path, lines)
        self.close()
        self.attach(path)

    def attach(self, path: Path) -> None:
        """Append coming events to this file, which already holds the earlier ones."""
        self._file, self.path = path.open("ab"), path

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
        self._file = self.path = None


def _head(path: Path) -> Head:
    for line in _whole_lines(path):
        return _convert(line, Head, path)
    raise DataError("is empty", file=path, remedy="It is not a session file.")


def load(path: str | Path) -> Session:
    """Read a session file and continue it: coming events are appended to the same file.

    A torn last line, left by a process that was killed, moves to ``FILE.torn``.

    Raises:
        DataError: not a session file, or a line in its middle is broken (file and line named).
    """
    path = Path(path)
    lines = _whole_lines(path)
    first = next(lines, None)
    if first is None:
        raise DataError("is empty", file=path, remedy="It is not a session file.")
    session = Session(_convert(first, Head, path))
    for line in lines:
        session.events.append(_convert(line, Event, path))
    session.attach(path)
    return session


def _convert(line: jsonl.Line, kind: type[Any], path: Path) -> Any:
    if kind is Head:
        row = cast(dict[str, Any], line.value if isinstance(line.value, dict) else {})
        check_schema(row.get("schema"), SESSION_SCHEMA, file=path, line=line.number)
    try:
        return msgspec.convert(line.value, kind)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=path, line=line.number) from error


def _whole_lines(path: Path) -> Iterator[jsonl.Line]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})", file=path, remedy="Check the path."
        ) from error
    whole, newline, torn = data.rpartition(b"\n")
    if torn:
        torn_path = path.with_name(path.name + ".torn")
        with torn_path.open("ab") as aside:
            aside.write(torn + b"\n")
        with path.open("r+b") as file:
            file.truncate(len(whole) + len(newline))
    for number, raw in enumerate(whole.split(b"\n"), 1):
        if raw.strip():
            yield jsonl.Line(number, jsonl.parse_line(raw, path, number))
