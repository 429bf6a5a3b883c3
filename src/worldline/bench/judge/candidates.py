"""Versions of the notes on a domain, kept in a folder: each a file, none ever changed.

FOLDER/000.txt, 001.txt ...   the versions; 000 is where it began
FOLDER/candidates.jsonl       where each comes from
FOLDER/choices/               how the judge chose with each, as `bench turing` writes it
FOLDER/table.json             the table; FOLDER/manifest.json: what decided it all
"""

import hashlib
from pathlib import Path

import msgspec

from worldline import jsonl
from worldline.errors import DataError, UsageError, cause
from worldline.trajectory import validation_error

SCHEMA = "worldline.candidate/1"
LIST = "candidates.jsonl"
MOST = 12_000
"""Characters of a version."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One version, and where it comes from."""

    number: int
    source: str
    """``start``, ``file:NAME`` or ``model:NAME``."""
    sha: str
    parent: int | None = None
    """Of a proposed one: the version that it was made from."""
    round: int | None = None
    style: str = ""
    schema: str = SCHEMA


class Shelf:
    """The versions of one run.

    Raises:
        DataError: the folder cannot be used, or a version is not what it was.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / LIST
        jsonl.made_dir(folder / "choices")
        self.all: list[Candidate] = []
        if self.path.exists():
            for line in jsonl.read(self.path):
                self.all.append(_candidate(line, self.path))
                self.text(self.all[-1].number)

    def text(self, number: int) -> str:
        """The text of a version."""
        return version(self.folder, number, next(c for c in self.all if c.number == number))

    def add(self, text: str, source: str, **fields: object) -> Candidate:
        """Keep a version; one that is there already is not kept again."""
        sha = _sha(text)
        for one in self.all:
            if one.sha == sha and "round" not in fields:
                return one
        made = Candidate(number=len(self.all), source=source, sha=sha)
        made = msgspec.structs.replace(made, **fields)
        path = self.folder / _name(made.number)
        try:
            path.write_text(text, "utf-8")
        except OSError as error:
            raise jsonl.unwritable(path, error) from error
        jsonl.write(self.path, [msgspec.to_builtins(one) for one in (*self.all, made)])
        self.all.append(made)
        return made

    def of_round(self, round: int) -> Candidate | None:
        """The version that a round brought, if it has been."""
        return next((one for one in self.all if one.round == round), None)

    def choices(self, number: int, half: str) -> Path:
        """Where the judge's choices with a version are kept."""
        return self.folder / "choices" / f"{number:03}.{half}.jsonl"


def _candidate(line: jsonl.Line, path: Path) -> Candidate:
    try:
        return jsonl.convert(line.value, Candidate)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=path, line=line.number) from error


def version(folder: Path, number: int, known: Candidate | None = None) -> str:
    """The text of a version of a folder.

    Raises:
        UsageError: there is no such version.
        DataError: it is not what it was.
    """
    path = folder / _name(number)
    if not path.exists():
        raise UsageError(
            f"there is no version {number}",
            file=folder,
            remedy="The versions are the files 000.txt, 001.txt ... of the folder.",
        )
    text = read_notes(path)
    if known is not None and _sha(text) != known.sha:
        raise DataError(
            "was changed after it was scored",
            file=path,
            remedy="Restore it, and give your own version with --candidates.",
        )
    return text


def read_notes(path: Path) -> str:
    """Notes from a file.

    Raises:
        DataError: it cannot be read, is empty or too long.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read ({cause(error)})", file=path, remedy="Check the file."
        ) from error
    if not text.strip() or len(text) > MOST:
        raise DataError(
            f"holds {len(text):,} characters",
            file=path,
            remedy=f"Notes have some text, and at most {MOST:,} characters.",
        )
    return text


def accept(folder: Path, number: int, domain: str, into: Path) -> Path:
    """Copy a version into a folder that `bench judge --prompts` reads; returns the copy.

    A text that it takes the place of is kept beside it under another name.

    Raises:
        UsageError: there is no such version.
        DataError: it was changed, or cannot be written.
    """
    known = Shelf(folder).all if (folder / LIST).exists() else []
    found = next((one for one in known if one.number == number), None)
    text, target = version(folder, number, found), into / f"{domain}.txt"
    try:
        into.mkdir(parents=True, exist_ok=True)
        if target.exists() and target.read_bytes() != text.encode():
            target.rename(_free(target))
        target.write_text(text, "utf-8")
    except OSError as error:
        raise jsonl.unwritable(target, error) from error
    return target


def _free(path: Path) -> Path:
    number = 1
    while (found := path.with_name(f"{path.name}.before-{number}")).exists():
        number += 1
    return found


def _name(number: int) -> str:
    return f"{number:03}.txt"


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
