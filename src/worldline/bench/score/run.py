"""A run: judged files that are one result together, and under what they were judged.

Scores of different judges, or under different judge prompts, are different measures. They are never
averaged or subtracted unless that was asked for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl, manifests
from worldline.bench.judge.judged import JUDGED_FIELDS
from worldline.bench.manifest import MANIFEST_SCHEMA, manifest_path
from worldline.bench.score.rows import Scored, Shown, read
from worldline.errors import DataError, UsageError

Look = Callable[[Shown], None]
"""Told each row as it is read."""

UNSAID = "not said"
_OF_JUDGE_MAY_DIFFER = ("host", "options")
SUFFIXES = (".jsonl", ".jsonl.gz")


class Under(msgspec.Struct, frozen=True, kw_only=True):
    """What decided the scores of a run; each name once, sorted."""

    judges: tuple[str, ...]
    prompts: tuple[str, ...]
    compat: tuple[str, ...]
    """Commits whose reading and arithmetic lines follow."""
    prompt_shas: dict[str, tuple[str, ...]]
    """Domain -> SHA-256 of its judge prompts."""
    settings: dict[str, Any] | None = None
    """The judge with its sampling, and its tries, from the manifest; `None` when there is none."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Rows that are one result together."""

    name: str
    files: tuple[str, ...]
    rows: tuple[Scored, ...]
    under: Under

    @property
    def data(self) -> str:
        """SHA-256 of which rows were judged: equal for runs over the same data."""
        return jsonl.sha(sorted(row.key for row in self.rows))


def load(
    paths: Sequence[Path],
    *,
    exact: bool = False,
    mixed: bool = False,
    name: str | None = None,
    look: Look | None = None,
) -> Run:
    """Read judged files, and folders of them, as one run.

    Args:
        exact: run the exact scorecard too.
        mixed: take rows of different judges or prompts together all the same.
        name: else the models that predicted, or the name of the file.
        look: told each row as it is read; rows keep no texts.

    Raises:
        DataError: a file is broken, was not judged, or there is none.
        UsageError: two files hold the same rows, or were judged differently.
    """
    files = judged_files(paths)
    rows: list[Scored] = []
    seen: dict[str, Path] = {}
    settings: list[dict[str, Any]] = []
    for file in files:
        for shown in read(file, exact=exact):
            if seen.setdefault(shown.scored.key, file) != file:
                raise _twice(file, shown.scored, seen[shown.scored.key])
            rows.append(shown.scored)
            if look is not None:
                look(shown)
        found = _settings(file)
        settings += [found] if found is not None and found not in settings else []
    if not rows:
        raise DataError("holds no rows", file=files[0], remedy="Judge some rows first.")
    whole = _under(rows, settings[0] if len(settings) == 1 else None)
    trouble = list(_mixture(whole, settings))
    if trouble and not mixed:
        raise UsageError(
            f"these rows were judged differently: {'; '.join(trouble)}",
            file=files[0],
            remedy="Score them apart, or say --different-judges.",
        )
    return Run(
        name=name or _name(rows, files),
        files=tuple(str(file) for file in files),
        rows=tuple(rows),
        under=whole,
    )


def judged_files(paths: Iterable[Path]) -> list[Path]:
    """The files that are named, and those with judged rows in the folders that are named.

    Raises:
        DataError: nothing is there, or a folder has no judged rows.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = [one for one in sorted(path.rglob("*")) if is_judged(one)]
        if not inside:
            raise DataError(
                "is a folder without judged rows",
                file=path,
                remedy="Make them: `worldline bench judge PREDICTIONS -m SPEC -o FILE`.",
            )
        found += inside
    return list(dict.fromkeys(found))


def is_judged(path: Path) -> bool:
    """Whether a file's first line is a judged row."""
    if not path.name.endswith(SUFFIXES) or not path.is_file():
        return False
    number, raw = next(jsonl.raw_lines(path), (0, b""))
    if not number:
        return False
    value = jsonl.parse_line(raw, path, number)
    return isinstance(value, dict) and "gen" in value and any(one in value for one in JUDGED_FIELDS)


def differing(one: Under, other: Under) -> Iterator[str]:
    """What was different, as ``judge: A against B``."""
    for what in ("judges", "prompts", "compat"):
        left, right = getattr(one, what), getattr(other, what)
        if left != right:
            yield f"{what}: {_said(left)} against {_said(right)}"
    if one.prompts == other.prompts:
        for domain in sorted(one.prompt_shas.keys() & other.prompt_shas.keys()):
            left, right = one.prompt_shas[domain], other.prompt_shas[domain]
            if left != right:
                yield f"judge prompts of {domain}: {_said(left)} against {_said(right)}"
    if one.settings and other.settings and one.judges == other.judges:
        yield from _changes("settings", one.settings, other.settings)


def _changes(path: str, one: Any, other: Any) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from _changes(f"{path}.{key}", one.get(key), other.get(key))
    elif one != other:
        yield f"{path}: {one!r} against {other!r}"


def _mixture(whole: Under, settings: list[dict[str, Any]]) -> Iterator[str]:
    for what in ("judges", "prompts", "compat"):
        if len(getattr(whole, what)) > 1:
            yield f"{what}: {_said(getattr(whole, what))}"
    if len(whole.prompts) == 1:
        for domain, shas in whole.prompt_shas.items():
            if len(shas) > 1:
                yield f"judge prompts of {domain}: {_said(shas)}"
    if len(whole.judges) == 1:
        for other in settings[1:]:
            yield from _changes("settings", settings[0], other)


def _said(names: Iterable[str]) -> str:
    return ", ".join(one[:12] if len(one) == 64 else one for one in names)


def _under(rows: list[Scored], settings: dict[str, Any] | None) -> Under:
    shas: dict[str, set[str]] = {}
    for row in rows:
        shas.setdefault(row.domain, set()).add(row.by.prompt_sha or UNSAID)
    return Under(
        judges=_names(row.by.judge for row in rows),
        prompts=_names(row.by.prompts for row in rows),
        compat=_names(row.by.compat or "none" for row in rows),
        prompt_shas={domain: tuple(sorted(found)) for domain, found in sorted(shas.items())},
        settings=settings,
    )


def _names(found: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({UNSAID if one is None else one for one in found}))


def _settings(file: Path) -> dict[str, Any] | None:
    path = manifest_path(file)
    if not path.is_file():
        return None
    found = manifests.read(path, MANIFEST_SCHEMA, DataError("is not there", file=path))
    judge = found.get("judge")
    if not isinstance(judge, dict):
        return None
    kept = {name: value for name, value in judge.items() if name not in _OF_JUDGE_MAY_DIFFER}
    return {"judge": kept, "tries": found.get("tries")}


def _name(rows: list[Scored], files: list[Path]) -> str:
    models = sorted({row.model for row in rows if row.model})
    return ", ".join(models) if models else files[0].name.partition(".")[0]


def _twice(file: Path, row: Scored, other: Path) -> UsageError:
    return UsageError(
        f"holds a row that {other.name} has too ({row.id}, turn {row.turn})",
        file=file,
        line=row.line,
        remedy="Name one run. Several judges of the same predictions: --panel; two runs: compare.",
    )
