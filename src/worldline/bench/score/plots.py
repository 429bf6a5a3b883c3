"""Drawings: figures as bars with the whiskers of their intervals, two measures as a scatter.

Inline SVG without scripts or styles from outside; all words pass `worldline.pages.plain`.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from worldline.bench.score.report import Figure
from worldline.pages import plain

NAMES, WIDTH, SAID = 132, 240, 108
"""Columns of a bar chart: names, the scale of 0 to 100, what is said."""
HIGH = 24
CHARACTERS = 20
"""Of a name that are shown; the whole shows on hovering."""
SIDE = 300
POINTS = 3_000
"""Points of a scatter that are drawn, evenly chosen among all."""
_AXIS = "stroke='currentColor' stroke-opacity=.35"


class Bar(NamedTuple):
    """One line of a chart."""

    name: str
    figure: Figure
    note: str = ""
    """Shown on hovering, as ``286 of 286 rows``."""


def whiskers(bars: Sequence[Bar]) -> str:
    """A bar for each figure, its interval as a whisker, its bounds as a thin line below."""
    height = HIGH * len(bars) + 22
    width = NAMES + WIDTH + SAID
    drawn = "".join(_bar(bar, HIGH * number) for number, bar in enumerate(bars))
    return (
        f"<svg role=img width={width} viewBox='0 0 {width} {height}' "
        "style='max-width:100%;height:auto' font-size=12 fill=currentColor>"
        f"{_grid(height)}{drawn}</svg>"
    )


def _grid(height: int) -> str:
    lines = ""
    for value in (0, 25, 50, 75, 100):
        x = _x(value)
        lines += (
            f"<line x1={x} x2={x} y1=0 y2={height - 18} {_AXIS} stroke-width=.6 />"
            f"<text x={x} y={height - 4} text-anchor=middle fill-opacity=.65>{value}</text>"
        )
    return lines


def _bar(bar: Bar, y: int) -> str:
    name = bar.name if len(bar.name) <= CHARACTERS else bar.name[: CHARACTERS - 1] + "…"
    label = f"<text x=0 y={y + 15}>{plain(name)}<title>{plain(bar.name)}</title></text>"
    value, interval, bounds = bar.figure.value, bar.figure.interval, bar.figure.bounds
    drawn = ""
    if value is not None:
        drawn += f"<rect x={NAMES} y={y + 4} width={_x(value) - NAMES:.1f} height=13 opacity=.55 />"
    if interval is not None:
        low, high = _x(interval[0]), _x(interval[1])
        drawn += (
            f"<path d='M{low} {y + 10.5}H{high}M{low} {y + 6}v9M{high} {y + 6}v9' "
            "stroke='currentColor' stroke-width=1.6 fill=none />"
        )
    if bounds is not None and bounds[1] > bounds[0]:
        low, high = _x(bounds[0]), _x(bounds[1])
        drawn += f"<path d='M{low} {y + 20}H{high}' {_AXIS} stroke-width=2 fill=none />"
    said = f"<text x={NAMES + WIDTH + 8} y={y + 15}>{plain(spoken(bar.figure))}</text>"
    return f"<g><title>{plain(f'{bar.name}: {bar.note}')}</title>{label}{drawn}{said}</g>"


def _x(value: float) -> float:
    return round(NAMES + WIDTH * min(max(value, 0), 100) / 100, 1)


def spoken(figure: Figure) -> str:
    """A figure with its interval, as ``56.4 (54–58)``."""
    if figure.value is None:
        return "–"
    ends = f" ({figure.interval[0]:.1f}–{figure.interval[1]:.1f})" if figure.interval else ""
    return f"{figure.value:.1f}{ends}"


def scatter(points: Iterable[tuple[float, float]], across: str, up: str) -> str:
    """A point a row; both measures are 0 to 100."""
    found = list(points)
    step = max(1, -(-len(found) // POINTS))
    left, top = 40, 8
    drawn = "".join(
        f"<circle cx={left + SIDE * x / 100:.1f} cy={top + SIDE * (1 - y / 100):.1f} r=2.2 />"
        for x, y in found[::step]
    )
    ticks = "".join(
        f"<text x={left + SIDE * v / 100} y={top + SIDE + 15} text-anchor=middle>{v}</text>"
        f"<text x={left - 6} y={top + SIDE * (1 - v / 100) + 4} text-anchor=end>{v}</text>"
        for v in (0, 50, 100)
    )
    width, height = left + SIDE + 20, top + SIDE + 36
    return (
        f"<svg role=img width={width} viewBox='0 0 {width} {height}' "
        "style='max-width:100%;height:auto' font-size=12 fill=currentColor>"
        f"<path d='M{left} {top}V{top + SIDE}H{left + SIDE}' {_AXIS} fill=none />"
        f"<g fill-opacity=.75>{ticks}</g>"
        f"<text x={left + SIDE / 2} y={height - 4} text-anchor=middle>{plain(across)}</text>"
        f"<text transform='translate(11 {top + SIDE / 2}) rotate(-90)' text-anchor=middle>"
        f"{plain(up)}</text><g style='fill:var(--bar)' fill-opacity=.35>{drawn}</g></svg>"
    )
