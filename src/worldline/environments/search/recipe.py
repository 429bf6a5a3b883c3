"""What a corpus is made of: Debian packages, or a folder; and the options of the environment."""

from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from worldline import jsonl
from worldline.environments.search import data
from worldline.errors import UsageError

FORMAT = 3
"""Changes when the same sources give other documents."""
FOLDER_HOST = "folder.docs.example"


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """A Debian package of documents; see ``packages.toml``.

    Args:
        effort: what reading it takes, beside the other packages: about a megabyte of HTML is 1.
    """

    name: str
    host: str
    about: str
    licence: str
    take: dict[str, str]
    skip: tuple[str, ...] = ()
    effort: float = 1.0


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A program that is taken out of a package: `file` is its path in there."""

    name: str
    file: str


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of the environment.

    Args:
        dialect: the form of actions and observations.
        packages: names in ``packages.toml``; all of them if empty.
        folder: a folder of HTML, Markdown and text files, instead of packages.
        documents: a set of made-up pages, written anew from each session's seed (`fixtures`), that
            are found beside the corpus.
        page_chars: how much of a page ``web_extractor`` shows at once.
    """

    dialect: Literal["awb", "json", "react"] = "awb"
    packages: tuple[str, ...] = ()
    folder: str | None = None
    documents: str | None = None
    page_chars: int = 5_000


@cache
def _listed() -> tuple[tuple[Package, ...], tuple[Tool, ...]]:
    listed = data.table("packages.toml")
    packages = msgspec.convert(listed["package"], tuple[Package, ...])
    return packages, msgspec.convert(listed["tool"], tuple[Tool, ...])


def packages() -> tuple[Package, ...]:
    """The packages there are, in the order of the corpus."""
    return _listed()[0]


def tools() -> tuple[Tool, ...]:
    """Programs that preparing a corpus needs."""
    return _listed()[1]


def options(given: dict[str, Any]) -> Options:
    """Options as the caller gave them.

    Raises:
        UsageError: one is unknown or does not fit; names it.
    """
    try:
        found = jsonl.convert(given, Options)
    except msgspec.ValidationError as error:
        message, _, at = str(error).partition(" - at ")
        raise UsageError(
            message.replace("`", "'"),
            field=at.strip("`").removeprefix("$.") or None,
            remedy=f"The search environment has: {', '.join(Options.__struct_fields__)}.",
        ) from error
    if not 500 <= found.page_chars <= 50_000:
        raise UsageError(
            f"must be 500 to 50000, got {found.page_chars}", field="page_chars", remedy=None
        )
    wanted(found)
    return found


def wanted(chosen: Options) -> tuple[Package, ...]:
    """The packages of these options; none where a folder takes their place.

    Raises:
        UsageError: a name is not in the list, or the folder is none.
    """
    if chosen.folder is not None:
        if not Path(chosen.folder).is_dir():
            raise UsageError(
                f"is no folder: {chosen.folder!r}",
                field="folder",
                remedy="Give a folder of .html, .md and .txt files.",
            )
        return ()
    unknown = sorted(set(chosen.packages) - {one.name for one in packages()})
    if unknown:
        raise UsageError(
            f"are not known: {', '.join(unknown)}",
            field="packages",
            remedy=f"There are: {', '.join(one.name for one in packages())}.",
        )
    return tuple(one for one in packages() if not chosen.packages or one.name in chosen.packages)
