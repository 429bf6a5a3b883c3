"""Judged lines as small rows: who and what was scored, and what it came to or why it did not.

Files of `worldline bench judge` and those of the official script are read alike. A row has all five
scores, whole numbers from 1 to 5, or none: a verdict that holds anything else counts as unscored.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from worldline import jsonl
from worldline.bench.judge.given import Given, given
from worldline.bench.rows import OUTPUT_FIELDS
from worldline.bench.verified import Sides, verify
from worldline.errors import DataError
from worldline.prediction import Usage
from worldline.verify.compare import DIMENSIONS

Five = tuple[float, float, float, float, float]
"""A value for each of `DIMENSIONS`, in their order."""


UNREADABLE = "unreadable"
NOT_PREDICTED = "No model generation"
"""What the official script notes on a row that it had nothing to judge of."""


class By(msgspec.Struct, frozen=True):
    """Whose scores a row has; all `None` on lines of the official script, which do not say."""

    judge: str | None = None
    prompts: str | None = None
    prompt_sha: str | None = None
    compat: str | None = None


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """One judged row. `scores` are there exactly when `reason` is not."""

    file: str
    line: int
    id: str
    key: str
    """SHA-256 of the benchmark row: the same in every run over the same data."""
    of: str
    """SHA-256 of the predicted line: the same under every judge."""
    session: str
    """The cluster of every statistic."""
    domain: str
    turn: int
    context: int
    """Characters that a model is given: system prompt, history and the action."""
    scores: Five | None = None
    """1 to 5 each; means over judges where several were asked."""
    stage: str | None = None
    """Of an unscored row, where it went wrong: ``prediction`` or ``judge``."""
    reason: str | None = None
    by: By = By()
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    """What the prediction cost, where the line says."""
    judging: Usage = Usage()
    """What its judge took: tokens and dollars of all replies that were asked for."""
    stricter: bool = False
    """The line says that it was scored, and one of its scores is no whole number from 1 to 5."""
    exact: Five | None = None
    """The exact scorecard's dimensions, column `true`, 0 to 1 each."""
    exact_score: float | None = None
    """Its score, 0 to 1: no more than what is verified equal allows."""

    @property
    def total(self) -> float | None:
        """Mean of the five scores, 1 to 5."""
        return None if self.scores is None else sum(self.scores) / len(self.scores)


class Shown(NamedTuple):
    """A row with the line it stands on, for whoever shows it."""

    scored: Scored
    given: Given
    sides: Sides | None
    """The exact scorecard's view of it, where that was asked for."""


def normalised(raw: float) -> float:
    """A score of 1 to 5 as 0 to 100."""
    return (raw - 1) / 4 * 100


def read(path: Path, *, exact: bool = False) -> Iterator[Shown]:
    """The judged rows of a file, one at a time.

    Args:
        exact: score each row with the exact scorecard too.

    Raises:
        DataError: a line is broken or was not judged; it names file, line and field.
    """
    if not exact:
        for line, one in _numbered(path):
            yield Shown(_scored(one, path, line, None), one, None)
        return
    for (line, one), sides in zip(_numbered(path), verify(path), strict=True):
        yield Shown(_scored(one, path, line, sides), one, sides)


def _numbered(path: Path) -> Iterator[tuple[int, Given]]:
    return ((number, given(value, path, number)) for number, value in jsonl.read(path))


def _scored(given: Given, path: Path, line: int, sides: Sides | None) -> Scored:
    scores, stage, reason = _verdict(given, path, line)
    ours = given.line.get("worldline")
    tokens = _usage(ours)
    true = sides.row.true if sides else {}
    model = ours.get("model") if isinstance(ours, dict) else None
    return Scored(
        file=path.name,
        line=line,
        id=str(given.row.row["id"]),
        key=_key(given),
        of=_of(given),
        session=given.session,
        domain=given.row.domain,
        turn=given.row.turn,
        context=_context(given),
        scores=scores,
        stage=stage,
        reason=reason,
        by=_by(given),
        model=model if isinstance(model, str) else None,
        prompt_tokens=tokens.prompt,
        completion_tokens=tokens.completion,
        cost_usd=tokens.cost_usd,
        judging=_usage((given.earlier or {}).get("worldline_judge")),
        stricter=reason == UNREADABLE and _says_scored(given.earlier or {}),
        exact=_five(true[name] for name in DIMENSIONS) if true else None,
        exact_score=true["score"] if true else None,
    )


def _verdict(given: Given, path: Path, line: int) -> tuple[Five | None, str | None, str | None]:
    """(scores, stage, reason) of a line."""
    earlier = given.earlier
    if earlier is None:
        raise DataError(
            "was not judged",
            file=path,
            line=line,
            field="worldline_judge",
            remedy="Give judged rows: `worldline bench judge PREDICTIONS -m SPEC -o FILE`.",
        )
    ours = earlier.get("worldline_judge")
    if isinstance(ours, dict):
        if ours.get("status") != "scored":
            return None, str(ours.get("stage") or "judge"), str(ours.get("reason") or "unknown")
        scores = _all_five(ours.get("scores"))
        return (scores, None, None) if scores else (None, "judge", UNREADABLE)
    if earlier.get("failed") == 0:
        scores = _all_five(earlier)
        return (scores, None, None) if scores else (None, "judge", UNREADABLE)
    if earlier.get("error_message") == NOT_PREDICTED:
        return None, "prediction", given.reason or "no_prediction/empty"
    return None, "prediction" if given.reason else "judge", given.reason or "failed"


def _says_scored(earlier: dict[str, Any]) -> bool:
    ours = earlier.get("worldline_judge")
    return ours.get("status") == "scored" if isinstance(ours, dict) else earlier["failed"] == 0


def _all_five(told: Any) -> Five | None:
    values = [told.get(name) if isinstance(told, dict) else None for name in DIMENSIONS]
    whole = [v for v in values if type(v) in (int, float) and v in (1, 2, 3, 4, 5)]
    return _five(whole) if len(whole) == len(values) else None


def _five(values: Any) -> Five:
    a, b, c, d, e = map(float, values)
    return a, b, c, d, e


def _by(given: Given) -> By:
    ours = (given.earlier or {}).get("worldline_judge")
    if not isinstance(ours, dict):
        return By()
    return By(*(_text(ours.get(name)) for name in ("judge", "prompt", "prompt_sha", "compat")))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _usage(told: Any) -> Usage:
    """What an object's ``usage`` says; what is no number says nothing."""
    usage = told.get("usage") if isinstance(told, dict) else None
    found: dict[str, Any] = usage if isinstance(usage, dict) else {}
    cost: Any = found.get("cost_usd")
    known = type(cost) in (int, float) and 0 <= cost < float("inf")
    return Usage(
        prompt=_count(found.get("prompt")),
        cached=_count(found.get("cached")),
        completion=_count(found.get("completion")),
        cost_usd=float(cost) if known else None,
    )


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _key(given: Given) -> str:
    told = given.line.get("row_sha")
    if isinstance(told, str):
        return told
    return jsonl.sha({k: one for k, one in given.line.items() if k not in OUTPUT_FIELDS})


def _of(given: Given) -> str:
    ours = (given.earlier or {}).get("worldline_judge")
    told = ours.get("of") if isinstance(ours, dict) else None
    return told if isinstance(told, str) else given.of


def _context(given: Given) -> int:
    row, turn = given.row.row, given.row.turn
    before = sum(map(len, row["response"][: turn - 1]))
    return len(row["system_str"]) + sum(map(len, row["prompt"][:turn])) + before
