"""Judge observations of which it is known how good they are.

    found = await calibrate(open_source("worldline-bench"), model, Path("runs/calibrate"))

The folder holds ``items.jsonl`` (what is judged), ``judged.jsonl`` (the verdicts), and the same of
the observations that are judged a second time, with another seed, ``again-items.jsonl`` and
``again.jsonl``. Run the same command again and it goes on where it stopped.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from worldline import jsonl
from worldline.bench.calibrate.count import calibration
from worldline.bench.calibrate.items import FIELD, Tag, items, line
from worldline.bench.calibrate.report import Calibration, Graded
from worldline.bench.calibrate.sample import drawn
from worldline.bench.judge.ask import OURS, Prompts, Room
from worldline.bench.judge.asking import TRIES
from worldline.bench.judge.given import given
from worldline.bench.judge.run import judge
from worldline.bench.source import Source
from worldline.bench.work import Watch
from worldline.errors import UsageError
from worldline.models.base import WorldModel
from worldline.prediction import Usage

AGAIN = ("truth", "wrong")
"""Kinds of observation that are judged twice."""
SEED_APART = 1_000_003
"""Added to the seed of the second judging."""


class Plan(NamedTuple):
    """What is judged."""

    rows: int = 20
    """Recorded turns, spread over the domains."""
    heaviness: float = 0.3
    """Of corruptions, from 0 (one place) to 1 (everywhere)."""
    seed: int = 0
    domains: tuple[str, ...] | None = None
    """Only these."""


class Ahead(NamedTuple):
    """What a calibration will ask for, before anybody is asked."""

    turns: int
    calls: int
    """Replies, if each can be read at once."""
    tokens: int
    """In, about: four characters are taken for one."""


def planned(source: Source, plan: Plan, prompts: Prompts = OURS) -> Ahead:
    """What will be asked. Errors as for `calibrate`."""
    return _ahead(list(_lines(source, plan)), prompts)


def _ahead(lines: list[dict[str, Any]], prompts: Prompts) -> Ahead:
    calls = characters = 0
    for one in lines:
        seen = prompts.given(given(one))
        times = 1 + (one[FIELD]["kind"] in AGAIN)
        messages = prompts.asked(seen, Room(None, len)).messages
        calls += times
        characters += times * sum(len(message.content) for message in messages)
    return Ahead(len({one[FIELD]["row"] for one in lines}), calls, characters // 4)


async def calibrate(
    source: Source,
    model: WorldModel,
    folder: Path,
    plan: Plan,
    *,
    prompts: Prompts = OURS,
    concurrency: int = 8,
    tries: int = TRIES,
    max_tokens: int | None = None,
    price: tuple[float, float] | None = None,
    again: bool = False,
    watch: Watch | None = None,
    tell: Callable[[Ahead], None] | None = None,
) -> Calibration:
    """Judge right and wrong observations; what comes of it.

    Args:
        source: benchmark rows, trajectories or worldline-bench.
        price: dollars per million tokens, in and out, where the server tells no cost.
        again: judge anew what the judge left unscored.
        tell: told what will be asked, before anybody is.

    The other arguments, and errors, as for `worldline.bench.judge.run.judge`.

    Raises:
        UsageError: too few turns can be made wrong, or the folder belongs to another run.
    """
    lines = list(_lines(source, plan))
    if tell is not None:
        tell(_ahead(lines, prompts))
    jsonl.made_dir(folder)
    second = [one for one in lines if one[FIELD]["kind"] in AGAIN]
    graded: list[list[Graded]] = []
    for name, some, seed in (
        ("", lines, plan.seed),
        ("again-", second, plan.seed + SEED_APART),
    ):
        made = folder / f"{name}items.jsonl"
        out = folder / ("again.jsonl" if name else "judged.jsonl")
        _write(made, some, out)
        await judge(
            made,
            model,
            out,
            prompts=prompts,
            concurrency=concurrency,
            tries=tries,
            max_tokens=max_tokens,
            seed=seed,
            again=again,
            watch=watch,
        )
        graded.append(list(_graded(out)))
    return calibration(model.name, graded[0], graded[1], heaviness=plan.heaviness, price=price)


def _lines(source: Source, plan: Plan) -> Iterator[dict[str, Any]]:
    """What is judged: as many turns of each domain, those first that are drawn first."""
    found = list(drawn(source, plan.rows, plan.seed, plan.domains))
    row = 0
    for place, (_, turns) in enumerate(found):
        share = len(range(place, plan.rows, len(found)))
        for made in islice(_usable(turns, row, plan), share):
            yield from made
            row += 1
    if not row:
        raise UsageError(
            "has no turn that can be made wrong in enough ways",
            file=source.name,
            remedy="Give more recorded turns; empty observations do not serve.",
        )


def _usable(turns: Iterable[Any], row: int, plan: Plan) -> Iterator[list[dict[str, Any]]]:
    for one in turns:
        made = items(row, one, plan.heaviness, plan.seed)
        if made is not None:
            yield [line(one, each) for each in made]
            row += 1


def _write(path: Path, lines: list[dict[str, Any]], out: Path) -> None:
    """Put down what is judged; what earlier results were made of must be the same."""
    if out.exists() and path.exists():
        before = [value for _, value in jsonl.read(path)]
        if before != jsonl.loads(jsonl.dumps(lines)):
            raise UsageError(
                "was made of other turns, or with other settings",
                file=path,
                remedy="Run it as it was run before, or give another folder.",
            )
        return
    jsonl.write(path, lines)


def _graded(path: Path) -> Iterator[Graded]:
    for _, value in jsonl.read(path):
        told = value["worldline_judge"]
        yield Graded(
            tag=msgspec.convert(value[FIELD], Tag),
            domain=str(value["task"]).rpartition("/")[2],
            scores=told.get("scores"),
            reason=told.get("reason"),
            usage=msgspec.convert(told.get("usage") or {}, Usage),
            attempts=told.get("attempts") or 0,
        )
