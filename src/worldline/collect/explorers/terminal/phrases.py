"""Phrases: command lines with slots, filled by what the explorer saw or by drawn words."""

import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from worldline.collect.explorers.terminal.desk import Desk

_SLOT = re.compile(r"@@|@([A-Za-z]+)(\d*)@")
_SAFE = re.compile(r"[\w./-]{1,120}", re.ASCII)


class Phrase(NamedTuple):
    """A command line and what it is for."""

    line: str
    why: str


class Missing(Exception):
    """Nothing was seen yet that could fill a slot."""


class Group(NamedTuple):
    """The phrases of a family of episodes, and the goals it may have."""

    goals: tuple[str, ...]
    phrases: tuple[Phrase, ...]


@cache
def group(name: str) -> Group:
    """Phrases by the name of their file."""
    data = _read(name)
    return Group(
        goals=tuple(data["goals"].strip().splitlines()),
        phrases=tuple(_phrase(row) for row in data["phrases"].strip().splitlines()),
    )


def _phrase(row: str) -> Phrase:
    line, _, why = row.partition(" ## ")
    return Phrase(line.replace("⏎", "\n"), why)


@cache
def _lists() -> dict[str, list[str]]:
    return {name: words.split() for name, words in _read("lists").items()}


@cache
def _read(name: str) -> dict[str, str]:
    place = files(__name__.rpartition(".")[0]).joinpath("phrases", f"{name}.toml")
    return tomllib.loads(place.read_text(encoding="utf-8"))


def goal(desk: Desk, name: str) -> str:
    """What an episode is to achieve, in words."""
    return Slots(desk).fill(desk.rng.choice(group(name).goals))


def phrase(desk: Desk, name: str) -> Phrase:
    """A phrase of a group that was not used yet (while there are such), filled."""
    rng, all = desk.rng, group(name).phrases
    for _ in range(60):
        chosen = rng.choice(all)
        key = f"{name}/{chosen.line}"
        if key in desk.memo and rng.random() < 0.9:
            continue
        slots = Slots(desk)
        try:
            line = slots.fill(chosen.line)
            why = slots.fill(chosen.why)
        except Missing:
            continue
        desk.memo[key] = "used"
        return Phrase(line, why)
    return Phrase(Slots(desk).fill("ls -la | head -n @num1@"), "see what is here")


def rows(desk: Desk, name: str, low: int, high: int, **given: str) -> list[str]:
    """A few different rows of ``rows.toml``, filled together; those that cannot be are left out."""
    found = _read("rows")[name].strip().splitlines()
    slots, chosen = Slots(desk, **given), []
    for row in desk.rng.sample(found, min(len(found), desk.rng.randint(low, high))):
        with suppress(Missing):
            chosen.append(slots.fill(row.replace("⏎", "\n")))
    return chosen


class Slots:
    """Fills slots; the same slot holds the same everywhere."""

    def __init__(self, desk: Desk, **given: str) -> None:
        self.desk, self.given = desk, given

    def fill(self, text: str) -> str:
        """The text with its slots filled.

        Raises:
            Missing: nothing was seen yet that could fill one.
        """
        return _SLOT.sub(self._one, text)

    def _one(self, match: re.Match[str]) -> str:
        if match[0] == "@@":
            return "@"
        key = match[1] + match[2]
        if key not in self.given:
            self.given[key] = self._drawn(match[1])
        return self.given[key]

    def _drawn(self, kind: str) -> str:
        desk = self.desk
        if kind in _lists():
            return desk.rng.choice(_lists()[kind])
        if kind in _NUMBERS:
            return str(desk.rng.randint(*_NUMBERS[kind]))
        if kind in _FILES:
            return self._file(kind)
        if kind in _DRAWN:
            return _DRAWN[kind](desk)
        word = desk.words.one(_WORDS[kind.lower()])
        return word.upper() if kind.isupper() else word.title() if kind[0].isupper() else word

    def _file(self, kind: str) -> str:
        desk = self.desk
        taken = set(self.given.values())
        for _ in range(8):
            path = desk.pick(*_FILES[kind])
            if path is None:
                raise Missing(kind)
            shown = desk.plain(path) if kind.startswith("base") else desk.at(path)
            if shown in taken or (kind.startswith("base") and not _SAFE.fullmatch(shown)):
                continue
            return shown
        raise Missing(kind)


_WORDS = {
    "noun": "nouns",
    "adj": "adjectives",
    "verb": "verbs",
    "field": "fields",
    "service": "services",
    "given": "given",
    "family": "family",
    "place": "places",
    "ingredient": "ingredients",
}

_NUMBERS = {
    "tiny": (1, 4),
    "small": (2, 12),
    "num": (10, 99),
    "wide": (30, 78),
    "big": (1000, 60000),
    "year": (2008, 2019),
    "port": (1025, 9999),
}

_FILES: dict[str, tuple[str, ...]] = {
    "path": (),
    "base": (),
    "csv": (".csv",),
    "basecsv": (".csv",),
    "json": (".json",),
    "basejson": (".json",),
    "jsonl": (".jsonl",),
    "log": (".log", ".log.1"),
    "py": (".py",),
    "sh": (".sh",),
    "db": (".db",),
    "sql": (".sql",),
    "tar": (".tar", ".tar.gz", ".tar.xz"),
    "basetar": (".tar", ".tar.gz", ".tar.xz"),
    "targz": (".tar.gz",),
    "gz": (".txt.gz",),
    "zip": (".zip",),
}


def _need(value: str | None) -> str:
    if value is None:
        raise Missing("nothing seen")
    return value


def _folder(desk: Desk) -> str:
    return desk.at(_need(desk.folder()))


def _own(desk: Desk) -> str:
    return desk.at(_need(desk.own()))


def _letter(desk: Desk) -> str:
    return desk.rng.choice("abcdefghijklmnopqrstuvwxyz")


_DRAWN: dict[str, Callable[[Desk], str]] = {
    "address": lambda desk: desk.words.address(),
    "bare": lambda desk: desk.fresh(""),
    "date": lambda desk: desk.words.date(),
    "dir": _folder,
    "hash": lambda desk: _need(desk.memo.get("hash")),
    "hex": lambda desk: f"{desk.rng.randrange(16, 65536):x}",
    "ident": lambda desk: desk.words.ident(),
    "letter": _letter,
    "new": lambda desk: desk.fresh(),
    "own": _own,
    "seen": lambda desk: _need(desk.seen_word()),
    "sentence": lambda desk: desk.words.sentence().replace("'", ""),
    "slug": lambda desk: desk.words.slug(),
    "var": lambda desk: desk.words.noun(),
    "VAR": lambda desk: f"{desk.words.noun()}_{desk.words.one('fields')}".upper(),
}
