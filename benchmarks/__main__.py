"""Measure: ``python -m benchmarks [NAME ...] [--write]``.

Without names all scripts run, one after the other; ``--write`` puts their tables into
docs/benchmarks.md.
"""

import argparse
import importlib
from pathlib import Path

from benchmarks.machine import Neighbours
from benchmarks.measure import Row
from benchmarks.report import document, heading, table

SCRIPTS = ("engine", "client", "predict", "judging", "verifying", "data", "trees", "environments")
DOCUMENT = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SCRIPTS))
    parser.add_argument("--write", action="store_true", help=f"rewrite docs/{DOCUMENT.name}")
    given = parser.parse_args()
    if unknown := set(given.names) - set(SCRIPTS):
        parser.error(
            f"no such script: {', '.join(sorted(unknown))}; there are {', '.join(SCRIPTS)}"
        )
    if given.write and given.names:
        parser.error("--write runs them all: name none")
    parts: list[str] = []
    for name in given.names or SCRIPTS:
        part = measured(name)
        print(part, flush=True)
        parts.append(part)
    if given.write:
        DOCUMENT.write_text(document(parts), "utf-8")
        print(f"written: docs/{DOCUMENT.name}")


def measured(name: str) -> str:
    """The heading and table of one script."""
    script = importlib.import_module(f"benchmarks.{name}")
    neighbours = Neighbours()
    rows: list[Row] = script.measure()
    return f"{heading(script.__doc__ or name, neighbours.told())}\n\n{table(rows)}\n"


if __name__ == "__main__":
    main()
