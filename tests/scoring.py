"""Judged lines for tests of scores, as a judge's stage or the official script would write them."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests import command
from tests.judging import predicted, write
from worldline import jsonl
from worldline.bench.score.run import Run, load
from worldline.verify.compare import DIMENSIONS

Scores = int | Sequence[int] | None


def judged(
    scores: Scores,
    *,
    judge: str = "openai:judge",
    prompt_sha: str = "1" * 64,
    stage: str = "judge",
    reason: str = "no_verdict",
    tokens: int | None = None,
    weaknesses: Sequence[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """A line of `worldline bench judge`; `scores` are five, one for all five, or none."""
    line = predicted(**more)
    if tokens is not None:
        line["worldline"] = {
            "outcome": "ok",
            "observation": line["gen"],
            "model": "m",
            "usage": {"prompt": 10 * tokens, "completion": tokens},
        }
    told = _five(scores)
    status = {"stage": stage, "reason": reason} if told is None else {"scores": told}
    own = {
        "status": "unscored" if told is None else "scored",
        **status,
        "judge": judge,
        "prompt": "worldline/1",
        "prompt_sha": prompt_sha,
        "of": jsonl.sha(line),
    }
    return {**line, **_official(told, weaknesses), "worldline_judge": own}


def official(scores: Scores, **more: Any) -> dict[str, Any]:
    """A line of the official script, which says neither judge nor reason."""
    return {**predicted(**more), **_official(_five(scores), ())}


def _five(scores: Scores) -> dict[str, int] | None:
    if scores is None:
        return None
    values = [scores] * 5 if isinstance(scores, int) else list(scores)
    return dict(zip(DIMENSIONS, values, strict=True))


def _official(scores: dict[str, int] | None, weaknesses: Sequence[str]) -> dict[str, Any]:
    if scores is None:
        return {"total_score": 0, "failed": 1.0, "error_message": "Judge scoring failed"}
    total = sum(scores.values()) / 5
    return {"total_score": total, **scores, "failed": 0.0, "weaknesses": list(weaknesses)}


def run_of(path: Path, lines: list[dict[str, Any]], **options: Any) -> Run:
    """The run of some lines, by way of a file."""
    return load([write(path, lines)], **options)


def worldline(*words: object) -> subprocess.CompletedProcess[str]:
    """`worldline bench ...` as a process of its own."""
    return command.worldline("bench", *words)
