"""A terminal's observation as rows that can be made wrong one by one, and its frame around them."""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from worldline.domains.terminal.dialects.jsontext import Json, parse_json, render_json
from worldline.domains.terminal.dialects.terminus2 import PROMPT, TITLES
from worldline.domains.terminal.volatile import canonical
from worldline.verify.measure import Moment
from worldline.verify.runtime import masked

_TABLE = re.compile(r"\bPID\b|\bUse%|\bMem:|^\s*total\s+used\b")
_HEAD = re.compile(r"\[File: .* \(\d+ lines total\)\]")
WIDE = 78


class Rows(NamedTuple):
    """The text of a moment's truth, row by row."""

    all: list[str]
    printed: list[int]
    """Places of rows that a program printed and that say something."""
    text: Callable[[list[str]], str]
    """The observation with other rows."""

    def changed(self, new: dict[int, str | None]) -> str:
        """The observation with some rows replaced, or gone."""
        rows = [new.get(place, row) for place, row in enumerate(self.all)]
        return self.text([row for row in rows if row is not None])


def rows_of(moment: Moment) -> Rows | None:
    """The rows of the truth; `None` where there are none to speak of."""
    dialect, truth = moment.ledger.dialect, moment.truth
    if moment.action.strip() == "pwd":  # all of it is the session's state
        return None
    if dialect == "json":
        return _json(truth)
    rows = truth.split("\n")
    if dialect == "terminus2":
        echoed = _echoed(moment.action)
        places = [i for i in range(len(rows)) if not _framed(rows, i, echoed)]
    else:
        places = [i for i, row in enumerate(rows) if not _HEAD.fullmatch(row)]
    return Rows(rows, [i for i in places if rows[i].strip()], "\n".join)


def _json(truth: str) -> Rows | None:
    found = parse_json(truth)
    value: Any = found.value if found is not None else None
    if found is None or not isinstance(value, dict):
        return None
    key = next((name for name in ("output", "content") if isinstance(value.get(name), str)), None)
    if key is None or not value[key]:
        return None
    rows = value[key].split("\n")

    def back(new: list[str]) -> str:
        return render_json(Json({**value, key: "\n".join(new)}, found.spaced, found.ascii))

    return Rows(rows, [i for i, row in enumerate(rows) if row.strip()], back)


def fields(moment: Moment) -> tuple[dict[str, Any], Callable[[dict[str, Any]], str]] | None:
    """The fields of a JSON answer, and how to write others."""
    found = parse_json(moment.truth) if moment.ledger.dialect == "json" else None
    if found is None or not isinstance(found.value, dict):
        return None
    return found.value, lambda value: render_json(Json(value, found.spaced, found.ascii))


def _echoed(action: str) -> str:
    try:
        found = json.loads(action)
    except ValueError:
        return ""
    batch = found.get("commands", []) if isinstance(found, dict) else found
    keys = [one.get("keystrokes", "") for one in batch if isinstance(one, dict)]
    return "\n".join(key for key in keys if isinstance(key, str))


def _framed(rows: list[str], place: int, echoed: str) -> bool:
    """Whether a row of a screen is a title, a prompt, or a further row of what was typed."""
    row = rows[place]
    if row in TITLES or PROMPT.match(row):
        return True
    typed = row.removeprefix("> ").rstrip()
    more = row.startswith(">") or (place > 0 and len(rows[place - 1]) >= WIDE)
    return more and typed in echoed


def prompts(moment: Moment) -> list[int]:
    """Places of rows of a screen that begin with a prompt which names a directory."""
    if moment.ledger.dialect != "terminus2":
        return []
    found = enumerate(map(PROMPT.match, moment.truth.split("\n")))
    return [place for place, match in found if match is not None and match["path"]]


def steady(moment: Moment, row: str) -> bool:
    """Whether a row holds nothing that may as well be another."""
    same = masked(row, moment.domain.runtime) == row and canonical([row]) == [row]
    return same and not _TABLE.search(moment.truth)
