"""`worldline verify`: predictions against the truth, or recorded trajectories against the rules."""

from collections import Counter
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
    verb_app,
    write_page,
)

if TYPE_CHECKING:
    from worldline.bench.verified import Verified

app = verb_app()


@app.command()
def verify(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="Predictions (of `worldline predict`, or any rows with `gen`), or recorded "
            "trajectories: a file, a folder of collect or bench make, or worldline-bench.",
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
    from worldline.bench.verify_page import page as drawn
    from worldline.bench.worst import Worst
    from worldline.cli.verify_told import tell, tell_guessed, tell_unknown

    distinct(source, output=output, page=page)
    counted, worst, guessed = Counted(), Worst(), Counter[tuple[str, str]]()
    with progress("verify", None, "rows") as bar:

        def rows():
            for sides in run(source):
                counted.add(sides.row)
                worst.add(sides)
                guessed.update(_guess(sides.row))
                bar.advance()
                yield msgspec.to_builtins(sides.row)

        if output is not None:
            jsonl.write(output, rows())
        else:
            for _ in rows():
                pass
    groups = counted.groups()
    tell_unknown({one.domain: one.rows for one in groups if one.dialect == "*"}, "rows")
    tell_guessed(guessed)
    tell(groups)
    if page is not None:
        write_page(page, drawn(groups, worst, title))
    if json:
        emit({"schema": "worldline.verify/1", "groups": msgspec.to_builtins(groups)})
    if any(group.reasons for group in groups):
        raise typer.Exit(1)


def _guess(row: "Verified") -> list[tuple[str, str]]:
    return [(row.domain, row.dialect)] if row.guessed else []
