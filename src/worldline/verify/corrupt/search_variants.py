"""Other search observations that are just as true."""

import re
from random import Random

from worldline.verify.corrupt.base import Variant
from worldline.verify.measure import Moment


def other_scores(moment: Moment, rng: Random) -> str | None:
    """An engine weighs anew; the order stays."""
    share = rng.uniform(0.4, 0.9)
    score = re.compile(r'(score\\?": )(\d{1,9}\.\d{1,12})')
    return score.sub(lambda match: f"{match[1]}{float(match[2]) * share:.4f}", moment.truth)


def other_ids(moment: Moment, rng: Random) -> str | None:
    """Hits have new ids of the engine's own."""
    name = re.compile(r'(\\"id\\": \\")[0-9a-f]{6}(-\d\d)')
    return name.sub(lambda match: f"{match[1]}{rng.randrange(16**6):06x}{match[2]}", moment.truth)


def wider_gaps(moment: Moment, rng: Random) -> str | None:
    """One more empty line between paragraphs or results."""
    return None if moment.ledger.dialect == "react" else moment.truth.replace("\n\n", "\n\n\n")


def trailing_blanks(moment: Moment, rng: Random) -> str | None:
    """Blanks at its end."""
    return f"{moment.truth}\n" if not moment.truth.startswith("(") else f"{moment.truth} "


def other_times(moment: Moment, rng: Random) -> str | None:
    """It was written at another time of day."""
    clock = re.compile(r"\b(\d{4}-\d\d-\d\d[T ])\d\d:\d\d")
    return clock.sub(lambda m: f"{m[1]}{rng.randrange(24):02}:{rng.randrange(60):02}", moment.truth)


def other_durations(moment: Moment, rng: Random) -> str | None:
    """It took another while."""
    while_ = re.compile(r"\b\d{1,6}(?= ?(?:ms|seconds|secs|sec)\b)")
    return while_.sub(lambda _: str(rng.randrange(2, 900)), moment.truth)


def line_ends(moment: Moment, rng: Random) -> str | None:
    """Lines end as on Windows."""
    lines = moment.truth.rstrip().split("\n")
    return None if moment.ledger.dialect == "json" else "\r\n".join(lines)


def blanks_at_line_ends(moment: Moment, rng: Random) -> str | None:
    """Lines end in blanks, as Markdown may."""
    lines = moment.truth.rstrip().split("\n")
    if moment.ledger.dialect == "json" or len(lines) < 2:
        return None
    return "\n".join(line + "  " * rng.randrange(2) for line in lines)


def escaped(moment: Moment, rng: Random) -> str | None:
    """The same JSON, all in ASCII or not."""
    if moment.truth[:1] != "{" or moment.truth.isascii():
        return None
    shown = (f"\\u{ord(c):04x}" if "\x7f" < c <= "\uffff" else c for c in moment.truth)
    return "".join(shown)


def counted_on(moment: Moment, rng: Random) -> str | None:
    """The numbers of a batch count on through all its lists."""
    numbers = iter(range(1, 10_000))
    return re.sub(r"(?m)^\[\d{1,6}\](?= https?://)", lambda _: f"[{next(numbers)}]", moment.truth)


VARIANTS: tuple[Variant, ...] = (
    Variant("other_scores", other_scores),
    Variant("other_ids", other_ids),
    Variant("wider_gaps", wider_gaps),
    Variant("trailing_blanks", trailing_blanks),
    Variant("other_times", other_times),
    Variant("other_durations", other_durations),
    Variant("line_ends", line_ends),
    Variant("blanks_at_line_ends", blanks_at_line_ends),
    Variant("escaped", escaped),
    Variant("counted_on", counted_on),
)
