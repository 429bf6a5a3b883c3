"""Who a text names: logins, hosts, addresses and names, found where they give themselves away.

Two steps, since a name that is introduced once stands bare elsewhere:

1. `meet` reads every text of a trajectory and gathers who is introduced: by a home folder, a
   prompt, an identity of git, an address.
2. A `Finder` finds them in one text: where they are introduced, and where somebody known stands
   alone (an owner in a listing, the answer to `whoami`, an identity).

Accounts that every system has, roles (`git@`, `noreply@`), addresses of test domains and our own
sandbox (`user@box`) are nobody: ``people.toml`` lists them.
"""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from worldline.redact.secrets import MARK
from worldline.redact.spans import OURS, Finding, at, searchable, settled

PARTS = ("words", "spaced", "mail", "host", "login", "edge", "colour", "L")
"""What patterns are put together from; each may hold those after it."""

_MOST = 400
"""So many names of one kind are looked for; nobody meets more people in one session."""

_KINDS = ("login", "host", "mail", "name")
_PATH = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_./~+-")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """Who was met in the texts of one trajectory.

    `names` maps a full name to the address it came with, so that both become the same person.
    `coded` holds the logins that are also words of code or prose there: those are replaced only
    where an account must stand.
    """

    logins: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    mails: frozenset[str] = frozenset()
    names: dict[str, str] = {}
    coded: frozenset[str] = frozenset()


def meet(texts: Iterable[str]) -> Known:
    """Who is introduced in any of the texts."""
    met: dict[str, set[str]] = {kind: set() for kind in _KINDS}
    names: dict[str, str] = {}
    kept = []
    for text in texts:
        seen = searchable(text)
        if not seen.isspace() and _gate().search(seen) is not None:
            _meet(seen, met, names)
        kept.append(seen)
    logins = frozenset(sorted(met["login"])[:_MOST])
    return Known(
        logins=logins,
        hosts=frozenset(sorted(met["host"])[:_MOST]),
        mails=frozenset(sorted(met["mail"])[:_MOST]),
        names=dict(sorted(names.items())[:_MOST]),
        coded=_coded(logins, kept),
    )


def _meet(text: str, met: dict[str, set[str]], names: dict[str, str]) -> None:
    for _, what, groups in _introduced(text):
        for kind, start, end in groups:
            word = text[start:end]
            if kind == "name":
                mail = next((text[a:b] for k, a, b in groups if k == "mail"), word)
                names.setdefault(word, mail)
            elif kind != "mail" or what == "identity":
                met[kind].add(word)


class Finder:
    """Finds persons and hosts in the texts of the trajectory that `known` was met in."""

    def __init__(self, known: Known) -> None:
        self._alone = alone(known)

    def __call__(self, text: str) -> list[Finding]:
        """Where they stand, in order; what is a pseudonym or a mark already is left."""
        seen = searchable(text)
        layers: list[list[Finding]] = []
        if _gate().search(seen) is not None:
            layers += _layers(seen)
        for kind, pattern in self._alone:
            layers.append([at(match, 1, kind) for match in pattern.finditer(seen)])
        if not any(layers):
            return []
        ours = [at(match, 0, OURS) for match in _ours().finditer(seen)]
        return [one for one in settled([ours, *layers]) if one.kind != OURS]


_Groups = list[tuple[str, int, int]]


def _layers(text: str) -> list[list[Finding]]:
    found: list[list[Finding]] = [[] for _ in _given().met]
    for rank, _, groups in _introduced(text):
        found[rank] += [Finding(start, end, kind) for kind, start, end in groups]
    return found


def _introduced(text: str) -> Iterator[tuple[int, str, _Groups]]:
    """What each pattern found: its rank, what it is, (kind, start, end) of the persons in it."""
    given, taken = _given(), set[int]()
    for rank, (what, pattern) in enumerate(given.met):
        index = pattern.groupindex
        for match in pattern.finditer(text):
            if what == "home" and not _is_home(text, match.start()):
                continue
            spans = ((kind, *match.span(index[kind])) for kind in _KINDS if kind in index)
            groups = [
                (kind, start, end)
                for kind, start, end in spans
                if start not in taken and given.somebody(kind, what, text, start, end)
            ]
            taken.update(start for _, start, _ in groups)
            if groups:
                yield rank, what, groups


def _is_home(text: str, at: int) -> bool:
    """Whether ``/home/...`` at `at` is a folder: not a page of a web site, not a link."""
    start = at
    while start > 0 and at - start < 300 and text[start - 1] in _PATH:
        start -= 1
    head, before = text[start:at], text[max(0, start - 6) : start]
    if before.endswith((":", "://")) and head.startswith("//") and not head.startswith("///"):
        return before.endswith("file:")
    if before.lower().endswith(('href="', 'src="', "href='", "src='", "url='", "url('")):
        return False
    return not head or head[0] in "/.~"


class _Given(msgspec.Struct, frozen=True):
    met: tuple[tuple[str, Any], ...]
    known: tuple[tuple[str, str], ...]
    names: dict[str, frozenset[str]]

    def somebody(self, kind: str, what: str, text: str, start: int, end: int) -> bool:
        """Whether a name is one at all, and no account, host or role that names nobody."""
        word = text[start:end].lower()
        if start < 0 or _is_ours().fullmatch(word) or _is_ours().fullmatch(text[start:end]):
            return False
        if kind == "login":
            page = word.endswith((".html", ".htm", ".php", ".aspx", ".jsp"))
            return word not in self.names["system"] and not word.isdecimal() and not page
        if kind == "host":
            return self._is_host(word)
        if kind == "mail":
            return self._is_mail(word, what, text, start, end)
        example = word.startswith(("your ", "test ")) or word.endswith(" by")
        return word not in self.names["system"] and not example

    def _is_host(self, word: str) -> bool:
        hexes = len(word) == 12 and all(c in "0123456789abcdef" for c in word)  # a container
        return word not in self.names["hosts"] and not hexes and not word.replace(".", "").isdigit()

    def _is_mail(self, word: str, what: str, text: str, start: int, end: int) -> bool:
        local, _, domain = word.partition("@")
        first, _, top = domain.rpartition(".")
        if text[end : end + 1] in ("(", "=", "[") or text[max(0, start - 2) : start] == "//":
            return False
        if text[max(0, start - 1) : start] == ":" and "//" in text[max(0, start - 80) : start]:
            return False
        real = top in self.names["top_level"] or (
            len(top) == 2 and top not in self.names["not_countries"]
        )
        if local in self.names["roles"] or not real:
            return what == "identity" and local not in self.names["roles"]
        return what == "identity" or first.rpartition(".")[2] not in self.names["testing"]


@cache
def _given() -> _Given:
    import re2

    given = tomllib.loads((Path(__file__).parent / "people.toml").read_text("utf-8"))
    parts = {name: given[name] for name in PARTS}

    def filled(pattern: str) -> str:
        for name, part in parts.items():
            pattern = pattern.replace(f"{{{name}}}", part)
        return pattern

    return _Given(
        tuple((one["what"], re2.compile(filled(one["re"]))) for one in given["met"]),
        tuple((one["kind"], filled(one["re"])) for one in given["known"]),
        {name: frozenset(words) for name, words in given["names"].items()},
    )


@cache
def _gate() -> Any:
    """Whatever introduces anybody holds one of these."""
    import re2

    return re2.compile(
        r"(?i)@|/home/|/users/|\\users|settings\\|__home__|__users__|-home-|-users-|uid=|user"
        r"|logname=|host(?:name)?=|(?-i:GIT_)|(?m:^[^:\s]+:[x*!]?:[0-9]{4})"
    )


@cache
def _ours() -> Any:
    import re2

    return re2.compile(f"{OURS}|{MARK}")


@cache
def _is_ours() -> Any:
    import re2

    return re2.compile(OURS)


def alone(known: Known) -> list[tuple[str, Any]]:
    """The patterns that find who is known: (kind, pattern whose group 1 it is)."""

    made: list[tuple[str, Any]] = []
    words = {"login": known.logins, "host": known.hosts}
    for kind, pattern in _given().known:
        if words[kind]:
            made.append((kind, _compiled(pattern.replace("{it}", _any_of(words[kind])))))
    plain = {
        "mail": known.mails,
        "name": {name for name in known.names if " " in name and len(name) >= 5},
        "login": {one for one in known.logins - known.coded if len(one) >= 4},
        "host": {
            one for one in known.hosts if len(one) >= 4 and any(c in "0123456789-" for c in one)
        },
    }
    edge = r"(?:\A|[^\\\p{L}\p{N}_]|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\x1b\[[0-9;?]*[A-Za-z])"
    for kind, names in plain.items():
        if names:
            it = f"{edge}({_any_of(names)})(?:[^\\p{{L}}\\p{{N}}_]|\\z)"
            made.append((kind, _compiled(it)))
    return made


def _compiled(pattern: str) -> Any:
    """A pattern that may hold hundreds of names: room for it, and no word about it on stderr."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 64 << 20
    return re2.compile(pattern, options)


def _any_of(words: Iterable[str]) -> str:
    import re2

    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(re2.escape(word) for word in longest_first)})"


def _coded(logins: frozenset[str], texts: list[str]) -> frozenset[str]:
    """The logins that are ordinary words, or stand in code or in paths that are no home."""

    plain = _given().names["ordinary"]
    coded = {one for one in logins if one.lower() in plain or len(one) < 4}
    rest = logins - coded
    if rest:
        it = _any_of(rest)
        pattern = _compiled(
            rf"(?:import|from|install|-m) (?P<a>{it})(?:\W|\z)"
            rf"|(?P<b>{it})(?:\.[a-z_]+\(|\(|==|::|\[)"
            rf"|(?:packages|lib|src|usr|opt|include|share)/(?P<c>{it})(?:\W|\z)"
        )
        for text in texts:
            for match in pattern.finditer(text):
                coded.update(word for word in match.groups() if word)
    return frozenset(coded)
