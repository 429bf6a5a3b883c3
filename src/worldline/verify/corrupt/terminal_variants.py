"""Other observations of a terminal that are just as true: another time, process, load."""

import re
from collections.abc import Callable
from random import Random

from worldline.verify.corrupt.base import Variant
from worldline.verify.corrupt.common import other_number
from worldline.verify.corrupt.terminal_text import fields, rows_of
from worldline.verify.measure import Moment

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MTIME = re.compile(
    r"(?<= )(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d (?:\d\d:\d\d| \d{4})(?= )"
)
_STAMP = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?=:\d\d)")
_DURATION = re.compile(r"\b\d{1,3}\.\d{1,6}(?=\s?(?:s|ms|seconds)\b)|(?<=\dm)\d{1,2}\.\d{3}(?=s\b)")
_PROCESS = re.compile(r"(?m)^(\S+ +)(\d{1,7})(?= +\d+\.\d +\d+\.\d )|^( *)(\d{1,7})(?= (?:pts|\?))")
_USAGE = re.compile(r"(?<= )\d{4,12}(?= +\d{1,12} +\d{1,3}% )")
_ROW = re.compile(r"(?m)^[-dlbcps][rwxsStT-]{9}[.+@]? +\d+ .*")


def _time(rng: Random) -> str:
    return f"{rng.randrange(24):02}:{rng.randrange(60):02}"


def _everywhere(
    pattern: re.Pattern[str], change: Callable[[re.Match[str], Random], str]
) -> Callable[[Moment, Random], str | None]:
    def make(moment: Moment, rng: Random) -> str | None:
        rows = rows_of(moment)
        if rows is None:
            return None
        text = "\n".join(rows.all)
        new = pattern.sub(lambda match: change(match, rng), text)
        return rows.text(new.split("\n")) if new != text else None

    return make


def _mtimes(row: re.Match[str], rng: Random) -> str:
    def other(_: re.Match[str]) -> str:
        return f"{rng.choice(_MONTHS)} {rng.randint(1, 28):2} {_time(rng)}"

    return _MTIME.sub(other, row[0], count=1)


def _stamp(match: re.Match[str], rng: Random) -> str:
    day = f"20{rng.randint(10, 40)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return f"{day}{match[0][10]}{_time(rng)}"


def _duration(match: re.Match[str], rng: Random) -> str:
    whole, _, rest = match[0].partition(".")
    return f"{other_number(whole, rng)}.{''.join(rng.choice('0123456789') for _ in rest)}"


def _process(match: re.Match[str], rng: Random) -> str:
    before, number = (match[1], match[2]) if match[2] else (match[3], match[4])
    return before + other_number(number, rng)


def _usage(match: re.Match[str], rng: Random) -> str:
    return other_number(match[0], rng)


def elapsed(moment: Moment, rng: Random) -> str | None:
    """A tool took another time."""
    found = fields(moment)
    if found is None or "duration_seconds" not in found[0]:
        return None
    return found[1]({**found[0], "duration_seconds": round(rng.uniform(0.1, 9), 2)})


def blanks(moment: Moment, rng: Random) -> str | None:
    """Blanks at the end of a line, where nobody sees them."""
    rows = rows_of(moment)
    if rows is None or not rows.printed:
        return None
    place = rng.choice(rows.printed)
    return rows.changed({place: f"{rows.all[place]} "})


def last_line(moment: Moment, rng: Random) -> str | None:
    """One line end more at the end."""
    return f"{moment.truth}\n" if moment.ledger.dialect != "json" else None


VARIANTS: tuple[Variant, ...] = (
    Variant("mtime", _everywhere(_ROW, _mtimes)),
    Variant("timestamp", _everywhere(_STAMP, _stamp)),
    Variant("duration", _everywhere(_DURATION, _duration)),
    Variant("pid", _everywhere(_PROCESS, _process)),
    Variant("disk_usage", _everywhere(_USAGE, _usage)),
    Variant("elapsed", elapsed),
    Variant("blanks", blanks),
    Variant("last_line", last_line),
)
