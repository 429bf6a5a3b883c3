"""Have a judge choose on every row, in both orders: many at once, resumable, none lost.

    report = await versus(turing(Path("predictions.jsonl")), model, "turing.jsonl")

Which order comes first is drawn by the seed. A reply that cannot be read is asked for again, with
another seed; a row of which one order got no choice is unscored, with the reason. Run the same
command again and it goes on where it stopped; with everything done it asks nothing.
"""

import time
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from worldline.bench.judge.asking import TRIES, Asker
from worldline.bench.judge.texts import Texts
from worldline.bench.judge.trouble import INFRA, message, trouble
from worldline.bench.manifest import manifest, settle
from worldline.bench.reach import Call
from worldline.bench.results import Results
from worldline.bench.versus.ask import VERSION, Question
from worldline.bench.versus.choice import Answer, Choice, choice_of
from worldline.bench.versus.chosen import SCHEMA, Ask, Chosen
from worldline.bench.versus.pairs import Pair, Pairs, Side
from worldline.bench.versus.table import Table, table
from worldline.bench.work import Job, Made, Watch, work
from worldline.domains import names
from worldline.errors import UsageError
from worldline.models.base import WorldModel
from worldline.models.chat import as_chat
from worldline.prediction import Usage


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to. Counts are over all rows, earlier runs included."""

    mode: str
    rows: int
    resumed: int
    scored: int
    unscored: dict[str, int]
    usage: Usage
    """Tokens of this run."""
    failed: int = 0
    """Rows that the judge gave no reply to: those that ``--retry-failed`` mends."""
    seconds: float
    table: Table

    @property
    def coverage(self) -> float:
        """Share of rows that have a choice."""
        return self.scored / self.rows if self.rows else 0.0


async def versus(
    pairs: Pairs,
    model: WorldModel,
    out: str | Path,
    *,
    texts: Texts | None = None,
    concurrency: int = 8,
    limit: int | None = None,
    tries: int = TRIES,
    max_tokens: int | None = None,
    seed: int | None = 0,
    again: bool = False,
    watch: Watch | None = None,
) -> Report:
    """Have every row chosen on and keep it in `out`.

    Args:
        pairs: of `worldline.bench.versus.pairs`.
        model: who chooses; left open.
        texts: where the notes on each domain come from; ours if `None`.
        tries: replies of an order that are asked for until one can be read.
        again: ask anew about the rows of `out` that the judge left unscored.

    The other arguments, and errors, as for `worldline.bench.judge.run.judge`.
    """
    if concurrency < 1 or tries < 1:
        raise UsageError("must be at least 1", field="concurrency" if concurrency < 1 else "tries")
    path = Path(out)
    asker = Asker(as_chat(model), tries, max_tokens, seed)
    booth = Booth(Question(pairs.mode, texts or Texts()), asker)
    wanted = manifest(
        pairs.mode,
        input=pairs.inputs,
        judge=asker.described(),
        judge_prompts=booth.hashes(),
        prompt=VERSION,
        tries=tries,
        seed=seed,
    )
    start, results = time.monotonic(), Results(path, Chosen)
    try:
        settle(path, wanted, fresh=results.fresh)
        results.recover(lambda entry: again and entry.stage == "judge")
        resumed = sum(1 for _ in results.entries())
        usage = await work(
            map(booth.job, pairs.rows),
            results,
            concurrency=concurrency,
            limit=limit,
            total=pairs.total,
            watch=watch,
        )
    finally:
        results.close()
    found = table(results.entries())
    unanswered = (one.stage == "judge" and _no_reply(one) for one in results.entries())
    return Report(
        mode=pairs.mode,
        rows=found.all.rows,
        resumed=resumed,
        scored=found.all.scored,
        unscored=found.unscored,
        usage=usage,
        failed=sum(unanswered),
        seconds=time.monotonic() - start,
        table=found,
    )


class Booth:
    """Where one row after the other is chosen on."""

    def __init__(self, question: Question, asker: Asker) -> None:
        self.question, self.asker = question, asker

    def hashes(self) -> dict[str, str]:
        """SHA-256 of the prompts of each domain."""
        return {name: self.question.sha(name) for name in sorted(names())}

    def job(self, pair: Pair) -> Job:
        """The row as work to do."""
        return Job(pair.given.session, pair.weight, lambda: pair.of, partial(self._chosen, pair))

    async def _chosen(self, pair: Pair) -> Made:
        if pair.reason is not None:
            return self._made(pair, (), status="unscored", stage="prediction", reason=pair.reason)
        if pair.equal:
            return self._made(pair, (), status="scored", winner="tie", equal=True)
        first = bool((self.asker.draw(pair.given, "order") or 0) & 1)
        asks = (await self._ask(pair, first), await self._ask(pair, not first))
        reasons = [ask.reason for ask in asks if ask.reason is not None]
        if reasons:
            return self._made(pair, asks, status="unscored", stage="judge", reason=reasons[0])
        one, other = (ask.side for ask in asks)
        equal = pair.first == pair.second
        winner = one if one == other else "tie"
        return self._made(pair, asks, status="scored", winner=winner, equal=equal)

    async def _ask(self, pair: Pair, swapped: bool) -> Ask:
        asked = self.question.asked(pair, swapped, self.asker.room)
        found = await self.asker.ask(pair.given, asked, choice_of, swapped)
        choice, reply = found.read or Choice(), found.reply
        side = None if choice.answer is None else _side(choice.answer, swapped)
        return Ask(
            swapped=swapped,
            answer=choice.answer,
            side=side,
            reason=trouble(reply) or choice.reason,
            message=message(reply),
            raw=reply.content,
            finish_reason=reply.finish_reason,
            attempts=found.attempts,
            dropped_turns=asked.dropped_turns,
            usage=found.usage,
            latency_s=reply.latency_s,
        )

    def _made(self, pair: Pair, asks: tuple[Ask, ...], **fields: Any) -> Made:
        row = pair.given.row
        chosen = Chosen(
            pair_sha=pair.of,
            id=row.row["id"],
            session=pair.given.session,
            domain=row.domain,
            turn=row.turn,
            answers=tuple(ask.answer for ask in asks),
            **fields,
        )
        usage = sum((ask.usage for ask in asks), Usage())
        line = {
            "schema": SCHEMA,
            "mode": self.question.mode,
            **msgspec.to_builtins(chosen),
            "judge": self.asker.who.name,
            "prompt_sha": self.question.sha(row.domain),
            "asks": msgspec.to_builtins(asks),
        }
        return Made(line, usage, _call(asks))


def _no_reply(entry: Chosen) -> bool:
    return (entry.reason or "").startswith(INFRA)


def _call(asks: tuple[Ask, ...]) -> Call | None:
    """Of both orders the one that came farthest."""
    calls = [
        Call((ask.reason or "").removeprefix(INFRA), ask.message or "") if ask.message else Call()
        for ask in asks
    ]
    return next((one for one in calls if one.code is None), calls[0] if calls else None)


def _side(answer: Answer, swapped: bool) -> Side:
    return "second" if (answer == "A") == swapped else "first"
