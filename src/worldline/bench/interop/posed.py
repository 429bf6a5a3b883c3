"""What another tool asks and what its answers amount to, in our own records.

The tool sends the messages and brings back a reply. What is sent is what `worldline.bench.cases`
sends, message for message, and the reply is typed as if it were one of ours: what was cut off or
refused is no observation and is never measured.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldline import jsonl
from worldline.bench.cases import Case, cases
from worldline.bench.infer import output
from worldline.bench.judge.given import Given, given
from worldline.bench.moments import Plan
from worldline.bench.rows import bench_row, session_of, trajectory_of
from worldline.bench.source import Source, open_source
from worldline.messages import Message, Request
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Prediction
from worldline.reply import Reply, prediction, stamp
from worldline.verify.measure import Scorecard, score
from worldline.verify.moments import moments

_HALF = re.compile(r"[\ud800-\udfff]")


class Posed(NamedTuple):
    """One row as another tool asks it.

    Half of a surrogate pair is U+FFFD, as in every request; in ``row`` it is what it was.
    """

    id: str
    """Session and turn; one that comes again gets a number, ``NAME#2``."""
    messages: tuple[Message, ...]
    truth: str
    """What really came, without the benchmark's heading."""
    about: dict[str, Any]
    """``session`` (the cluster of every statistic), ``domain``, ``turn``, ``total_turns``; and
    ``row`` as JSON text, so that an answer can be measured from a log alone."""


def posed(path: str | Path, max_turns: int | None = None) -> tuple[Source, Iterator[Posed]]:
    """The rows of a file, folder or of ``worldline-bench``, in order, and where they are from.

    Args:
        max_turns: only turns up to this one.

    Raises:
        DataError: there is no such file, or a row is broken; names file, line and field.
    """
    source = open_source(path)
    asking = _Asking()
    return source, _posed(
        cases(source.items(), asking, Plan(seed=None, max_turns=max_turns)), asking
    )


def _posed(every: Iterable[Case], asking: "_Asking") -> Iterator[Posed]:
    seen: Counter[str] = Counter()
    for case in every:
        row = bench_row(case.row())
        name = whole(f"{session_of(row)}/{row.turn}")
        seen[name] += 1
        yield Posed(
            id=name if seen[name] == 1 else f"{name}#{seen[name]}",
            messages=tuple(Message(m.role, whole(m.content)) for m in asking.messages(case)),
            truth=whole(given({**row.row, "gen": ""}).truth),
            about={
                "session": whole(case.session),
                "domain": whole(row.domain),
                "turn": row.turn,
                "total_turns": row.row["total_turns"],
                "row": jsonl.dumps(row.row).decode(),
            },
        )


def whole(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, which UTF-8 cannot hold."""
    return _HALF.sub("\ufffd", text)


class _Asking(WorldModel):
    """Keeps what it is asked and answers nothing."""

    name = "asking"

    def __init__(self) -> None:
        self._asked: tuple[Message, ...] = ()

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        self._asked = request.messages
        return stamp(request, self.name, "not_in_record", reason="asked")

    def messages(self, case: Case) -> tuple[Message, ...]:
        """The messages of a case. Nothing is waited for, so no event loop is needed."""
        asking = case.ask()
        try:
            asking.send(None)
        except StopIteration:
            return self._asked
        raise RuntimeError("asking waited for something")  # only a model of the network does


def answered(row: str, messages: Sequence[Message], reply: Reply, model: str) -> Given:
    """What a reply to these messages comes to, as a row of predictions before its judge.

    Args:
        row: as `Posed.about` has it.
    """
    found = bench_row(jsonl.loads(row))
    request = Request(
        domain=found.domain,
        dialect="",
        messages=tuple(messages),
        history=(),
        action=found.prompt,
        session=session_of(found),
    )
    return given(output(found.row, prediction(reply, request, model)))


def measured(answer: Given) -> Scorecard | None:
    """The exact scorecard of an answer; `None` where there is nothing to measure."""
    if answer.observation is None:
        return None
    *_, moment = moments(trajectory_of(answer.row))
    return score(moment, answer.observation)
