"""The raw files a corpus is made of, each with the address its page gets."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from worldline.environments.search import debs, man, wordnet
from worldline.environments.search.debs import CorpusError, Had
from worldline.environments.search.reading import MAX_BYTES, Document
from worldline.environments.search.recipe import FOLDER_HOST, Package

ENDINGS = (".html", ".htm", ".xhtml", ".md", ".txt")
MAX_FILES = 50_000


class Raw(NamedTuple):
    """A file that may become a page."""

    data: bytes
    name: str
    url: str
    date: str
    source: str


def of_package(found: Had, package: Package, mandoc: Path | None) -> Iterator[Raw | Document]:
    """The files of a package; a dictionary's pages come ready.

    Args:
        mandoc: the program that reads manual pages; without it there are none.
    """
    if package.name == "wordnet-base":
        held = {Path(one.path).name: one.data for one in debs.files(found, package)}
        yield from wordnet.pages(held, package.host, package.name)
        return
    for one in debs.files(found, package):
        if man.page_name(one.path) is not None:
            made = _manual(one, package, mandoc)
            if made is not None:
                yield made
        elif one.path.endswith((".html", ".htm")):
            yield Raw(one.data, one.path, _address(one.path, package), one.date, package.name)


def _address(path: str, package: Package) -> str:
    prefix = max((one for one in package.take if path.startswith(one)), key=len)
    where = package.take[prefix] + path.removeprefix(prefix)
    return f"https://{package.host}{quote(where, safe='/')}"


def _manual(one: debs.File, package: Package, mandoc: Path | None) -> Raw | None:
    named = man.page_name(one.path)
    if named is None or mandoc is None:
        return None
    name, section = named
    made = man.to_html(one.data, name, section, mandoc)
    if made is None:
        return None
    url = f"https://{package.host}/man{section}/{quote(name)}.{section}.html"
    return Raw(made, f"{name}.{section}.html", url, one.date, package.name)


def of_folder(folder: Path) -> Iterator[Raw]:
    """The HTML, Markdown and text files below a folder, by path; links are not followed."""
    for path in folder_files(folder):
        where = path.relative_to(folder).as_posix()
        url = f"https://{FOLDER_HOST}/{quote(where, safe='/')}"
        yield Raw(path.read_bytes(), where, url, "", "folder")


def folder_files(folder: Path) -> list[Path]:
    """The files of a folder that count, in the order of their paths.

    Raises:
        CorpusError: there are none, or too many.
    """
    found = [
        Path(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(ENDINGS)
    ]
    kept = sorted(p for p in found if not p.is_symlink() and p.stat().st_size <= MAX_BYTES)
    if not kept or len(kept) > MAX_FILES:
        raise CorpusError(
            f"holds {len(kept)} files of {', '.join(ENDINGS)}; 1 to {MAX_FILES} are needed",
            file=folder,
            remedy="Give another folder.",
        )
    return kept


def folder_sha(folder: Path) -> str:
    """Content address of the files of a folder and their names."""
    digest = hashlib.sha256()
    for path in folder_files(folder):
        where = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        inner = hashlib.sha256(path.read_bytes()).digest()
        digest.update(len(where).to_bytes(4, "big") + where + inner)
    return digest.hexdigest()


def versions(found: Mapping[str, Had]) -> dict[str, str]:
    """Package -> version."""
    return {name: one.version for name, one in found.items()}
