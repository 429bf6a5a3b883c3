"""`worldline bench rules`: declared checks by axis."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from worldline.cli.common import (
    Config,
    Json,
    ModelSpec,
    distinct,
    emit,
    progress,
    say,
    write_page,
)
from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.bench.infer import Report
    from worldline.bench.rules.case import Case
    from worldline.bench.rules.page import Failures
    from worldline.bench.rules.run import Table
    from worldline.bench.rules.verdicts import Interval, Verdict


def rules(
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Results, appended (verdicts beside them, in FILE.verdicts.jsonl); or cases.",
        ),
    ],
    model: ModelSpec = "embedded",
    domains: Annotated[
        list[str] | None, typer.Option("--domain", metavar="NAME", help="Only these; repeatable.")
    ] = None,
    cases: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own cases instead of those built in.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Cases of each domain and axis, at most (proposing: of each domain).",
        ),
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Write cases drawn from worldline-bench instead.")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="FILE", help="Write an HTML page too, with failed cases."),
    ] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1)] = 2,
    context: Annotated[int | None, typer.Option(min=64, metavar="TOKENS")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, metavar="TOKENS")] = None,
    ground: Annotated[str, typer.Option(help="none, or any of ledger,retrieval:FILE.")] = "none",
    seed: Annotated[int, typer.Option(help="Of the run.")] = 0,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask cases again that ended in infra_error.")
    ] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Declared checks by axis: does it obey, does it fail when it must, does it remember?

    Another model goes into another FILE. Exit 1 when a case got no answer.
    """
    from worldline.bench.rules.run import run, write
    from worldline.bench.rules.verdicts import beside
    from worldline.models import load

    if propose:
        say(f"{write(output, _proposed(domains, limit or 60)):,} cases in {output}")
        return
    for taken in (beside(output), *([cases] if cases else [])):
        distinct(taken, output=output, page=page)
    chosen = _chosen(cases, domains, limit)

    async def main() -> "tuple[Report, Table]":
        async with load(model) as who:
            return await run(
                chosen,
                who,
                output,
                concurrency=concurrency,
                ground=ground,
                context=context,
                max_tokens=max_tokens,
                seed=seed,
                retry_failed=retry_failed,
                watch=lambda left: progress("rules", left, "cases"),
            )

    report, found = asyncio.run(main())
    _report(found, chosen, output, page, f"Declared checks: {model}", json, report.failed)


def _report(
    found: "Table",
    chosen: "Sequence[Case]",
    output: Path,
    page: Path | None,
    title: str,
    json: bool,
    failed_calls: int,
) -> None:
    """Tell the table, write verdicts and page. Exit 1 when a case got no answer."""
    from worldline.bench.rules.page import page as drawn
    from worldline.bench.rules.verdicts import beside, intervals, write

    verdicts, failed = _verdicts(chosen, output)
    ends = intervals(verdicts)
    tell(found, ends)
    if failed_calls:
        say(f"{failed_calls:,} cases got no answer: run the same command with --retry-failed.")
    say(f"{write(beside(output), verdicts):,} verdicts in {beside(output)}")
    if page is not None:
        write_page(page, drawn(found, ends, failed, title, beside(output).name))
    if json:
        emit(_as_json(found, ends, output))
    if found.reasons:
        raise typer.Exit(1)


def _verdicts(chosen: "Sequence[Case]", output: Path) -> "tuple[list[Verdict], Failures]":
    from worldline.bench.rules.case import posed
    from worldline.bench.rules.page import Failures
    from worldline.bench.rules.verdicts import answered

    verdicts, failed = list["Verdict"](), Failures()
    for one in answered(list(posed(list(chosen))), output):
        verdicts.append(one.verdict)
        failed.add(one)
    return verdicts, failed


def _as_json(
    found: "Table", ends: "Mapping[str, Mapping[str, Interval]]", output: Path
) -> dict[str, Any]:
    return {
        "schema": "worldline.rules/1",
        "output": str(output),
        **msgspec.to_builtins(found),
        "means": {domain: found.mean(domain) for domain in found.cells},
        "intervals": ends,
    }


def _chosen(path: Path | None, domains: list[str] | None, limit: int | None) -> "list[Case]":
    """The cases that are asked about.

    Raises:
        UsageError: there are none, or none of a domain that was asked for.
    """
    from worldline.bench.rules.case import read, sets

    found = [case for one in ([path] if path else sets()) for case in read(one)]
    if not found:
        raise UsageError("holds no cases", file=path, remedy="See docs/formats.md, Rule cases.")
    _there(domains, sorted({case.domain for case in found}))
    return _some([case for case in found if not domains or case.domain in domains], limit)


def _there(wanted: list[str] | None, there: list[str]) -> None:
    for name in wanted or ():
        if name not in there:
            raise UsageError(
                f"there are no cases of {name!r}",
                field="domain",
                remedy=f"There are cases of {', '.join(there)}.",
            )


def _proposed(domains: list[str] | None, each: int) -> "list[Case]":
    from worldline.bench.rules.propose import propose
    from worldline.bench.suite import HOME, files
    from worldline.storage import read_trajectories

    found = {path.name.partition(".")[0]: path for path in files(HOME)}
    _there(domains, list(found))
    paths = [path for name, path in found.items() if not domains or name in domains]
    with progress("propose", None, "sessions") as bar:

        def sessions():
            for path in paths:
                for one in read_trajectories(path):
                    yield one
                    bar.advance()

        return propose(sessions(), each)


def _some(cases: "list[Case]", limit: int | None) -> "list[Case]":
    counts: dict[tuple[str, str], int] = {}
    kept: list[Case] = []
    for case in cases:
        key = (case.domain, case.axis)
        counts[key] = counts.get(key, 0) + 1
        if limit is None or counts[key] <= limit:
            kept.append(case)
    return kept


def tell(found: "Table", ends: "Mapping[str, Mapping[str, Interval]]") -> None:
    """The table on stderr: cases by domain and axis, and the share that passed."""
    from worldline.bench.rules.page import HEADS, lines

    for name, *cells in (HEADS, *lines(found, ends)):
        *counts, share, between = cells
        row = "".join(f"{one:>10}" for one in (*counts, share)) + f"{between:>18}"
        say(f"{name.replace(chr(0x2003), '  '):20}{row}")
    if found.reasons:
        say("no answer: " + ", ".join(f"{why} {n:,}" for why, n in found.reasons.items()))
