"""`worldline bench calibrate`: how far can a judge be trusted, before money is spent on it?"""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from worldline import jsonl
from worldline.cli.bench_judge import Compat, Folder, Judge, Official, chosen
from worldline.cli.common import RETRY, Config, Json, dollars, emit, progress, say, write_page
from worldline.cli.staged import Concurrency, MaxTokens, Tries, at_once, counted
from worldline.errors import UsageError

WEAKEST = 8
"""Kinds that are told in the terminal."""

if TYPE_CHECKING:
    from worldline.bench.calibrate.report import Calibration, Share
    from worldline.bench.calibrate.run import Ahead


def calibrate(
    out: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder to write.")],
    model: Judge,
    source: Annotated[
        Path, typer.Argument(help="Recorded turns: trajectories, rows, or worldline-bench.")
    ] = Path("worldline-bench"),
    rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Recorded turns, spread over the domains.")
    ] = 20,
    domains: Annotated[
        list[str] | None, typer.Option("--domain", metavar="NAME", help="Only these; repeatable.")
    ] = None,
    heaviness: Annotated[
        float, typer.Option(min=0, max=1, help="Of corruptions: 0 one place, 1 everywhere.")
    ] = 0.3,
    price: Annotated[
        str | None,
        typer.Option(metavar="IN,OUT", help="Dollars per million tokens, as 1.25,10."),
    ] = None,
    prompts: Folder = None,
    official: Official = None,
    compat: Compat = None,
    concurrency: Concurrency = None,
    tries: Tries = 3,
    max_tokens: MaxTokens = None,
    seed: Annotated[int, typer.Option(help="Of the turns, what is done to them, the judge.")] = 0,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Judge anew what was left without a grade.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked, and ask nothing.")
    ] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Have a judge grade right, wrong and hostile observations, and say how far to trust it.

    Run it again to go on after an interruption. The page is DIR/report.html, the figures are in
    DIR/report.json. Exit 1 when observations got no answer through no fault of the judge.
    """
    from worldline.bench.calibrate.page import page
    from worldline.bench.calibrate.run import Plan, planned
    from worldline.bench.calibrate.run import calibrate as run
    from worldline.bench.source import open_source
    from worldline.models import load

    plan = Plan(rows, heaviness, seed, tuple(domains) if domains else None)
    cost, found_source = _price(price), open_source(source)
    texts = chosen(official, compat, prompts)
    if dry_run:
        _ahead(planned(found_source, plan, texts), cost)
        return

    async def main() -> "Calibration":
        async with load(model) as who:
            return await run(
                found_source,
                who,
                out,
                plan,
                prompts=texts,
                concurrency=at_once(concurrency, who),
                tries=tries,
                max_tokens=max_tokens,
                price=cost,
                again=retry_failed,
                watch=lambda left: progress("calibrate", left),
                tell=lambda ahead: _ahead(ahead, cost),
            )

    found = asyncio.run(main())
    tell(found)
    made = as_json(found)
    jsonl.write(out / "report.json", [made])
    write_page(out / "report.html", page(found))
    if json:
        emit(made)
    if any(reason.startswith("infra_error") for reason in found.unscored):
        say(f"Some observations got no answer: {RETRY}.")
        raise typer.Exit(1)


def as_json(found: "Calibration") -> dict[str, Any]:
    """The figures, and what they say."""
    told = {"verdict": found.verdict(), "doubts": found.doubts(), "undecided": found.undecided()}
    told |= {"covered": found.covered, "unreadable": found.unreadable}
    return {"schema": "worldline.calibration/1", **told, **msgspec.to_builtins(found)}


def tell(found: "Calibration") -> None:
    """The figures in words, on stderr."""
    from worldline.bench.calibrate.page import COST_NOTE

    full, cost = found.truth_full, found.cost
    mean = "-" if found.truth is None else f"{found.truth:.2f}"
    say(f"{found.judge}: {found.turns:,} recorded turns, {found.items:,} observations")
    say(f"truths: mean {mean} of 5, {full.count:,} of {full.rows:,} with 5 in everything")
    _tell("corruptions below their truth", found.corrupted, found.kinds, 1)
    _tell("benign variants punished", found.punished, found.variants, -1)
    _tell("attacks rewarded", found.rewarded, found.attacks, -1)
    repeats = found.repeats
    if repeats.apart is not None:
        say(f"graded again: {repeats.same:,} of {repeats.rows:,} equal, {repeats.apart:.2f} apart")
    if found.unscored:
        say(f"without a grade: {counted(found.unscored)}")
    if cost.usage.prompt is not None:
        say(
            f"tokens: {cost.usage.prompt:,} in, {cost.usage.completion or 0:,} out for "
            f"{cost.asked:,} observations; {cost.tokens_in:,} in, {cost.tokens_out or 0:,} out "
            "for a whole benchmark"
        )
    if cost.dollars is not None and cost.projected is not None:
        say(f"cost: {dollars(cost.dollars)}; {dollars(cost.projected)} for a whole benchmark")
    say(COST_NOTE)
    say(found.verdict())


def _ahead(ahead: "Ahead", price: tuple[float, float] | None) -> None:
    """What will be asked, before it is paid for."""
    cost = "" if price is None else f", {dollars(ahead.tokens * price[0] / 1e6)} for these"
    say(
        f"{ahead.turns:,} recorded turns: {ahead.calls:,} calls, about {ahead.tokens:,} tokens in"
        f"{cost}; replies come on top"
    )


def _tell(what: str, whole: "Share", parts: "tuple[Share, ...]", sign: int) -> None:
    """A share, and the kinds that are farthest from what they should be: all (1) or none (-1)."""
    if whole.share is None:
        say(f"{what}: nothing to compare")
        return
    between = ", 95 % {:.1%} to {:.1%}".format(*whole.interval) if whole.interval else ""
    declared = whole.share_declared
    fell = "" if declared is None else f"; the declared dimension fell in {declared:.1%}"
    say(f"{what}: {whole.share:.1%} ({whole.count:,} of {whole.rows:,}{between}){fell}")
    weakest = sorted(parts, key=lambda one: sign * (one.share or 0))
    told = [one for one in weakest if one.count != (one.rows if sign > 0 else 0)]
    for one in told[:WEAKEST]:
        costs = f" ({one.dimension})" if one.dimension else ""
        say(f"  {one.name + costs:36}{one.count:5,} of {one.rows:,}")
    if len(told) > WEAKEST:
        say(f"  and {len(told) - WEAKEST:,} more kinds, see the page")


def _price(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        first, second = (float(part) for part in text.split(","))
        if not (0 <= first < float("inf") and 0 <= second < float("inf")):
            raise ValueError
    except ValueError:
        raise UsageError(
            f"is {text!r}", field="price", remedy="Give two numbers, as --price 1.25,10"
        ) from None
    return first, second
