"""The shape of a judged line: the row, its prediction, the benchmark's own keys, and ours.

The official keys make the line readable by the official script: five scores and their mean as it
names them, `failed` 1.0 on rows without a score. What we know beside them is in `worldline_judge`.
"""

from typing import Any, ClassVar, Literal

import msgspec

from worldline.bench.judge.verdict import Verdict
from worldline.bench.results import Entry
from worldline.prediction import Usage
from worldline.verify.compare import DIMENSIONS

JUDGED_FIELDS = (
    "total_score",
    *DIMENSIONS,
    "failed",
    "error_message",
    "strengths",
    "weaknesses",
    "extracted_output",
    "judge_raw_output",
    "worldline_judge",
)
"""What judging adds to a line of predictions."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """The field ``worldline_judge``."""

    status: Literal["scored", "unscored"]
    stage: Literal["prediction", "judge"] | None = None
    """Of an unscored row: where it went wrong. A prediction's trouble is never a judge's."""
    reason: str | None = None
    """Why: ``no_prediction/truncated``, ``infra_error/rate_limited``, ``no_verdict``, ..."""
    message: str | None = None
    """Of a call that failed: what the server said, clipped; never a key."""
    scores: dict[str, int] | None = None
    raw: str | None = None
    """The reply's content as received."""
    finish_reason: str | None = None
    attempts: int = 0
    """Replies that were asked for: unreadable ones are asked for again."""
    judge: str
    prompt: str
    """Whose prompts: ``worldline/1``, ``official:COMMIT``."""
    prompt_sha: str
    settings: str = ""
    """SHA-256 of the judge as the manifest has it, where it is served aside: 16 hex digits."""
    repaired: bool = False
    dropped_turns: int = 0
    """Turns of the history that had to go for the judge's context."""
    compat: str | None = None
    """The commit whose reading and arithmetic this line follows."""
    of: str
    """SHA-256 of the line that was judged."""
    usage: Usage = Usage()
    latency_s: float = 0.0


class Brief(msgspec.Struct, frozen=True):
    """What a report needs of a judgement."""

    of: str
    status: str
    stage: str | None = None
    reason: str | None = None
    usage: Usage = Usage()


class Judged(Entry, frozen=True):
    """What is remembered of a judged line."""

    NAMED: ClassVar[str] = "worldline_judge.of"

    worldline_judge: Brief

    @property
    def of(self) -> str:
        """SHA-256 of the line that was judged."""
        return self.worldline_judge.of


def official_keys(verdict: Verdict, observation: str | None, raw: str | None) -> dict[str, Any]:
    """The benchmark's own keys for a verdict, or for a row that has none."""
    if verdict.scores is None:
        return {
            "total_score": 0,
            "failed": 1.0,
            "error_message": verdict.reason or "Judge scoring failed",
            "extracted_output": observation or "",
            **({} if raw is None else {"judge_raw_output": raw}),
        }
    return {
        "total_score": sum(verdict.scores.values()) / len(verdict.scores),
        **verdict.scores,
        "failed": 0.0,
        "strengths": list(verdict.strengths),
        "weaknesses": list(verdict.weaknesses),
        "extracted_output": observation or "",
        "judge_raw_output": raw or "",
    }


def usual_keys(observation: str | None, verdict: Verdict, known: Judgement) -> dict[str, Any]:
    """The benchmark's own keys, a failed row with our reason."""
    keys = official_keys(verdict, observation, known.raw)
    return keys if known.reason is None else {**keys, "error_message": known.reason}
