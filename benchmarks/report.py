"""Tables of measured rows as Markdown, and the page they make with the machine they are from."""

import textwrap
from collections.abc import Sequence

from benchmarks.machine import machine
from benchmarks.measure import Row, number

COLUMNS = ("what", "Worldline", "against", "ratio", "command")
INTRODUCTION = """\
# Benchmarks

`make bench` measures all of this again; `python -m benchmarks --write` rewrites this page.

**How to read it.** The numbers are from a shared two-core virtual machine with other work beside
them: ratios count, not absolutes. Both sides of a row ran in turns, in one run, and each number is
the median of three. A ratio above 1 means that Worldline is better; against a *limit*, which nobody
can pass, it is the share that is reached. Differences under some 10 % are noise, and a section says
little whose machine was busy.
"""


def heading(concept: str, busy: str) -> str:
    """A section's title and text out of a script's docstring, and how busy the machine was."""
    first, _, rest = concept.partition("\n\n")
    title, _, about = first.partition(": ")
    text = textwrap.fill(f"{about[:1].upper()}{about[1:]} {' '.join(rest.split())}", 100)
    return f"## {title}\n\n{text}\n\n{busy}"


def table(rows: Sequence[Row]) -> str:
    """The rows as a table, columns aligned."""
    cells = [COLUMNS, *(_cells(row) for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(COLUMNS))]
    cells.insert(1, tuple("-" * width for width in widths))
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in cells)


def document(parts: Sequence[str]) -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, machine() + "\n", *parts])


def _cells(row: Row) -> tuple[str, ...]:
    value = f"{number(row.value)} {row.unit}"
    return row.what, value, row.against, f"{row.ratio:.2f}", f"`{row.command}`"
