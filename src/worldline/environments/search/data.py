"""The data files of this package."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

PACKAGE = "worldline.environments.search"


@cache
def text(*path: str) -> str:
    """A text file's content."""
    return files(PACKAGE).joinpath(*path).read_text("utf-8")


@cache
def table(*path: str) -> dict[str, Any]:
    """A TOML file's content."""
    return tomllib.loads(text(*path))


def listed(folder: str, ending: str) -> list[str]:
    """Names of the files in a folder, without their ending, in order."""
    found = (one.name for one in files(PACKAGE).joinpath(folder).iterdir())
    return sorted(name.removesuffix(ending) for name in found if name.endswith(ending))
