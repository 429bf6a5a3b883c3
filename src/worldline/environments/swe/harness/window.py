"""The window of a line editor: which of a file's lines are shown."""

from typing import NamedTuple

SIZE = 100
OVERLAP = 2
"""Lines that two windows share when scrolling."""


class Window(NamedTuple):
    """Lines `first` to `first + SIZE - 1` of a file."""

    path: str
    first: int = 1

    def at(self, line: int | None, total: int) -> "Window":
        """A window with a line about a sixth from its top; the first one without a line."""
        if line is None:
            return Window(self.path)
        return Window(self.path, _bounded(line - SIZE // 6, total))

    def moved(self, way: int, total: int) -> "Window":
        """Scrolled up (-1) or down (1)."""
        return Window(self.path, _bounded(self.first + way * (SIZE - OVERLAP), total))

    def view(self, rows: list[str]) -> str:
        """The window as it is shown."""
        first = _bounded(self.first, len(rows))
        shown = rows[first - 1 : first - 1 + SIZE]
        below = len(rows) - (first - 1 + len(shown))
        lines = [f"[File: {self.path} ({len(rows)} lines total)]"]
        lines += [f"({first - 1} more lines above)"] if first > 1 else []
        lines += [f"{number}:{row}" for number, row in enumerate(shown, first)]
        lines += [f"({below} more lines below)"] if below else []
        return "\n".join(lines)


def _bounded(first: int, total: int) -> int:
    return max(1, min(first, total - SIZE + 1))


def rows_of(text: str) -> list[str]:
    """The lines of a file, as the editor counts them."""
    return text.removesuffix("\n").split("\n") if text else []
