"""Format ``asciinema``: recordings of a terminal (``.cast``), versions 1 to 3.

* With recorded keys (``asciinema rec --stdin``) the session is in dialect ``terminus2``: an action
  are the keys up to Enter, a control key or a pause; an observation what was new on the screen. The
  Enter key is written ``\\n``.
* Without, commands are read off the screen, in dialect ``command``, and only where there is no
  doubt: a prompt stood waiting, and the line was completed after it. A session in which no prompt
  waited twice, or that used the whole screen, is no trajectory; the error says so.

The output as recorded is kept: ``info.raw`` of a turn or ``meta.raw``, bytes in base64.
"""

import base64
import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from worldline.collect.importers import OnBad
from worldline.collect.importers.casts import Cast, Event, cast
from worldline.collect.importers.files import attempt, distinct, files
from worldline.errors import DataError, UsageError
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

SUFFIXES = (".cast",)


class Session(msgspec.Struct, kw_only=True):
    """What a recording shows. `left`: what was typed last and never answered."""

    dialect: str
    turns: list[Turn]
    first: str | None = None
    left: list[dict[str, Any]] = []
    meta: dict[str, Any] = {}


def read(path: str | Path, bad: OnBad | None = None) -> Iterator[Trajectory]:
    """Stream the recordings of a file, a folder or a pattern, each a trajectory.

    Raises:
        DataError: a recording cannot be read and there is no `bad` to hand it to.
        UsageError: the terminal emulator is not installed.
    """
    found = (attempt(lambda f=file: [convert(f)], bad) for file in files(path, SUFFIXES))
    return distinct(one for made in found for one in made or ())


def convert(path: Path) -> Trajectory:
    """One recording as a trajectory; `DataError` names file and line, or says what is missing."""
    typed, inferred = _players()
    recorded = cast(path)
    keys = any(event.code == "i" for event in recorded.events)
    try:
        session = typed(recorded) if keys else inferred(recorded)
    except DataError as error:
        raise DataError(error.message, file=path, remedy=error.remedy) from error
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise DataError(
            f"its output cannot be shown ({type(error).__name__}: {error})", file=path
        ) from error
    return _trajectory(recorded, session, path)


def _players() -> tuple[Callable[[Cast], Session], Callable[[Cast], Session]]:
    try:
        from worldline.collect.importers.inferred import inferred
        from worldline.collect.importers.played import typed
    except ModuleNotFoundError as error:
        raise UsageError(
            "reading recordings of a terminal needs a terminal emulator",
            remedy="Install it: pip install 'worldline[envs]'",
        ) from error
    return typed, inferred


def _trajectory(recorded: Cast, session: Session, path: Path) -> Trajectory:
    header = {k: v for k, v in recorded.header.items() if k not in ("version", "timestamp")}
    exits = [event.data for event in recorded.events if event.code == "x"]
    markers = [[event.time, event.data] for event in recorded.events if event.code == "m"]
    codes = {event.code for event in recorded.events} - set("oirmx")
    meta = {
        "file": path.name,
        "header": header,
        "markers": markers,
        "exit_status": exits[-1] if exits else None,
        "other_events": sorted(codes),
        "cut": recorded.cut or None,
        "unanswered": session.left,
        **session.meta,
    }
    title = recorded.header.get("title")
    return Trajectory(
        id=path.name.removesuffix(".gz").removesuffix(".cast"),
        domain="terminal",
        dialect=session.dialect,
        system=SystemPrompt(
            task_description=title if isinstance(title, str) else "", initial_state=session.first
        ),
        turns=tuple(session.turns),
        source=Source(
            kind="recorded",
            name="asciinema",
            version=str(recorded.version),
            collected_at=_begun(recorded.header.get("timestamp")),
        ),
        meta={key: kept for key, kept in meta.items() if kept not in (None, [], {})},
    )


def _begun(stamp: object) -> str | None:
    if isinstance(stamp, bool) or not isinstance(stamp, int | float):
        return None
    try:
        begun = datetime.datetime.fromtimestamp(stamp, datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return begun.isoformat()


def packed(events: list[Event]) -> str:
    """The output of some events as base64."""
    data = "".join(event.data for event in events if event.code == "o")
    return base64.b64encode(data.encode("utf-8", "surrogatepass")).decode("ascii")
