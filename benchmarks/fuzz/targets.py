"""Every parser of foreign text, as a function that raises when a promise is broken."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Run = Callable[[str], object]
Make = Callable[[int], str]


class Target(NamedTuple):
    """One parser.

    `run` takes a text and returns; what it raises is a failure (errors that the parser documents
    are caught inside). `linear`: its time is measured on repeats.
    """

    name: str
    run: Run
    seeds: Callable[[], Sequence[str]]
    linear: bool = True
    more: Callable[[], Iterator[tuple[str, Make]]] = lambda: iter(())
    """Further texts of any size, beside repeats: (what it is, text of a size)."""
    limit_s: float = 30.0
    """Processor seconds after which reading one text is given up."""


class Broken(AssertionError):
    """A promise that a parser did not keep."""


def targets() -> Iterator[Target]:
    """All of them: of domains and dialects, of trees, of replies, of files, of small texts."""
    from benchmarks.fuzz import of_domains, of_files, of_replies, of_trees

    for module in (of_trees, of_replies, of_files, of_domains):
        yield from module.targets()


def reality() -> Iterator[Target]:
    """Those of part 3: environments, importers, tasks, redaction, what collecting leaves."""
    from benchmarks.fuzz import (
        of_collected,
        of_importers,
        of_mcp,
        of_redaction,
        of_search,
        of_tasks,
        of_terminal,
        of_wire,
    )

    modules = (of_terminal, of_mcp, of_search, of_wire, of_importers, of_collected, of_tasks)
    for module in (*modules, of_redaction):
        yield from module.targets()


def verifiers() -> Iterator[Target]:
    """Those of part 4: measures and rules."""
    from benchmarks.fuzz import of_verify

    yield from of_verify.targets()


def same(source: str, again: str, what: str) -> None:
    """Raise unless a text came back as it was."""
    if source != again:
        at = next(
            (i for i, pair in enumerate(zip(source, again, strict=False)) if pair[0] != pair[1]),
            min(len(source), len(again)),
        )
        raise Broken(f"{what}: {source[at : at + 30]!r} came back as {again[at : at + 30]!r}")
