"""Grade predictions with a judge: many at once, resumable, in input order, none lost.

    report = await judge("predictions.jsonl", model, "judged.jsonl", concurrency=16)

Rows without a usable prediction are never sent. A reply that cannot be read is asked for again,
with another seed; then the row is unscored, with its reason and the raw reply. Run the same command
again and it goes on where it stopped; with everything done it asks nothing.
"""

import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.bench.judge import given as lines
from worldline.bench.judge.ask import OURS, Prompts
from worldline.bench.judge.asking import TRIES, Asker
from worldline.bench.judge.given import Given
from worldline.bench.judge.judged import Judged, Judgement
from worldline.bench.judge.trouble import INFRA, call, message, trouble
from worldline.bench.judge.verdict import Verdict
from worldline.bench.manifest import lasting, manifest, settle
from worldline.bench.results import Results
from worldline.bench.source import file_sha
from worldline.bench.work import Job, Made, Watch, work
from worldline.domains import names
from worldline.errors import UsageError
from worldline.models.base import WorldModel
from worldline.models.chat import Chat, as_chat
from worldline.prediction import Usage


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What judging came to. Counts are over all lines, earlier runs included."""

    rows: int
    resumed: int
    scored: int
    unscored: dict[str, int]
    """Reasons, those of predictions and those of the judge."""
    usage: Usage
    """Tokens of this run."""
    total: Usage = Usage()
    """Tokens of all lines, earlier runs included."""
    failed: int = 0
    """Rows that the judge gave no reply to: those that ``--retry-failed`` mends."""
    seconds: float

    @property
    def coverage(self) -> float:
        """Share of rows that have a score."""
        return self.scored / self.rows if self.rows else 0.0


async def judge(
    predictions: str | Path,
    model: WorldModel,
    out: str | Path,
    *,
    prompts: Prompts = OURS,
    concurrency: int = 8,
    limit: int | None = None,
    tries: int = TRIES,
    max_tokens: int | None = None,
    seed: int | None = 0,
    again: bool = False,
    carry: bool = False,
    watch: Watch | None = None,
) -> Report:
    """Grade every row of a file of predictions (or of judged ones, anew) and keep it in `out`.

    Args:
        model: who judges; left open.
        prompts: what it is asked.
        concurrency: how many rows are judged at once.
        limit: only the first rows; a later run may have another limit.
        tries: replies of a row that are asked for until one can be read.
        max_tokens: tokens of a reply at most; else the model's own limit, or `JUDGE_TOKENS`.
        seed: of the run; `None` leaves sampling to the server.
        again: judge the rows of `out` anew that a judge left unscored.
        carry: keep the scores that this judge gave to rows of `predictions` under these prompts.
        watch: progress.

    Raises:
        UsageError: the output belongs to another run, or the model is no chat model.
        DataError: a row is broken, or the output cannot be written.
        ModelError: the model cannot be used at all, or be reached.
    """
    if concurrency < 1 or tries < 1:
        raise UsageError("must be at least 1", field="concurrency" if concurrency < 1 else "tries")
    source, path = lines.checked(Path(predictions)), Path(out)
    desk = Desk(as_chat(model), prompts, tries, max_tokens, seed, carry=carry)
    wanted = manifest(
        "judge",
        input={"name": source.name, "sha": file_sha(source)},
        judge=desk.asker.described(),
        judge_prompts={"name": prompts.name, **desk.hashes()},
        tries=tries,
        seed=seed,
        compat=prompts.compat,
    )
    start, results = time.monotonic(), Results(path, Judged)
    try:
        settle(path, wanted, fresh=results.fresh)
        results.recover(_judge_failed if again else lambda entry: False)
        resumed = sum(1 for _ in results.entries())
        usage = await work(
            map(desk.job, lines.read(source)),
            results,
            concurrency=concurrency,
            limit=limit,
            total=sum(1 for _ in jsonl.raw_lines(source)) if watch else None,
            watch=watch,
        )
    finally:
        results.close()
    return _report(results, resumed, usage, time.monotonic() - start)


def _judge_failed(entry: Judged) -> bool:
    return entry.worldline_judge.stage == "judge"


class Desk:
    """Where one row after the other is judged."""

    def __init__(
        self,
        who: Chat,
        prompts: Prompts,
        tries: int,
        max_tokens: int | None,
        seed: int | None,
        *,
        carry: bool = False,
    ) -> None:
        self.prompts, self.asker = prompts, Asker(who, tries, max_tokens, seed)
        self._carry = carry
        self._settings = jsonl.sha([lasting(self.asker.described()), tries, seed])[:16]

    def hashes(self) -> dict[str, str]:
        """SHA-256 of the judge prompts of each domain."""
        return {name: self.prompts.sha(name) for name in sorted(names())}

    def job(self, given: Given) -> Job:
        """The row as work to do."""
        seen = self.prompts.given(given)
        return Job(seen.session, seen.weight, lambda: seen.of, partial(self._judged, seen))

    async def _judged(self, given: Given) -> Made:
        if self._carry and self._mine(given):
            return Made({**given.line, **(given.earlier or {})}, Usage())
        if given.reason is not None:
            known = self._known(given, stage="prediction", reason=given.reason)
            return self._made(given, Verdict(), known)
        asked = self.prompts.asked(given, self.asker.room)
        answer = await self.asker.ask(given, asked, self.prompts.read)
        verdict, reply = answer.read or Verdict(), answer.reply
        reason = trouble(reply) or verdict.reason
        known = self._known(
            given,
            stage=None if reason is None else "judge",
            reason=reason,
            message=message(reply),
            scores=verdict.scores,
            raw=reply.content,
            finish_reason=reply.finish_reason,
            attempts=answer.attempts,
            repaired=verdict.repaired,
            dropped_turns=asked.dropped_turns,
            usage=answer.usage,
            latency_s=reply.latency_s,
        )
        return self._made(given, verdict, known)._replace(call=call(reply))

    def _mine(self, given: Given) -> bool:
        """Whether this judge has scored this line already, under these prompts."""
        told = (given.earlier or {}).get("worldline_judge")
        if not isinstance(told, dict) or told.get("status") != "scored":
            return False
        wanted = {
            "judge": self.asker.who.name,
            "prompt_sha": self.prompts.sha(given.row.domain),
            "settings": self._settings,
            "of": given.of,
        }
        return all(told.get(name) == value for name, value in wanted.items())

    def _known(self, given: Given, **fields: Any) -> Judgement:
        return Judgement(
            status="scored" if fields.get("scores") else "unscored",
            judge=self.asker.who.name,
            prompt=self.prompts.name,
            prompt_sha=self.prompts.sha(given.row.domain),
            settings=self._settings,
            compat=self.prompts.compat,
            of=given.of,
            **fields,
        )

    def _made(self, given: Given, verdict: Verdict, known: Judgement) -> Made:
        keys = self.prompts.keys(given, verdict, known)
        line = {**given.line, **keys, "worldline_judge": msgspec.to_builtins(known)}
        return Made(line, known.usage)


def _report(results: Results[Judged], resumed: int, usage: Usage, seconds: float) -> Report:
    counts: Counter[str | None] = Counter()
    total, failed = Usage(), 0
    for entry in results.entries():
        told = entry.worldline_judge
        counts[told.reason] += 1
        total += told.usage
        failed += told.stage == "judge" and (told.reason or "").startswith(INFRA)
    scored = counts.pop(None, 0)
    return Report(
        rows=scored + counts.total(),
        resumed=resumed,
        scored=scored,
        unscored={str(reason): count for reason, count in counts.most_common()},
        usage=usage,
        total=total,
        failed=failed,
        seconds=seconds,
    )
