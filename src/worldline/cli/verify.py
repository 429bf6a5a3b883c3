"""`worldline verify`: predictions against the truth, or recorded trajectories against the rules."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from worldline import jsonl
from worldline.cli.common import (
    Config,
    Json,
    distinct,
    emit,
    progress,
    say,
    verb_app,
    write_page,
)

if TYPE_CHECKING:
    from worldline.bench.tally import Group

app = verb_app()


@app.command()
def verify(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="Predictions (of `worldline predict`, or any rows with `gen`), or trajectories.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write each row's scorecard too."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write an HTML page too.")
    ] = None,
    title: Annotated[str, typer.Option(help="Of the page.")] = "Verified",
    json: Json = False,
    config: Config = None,
) -> None:
    """Score predictions without a judge: what is true, what is impossible, what nobody could know.

    Trajectories are only checked against the rules. Exit 1 when a row could not be scored.
    """
    from worldline.bench.tally import Counted
    from worldline.bench.verified import verify as run
    from worldline.bench.verify_page import Worst
    from worldline.bench.verify_page import page as drawn

    distinct(source, output=output, page=page)
    counted, worst = Counted(), Worst()
    with progress("verify", None, "rows") as bar:

        def rows():
            for sides in run(source):
                counted.add(sides.row)
                worst.add(sides)
                bar.advance()
                yield msgspec.to_builtins(sides.row)

        if output is not None:
            jsonl.write(output, rows())
        else:
            for _ in rows():
                pass
    groups = counted.groups()
    tell(groups)
    if page is not None:
        write_page(page, drawn(groups, worst, title))
    if json:
        emit({"schema": "worldline.verify/1", "groups": msgspec.to_builtins(groups)})
    if any(group.reasons for group in groups):
        raise typer.Exit(1)


def tell(groups: "list[Group]") -> None:
    """The groups in a table, on stderr."""
    from worldline.verify.compare import DIMENSIONS

    names = [*DIMENSIONS, "true", "plausible"]
    say(f"{'':22}{'rows':>7}{'scored':>8}" + "".join(f"{name[:11]:>12}" for name in names))
    for one in groups:
        name = one.domain if one.dialect == "*" else f"  {one.dialect}"
        values = [one.true.get(d) for d in (*DIMENSIONS, "score")] + [one.plausible.get("score")]
        cells = "".join(f"{'-' if v is None else format(v, '.3f'):>12}" for v in values)
        say(f"{name:22}{one.rows:7,}{one.scored / one.rows:8.1%}{cells}")
    for one in (group for group in groups if group.dialect == "*"):
        unknowable = one.scored - one.knowable
        if unknowable:
            known = one.true_knowable.get("score")
            apart = "" if known is None else f"; without them true is {known:.3f}"
            say(f"{one.domain}: {unknowable:,} of {one.scored:,} rows are unknowable{apart}")
        if one.errors or one.warnings:
            rules = ", ".join(f"{rule} {count:,}" for rule, count in list(one.rules.items())[:6])
            say(f"{one.domain}: {one.errors:,} rows are impossible, {one.warnings:,} odd: {rules}")
        if one.reasons:
            why = ", ".join(f"{reason} {count:,}" for reason, count in one.reasons.items())
            say(f"{one.domain}: unscored: {why}")
