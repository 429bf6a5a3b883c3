"""What collecting leaves on disk, safe against a kill at any moment.

``trajectories.jsonl``
    one line an episode, appended and forced to the disk when it is finished, in the order in which
    episodes finish: readers sort by ``id``. A torn last line, the trace of a killed process, is
    moved to ``trajectories.jsonl.torn`` and its episode is played again.
``failed.jsonl``
    the episodes that this run has set aside, each with its reason. The next run tries them again.
``manifest.json``
    see `worldline.collect.manifest`.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.columns import to_columns
from worldline.errors import DataError, cause
from worldline.lines import append, whole_lines
from worldline.locks import alone
from worldline.trajectory import Trajectory

TRAJECTORIES = "trajectories.jsonl"
FAILED = "failed.jsonl"


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of a recorded episode."""

    id: str
    turns: int
    family: str = ""
    dialect: str = ""
    end: str = ""
    statuses: dict[str, int] = {}
    redacted: dict[str, int] = {}
    versions: dict[str, Any] = {}
    failed_steps: tuple[dict[str, Any], ...] = ()


class _Nothing(msgspec.Struct):
    pass


class _Line(msgspec.Struct):
    id: str
    dialect: str
    meta: str
    turns: tuple[_Nothing, ...]

    def kept(self) -> Kept:
        return jsonl.convert(
            {**jsonl.loads(self.meta), "id": self.id, "dialect": self.dialect}
            | {"turns": len(self.turns)},
            Kept,
        )


_DECODER = msgspec.json.Decoder(_Line)


def line_of(trajectory: Trajectory) -> bytes:
    """A trajectory as its line of the file."""
    return jsonl.dumps(to_columns(msgspec.to_builtins(trajectory))) + b"\n"


def kept(line: bytes) -> Kept:
    """What is remembered of the episode that a line holds."""
    return _DECODER.decode(line).kept()


class Store:
    """The folder of one run, held open and locked.

    Args:
        folder: made if it is not there.

    Raises:
        UsageError: another process is writing it.
        DataError: it cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path, self.failed_path = folder / TRAJECTORIES, folder / FAILED
        self.done: dict[str, Kept] = {}
        """Recorded episodes by id."""
        self.failed: list[dict[str, Any]] = []
        """Episodes set aside by this run."""
        with self._explained():
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(
                self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644
            )
        try:
            self._lock()
            self._size = os.fstat(self._file).st_size
        except BaseException:
            os.close(self._file)
            raise

    @property
    def fresh(self) -> bool:
        """Whether no line is there yet."""
        return self._size == 0

    def recover(self) -> None:
        """Take up what an earlier run left.

        Raises:
            DataError: a line other than the last is broken (file and line named).
        """
        aside = self.path.with_name(f"{TRAJECTORIES}.torn")
        with self._explained():
            for number, line in enumerate(whole_lines(self.path, self._file, _Line, aside), 1):
                found = self._taken_up(line.value, number)
                self.done[found.id] = found
            self._size = os.fstat(self._file).st_size
            self.failed_path.unlink(missing_ok=True)

    def _taken_up(self, line: _Line, number: int) -> Kept:
        try:
            return line.kept()
        except (TypeError, ValueError, RecursionError, msgspec.ValidationError) as error:
            raise DataError(
                "is no episode of a run",
                file=self.path,
                line=number,
                field="meta",
                remedy="The file was changed or damaged. Restore it, or give another folder.",
            ) from error

    def add(self, line: bytes, found: Kept) -> None:
        """Keep a finished episode: on the disk when this returns.

        Raises:
            DataError: it cannot be written; what was kept before is safe.
        """
        with self._explained():
            self._size = append(self._file, self._size, line)
            os.fsync(self._file)
        self.done[found.id] = found

    def set_aside(self, record: dict[str, Any]) -> None:
        """Note an episode that could not be played."""
        with self._explained(), self.failed_path.open("ab") as file:
            file.write(jsonl.dumps(record) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.failed.append(record)

    def close(self) -> None:
        """Let go."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _lock(self) -> None:
        remedy = "Wait for it to end, or give another folder."
        alone(self._file, self.folder, "is being written by another process", remedy)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DataError(
                f"cannot be written ({cause(error)})",
                file=self.folder,
                remedy="Make room or mend the folder and run the same command again: "
                "every finished episode is kept.",
            ) from error
