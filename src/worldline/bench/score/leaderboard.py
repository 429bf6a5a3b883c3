"""The runs of a leaderboard: judged files and kept reports, found in folders; `board` shows them.

The folders of `worldline bench calibrate` hold judged rows too, of observations that were made
right or wrong on purpose. They are no run of a model and are left out.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

import msgspec

from worldline import jsonl
from worldline.bench.calibrate.items import FIELD, Kind
from worldline.bench.score.intervals import DRAWS
from worldline.bench.score.report import SCHEMA, Score, alike
from worldline.bench.score.run import is_judged, judged_files, load
from worldline.bench.score.table import score
from worldline.errors import DataError
from worldline.trajectory import check_schema, validation_error

_KINDS = frozenset(get_args(Kind))


def entries(
    paths: Sequence[Path],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    mixed: bool = False,
    passed: Callable[[Path], None] = lambda path: None,
) -> list[Score]:
    """The runs: each judged file is one, each file of ``worldline bench score -o`` is one.

    Args:
        paths: such files, or folders of them.
        mixed: take files in which rows were judged differently.
        passed: told each file that is left out, since it is of a calibration.

    Raises:
        DataError: a file is broken, a folder holds neither, or all there is are calibrations.
        UsageError: the rows of a file were judged differently.
    """
    found: dict[bytes, Score] = {}
    for path in paths:
        for file in _results(path) if path.is_dir() else [path]:
            one = _entry(file, draws, seed, mixed)
            if one is None:
                passed(file)
            else:
                found.setdefault(_figures(one), one)
    if not found:
        raise DataError(
            "holds calibrations of judges alone, and no run of a model",
            file=paths[0],
            remedy="Judge predictions: `worldline bench judge PREDICTIONS -m SPEC -o FILE`.",
        )
    return list(found.values())


def _figures(one: Score) -> bytes:
    """What makes a run this one: its figures and how they came about, whatever it is called (a
    judged file and the report of it are one run)."""
    figures = [one.macro.score.value, one.micro.score.value, one.reasons]
    return jsonl.dumps([one.rows, one.scored, *figures, *alike(one)])


def _entry(file: Path, draws: int, seed: int, mixed: bool) -> Score | None:
    """A run; `None` where it is of a calibration."""
    if file.suffix == ".json":
        kept = read(file)
        # A report names its models alone; a calibration's are the kinds of its observations.
        return None if set(kept.name.split(", ")) <= _KINDS else kept
    if is_calibration(file):
        return None
    return score(load([file], mixed=mixed), draws=draws, seed=seed)


def is_calibration(path: Path) -> bool:
    """Whether a file's first line was judged for `worldline bench calibrate`."""
    if not path.is_file():
        return False
    number, raw = next(jsonl.raw_lines(path), (0, b""))
    value = jsonl.parse_line(raw, path, number) if number else None
    return isinstance(value, dict) and FIELD in value


def _results(folder: Path) -> list[Path]:
    """What is in a folder; of a run that was scored already its report comes first."""
    inside = sorted(folder.rglob("*"))
    found = [one for one in inside if is_report(one)] + [one for one in inside if is_judged(one)]
    return found or judged_files([folder])  # which says that there are none


def is_report(path: Path) -> bool:
    """Whether a file is a report that was kept."""
    if path.suffix != ".json" or not path.is_file():
        return False
    try:
        value = jsonl.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    schema = value.get("schema") if isinstance(value, dict) else None
    return isinstance(schema, str) and schema.startswith(SCHEMA.rpartition("/")[0] + "/")


def read(path: Path) -> Score:
    """A report that was kept.

    Raises:
        DataError: it cannot be read or is none.
    """
    try:
        value = jsonl.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"cannot be read ({error})", file=path, remedy=_REMEDY) from error
    check_schema(value.get("schema") if isinstance(value, dict) else None, SCHEMA, file=path)
    try:
        return jsonl.convert(value, Score)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=path) from error


_REMEDY = "Give what `worldline bench score JUDGED -o FILE.json` wrote."
