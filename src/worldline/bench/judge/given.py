"""What a line of predictions offers a judge, or the reason why it offers nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.bench.judge.judged import JUDGED_FIELDS
from worldline.bench.rows import OUTPUT_FIELDS, BenchRow, bench_row, session_of
from worldline.bench.suite import BUILT_IN
from worldline.collect.importers.awb_prompts import bare_observation, parse_prompt
from worldline.errors import DataError
from worldline.extract import extract
from worldline.paths import is_dir, is_missing

PASSED_ON = ("infra_error", "context_too_long")
"""Outcomes of a prediction that say nothing about the model: passed on under their own names."""


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """One predicted row before its judge."""

    line: dict[str, Any]
    """As it stands in the file, an earlier judgement taken off."""
    of: str
    """SHA-256 of that."""
    row: BenchRow
    session: str
    """The recorded session: the cluster of every statistic."""
    gen: str
    observation: str | None
    """What is judged; `None` when there is nothing to judge."""
    reason: str | None = None
    """Why there is nothing: ``no_prediction/truncated``, ``infra_error/timeout``, ..."""
    earlier: dict[str, Any] | None = None
    """The judgement that stood on the line (`worldline_judge`, or the official keys)."""

    @property
    def action(self) -> str:
        """The evaluated prompt without the instructions that the model was given."""
        return self.row.row["current_prompt"] or self.row.prompt

    @property
    def truth(self) -> str:
        """What really came, without the benchmark's heading."""
        return bare_observation(self.row.truth)

    @property
    def bare_action(self) -> str:
        """The action alone."""
        return parse_prompt(self.action).action

    @property
    def weight(self) -> int:
        """Characters it keeps in memory, about."""
        row = self.row.row
        return sum(map(len, row["prompt"])) + sum(map(len, row["response"])) + len(self.gen)


def read(path: Path) -> Iterator[Given]:
    """The predicted rows of a file; judged ones too, their judgements taken off.

    Raises:
        DataError: a line is broken or holds no prediction; it names file, line and field.
    """
    for number, value in jsonl.read(path):
        yield given(value, path, number)


def checked(path: Path) -> Path:
    """The path of predictions, before anything is read or asked.

    Raises:
        DataError: it names a benchmark or a folder, which hold no predictions.
    """
    if is_dir(path) or (is_missing(path) and str(path) == BUILT_IN):
        raise DataError(
            "holds no prediction",
            file=path,
            remedy=f"Predict first: `worldline bench infer {path} -o predictions.jsonl -m SPEC`, "
            "and give predictions.jsonl.",
        )
    return path


def given(value: Any, file: Path | None = None, number: int | None = None) -> Given:
    """One line of predictions. Errors as for `read`."""
    told = value if isinstance(value, dict) else {}
    if "gen" not in told or not isinstance(told["gen"], str):
        raise DataError(
            "must be text" if "gen" in told else "holds no prediction",
            file=file,
            line=number,
            field="gen",
            remedy="Give predictions: `worldline bench infer ROWS -o FILE`.",
        )
    earlier = {name: told[name] for name in JUDGED_FIELDS if name in told}
    line = {name: one for name, one in told.items() if name not in earlier}
    bare = {name: one for name, one in line.items() if name not in OUTPUT_FIELDS}
    row = bench_row(bare, file, number)
    observation, reason = _observed(line)
    return Given(
        line=line,
        of=jsonl.sha(line),
        row=row,
        session=session_of(row),
        gen=told["gen"],
        observation=observation,
        reason=reason,
        earlier=earlier or None,
    )


def _observed(line: dict[str, Any]) -> tuple[str | None, str | None]:
    ours = line.get("worldline")
    if isinstance(ours, dict):
        outcome, seen, why = ours.get("outcome"), ours.get("observation"), ours.get("reason")
        if outcome == "ok" and isinstance(seen, str):
            return seen, None
        if outcome in PASSED_ON:
            return None, f"{outcome}/{why}" if why and why != outcome else str(outcome)
        return None, f"no_prediction/{why if outcome == 'no_prediction' else outcome}"
    if not line["gen"]:
        return None, "no_prediction/empty"
    found = extract(line["gen"])
    if found.observation is None:
        return None, f"no_prediction/{found.how}"
    return found.observation, None
