"""Pages and screens as edits: how long an edit takes to make and to carry out, how short it is.

A page of 300 nodes and a screen of 60, from one state to the next: texts change, a block comes in,
nodes go; the screen scrolls by a row. The limit is reading the two states (making an edit) or one
and writing one (carrying it out); the alternative is `difflib`'s unified diff of the text, which is
what one would take without trees. Lengths are in characters.
"""

import difflib
import random
from collections.abc import Callable
from functools import partial

from benchmarks.measure import Row, compare, medians, seconds
from worldline.domains import domain
from worldline.trees import TreeForm, apply, diff
from worldline.trees.node import parsed

RUNS, TIMES = 5, 5
HEAD = """Open tabs:
- Tab 0 (active)
  - Title: Bakery
  - URL: http://bakery.example/

Accessibility tree:
RootWebArea 'Bakery', focused, url='http://bakery.example/'
"""


def measure() -> list[Row]:
    rows: list[Row] = []
    for name, form, before, after in (
        ("page of 300 nodes", _form("web", "browsergym"), page(0), page(1)),
        ("screen of 60 nodes", _form("android", "ui-elements"), screen(0), screen(1)),
    ):
        script = diff(form, before, after)
        assert apply(form, script, before) == after
        plain = "\n".join(unified(before, after))
        ours, limit, other = speeds(
            partial(fresh, lambda f=form, a=before, b=after: diff(f, a, b)),
            lambda f=form, a=before, b=after: (f.parse(a), f.parse(b)),
            lambda a=before, b=after: unified(a, b),
        )
        what, unit = f"edit made, {name}", "edits/s"
        rows.append(compare("trees", what, ours, unit, "limit, reading both", limit))
        rows.append(compare("trees", what, ours, unit, "difflib.unified_diff", other))
        tree = parsed(form, after)
        assert tree is not None
        carried, limit = speeds(
            partial(fresh, lambda f=form, s=script, a=before: apply(f, s, a)),
            lambda f=form, a=before, t=tree: (f.parse(a), f.render(t)),
        )
        rows.append(
            compare(
                "trees", f"carried out, {name}", carried, unit, "limit, reading, writing", limit
            )
        )
        lengths = len(script), len(plain)
        rows.append(
            compare(
                "trees",
                f"length, {name}",
                lengths[0],
                "characters",
                "unified diff",
                lengths[1],
                better="lower",
            )
        )
    return rows


def fresh(job: Callable[[], object]) -> None:
    """The job on states that have not been read before."""
    parsed.cache_clear()
    job()


def speeds(*jobs: Callable[[], object]) -> list[float]:
    """Times a second, the jobs taking turns."""

    def often(job: Callable[[], object]) -> None:
        for _ in range(TIMES):
            job()

    return [
        TIMES / taken
        for taken in medians(RUNS, *(partial(seconds, partial(often, job)) for job in jobs))
    ]


def unified(before: str, after: str) -> list[str]:
    """A unified diff without context."""
    return list(difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0))


def _form(name: str, dialect: str) -> TreeForm:
    form = domain(name).dialect(dialect).tree
    assert form is not None
    return form


def page(version: int) -> str:
    """A page of links and texts; the second version has other prices and a new block."""
    draw, lines = random.Random(7), []
    for number in range(100):
        if version and number in (40, 41):
            continue
        price = f"{draw.randrange(100, 999)} cents" + (
            " today" if version and not number % 20 else ""
        )
        lines += [
            f"\t[{10 * number + 1}] listitem ''",
            f"\t\t[{10 * number + 2}] link 'Loaf {number}', url='http://bakery.example/{number}'",
            f"\t\tStaticText '{price}'",
        ]
        if version and number == 60:
            lines += [f"\t[{5000 + n}] button 'New {n}'" for n in range(5)]
    return HEAD + "\n".join(lines)


def screen(version: int) -> str:
    """A list on a phone, scrolled by a row in the second version."""
    rows = []
    for number in range(60):
        top = 100 + 120 * number
        rows.append(
            f'UI element {number}: {{"text": "Entry {number + version}", "class_name": '
            f'"android.widget.TextView", "bbox_pixels": {{"x_min": 0, "x_max": 900, '
            f'"y_min": {top}, "y_max": {top + 100}}}, "is_clickable": true, "is_enabled": true, '
            '"is_visible": true, "package_name": "org.example.list"}'
        )
    return "\n".join(rows)
