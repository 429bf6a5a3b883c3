"""The trust report as one page."""

from worldline.bench.assess import ARMS, Arm, Assessed, Rate
from worldline.bench.sides import sides
from worldline.bench.verify_page import LEGEND, overview
from worldline.pages import bars, frame, plain, table

SHORTEST = 3
"""Characters of a word of the chart, at least; a number must have more."""


def page(found: Assessed, title: str, model: str) -> str:
    """The page."""
    body = f"<p>{plain(model)} against {found.turns:,} recorded turns. {_WHAT}</p>"
    body += table(
        (
            "",
            "turns answered",
            "lie rate",
            "95 % interval",
            "lies of claims",
            "lie rate, turns both answered",
            "95 % interval",
            "answered without the model, right",
        ),
        [
            (
                arm.name,
                f"{arm.answered:,} of {found.turns:,}",
                *_rates(arm),
                f"{arm.known_right:,} of {arm.known:,}" if arm.known else "–",
            )
            for arm in found.arms
        ],
    )
    body += "".join(_left(arm, found.turns) for arm in found.arms)
    body += LEGEND
    for arm in found.arms:
        body += f"<h2>Fidelity, {arm.name}</h2>{overview(arm.groups)}"
    body += f"<h2>Where it lies</h2><div class=charts>{_kinds(found)}</div>"
    if unknown := {word: rows for word, rows in found.unknown.items() if telling(word)}:
        body += f"<h2>What nobody could have known</h2><p>{_UNKNOWN}</p>{bars(unknown)}"
    shown = "".join(sides(one) for name in _domains(found) for one in found.worst.of(name))
    body += f"<h2>Farthest from the truth, grounded</h2>{shown}" if shown else ""
    return frame(title, body)


_WHAT = (
    "A <b>lie</b> is a part of a prediction that the recorded truth contradicts: another value, "
    "one that is no longer true, something that is not there. Times, process numbers and the "
    "dialect's own frame are no claims."
)
_UNKNOWN = (
    "Words of the truth that nothing before their turn determines, and the rows they stand in: a "
    "snapshot of the environment, or more of its recordings, would tell them."
)


def telling(word: str) -> bool:
    """Whether a word says something alone: pieces of names and small numbers do not."""
    return len(word) >= SHORTEST and not (word.isdigit() and len(word) <= SHORTEST)


def share(rate: Rate) -> str:
    """A rate in percent; – when nothing was claimed."""
    return "–" if rate.value is None else f"{rate.value:.1%}"


def ends(rate: Rate) -> str:
    """The interval of a rate; – where sessions are too few for one."""
    if rate.low is None or rate.high is None:
        return "–"
    return f"{rate.low:.1%} to {rate.high:.1%}"


def _rates(arm: Arm) -> tuple[str, ...]:
    """Its cells; – where the model answered nothing, since the rest says nothing of it."""
    if not arm.by_model:
        return ("–",) * 5
    said = f"{arm.rate.lies:,} of {arm.rate.claims:,}"
    return share(arm.rate), ends(arm.rate), said, share(arm.both), ends(arm.both)


def _left(arm: Arm, turns: int) -> str:
    """What a way of asking lacks; empty where every turn has an answer."""
    lacks = "" if arm.by_model else f"none of the {turns:,} turns was answered by the model. "
    if arm.failed:
        lacks += f"{arm.failed:,} turns got no answer through no fault of the model."
    return f"<p class=note>{arm.name}: {lacks}</p>" if lacks else ""


def _kinds(found: Assessed) -> str:
    return "".join(
        f"<figure><figcaption>lie rate by kind of action, {arm}</figcaption>"
        + bars(
            {kind: rates[arm] for kind, rates in found.kinds.items() if arm in rates}, ".0%", of=1
        )
        + "</figure>"
        for arm in ARMS
    )


def _domains(found: Assessed) -> list[str]:
    return list(dict.fromkeys(group.domain for arm in found.arms for group in arm.groups))
