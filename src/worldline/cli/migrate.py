"""`worldline migrate`: files of older versions, brought up to date."""

from pathlib import Path
from typing import Annotated

import typer

from worldline.cli.common import Config, Json, emit, say, verb_app

app = verb_app()


@app.command()
def migrate(
    path: Annotated[Path, typer.Argument(help="A file of records (.jsonl or .jsonl.gz).")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The new file.")],
    json: Json = False,
    config: Config = None,
) -> None:
    """Bring a file of an older version up to date. The input is never changed."""
    from worldline.migrate import migrate as run

    counts = run(path, output)
    changed = counts.total() - counts["current"]
    if not changed:
        say(f"already current: all {counts.total():,} records; copied to {output}")
    else:
        what = ", ".join(f"{count:,} {how}" for how, count in counts.most_common())
        say(f"{what}; written to {output}")
    if json:
        emit({"schema": "worldline.migration/1", "output": str(output), "records": counts})
