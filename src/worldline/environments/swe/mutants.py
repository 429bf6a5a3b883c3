"""Seeded bugs: small changes of real code that 1 to 20 of its tests notice (``mutants.jsonl``)."""

from functools import cache
from importlib import resources

import msgspec

from worldline import jsonl
from worldline.environments.swe.repos import repos
from worldline.errors import UsageError


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """A change of one span of one file.

    Args:
        start, end: the span, in characters of the file.
        old, new: what stands there, and what replaces it.
        line, column: where it is, 1-based and 0-based.
        function: what it is in, as ``Class.method``.
        failing: ids of the tests that fail because of it, among the unit's quick ones.
        passing: how many of these still pass.
    """

    id: str
    repo: str
    file: str
    kind: str
    start: int
    end: int
    old: str
    new: str
    line: int
    column: int
    function: str
    failing: tuple[str, ...] = ()
    passing: int = 0

    def applied(self, source: str) -> str:
        """The file with the bug.

        Raises:
            UsageError: the file is another one.
        """
        if source[self.start : self.end] != self.old:
            raise UsageError(f"{self.id}: {self.file} does not hold {self.old!r} at {self.start}")
        return source[: self.start] + self.new + source[self.end :]

    def repaired(self, line: str) -> str:
        """The line that holds the bug without it.

        Raises:
            ValueError: it does not hold it.
        """
        if not line.startswith(self.new, self.column):
            raise ValueError(f"{self.id}: not in {line!r}")
        return line[: self.column] + self.old + line[self.column + len(self.new) :]

    @property
    def message(self) -> str:
        """What the commit says that brought it in."""
        name = self.function.rpartition(".")[2] if self.function else self.file.rpartition("/")[2]
        return f"Simplify {name}"

    @property
    def tests(self) -> tuple[str, ...]:
        """The test files of the failing tests, in order."""
        return tuple(dict.fromkeys(one.partition("::")[0] for one in self.failing))


@cache
def mutants() -> dict[str, Mutant]:
    """Every maintained bug by id."""
    data = resources.files("worldline.environments.swe").joinpath("mutants.jsonl").read_bytes()
    rows = [jsonl.convert(jsonl.loads(line), Mutant) for line in data.split(b"\n") if line]
    return {one.id: one for one in rows}


def mutant(id: str) -> Mutant:
    """The bug of that id.

    Raises:
        UsageError: there is none.
    """
    if id not in mutants():
        raise UsageError(f"there is no seeded bug {id!r}", remedy="They are in mutants.jsonl.")
    return mutants()[id]


def of_repo(name: str) -> list[Mutant]:
    """The bugs of one repository, in order."""
    assert name in repos(), name
    return [one for one in mutants().values() if one.repo == name]
