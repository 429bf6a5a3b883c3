"""A session as a document: events keyed (branch, seq), append-only.

Nothing about a world is hidden in a process: whoever has the events has the session. Going back is
a fork at an earlier step, never a deletion. With a file, every event is on disk before the step
that made it returns, so `kill -9` loses nothing that was acknowledged; a torn last line is set
aside on loading, and the step it belonged to was never acknowledged.
"""

import os
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from worldline import jsonl, lines
from worldline.errors import DataError, UsageError
from worldline.facts import Fact
from worldline.locks import alone
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
    """The events of one world and all its branches, in memory and, if asked, in a file.

    A file belongs to one process at a time.
    """

    def __init__(self, head: Head) -> None:
        self.head = head
        self.events: list[Event] = []
        self.path: Path | None = None
        self._file: int | None = None
        self._size = 0

    def append(self, event: Event) -> None:
        """Add an event; with a file, it is on disk when this returns.

        Raises:
            DataError: the file cannot be written; it is as it was, and nothing has happened.
        """
        if self._file is not None:
            data = jsonl.dumps(msgspec.to_builtins(event)) + b"\n"
            try:
                size = lines.append(self._file, self._size, data)
                try:
                    os.fsync(self._file)
                except OSError:
                    os.ftruncate(self._file, self._size)
                    raise
            except OSError as error:
                raise jsonl.unwritable(self.path or "the session", error) from error
            self._size = size
        self.events.append(event)

    def new_branch(self) -> str:
        """An id no branch of this session has: ``b1``, ``b2``, ..."""
        return f"b{sum(event.kind == 'fork' for event in self.events) + 1}"

    def save(self, path: str | Path) -> None:
        """Write the session to `path` and keep appending there from now on.

        Raises:
            UsageError: the file holds something else, or another process is using it.
            DataError: it cannot be written.
        """
        path = Path(path)
        if self.path is not None and path.resolve() == self.path.resolve():
            return
        if path.exists() and path.stat().st_size and _id(path) != self.head.id:
            raise UsageError(
                "holds something else",
                file=path,
                remedy="Choose another name; a session is continued with --resume.",
            )
        kept = [msgspec.to_builtins(self.head), *map(msgspec.to_builtins, self.events)]
        jsonl.write(path, kept)
        self.close()
        self.attach(path)

    def attach(self, path: Path, file: int | None = None) -> None:
        """Append coming events to this file, which already holds the earlier ones."""
        self._file = _locked(path) if file is None else file
        self._size, self.path = os.fstat(self._file).st_size, path

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
        self._file = self.path = None


def load(path: str | Path) -> Session:
    """Read a session file and continue it: coming events are appended to the same file.

    A torn last line, left by a process that was killed, moves to ``FILE.torn``. Until all of the
    rest has proven to be a session, nothing is changed.

    Raises:
        DataError: not a session file, or a line in it is broken (file and line named).
        UsageError: another process is using it.
    """
    path = Path(path)
    file = _locked(path)
    try:
        with os.fdopen(os.dup(file), "rb") as reader:
            data = reader.read()
        whole, newline, torn = data.rpartition(b"\n")
        session = _read(path, whole)
        if torn:
            with path.with_name(path.name + ".torn").open("ab") as aside:
                aside.write(torn + b"\n")
            os.ftruncate(file, len(whole) + len(newline))
    except OSError as error:
        os.close(file)
        raise jsonl.unwritable(path, error) from error
    except BaseException:
        os.close(file)
        raise
    session.attach(path, file)
    return session


def _read(path: Path, whole: bytes) -> Session:
    session: Session | None = None
    heads = {"main": 0}
    for number, raw in enumerate(whole.split(b"\n"), 1):
        if not raw.strip():
            continue
        line = jsonl.Line(number, jsonl.parse_line(raw, path, number))
        if session is None:
            session = Session(_convert(line, Head, path))
            continue
        event = _convert(line, Event, path)
        if not _follows(event, heads):
            raise DataError(
                "does not follow from the lines before",
                file=path,
                line=number,
                remedy="The file was changed. Restore it.",
            )
        session.events.append(event)
    if session is None:
        raise DataError("is not a session file", file=path, remedy="Make one with sim --save.")
    return session


def _follows(event: Event, heads: dict[str, int]) -> bool:
    """Whether an event can come next; `heads` (branch: its last step) moves on."""
    if event.kind == "fork":
        origin = heads.get(event.origin_branch or "")
        start = event.origin_seq
        if event.branch in heads or origin is None or start is None or not 0 <= start <= origin:
            return False
        heads[event.branch] = start
        return True
    if event.branch not in heads or event.seq != heads[event.branch] + 1 or event.result is None:
        return False
    if event.kind == "step":
        whole = event.result.prediction is not None and event.result.observation is not None
        heads[event.branch] += 1
        return whole and event.action is not None
    return True


def _id(path: Path) -> str | None:
    """The id of the session that a file holds; `None` when it holds something else."""
    try:
        with path.open("rb") as file:
            return _convert(jsonl.Line(1, jsonl.loads(file.readline())), Head, path).id
    except (ValueError, OSError, DataError):
        return None


def _locked(path: Path) -> int:
    try:
        file = os.open(path, os.O_RDWR | os.O_APPEND)
    except OSError as error:
        raise DataError(
            f"cannot be opened ({error.strerror})", file=path, remedy="Check the path."
        ) from error
    try:
        alone(file, path, "is used by another process", "End that one, or copy the file.")
    except UsageError:
        os.close(file)
        raise
    return file


def _convert(line: jsonl.Line, kind: type[Any], path: Path) -> Any:
    if kind is Head:
        row = cast(dict[str, Any], line.value if isinstance(line.value, dict) else {})
        check_schema(row.get("schema"), SESSION_SCHEMA, file=path, line=line.number)
    try:
        return jsonl.convert(line.value, kind)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=path, line=line.number) from error
    except UnicodeEncodeError as error:
        raise DataError("holds half of a character", file=path, line=line.number) from error
