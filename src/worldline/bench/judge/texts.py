"""The texts of judge prompts: ours, or those of a folder where it has some.

A folder holds any of ``system.txt`` (the common part, with a place ``{domain}``), ``user.txt`` (the
question, with places for what is shown) and ``DOMAIN.txt`` (notes on one domain); what it does not
hold is ours. `worldline prompts optimise --accept` writes such a folder.
"""

import hashlib
import re
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

from worldline.domains import names
from worldline.errors import DataError, cause

_PLACE = re.compile(r"\{(domain|history|action|truth|prediction|diagnostics|first|second)\}")
PLACES = {
    "system.txt": ("domain",),
    "user.txt": ("history", "action", "truth", "prediction"),
}
"""Places that a text must have."""


class Texts:
    """Prompt texts.

    Args:
        folder: where some of them lie; `None`: all are ours.

    Raises:
        DataError: the folder cannot be read, holds no prompt or one of no known name, or a prompt
            lacks a place.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._own: dict[str, str] = {} if folder is None else _read(folder)

    def text(self, name: str) -> str:
        """A text by its file name; nothing for the notes of a domain that has none."""
        return self._own[name] if name in self._own else _ours(name)

    def notes(self, domain: str) -> str:
        """What is said of a domain alone. A row may name any domain: it is never a path."""
        name = f"{domain}.txt"
        return self.text(name).strip() if domain in names() and name not in PLACES else ""

    def with_notes(self, domain: str, notes: str) -> "Texts":
        """The same texts with other notes on one domain."""
        made = Texts()
        made._own = {**self._own, f"{domain}.txt": notes}
        return made

    def system(self, domain: str) -> str:
        """The system prompt of a domain; one without notes of its own gets the common part."""
        return _system(self, domain)

    def sha(self, domain: str) -> str:
        """SHA-256 of the prompts of a domain."""
        return _sha(self, domain)


# Asked for by every row of a run.


@lru_cache(maxsize=64)
def _system(texts: Texts, domain: str) -> str:
    return filled(texts.text("system.txt"), domain=texts.notes(domain)).strip()


@lru_cache(maxsize=64)
def _sha(texts: Texts, domain: str) -> str:
    text = texts.system(domain) + "\0" + texts.text("user.txt")
    return hashlib.sha256(text.encode()).hexdigest()


def filled(text: str, **parts: str) -> str:
    """The text with its places filled in one pass: what a part says names no place."""
    return _PLACE.sub(lambda found: parts.get(found[1], found[0]), text)


@cache
def _ours(name: str) -> str:
    file = resources.files("worldline.bench.judge").joinpath("prompts", name)
    return file.read_text("utf-8") if file.is_file() else ""


def _read(folder: Path) -> dict[str, str]:
    known = (*PLACES, *(f"{name}.txt" for name in sorted(names())))
    found: dict[str, str] = {}
    try:
        for path in sorted(folder.iterdir()):
            if path.suffix == ".txt":
                found[path.name] = path.read_text("utf-8")
                _check(path, found[path.name], known)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read ({cause(error)})", file=folder, remedy="Check --prompts."
        ) from error
    if not found:
        remedy = f"It may hold {', '.join(known)}; what is missing is ours."
        raise DataError("holds no judge prompt", file=folder, remedy=remedy)
    return found


def _check(path: Path, text: str, known: tuple[str, ...]) -> None:
    if path.name not in known:
        raise DataError(
            "is no judge prompt", file=path, remedy=f"A folder may hold {', '.join(known)}."
        )
    if not text.strip():
        raise DataError("is empty", file=path, remedy="Write it, or remove it to use ours.")
    for place in PLACES.get(path.name, ()):
        if f"{{{place}}}" not in text:
            raise DataError(
                f"has no place {{{place}}}", file=path, remedy="The judge would never see it."
            )
