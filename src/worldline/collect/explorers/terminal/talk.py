"""What the explorer says in batches that carry an analysis and a plan: only of what it saw."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from worldline.collect.explorers.terminal.acts import Act, Seen
from worldline.collect.explorers.terminal.desk import Desk

_TROUBLE = re.compile(
    r"[\w./-]{1,60}: [^\n]{0,100}"
    r"(?:No such|not found|enied|annot|nvalid|rror|unrecog|refused|directory$)"
    r"|Traceback|\w{1,40}Error\b|fatal: |error: |[Uu]sage: "
)


@cache
def _lines() -> dict[str, list[str]]:
    place = files(__name__.rpartition(".")[0]).joinpath("talk.toml")
    data = tomllib.loads(place.read_text(encoding="utf-8"))
    return {name: text.strip().splitlines() for name, text in data.items()}


def said(desk: Desk, goal: str, act: Act, last: Seen | None) -> dict[str, Any]:
    """Fields ``analysis`` and ``plan``."""
    why = act.why or f"{desk.words.one('verbs')} on"
    plan = desk.rng.choice(_lines()["plan"]).format(why=why)
    return {"analysis": _analysis(desk, goal, last), "plan": plan}


def finished(desk: Desk, goal: str) -> dict[str, Any]:
    """Fields of the last batch."""
    text = desk.rng.choice(_lines()["done"]).format(goal=goal)
    return {"analysis": text, "plan": desk.rng.choice(("Stop here.", "Nothing is left to do.", ""))}


def _analysis(desk: Desk, goal: str, last: Seen | None) -> str:
    if last is None:
        return desk.rng.choice(_lines()["start"]).format(goal=goal)
    rows = [row.strip() for row in last.text.splitlines() if row.strip()]
    trouble = next((row for row in rows if _TROUBLE.match(row[:200])), None)
    if not last.ready:
        kind = "busy"
    elif not rows:
        kind = "empty"
    elif trouble:
        kind = "failed"
    else:
        kind = "short" if len(rows) < 4 else "long"
    return desk.rng.choice(_lines()[kind]).format(
        rows=len(rows),
        first=_cut(rows[0]) if rows else "",
        last=_cut(rows[-1]) if rows else "",
        trouble=_cut(trouble or ""),
        word=desk.words.noun(),
    )


def _cut(row: str) -> str:
    return row if len(row) <= 60 else f"{row[:57]}..."
