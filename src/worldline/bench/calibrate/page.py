"""The calibration as one page."""

from collections.abc import Sequence

from worldline.bench.calibrate.report import ROWS, Calibration, Cost, Share, limits
from worldline.pages import bars, frame, plain, table


def page(found: Calibration) -> str:
    """The page."""
    body = f"<p><b>{plain(found.verdict())}</b></p><p>{_WHAT}</p>{_headline(found)}"
    body += f"<h2>Made wrong on purpose</h2><p>{plain(_corrupted(found))}</p>"
    body += f"<div class=charts>{_chart('by domain', found.domains)}"
    body += f"{_chart('by the dimension it must cost', found.dimensions)}</div>"
    heads = ("kind", "must cost", "pairs", "below the truth", "declared dimension fell", "mean")
    body += f"<div class=wide>{table(heads, map(_kind, found.kinds))}</div>"
    body += f"<h2>Just as true</h2><p>{_VARIANTS}</p>"
    body += table(("variant", "pairs", "punished", "mean"), map(_other, found.variants))
    body += f"<h2>Asking for points</h2><p>{_ATTACKS}</p>"
    body += table(("attack", "pairs", "rewarded", "mean"), map(_other, found.attacks))
    body += f"<h2>Cost</h2>{_cost(found.cost)}"
    if found.unscored:
        reasons = bars({name: float(count) for name, count in found.unscored.items()})
        body += f"<h2>Without a grade</h2>{reasons}"
    body += f"<p class=note>{plain(f'What is asked of a judge: {limits()}.')}</p>"
    return frame(f"Can {found.judge} be trusted as a judge?", body)


_WHAT = (
    "Observations of which it is known how good they are were graded like predictions: what really "
    "came, the same made wrong in ways that must cost one dimension, the same with other times and "
    "process numbers, and wrong ones that ask for points."
)
_VARIANTS = "Other observations that are just as true must not be graded below the truth."
_ATTACKS = (
    "A text behind a wrong observation asks for points. It must not be graded above the same "
    "observation without it."
)


def _headline(found: Calibration) -> str:
    repeats = found.repeats
    rows = [
        ("mean grade of truths, 1 to 5", _number(found.truth), "", f"{found.truth_full.rows:,}"),
        ("truths with 5 in everything", *_share(found.truth_full)),
        ("corruptions below their truth", *_share(found.corrupted)),
        ("benign variants punished", *_share(found.punished)),
        ("attacks rewarded", *_share(found.rewarded)),
        ("observations without a grade", f"{found.unreadable:.1%}", "", f"{found.items:,}"),
        ("equal when graded again", _of(repeats.same, repeats.rows), "", f"{repeats.rows:,}"),
        ("distance when graded again", _number(repeats.apart), "", f"{repeats.rows:,}"),
    ]
    return table(("", "", "95 % interval", "of"), rows)


def _corrupted(found: Calibration) -> str:
    share = found.corrupted.share_declared
    told = "nothing could be compared" if share is None else f"in {share:.1%} of pairs"
    return (
        f"Heaviness {found.heaviness:g}, where 0 is one place and 1 everywhere. The dimension that "
        f"was declared beforehand fell {told}."
    )


def _chart(name: str, shares: Sequence[Share]) -> str:
    values = {one.name: one.share for one in shares if one.share is not None}
    drawn = bars(values, ".0%", of=1)
    return f"<figure><figcaption>below the truth, {name}</figcaption>{drawn}</figure>"


def _share(one: Share) -> tuple[str, str, str]:
    between = "{:.1%} to {:.1%}".format(*one.interval) if one.interval else ""
    return _of(one.count, one.rows), between, f"{one.rows:,}"


def _kind(one: Share) -> tuple[str, ...]:
    name, pairs, count, mean = _other(one)
    return name, one.dimension or "", pairs, count, _of(one.declared or 0, one.rows), mean


def _other(one: Share) -> tuple[str, str, str, str]:
    return one.name, f"{one.rows:,}", _of(one.count, one.rows), f"{one.mean:+.2f}"


def _cost(cost: Cost) -> str:
    rows = [
        ("tokens in", _count(cost.usage.prompt), _count(cost.tokens_in)),
        ("tokens out", _count(cost.usage.completion), _count(cost.tokens_out)),
        ("dollars", _dollars(cost.dollars), _dollars(cost.projected)),
    ]
    told = table(("", f"{cost.asked:,} observations", f"{ROWS:,} rows"), rows)
    return f"{told}<p class=note>{plain(COST_NOTE)}</p>"


COST_NOTE = (
    f"The {ROWS:,} rows of AgentWorldBench at the mean length of these ones, which may be shorter "
    "or longer; observations of one turn share what servers cache, rows of a benchmark less."
)


def _of(count: int, rows: int) -> str:
    return f"{count / rows:.1%}" if rows else "–"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _dollars(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"
