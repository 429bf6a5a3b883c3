"""docs/results.md: the ladder as tables, each number with its interval."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.ladder.arms import ARMS, CONTEXT, REPLY
from benchmarks.ladder.rows import DOMAINS, TURNS, USUAL_TURNS
from benchmarks.ladder.score import (
    Rows,
    Scored,
    answered,
    at_least,
    exact,
    gain,
    interval,
    similar,
)
from benchmarks.machine import machine

PAGE = Path("docs/results.md")
HEAD = Path(__file__).with_name("results.head.md")


def write(rows: Iterable[Scored]) -> None:
    """Write the page anew."""
    PAGE.write_text(page(list(rows)), encoding="utf-8")


def page(rows: list[Scored]) -> str:
    """The whole page."""
    groups: dict[tuple[str, str], list[Scored]] = defaultdict(list)
    for one in rows:
        groups[one.domain, one.arm].append(one)
    settings = (
        f"Context {CONTEXT:,} tokens, {REPLY} of them for the reply; at most {USUAL_TURNS} turns "
        f"of a session ({TURNS['android']} of Android's two)."
    )
    parts = [HEAD.read_text(encoding="utf-8").rstrip(), settings, machine()]
    parts += [ladder(groups), gains(groups), outcomes(groups)]
    return "\n\n".join(parts) + "\n"


def ladder(groups: dict[tuple[str, str], list[Scored]]) -> str:
    """A row a domain and rung."""
    lines = [
        "## The ladder",
        "",
        "| domain | rung | turns | sessions | exact | answered | similarity of the answered "
        "| at least |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for domain in DOMAINS:
        for arm in ARMS:
            rows = groups.get((domain, arm.name))
            if rows:
                some = len({one.cluster for one in rows})
                cells = [shown(rows, exact), f"{answered(rows):.0%}", shown(rows, similar)]
                lines.append(
                    f"| {domain} | {arm.name} | {len(rows)} | {some} | {' | '.join(cells)} | "
                    f"{at_least(rows):.3f} |"
                )
    return "\n".join(lines)


def gains(groups: dict[tuple[str, str], list[Scored]]) -> str:
    """The same model inside Worldline against prompted raw, on the same turns."""
    lines = [
        "## Inside Worldline against prompted raw",
        "",
        "Paired by turn. *At least* counts a turn without an answer as 0.",
        "",
        "| domain | more exact | more similar, at least |",
        "| --- | ---: | ---: |",
    ]
    for domain in DOMAINS:
        better, worse = groups.get((domain, ARMS[3].name)), groups.get((domain, ARMS[2].name))
        if better and worse:
            cells = [
                f"{value:+.3f}"
                + (f" [{low:+.3f}, {high:+.3f}]" if len({r.cluster for r in better}) > 1 else "")
                for value, low, high in (gain(better, worse, m) for m in (exact, at_least))
            ]
            lines.append(f"| {domain} | {' | '.join(cells)} |")
    return "\n".join(lines)


def outcomes(groups: dict[tuple[str, str], list[Scored]]) -> str:
    """Where answers came from, and why there were none."""
    lines = [
        "## Where answers came from",
        "",
        "| domain | rung | known or protocol | model | truncated | no room | unreadable "
        "| tokens in | tokens out | seconds a turn |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for domain in DOMAINS:
        for arm in ARMS[2:]:
            rows = groups.get((domain, arm.name))
            if rows:
                asked = [one for one in rows if one.prompt is not None]
                cells = [
                    sum(one.origin != "model" for one in rows),
                    sum(one.origin == "model" and one.outcome == "ok" for one in rows),
                    *(
                        sum(one.outcome == outcome for one in rows)
                        for outcome in ("truncated", "context_too_long", "no_prediction")
                    ),
                    round(sum(one.prompt or 0 for one in asked) / max(len(asked), 1)),
                    round(sum(one.completion or 0 for one in asked) / max(len(asked), 1)),
                    f"{sum(one.latency_s for one in rows) / len(rows):.1f}",
                ]
                lines.append(f"| {domain} | {arm.name} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def shown(rows: list[Scored], measure: Callable[[Rows], float]) -> str:
    """A measure with its interval."""
    return told(len({one.cluster for one in rows}), *interval(rows, measure))


def told(sessions: int, value: float, low: float, high: float) -> str:
    """A number with its interval; one session says nothing of others."""
    return f"{value:.3f}" if sessions < 2 else f"{value:.3f} [{low:.3f}, {high:.3f}]"
