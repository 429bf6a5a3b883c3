"""What an import sets aside: the lines as they are, and why."""

import secrets
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from worldline import jsonl
from worldline.cli.common import say
from worldline.paths import is_file

if TYPE_CHECKING:
    from worldline.collect.importers import BadLine


def beside(output: Path) -> tuple[Path, Path]:
    """The files of lines, and of reasons, beside an output."""
    return output.with_name(output.name + ".bad"), output.with_name(output.name + ".bad.jsonl")


class BadLines:
    """Two files beside the output, there only if there is something to say: those of an earlier
    import go when this one is done.

    ``OUT.bad.jsonl`` has a record for each thing that could not be read: its file, line, field and
    what is wrong. ``OUT.bad`` has the lines themselves, as they are, where the format has lines.

    Args:
        output: `None`: only tell about them.
        clean: take secrets and personal data out of both, too.
    """

    def __init__(self, output: Path | None, clean: bool) -> None:
        self.count = 0
        self._salt = secrets.token_hex()
        self._clean = clean
        self._stack = ExitStack()
        self._open: dict[Path, IO[bytes]] = {}
        self._lines, self._why = beside(output) if output is not None else (None, None)

    def __enter__(self) -> "BadLines":
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def keep(self, line: "BadLine") -> None:
        """Keep one thing that cannot be read and say what is wrong with it."""
        self.count += 1
        say(f"skipped: {self._text(str(line.error))}")
        if self._why is not None:
            record = {"schema": "worldline.bad/1", **line.error.record()}
            self._put(self._why, jsonl.dumps(self._value(record)))
        if self._lines is not None and line.raw:
            self._put(self._lines, self._bytes(line.raw.rstrip(b"\n")))

    def tell(self) -> None:
        """Say where they are."""
        for path in (self._lines, self._why):
            if path is not None and path not in self._open and is_file(path):
                path.unlink()
        if self.count:
            where = f"; {self._why} says why" if self._why is not None else ""
            say(f"{self.count:,} could not be read{where}")

    def _put(self, path: Path, data: bytes) -> None:
        if path not in self._open:
            self._open[path] = self._stack.enter_context(path.open("wb"))
        self._open[path].write(data + b"\n")

    def _text(self, text: str) -> str:
        return self._value(text)

    def _value(self, value: Any) -> Any:
        from worldline.collect.scrub import redact_value

        return redact_value(value, salt=self._salt)[0] if self._clean else value

    def _bytes(self, raw: bytes) -> bytes:
        return self._text(raw.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
