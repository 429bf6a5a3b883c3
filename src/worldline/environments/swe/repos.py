"""The list of repositories (``repos.toml``)."""

import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from worldline.environments.sandbox.roots import HOME
from worldline.errors import UsageError


class Unit(NamedTuple):
    """A source file and the quick test files that exercise it, as paths in the repository."""

    source: str
    tests: tuple[str, ...]


class Repo(NamedTuple):
    """A repository: a pinned source distribution.

    Args:
        name: its name on the index, and of its folder in the home.
        root: the folder that Python imports from, ``.`` or ``src``.
        held_out: for benchmarks alone.
    """

    name: str
    version: str
    sha256: str
    licence: str
    root: str
    units: tuple[Unit, ...]
    held_out: bool = False

    @property
    def home(self) -> str:
        """Where it lies in the sandbox."""
        return f"{HOME}/{self.name}"

    def tests_of(self, source: str) -> tuple[str, ...]:
        """The quick test files of a source file; of another file, those of the first unit."""
        for unit in self.units:
            if unit.source == source:
                return unit.tests
        return self.units[0].tests


def text() -> str:
    """The list as it is written."""
    return resources.files("worldline.environments.swe").joinpath("repos.toml").read_text("utf-8")


@cache
def requirements() -> tuple[str, ...]:
    """What the sandbox's Python has besides, as pip writes it."""
    return tuple(tomllib.loads(text())["tools"]["requirements"])


@cache
def repos() -> dict[str, Repo]:
    """Every repository by name."""
    found = {}
    for row in tomllib.loads(text())["repo"]:
        units = tuple(Unit(one["source"], tuple(one["tests"])) for one in row.pop("units"))
        found[row["name"]] = Repo(**row, units=units)
    return found


def repo(name: str) -> Repo:
    """The repository of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in repos():
        raise UsageError(
            f"there is no repository {name!r}", remedy=f"There are: {', '.join(repos())}."
        )
    return repos()[name]
