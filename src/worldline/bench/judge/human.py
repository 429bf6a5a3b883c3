"""A person as a judge: predictions go out as a sheet and come back as verdicts.

    judge_by_hand(Path("predictions.jsonl"), Path("ada.csv"), Path("judged.jsonl"))

Where there is no sheet, one is written, and nothing else happens. Where there is one, its grades
become the verdicts: the same lines as any judge's, by the judge ``human:ada``.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl, manifests
from worldline.bench.judge import given as lines
from worldline.bench.judge import sheet
from worldline.bench.judge.ask import exchanges
from worldline.bench.judge.given import Given
from worldline.bench.judge.judged import Judgement, usual_keys
from worldline.bench.judge.run import Report
from worldline.bench.judge.sheet import Grade
from worldline.bench.judge.verdict import Verdict
from worldline.bench.manifest import MANIFEST_SCHEMA, manifest, manifest_path
from worldline.bench.source import file_sha
from worldline.errors import DataError, UsageError
from worldline.paths import parent_made
from worldline.prediction import Usage

SPEC = "human:"
"""How the spec of a person begins; the path of the sheet follows."""
VERSION = "human/1"
NOT_GRADED = "not_graded"
NOT_IN_SHEET = "not_in_sheet"


def sheet_of(spec: str) -> Path | None:
    """The sheet that a spec names; `None` for a spec of a model.

    Raises:
        UsageError: it names no file.
    """
    if not spec.startswith(SPEC):
        return None
    name = spec.removeprefix(SPEC)
    if not name:
        raise UsageError("names no sheet", field="model", remedy="As in -m human:ada.csv")
    return Path(name).expanduser()


def guide() -> str:
    """What a person is told."""
    return resources.files("worldline.bench.judge").joinpath("guide.txt").read_text("utf-8")


def export(predictions: Path, path: Path, limit: int | None = None) -> int:
    """Write a sheet of all usable predictions, and beside it how to grade; returns how many.

    Raises:
        DataError: a row is broken, or the sheet cannot be written.
    """
    usable = ((n, one) for n, one in _numbered(predictions, limit) if one.reason is None)
    count = sheet.write(path, (_line(number, one) for number, one in usable))
    beside = path.with_name(f"{path.stem}.guide.txt")
    try:
        parent_made(beside).write_text(guide(), "utf-8")
    except OSError as error:
        raise jsonl.unwritable(beside, error) from error
    return count


def judge_by_hand(
    predictions: Path, path: Path, out: Path, *, limit: int | None = None
) -> Report | None:
    """The verdicts of a sheet as judged lines; `None` where the sheet was only written now.

    The output is made anew each time, so that a sheet can be filled in bit by bit.

    Raises:
        DataError: a row or a grade is broken; names line and column.
        UsageError: the output is another judge's, or the sheet is about other predictions.
    """
    lines.checked(predictions)
    if not path.exists():
        export(predictions, path, limit)
        return None
    start, grades = time.monotonic(), sheet.read(path)
    _settle(predictions, path, out)
    reasons: Counter[str | None] = Counter()
    known: set[str] = set()

    def made() -> Iterator[dict[str, Any]]:
        for number, given in _numbered(predictions, limit):
            name = _name(number, given)
            known.add(name)
            why = NOT_GRADED if name in grades else NOT_IN_SHEET
            line = _judged(given, grades.get(name), f"{SPEC}{path.stem}", why)
            reasons[line["worldline_judge"]["reason"]] += 1
            yield line
        if limit is None and (other := grades.keys() - known):
            raise UsageError(
                f"has rows that are not among the predictions, as {min(other)}",
                file=path,
                field="row",
                remedy=f"It was written for another file than {predictions}.",
            )

    jsonl.write(out, made())
    scored = reasons.pop(None, 0)
    return Report(
        rows=scored + reasons.total(),
        resumed=0,
        scored=scored,
        unscored={str(reason): count for reason, count in reasons.most_common()},
        usage=Usage(),
        seconds=time.monotonic() - start,
    )


def _numbered(path: Path, limit: int | None) -> Iterator[tuple[int, Given]]:
    yield from islice(enumerate(lines.read(path), 1), limit)


def _name(number: int, given: Given) -> str:
    """As ``r17-3fa9c1d2``: a letter first, or a spreadsheet makes a number of it."""
    return f"r{number}-{given.of[:8]}"


def _line(number: int, given: Given) -> sheet.Line:
    return sheet.Line(
        row=_name(number, given),
        session=given.session,
        turn=given.row.turn,
        history="\n\n".join(exchanges(given)),
        action=given.action,
        truth=given.truth,
        prediction=given.observation or "",
    )


def _judged(given: Given, grade: Grade | None, who: str, why: str) -> dict[str, Any]:
    """A line; `why` says what is the matter where there is no grade."""
    reason, stage, verdict = why, "judge", Verdict()
    if given.reason is not None:
        reason, stage = given.reason, "prediction"
    elif grade is not None:
        reason = stage = None
        notes = (grade.note,) if grade.note else ()
        verdict = Verdict(scores=grade.scores, weaknesses=notes)
    known = Judgement(
        status="scored" if verdict.scores else "unscored",
        stage=stage,
        reason=reason,
        scores=verdict.scores,
        attempts=int(verdict.scores is not None),
        judge=who,
        prompt=VERSION,
        prompt_sha=_guide_sha(),
        of=given.of,
    )
    keys = usual_keys(given.observation, verdict, known)
    return {**given.line, **keys, "worldline_judge": msgspec.to_builtins(known)}


def _guide_sha() -> str:
    return hashlib.sha256(guide().encode()).hexdigest()


def _settle(predictions: Path, path: Path, out: Path) -> None:
    """Make sure that the output is this person's or nobody's, and say whose it is."""
    wanted = manifest(
        "judge",
        input={"name": predictions.name, "sha": file_sha(predictions)},
        judge={"name": f"{SPEC}{path.stem}", "kind": "human"},
        judge_prompts={"*": _guide_sha()},
    )
    beside = manifest_path(out)
    if out.exists() and out.stat().st_size:
        remedy = "Give another output file."
        missing = DataError("holds something that this did not write", file=out, remedy=remedy)
        before = manifests.read(beside, MANIFEST_SCHEMA, missing)
        for field in ("verb", "judge", "input"):
            was, now = before.get(field), wanted[field]
            manifests.must_agree(
                beside, field, was, now, made="these results were made", remedy=remedy
            )
    manifests.write(beside, wanted)
