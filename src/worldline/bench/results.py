"""The results of a run on disk: in input order, append-only, and none lost to a crash.

``OUT`` holds the results of inputs 0, 1, 2, ... with no gap. A result that is ready before its
turn goes to ``OUT.ahead`` at once and moves to ``OUT`` when its turn comes, so that a finished row
is never paid for twice, however slow the row before it is. When `Results.put` returns, `kill -9`
cannot lose the result; `Results.sync` makes it outlive a power cut.

A torn last line, the trace of a killed process, is moved to ``OUT.torn`` and its row is run again.
A broken line anywhere else stops the run: it was not us who wrote it.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import msgspec

from worldline import jsonl
from worldline.errors import DataError, UsageError
from worldline.lines import WholeLine, append, whole_lines
from worldline.locks import alone
from worldline.paths import parent_made

COMPACT_AT = 8 << 20
"""Bytes of ``OUT.ahead`` beyond which it is emptied as soon as nothing in it waits."""


E = TypeVar("E", bound="Entry")


class Entry(msgspec.Struct, frozen=True):
    """What is remembered of a line: whose it is and how it ended."""

    NAMED: ClassVar[str] = ""
    """The field that says whose it is."""

    @property
    def of(self) -> str:
        """SHA-256 of the row of the input."""
        raise NotImplementedError


class Told(msgspec.Struct, frozen=True):
    """What a report needs of a prediction."""

    outcome: str
    origin: str
    reason: str | None = None


class Predicted(Entry, frozen=True):
    """A line of predictions."""

    NAMED: ClassVar[str] = "row_sha"

    row_sha: str
    worldline: Told

    @property
    def of(self) -> str:
        """SHA-256 of the row that was predicted."""
        return self.row_sha


def _plain(path: Path) -> None:
    """Refuse what lines cannot be appended to and read again.

    Raises:
        UsageError: a compressed or columnar file, a device, a pipe, a folder.
    """
    if path.suffix in (".gz", ".parquet") or (path.exists() and not path.is_file()):
        raise UsageError(
            "results are appended as they come and read again, so they are plain JSON Lines",
            file=path,
            remedy="Name the output something.jsonl.",
        )


class _Place(NamedTuple, Generic[E]):
    start: int
    size: int
    entry: E


class Results(Generic[E]):
    """The output of one run, held open and locked.

    Open it, then `recover` what is there before anything else.

    Args:
        path: ``OUT``.
        kind: what is remembered of a line.

    Raises:
        UsageError: another process is writing this file.
        DataError: the file cannot be written.
    """

    def __init__(self, path: str | Path, kind: type[E]) -> None:
        self.path = Path(path)
        self.kind = kind
        self._ahead_kind = msgspec.defstruct("Ahead", [("n", int), ("row", kind)], frozen=True)
        self.ahead_path = self.path.with_name(self.path.name + ".ahead")
        self.done: list[E] = []
        """Entries of ``OUT``, in order."""
        self.ahead: dict[int, _Place[E]] = {}
        self._dirty = self._recovered = False
        self._syncing = threading.Lock()
        self._side = -1
        _plain(self.path)
        self._out = self._open(self.path)
        try:
            self._lock()
            self._side = self._open(self.ahead_path)
        except BaseException:
            self._close_files()
            raise
        self._size = os.fstat(self._out).st_size
        self._side_size = os.fstat(self._side).st_size
        self.fresh = not self._size and not self._side_size
        """Whether nothing was there."""

    def recover(self, again: Callable[[E], bool] = lambda entry: False) -> None:
        """Take up what an earlier run left.

        Args:
            again: which lines are to be made again: their rows count as not done.

        Raises:
            DataError: a line other than the last is broken (file and line named).
        """
        lines = list(self._whole(self.path, self._out, self.kind))
        self.done = [line.value for line in lines]
        for line in self._whole(self.ahead_path, self._side, self._ahead_kind):
            found: Any = line.value
            head = len(b'{"n":%d,"row":' % found.n)
            if found.n >= len(self.done) and not again(found.row):
                place = _Place(line.start + head, line.size - head - 1, found.row)
                self.ahead[found.n] = place
        self._size = os.fstat(self._out).st_size
        self._side_size = os.fstat(self._side).st_size
        first = next((n for n, entry in enumerate(self.done) if again(entry)), None)
        with self._explained():
            if first is not None:
                self._take_back(first, lines, again)
            self._catch_up()
        self._recovered = True

    # asking

    def __contains__(self, number: int) -> bool:
        """Whether input `number` has its result."""
        return number < len(self.done) or number in self.ahead

    def entry(self, number: int) -> E:
        """What is remembered of a result that is there."""
        return self.done[number] if number < len(self.done) else self.ahead[number].entry

    def entries(self) -> Iterator[E]:
        """All results that are there."""
        yield from self.done
        yield from (place.entry for place in self.ahead.values())

    # adding

    def put(self, number: int, value: dict[str, Any]) -> None:
        """Keep the result of input `number`.

        Raises:
            DataError: it cannot be written; what was kept before is safe.
        """
        line, entry = jsonl.dumps(value), jsonl.convert(value, self.kind)
        with self._explained():
            if number == len(self.done):
                self._size = append(self._out, self._size, line + b"\n")
                self.done.append(entry)
                self._catch_up()
            else:
                self._put_ahead(number, line, entry)
        self._dirty = True

    def sync(self) -> None:
        """Force everything to the disk. May be called from another thread."""
        with self._syncing, self._explained():
            if self._dirty:
                self._dirty = False
                os.fsync(self._side)
                os.fsync(self._out)

    def close(self) -> None:
        """Sync and let go; ``OUT.ahead`` goes away when nothing in it waits."""
        try:
            self.sync()
            empty = self._side >= 0 and not os.fstat(self._side).st_size
            if empty or (self._recovered and not self.ahead):
                self.ahead_path.unlink(missing_ok=True)
        finally:
            with self._syncing:
                self._dirty = False
                self._close_files()

    def _put_ahead(self, number: int, line: bytes, entry: E) -> None:
        head = b'{"n":%d,"row":' % number
        place = _Place(self._side_size + len(head), len(line), entry)
        self._side_size = append(self._side, self._side_size, head + line + b"}\n")
        self.ahead[number] = place

    def _catch_up(self) -> None:
        while (place := self.ahead.get(len(self.done))) is not None:
            line = os.pread(self._side, place.size, place.start)
            self._size = append(self._out, self._size, line + b"\n")
            del self.ahead[len(self.done)]
            self.done.append(place.entry)
        if not self.ahead and self._side_size > COMPACT_AT:
            os.fsync(self._out)
            os.ftruncate(self._side, 0)
            self._side_size = 0

    # opening

    def _open(self, path: Path) -> int:
        with self._explained():
            made = parent_made(path)
            return os.open(made, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def _lock(self) -> None:
        remedy = "Wait for it to end, or give another output file."
        alone(self._out, self.path, "is being written by another process", remedy)

    def _take_back(self, first: int, lines: list[WholeLine], again: Callable[[E], bool]) -> None:
        """Make `first` the next row: what comes after it and is to stay waits in ``OUT.ahead``.

        That file is on the disk before ``OUT`` is cut, so that nothing is lost in between.
        """
        for number, line in enumerate(lines[first:], first):
            if not again(line.value):
                self._put_ahead(number, os.pread(self._out, line.size, line.start), line.value)
        os.fsync(self._side)
        self._size = lines[first].start
        os.ftruncate(self._out, self._size)
        os.fsync(self._out)
        del self.done[first:]

    def _whole(self, path: Path, file: int, kind: type[Any]) -> Iterator[WholeLine]:
        aside = self.path.with_name(self.path.name + ".torn")
        with self._explained():
            yield from whole_lines(path, file, kind, aside)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DataError(
                f"cannot be written ({error.strerror or error})",
                file=self.path,
                remedy="Make room or mend the folder, and run the same command again: "
                "every finished row is kept.",
            ) from error

    def _close_files(self) -> None:
        for file in (self._side, self._out):
            if file >= 0:
                os.close(file)
        self._side = self._out = -1
