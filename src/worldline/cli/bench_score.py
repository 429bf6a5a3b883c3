"""`worldline bench score`, `compare`, `report` and `leaderboard`: what judged rows come to."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from worldline.bench.score.intervals import DRAWS
from worldline.cli.bench_told import tell, tell_comparison, tell_official, tell_panel
from worldline.cli.common import Config, Json, distinct, emit, progress, say, write_page
from worldline.cli.outputs import ready
from worldline.cli.staged import COVERAGE, Coverage, covered
from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.bench.official.arithmetic import Table
    from worldline.bench.score.panel import Agreement
    from worldline.bench.score.report import Score
    from worldline.bench.score.run import Look, Run

Judged = Annotated[
    list[Path],
    typer.Argument(metavar="JUDGED...", help="Judged rows of one run: files, or their folder."),
]
NoExact = Annotated[
    bool, typer.Option("--no-exact", help="Leave the exact scorecard out; much faster.")
]
Panel = Annotated[
    bool,
    typer.Option("--panel", help="Each file is another judge of the same predictions."),
]
DifferentJudges = Annotated[
    bool,
    typer.Option("--different-judges", help="Take differing judges or prompts together."),
]
Compat = Annotated[
    str | None, typer.Option(metavar="official", help="Show the official figures too.")
]
Draws = Annotated[int, typer.Option(min=100, metavar="N", help="Of the bootstrap.")]
Seed = Annotated[int, typer.Option(help="Of the bootstrap.")]
Name = Annotated[str | None, typer.Option(metavar="NAME", help="Of the run; else its model's.")]


def score(
    judged: Judged,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Keep the report, JSON.")
    ] = None,
    no_exact: NoExact = False,
    panel: Panel = False,
    different_judges: DifferentJudges = False,
    compat: Compat = None,
    hub: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write files for the Hugging Face Hub there.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(metavar="OWNER/NAME", help="The Hub's id of the data, for --hub.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="URL", help="Where the results are, for --hub.")
    ] = None,
    name: Name = None,
    coverage: Coverage = COVERAGE,
    draws: Draws = DRAWS,
    seed: Seed = 0,
    json: Json = False,
    config: Config = None,
) -> None:
    """The score of a run: macro (the headline) and micro, with intervals, coverage and bounds.

    By domain, dimension, turn and length of context; the exact scorecard beside the judge. Exit 1
    below the coverage that is asked for.
    """
    from worldline.bench.score.report import told

    _known(compat)
    if hub is not None and dataset is None:
        raise UsageError("says nothing of the data", field="hub", remedy="Add --dataset.")
    _apart(judged, output)
    ready(output, hub and hub / "eval.yaml")
    run, agreement = _run(judged, not no_exact, panel, different_judges, name, draws, seed)
    found = _scored(run, draws, seed)
    tell(found)
    value: dict[str, Any] = told(found)
    if agreement is not None:
        tell_panel(agreement)
        value["panel"] = msgspec.to_builtins(agreement)
    if compat is not None:
        official = _official(judged)
        value["official"] = {**msgspec.to_builtins(official), "macro": official.macro}
        tell_official(official)
    if output is not None:
        _keep(output, value)
    if json:
        emit(value)
    covered(found.coverage, coverage, "" if hub is None else f" Nothing was written to {hub}.")
    if hub is not None:
        _hub(found, hub, str(dataset), source)


def report(
    judged: Judged,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page.")],
    title: Annotated[str | None, typer.Option(help="Of the page; else the run's name.")] = None,
    no_exact: NoExact = False,
    panel: Panel = False,
    different_judges: DifferentJudges = False,
    compat: Compat = None,
    worst: Annotated[
        int, typer.Option(min=0, metavar="N", help="Rows of each domain that scored lowest.")
    ] = 5,
    name: Name = None,
    coverage: Coverage = COVERAGE,
    draws: Draws = DRAWS,
    seed: Seed = 0,
    config: Config = None,
) -> None:
    """The score as an HTML page: drawings, judge against exact scorecard, the worst rows.

    The page needs nothing from outside. Exit 1 below the coverage that is asked for.
    """
    from worldline.bench.score.page import page
    from worldline.bench.score.worst import Worst

    _known(compat)
    _apart(judged, output)
    ready(output)
    lowest = Worst(worst)
    run, agreement = _run(
        judged, not no_exact, panel, different_judges, name, draws, seed, look=lowest
    )
    found = _scored(run, draws, seed)
    official = None if compat is None else _official(judged)
    write_page(output, page(found, run.rows, lowest, title or found.name, agreement, official))
    covered(found.coverage, coverage)


def compare(
    one: Annotated[Path, typer.Argument(metavar="ONE", help="Judged rows: a file or a folder.")],
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Those of the other run.")],
    different_judges: DifferentJudges = False,
    common_rows: Annotated[
        bool, typer.Option("--common-rows", help="Where rows differ, compare those in both.")
    ] = False,
    coverage: Coverage = COVERAGE,
    draws: Draws = DRAWS,
    seed: Seed = 0,
    json: Json = False,
    config: Config = None,
) -> None:
    """How much OTHER is better than ONE, row by row over the same rows, with its interval.

    Runs that were judged differently are refused. Exit 1 when fewer pairs than asked for have both
    scores.
    """
    from worldline.bench.score.compare import compare as compared

    runs = [_load([path], False, different_judges) for path in (one, other)]
    found = compared(
        *runs, different_judges=different_judges, common=common_rows, draws=draws, seed=seed
    )
    tell_comparison(found)
    if json:
        emit(msgspec.to_builtins(found))
    covered(found.coverage, coverage)


def leaderboard(
    results: Annotated[
        list[Path],
        typer.Argument(metavar="RESULTS...", help="Folders of results, judged files, reports."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page.")],
    title: Annotated[str, typer.Option(help="Of the page.")] = "Leaderboard",
    different_judges: DifferentJudges = False,
    coverage: Annotated[
        float, typer.Option(min=0, max=1, metavar="SHARE", help="Rank no run that scores fewer.")
    ] = COVERAGE,
    draws: Draws = DRAWS,
    seed: Seed = 0,
    config: Config = None,
) -> None:
    """A static page that ranks runs over the same rows under the same judge.

    Each judged file is a run, each report of `bench score -o` is one. The published table stands
    below as labelled reference rows.
    """
    from worldline.bench.score.board import page
    from worldline.bench.score.leaderboard import entries

    _apart(results, output)
    ready(output)
    found = entries(results, draws=draws, seed=seed, mixed=different_judges, passed=_passed)
    write_page(output, page(found, title, coverage))


def _apart(sources: list[Path], output: Path | None) -> None:
    """Refuse to write over what is read."""
    for source in sources:
        distinct(source, output=output)


def _passed(path: Path) -> None:
    say(f"left out: {path} grades a judge (bench calibrate); it is no run of a model")


def _known(compat: str | None) -> None:
    if compat not in (None, "official"):
        raise UsageError(
            f"is {compat!r}", field="compat", remedy="The one it can be is 'official'."
        )


def _run(
    judged: list[Path],
    exact: bool,
    panel: bool,
    mixed: bool,
    name: str | None,
    draws: int,
    seed: int,
    look: "Look | None" = None,
) -> "tuple[Run, Agreement | None]":
    """The run that is named; of a panel its judges together, and their agreement."""
    if not panel:
        return _load(judged, exact, mixed, name, look), None
    from worldline.bench.score.panel import panel as together
    from worldline.bench.score.run import judged_files

    files = judged_files(judged)
    runs = [
        _load([file], exact and not number, mixed, name, None if number else look)
        for number, file in enumerate(files)
    ]
    return together(runs, draws=draws, seed=seed)


def _load(
    paths: list[Path],
    exact: bool,
    mixed: bool,
    name: str | None = None,
    look: "Look | None" = None,
) -> "Run":
    from worldline.bench.score.run import load

    with progress("score", None) as bar:

        def looked(shown: Any) -> None:
            if look is not None:
                look(shown)
            bar.advance()

        return load(paths, exact=exact, mixed=mixed, name=name, look=looked)


def _scored(run: "Run", draws: int, seed: int) -> "Score":
    from worldline.bench.score.table import score as scored

    return scored(run, draws=draws, seed=seed)


def _keep(path: Path, value: dict[str, Any]) -> None:
    from worldline import jsonl

    jsonl.write(path, [value])
    say(f"report: {path}")


def _hub(found: "Score", folder: Path, dataset: str, source: str | None) -> None:
    from worldline.bench.score.hub import write

    for path in write(found, folder, dataset=dataset, source=source):
        say(f"hub: {path}")


def _official(judged: list[Path]) -> "Table":
    """The figures of the official script."""
    from worldline import jsonl
    from worldline.bench.official.arithmetic import table
    from worldline.bench.score.run import judged_files

    return table(line.value for file in judged_files(judged) for line in jsonl.read(file))
