"""What programs write to a terminal, as text: any bytes, in any pieces."""

import base64
import re
from collections.abc import Callable, Iterator
from unittest.mock import patch

from benchmarks.fuzz.chunks import cuts, raw
from benchmarks.fuzz.of_trees import SPLIT
from benchmarks.fuzz.seeds import ours
from benchmarks.fuzz.targets import Broken, Target, same
from worldline.environments.terminal import waiting
from worldline.environments.terminal.display import Display, joined_text, screen_text
from worldline.environments.terminal.keys import keystrokes
from worldline.environments.terminal.text import Capture, cut, decode, kept_raw

COLUMNS, LINES = 40, 8
HOLD, LIMIT = 256, 200
OMITTED = re.compile(r"\n\[\.\.\. ([\d,]+) bytes left out \.\.\.\]\n")
PROC = SPLIT.join(
    ("12 (a) b) S 1 2", "270 0x5 0x7ffc 0x0 0x0 0x0 0x0 0x7ffd 0x7ffe", "tfd: 0 events: 1")
)


def targets() -> Iterator[Target]:
    """Screens, captured output, keys, what /proc says."""

    def screens() -> tuple[str, ...]:
        return ours("screens")

    yield Target("terminal.display", drawn, screens)
    yield Target("terminal.capture", captured, screens)
    yield Target("terminal.text", told, screens)
    yield Target("terminal.keys", typed, lambda: ours("keys"))
    yield Target("terminal.waiting", at, lambda: (PROC,), linear=False)


def drawn(text: str) -> None:
    """A screen is the same however the output came, and can be read at any time."""
    for data in raw(text):
        seen = [screen(pieces) for pieces in cuts(data)]
        for other in seen[1:]:
            same(seen[0], other, "the screen of the same output in pieces")


def screen(pieces: list[bytes]) -> str:
    """All that can be read off a display."""
    display = Display(COLUMNS, LINES)
    answers = b""
    for piece in pieces:
        display.feed(piece)
        answers += display.replies()
    if not 0 <= display.cursor.y < LINES or not 0 <= display.cursor.x <= COLUMNS:
        raise Broken(f"the cursor is at {display.cursor.x}, {display.cursor.y}")
    shown = display.shown()
    if len(shown) != LINES:
        raise Broken(f"{len(shown)} rows are shown")
    parts = (display.written(), screen_text(shown), joined_text(display.since(0)))
    where = (display.cursor.x, display.cursor.y, display.gone, display.alternate is None)
    return SPLIT.join((*parts, repr(where), repr(answers)))


def captured(text: str) -> None:
    """Head and tail are the same however the output came; what is left out is counted."""
    for data in raw(text):
        seen: list[str] = []
        for pieces in cuts(data):
            capture = Capture(HOLD)
            for piece in pieces:
                capture.add(piece)
            seen.append(capture.text(LIMIT))
            if capture.raw not in (None, data):
                raise Broken("the raw bytes are others")
        for other in seen[1:]:
            same(seen[0], other, "the same output in pieces")
        counted(seen[0], decode(data), LIMIT, exact=coded(decode(data)) == data)


def counted(shown: str, whole: str, limit: int, *, exact: bool = True) -> None:
    """A text keeps its limit and says what it leaves out."""
    size, full = len(coded(shown)), len(coded(whole))
    if size > limit:
        raise Broken(f"{size} bytes are shown, {limit} at most")
    if shown == whole or not exact:
        return
    for found in OMITTED.finditer(shown):
        if int(found[1].replace(",", "")) + size - len(found[0]) == full:
            return
    raise Broken(f"what is left out is not counted: {full} bytes became {size}: {shown[:80]!r}")


def coded(text: str) -> bytes:
    """As UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def told(text: str) -> None:
    """Bytes that are no UTF-8 come back from what a turn keeps; any text can be cut."""
    for data in raw(text):
        shown = decode(data)
        kept = kept_raw(data, shown)
        if not kept and coded(shown) != data:
            raise Broken("bytes are lost and not kept")
        if "raw" in kept:
            again = base64.b64decode(kept["raw"])
            if again != data or decode(again) != shown:
                raise Broken("the bytes kept are others")
    counted(cut(text, LIMIT), text, LIMIT)


def typed(text: str) -> None:
    """Any text is typed: as a key, or as it is."""
    for application in (False, True):
        data = keystrokes(text, application=application)
    plain = text.encode("utf-8", "replace").replace(b"\0", b"")
    if data != plain and len(text) > 20:
        raise Broken(f"{text[:40]!r} is typed as {data[:40]!r}")


def at(text: str) -> None:
    """What /proc says of a process with any name, in any call, is an activity or none."""
    stat, _, rest = text.partition(SPLIT)
    call, _, info = rest.partition(SPLIT)
    words = [word for word in call.split() if re.fullmatch(r"-?\d{1,5}|0x[0-9a-f]{1,16}", word)]
    numbers = words[:1] if words and not words[0].startswith("0x") else ["-1"]
    call = " ".join([*numbers, *[word for word in words if word.startswith("0x")], *["0x0"] * 8])
    with patch.object(waiting, "Path", files(stat.rpartition(")")[0] + ") S 1 2", call, info)):
        if waiting.activity(1, 5) not in ("keys", "clock", "busy", "idle", None):
            raise Broken("no activity")
        waiting.edits(1)


def files(stat: str, call: str, info: str) -> Callable[[str], object]:
    """``/proc`` as it may be, in place of `Path`."""

    class File:
        def __init__(self, name: str) -> None:
            self.name = name

        def read_bytes(self) -> bytes:
            return coded(stat)

        def read_text(self, _: str) -> str:
            return call if self.name.endswith("syscall") else info

        def open(self, *_: object, **__: object) -> object:
            raise PermissionError

        stat = open

    return File
