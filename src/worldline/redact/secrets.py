"""Keys, tokens and passwords: what a text holds of them, and the text without.

Shapes are in ``secrets.toml``: our own, and those of detect-secrets' detectors, run by RE2. Its
entropy detectors are left out: they take hashes, identifiers and pieces of pictures for keys.
"""

import importlib
import inspect
import pkgutil
import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from worldline.redact.judges import JUDGES, name_like
from worldline.redact.spans import OURS, Finding, at, merged, replaced, searchable

ROUNDS = 4
"""What replacing uncovers is looked at again, at most so often."""

LEAST, MOST = 8, 400
"""Only secrets of so many characters are looked for everywhere."""
MANY, FEW = 2_000, 50
"""So many secrets are looked for everywhere, and so many of them also where a line wrapped."""

_BY_NAME = ("password", "secret", "authorization", "bearer", "header_key")
"""Kinds that only what stands around them gives away; what could be a word stays a word."""

_TOKEN = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-")
_EDGE = re.compile(r"(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|\x1b\[[0-9;?]*[A-Za-z])\Z")
MARK = r"\[REDACTED:[0-9a-z_]{1,40}\]"
"""What `mark` writes, as RE2."""


class Shape(NamedTuple):
    """One pattern; group 1 (0 if there is none) is the secret, if `judge(secret, match)` agrees."""

    kind: str
    pattern: Any
    judge: Callable[[str, str], bool] | None = None
    whole: bool = False


def mark(kind: str) -> str:
    """What stands where a secret of that kind stood."""
    return f"[REDACTED:{kind}]"


def redact(text: str) -> tuple[str, Counter[str]]:
    """The text with each secret replaced by ``[REDACTED:kind]``, and how many of each kind.

    What is redacted already stays as it is: doing it twice is doing it once.
    """
    found: Counter[str] = Counter()
    for _ in range(ROUNDS):
        hits = secrets(text)
        if not hits:
            break
        found.update(hit.kind for hit in hits)
        text = replaced(text, hits, lambda hit: mark(hit.kind))
    return text, found


def secrets(text: str) -> list[Finding]:
    """Where the secrets of a text are, in order, none overlapping another or a mark."""
    seen = searchable(text)
    if _gate().search(seen) is None:
        return []
    found = [hit for shape in _shapes() for hit in _hits(shape, seen)]
    if not found:
        return []
    marks = [at(match, 0, "mark") for match in _marks().finditer(seen)]
    return merged(_foreign(found, seen), marks)


def _foreign(found: list[Finding], text: str) -> list[Finding]:
    """Without what stands inside a pseudonym: that was somebody's name, and no secret then."""
    ours = [at(match, 0, "ours") for match in _ours().finditer(text)]
    starts = [one.start for one in ours]

    def inside(hit: Finding) -> bool:
        place = bisect_right(starts, hit.start) - 1
        return place >= 0 and hit.end <= ours[place].end

    return [hit for hit in found if not inside(hit)] if ours else found


class Told:
    """The secrets that some texts give away by what stands around them, found wherever they stand.

    ``password=hunter2hunter2`` tells that the same word is a secret where it stands alone.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        told: dict[str, str] = {}
        for text in texts:
            for hit in secrets(text):
                secret = text[hit.start : hit.end]
                plain = hit.kind in _BY_NAME and name_like(secret)
                if LEAST <= len(secret) <= MOST and not plain:
                    told.setdefault(searchable(secret), hit.kind)
        self._kinds = told
        self._pattern = _any_of(told) if told else None

    def find(self, text: str) -> list[Finding]:
        """Where they are, in order."""
        if self._pattern is None:
            return []
        seen = searchable(text)
        found = (
            at(match, 0, self._kind(match[0]))
            for match in self._pattern.finditer(seen)
            if _whole(seen, *match.span())
        )
        marks = [at(match, 0, "mark") for match in _marks().finditer(seen)]
        return merged(found, marks)

    def _kind(self, found: str) -> str:
        whole = found.replace("\r", "").replace("\n", "").replace("\\n", "")
        return self._kinds.get(found) or self._kinds[whole]

    def redact(self, text: str) -> tuple[str, Counter[str]]:
        """The text without them, and how many of each kind there were."""
        hits = self.find(text)
        return replaced(text, hits, lambda hit: mark(hit.kind)), Counter(h.kind for h in hits)


def _any_of(words: Iterable[str]) -> Any:
    """The words, the longest first; a screen may have wrapped them anywhere."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 256 << 20
    longest_first = sorted(words, key=lambda word: (-len(word), word))[:MANY]
    wrapped = (
        r"(?:\r?\n|\\n)?".join(re2.escape(one) for one in word) if len(word) >= 16 else None
        for word in longest_first[:FEW]
    )
    each = [re2.escape(word) for word in longest_first]
    return re2.compile("|".join([*each, *(one for one in wrapped if one)]), options)


def _hits(shape: Shape, text: str) -> Iterator[Finding]:
    group = min(shape.pattern.groups, 1)
    for match in shape.pattern.finditer(text):
        start, end = match.span(group)
        if start < 0 or _escaped(text, start) or (shape.whole and not _whole(text, start, end)):
            continue
        if shape.judge is None or shape.judge(text[start:end], match[0]):
            yield Finding(start, end, shape.kind)


def _whole(text: str, start: int, end: int) -> bool:
    """Whether nothing touches what stands there; an escape or a colour before it is nothing."""
    before = text[max(0, start - 16) : start]
    free = before[-1:] not in _TOKEN or bool(_EDGE.search(before))
    return free and text[end : end + 1] not in _TOKEN


def _escaped(text: str, start: int) -> bool:
    """Whether the first character belongs to the backslash before it."""
    before = text[max(0, start - 40) : start]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


@cache
def _shapes() -> tuple[Shape, ...]:
    import re2

    given = tomllib.loads((Path(__file__).parent / "secrets.toml").read_text("utf-8"))
    own = [
        Shape(
            one["kind"],
            re2.compile(_filled(one["re"], given)),
            JUDGES[one["judge"]] if "judge" in one else None,
        )
        for one in given["shape"]
    ]
    return (*own, *_detectors(given["detectors"]))


def _filled(pattern: str, given: dict[str, str]) -> str:
    for name in ("edge", "value", "is"):
        pattern = pattern.replace(f"{{{name}}}", given[name])
    return pattern


def _detectors(wanted: dict[str, dict[str, Any]]) -> Iterator[Shape]:
    """The patterns of detect-secrets' detectors, in the order wanted."""
    import re2

    classes = _classes()
    for name, options in wanted.items():
        for pattern in classes[name].denylist:
            flags = "(?i)" if pattern.flags & 2 else ""
            whole = options.get("whole", False)
            compiled = re2.compile(flags + pattern.pattern)
            yield Shape(options["kind"], compiled, JUDGES["example"], whole)


def _classes() -> dict[str, Any]:
    from detect_secrets import plugins

    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(plugins.__path__):
        loaded = importlib.import_module(f"{plugins.__name__}.{module.name}")
        found.update(inspect.getmembers(loaded, inspect.isclass))
    return found


@cache
def _gate() -> Any:
    """One pattern that matches wherever any shape does: most texts hold nothing at all."""
    import re2

    options = re2.Options()
    options.never_capture = True
    options.log_errors = False
    options.max_mem = 64 << 20
    return re2.compile("|".join(f"(?:{s.pattern.pattern})" for s in _shapes()), options)


@cache
def _ours() -> Any:
    import re2

    return re2.compile(OURS)


@cache
def _marks() -> Any:
    import re2

    return re2.compile(MARK)
