"""`worldline snapshot`: a real environment read into a starting state."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from worldline.cli.common import Config, Json, emit, say, verb_app
from worldline.scenarios.snapshot import Snapshot, write_snapshot
from worldline.scenarios.terminal import Limits, take

app = verb_app("Read a real environment into a starting state for a simulated one.")


@app.callback()
def _group() -> None:
    """Read a real environment into a starting state for a simulated one."""


@app.command()
def terminal(
    folder: Annotated[Path, typer.Argument(help="The folder to read; nothing in it is changed.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="PATH", help="Where it stands in the simulated machine.")
    ] = None,
    files: Annotated[int, typer.Option(min=1, help="Most files and folders.")] = Limits.files,
    file_bytes: Annotated[
        int, typer.Option(min=0, help="Largest file whose content is taken.")
    ] = Limits.file_bytes,
    json: Json = False,
    config: Config = None,
) -> None:
    """Read a folder: its listing, and the content of small text files, as facts."""
    shot = take(folder, at=at, limits=Limits(files=files, file_bytes=file_bytes))
    for line in preview(shot):
        say(line)
    if output is not None:
        write_snapshot(output, shot)
        say(f"Written to {output}. Next: worldline sim terminal --snapshot {output}")
    if json or output is None:
        emit(msgspec.to_builtins(shot))


def preview(shot: Snapshot, most: int = 8) -> Sequence[str]:
    """What a snapshot holds and what it does not, in a few lines."""
    kinds = [fact.value.get("type") for fact in shot.facts if fact.kind == "file"]
    full = sum(1 for fact in shot.facts if fact.kind == "file" and fact.value.get("content"))
    lines = [
        f"{kinds.count('file')} files ({full} with content), {kinds.count('dir')} folders; "
        f"prompt text about {shot.tokens:,} tokens."
    ]
    if shot.omitted:
        lines.append(f"Left out or incomplete: {len(shot.omitted)}")
        lines += [f"  {one}" for one in shot.omitted[:most]]
        if len(shot.omitted) > most:
            lines.append(f"  ... and {len(shot.omitted) - most} more (see `omitted`)")
    if shot.redacted:
        found = ", ".join(f"{kind} x{n}" for kind, n in sorted(shot.redacted.items()))
        lines.append(f"Secrets replaced: {found}")
    return lines
