"""`worldline import`: recordings of other tools into trajectories."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldline.cli.common import Config, Json, emit, progress, say, verb_app
from worldline.cli.import_bad import BadLines, beside
from worldline.errors import UsageError
from worldline.paths import is_dir

if TYPE_CHECKING:
    from worldline.trajectory import Trajectory

app = verb_app()


@app.command("import")
def import_(
    format: Annotated[
        str,
        typer.Argument(help="atif, asciinema, sweagent, common, or awb (also agentworldbench)."),
    ],
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Files, folders or patterns.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Trajectories: .jsonl, .jsonl.gz or .parquet."
        ),
    ] = None,
    licence: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Licence of recordings that do not say theirs."),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Where they come from, as a repository or a data set."),
    ] = None,
    redact: Annotated[
        bool | None,
        typer.Option(
            "--redact/--no-redact",
            help="Replace secrets and personal data. On, but for common and awb.",
        ),
    ] = None,
    salt: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What pseudonyms follow from; keep it.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be replaced; write nothing.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Exit 0 even if something was set aside.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first thing that cannot be read.")
    ] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Turn recordings into trajectories.

    What cannot be read is named and set aside in FILE.bad.jsonl (and its lines, as they are, in
    FILE.bad); the rest is imported. Exit 1 when anything was set aside.
    """
    from worldline.collect.importers import UNCHANGED, importer, sourced
    from worldline.collect.importers.files import files

    read = importer(format)
    clean = format not in UNCHANGED if redact is None else redact
    if format in UNCHANGED:
        paths = [file for path in paths for file in files(path, (".jsonl",))]
    bad = BadLines(_checked(output, paths, dry_run), clean)
    with bad:
        found = (one for path in paths for one in read(path, None if strict else bad.keep))
        found = sourced(found, licence=licence, origin=origin)
        if dry_run:
            _preview(found, salt, json)
        elif output is not None:
            seen = Seen()
            count = _write(output, seen.through(_cleaned(found, clean, salt, seen)))
            _tell(output, count, seen)
            if json:
                emit(_report(output, count, seen, bad))
            if count and redact is None and not clean:
                say("Imported byte for byte; --redact replaces secrets and personal data.")
    bad.tell()
    if bad.count and not skip_bad:
        raise typer.Exit(1)


class Seen:
    """Counts what passes."""

    def __init__(self) -> None:
        self.turns = 0
        self.dialects: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self.licences: dict[str, Counter[str]] = {}

    def through(self, found: "Iterator[Trajectory]") -> "Iterator[Trajectory]":
        """The same trajectories, counted."""
        for one in found:
            self.turns += len(one.turns)
            self.dialects[f"{one.domain}/{one.dialect}"] += 1
            self.licences.setdefault(one.source.licence, Counter())[one.source.name] += 1
            yield one


def _checked(output: Path | None, paths: list[Path], dry_run: bool) -> Path | None:
    """The output.

    Raises:
        UsageError: it is missing, or it or a file beside it would be read while it is written.
        DataError: there is nothing of the name of an input.
    """
    from worldline.collect.importers.files import files

    named = [file for path in paths if not is_dir(path) for file in files(path, ())]
    if dry_run:
        return None
    if output is None:
        raise UsageError("is missing", field="--output", remedy="Give a file, or --dry-run.")
    ours = {os.path.realpath(one) for one in (output, *beside(output))}  # loops of links too
    for path in paths:
        if is_dir(path) and Path(os.path.realpath(output)).is_relative_to(os.path.realpath(path)):
            raise UsageError(
                f"lies in {path}, which is read",
                field="--output",
                remedy="Give a file in another folder.",
            )
    if any(os.path.realpath(one) in ours for one in named):
        raise UsageError(
            "is the input, or what was set aside beside it",
            field="--output",
            remedy="Give another file.",
        )
    return output


def _write(output: Path, found: "Iterator[Trajectory]") -> int:
    from worldline.storage import write_trajectories

    with progress("import", None, "trajectories") as bar:
        return write_trajectories(output, _watched(found, bar.advance))


def _watched(found: "Iterator[Trajectory]", advance: Callable[[], None]) -> "Iterator[Trajectory]":
    for one in found:
        yield one
        advance()


def _cleaned(
    found: "Iterator[Trajectory]", clean: bool, salt: str | None, seen: Seen
) -> "Iterator[Trajectory]":
    """Without secrets and personal data, if asked for; `meta.redacted` counts them."""
    import msgspec

    from worldline.collect.scrub import redact_trajectory

    for one in found:
        if not clean:
            yield one
            continue
        new, counts = redact_trajectory(one, salt=salt)
        seen.redacted.update(counts)
        meta = {**new.meta, "redacted": dict(counts)} if counts else new.meta
        yield msgspec.structs.replace(new, meta=meta)


def _preview(found: "Iterator[Trajectory]", salt: str | None, json: bool) -> None:
    """What would be replaced: once a trajectory and word, with how often and where first."""
    from worldline.collect.scrub import preview
    from worldline.visible import visible

    total: Counter[str] = Counter()
    for one in found:
        changes = preview(one, salt=salt)
        total.update(change.kind for change in changes)
        times = Counter((c.kind, c.before, c.after) for c in changes)
        first = {(c.kind, c.before, c.after): c.where for c in reversed(changes)}
        for (kind, before, after), count in times.items():
            where = first[kind, before, after]
            if json:
                row = {"trajectory": one.id, "kind": kind, "before": before, "after": after}
                emit({"schema": "worldline.redaction/1", **row, "count": count, "first": where})
            else:
                print(visible(f"{one.id}: {kind}: {before} -> {after} ({count}, first {where})"))
    say(f"{total.total():,} replacements; nothing was written. {_counted(total)}".rstrip())


def _tell(output: Path, count: int, seen: Seen) -> None:
    say(f"{count:,} trajectories, {seen.turns:,} turns, written to {output}")
    if seen.dialects:
        say(f"Dialects: {_counted(seen.dialects)}")
    for licence, names in sorted(seen.licences.items()):
        hint = " (say what it is: --licence)" if licence == "unknown" else ""
        say(f"Licence {licence}{hint}: {_counted(names)}")
    if seen.redacted:
        say(f"Replaced: {_counted(seen.redacted)}")


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.most_common())


def _report(output: Path, count: int, seen: Seen, bad: BadLines) -> dict[str, object]:
    return {
        "schema": "worldline.import/1",
        "output": str(output),
        "trajectories": count,
        "turns": seen.turns,
        "dialects": seen.dialects,
        "licences": seen.licences,
        "redacted": seen.redacted,
        "bad": bad.count,
    }
