"""A person as a judge: a sheet goes out, grades come back, and nothing in it acts."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.bench.judge.sheet import COLUMNS, MOST, Line, cell, read, text, write
from worldline.errors import DataError
from worldline.verify.compare import DIMENSIONS

FORMULA = '=HYPERLINK("http://evil.example","x")'


def line(number: int, said: str | None) -> dict[str, Any]:
    return {
        "task": "terminal",
        "id": number,
        "prompt": [f"look {number}"],
        "response": [f"**Environment Observation:**\nseen {number}"],
        "current_prompt": f"look {number}",
        "system_str": "",
        "turn_idx": 1,
        "total_turns": 1,
        "gen": "" if said is None else f"<predicted_observation>{said}</predicted_observation>",
    }


def file(path: Path, said: list[str | None]) -> Path:
    made = [jsonl.dumps(line(number, one)) + b"\n" for number, one in enumerate(said)]
    path.write_bytes(b"".join(made))
    return path


def judge(source: Path, sheet: Path, out: Path, *more: object) -> tuple[int, str]:
    told = ["judge", source, "-m", f"human:{sheet}", "-o", out, *more]
    done = subprocess.run(
        [sys.executable, "-m", "worldline", "bench", *map(str, told)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


def cells(path: Path) -> list[dict[str, str]]:
    content = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content, newline="")))


def fill(path: Path, *grades: dict[str, str], sign: str = ",") -> None:
    """Fill in the sheet as a spreadsheet would save it."""
    told = [{**row, **grade} for row, grade in zip(cells(path), grades, strict=True)]
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, delimiter=sign)
        writer.writeheader()
        writer.writerows(told)


def grade(*scores: object, **more: str) -> dict[str, str]:
    return {**dict(zip(DIMENSIONS, map(str, scores), strict=False)), **more}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(one) for one in path.read_text("utf-8").split("\n") if one]


# what a user is promised


@pytest.mark.parametrize("sign", [",", ";"])
def test_a_sheet_is_written_filled_in_and_becomes_verdicts(tmp_path, sign):
    source = file(tmp_path / "p.jsonl", ["a guess", FORMULA, None, "another"])
    sheet, out = tmp_path / "ada.csv", tmp_path / "judged.jsonl"
    code, said = judge(source, sheet, out)
    assert code == 1 and "ada.csv" in said and "same command again" in said
    assert (
        not out.exists() and "whole number from 1 to 5" in (tmp_path / "ada.guide.txt").read_text()
    )
    assert [one["truth"] for one in cells(sheet)] == ["seen 0", "seen 1", "seen 3"]
    fill(sheet, grade(5, 4, 3, 2, 1, note="nearly; so"), {}, grade(1, 1, 1, 1, "2.0"), sign=sign)
    code, said = judge(source, sheet, out, "--coverage", "0.5")
    found = rows(out)
    assert code == 0 and "Scored: 2 of 4" in said
    told = [one["worldline_judge"] for one in found]
    assert told[0]["scores"] == dict(zip(DIMENSIONS, (5, 4, 3, 2, 1), strict=True))
    assert found[0]["total_score"] == 3 and found[0]["weaknesses"] == ["nearly; so"]
    assert told[0]["judge"] == "human:ada" and found[0]["failed"] == 0.0
    assert [(one["stage"], one["reason"]) for one in told] == [
        (None, None),
        ("judge", "not_graded"),
        ("prediction", "no_prediction/empty"),
        (None, None),
    ]
    assert found[3]["quality"] == 2


def test_a_sheet_may_be_filled_in_bit_by_bit_and_a_coverage_is_asked_for(tmp_path):
    source = file(tmp_path / "p.jsonl", ["a", "b"])
    sheet, out = tmp_path / "ada.csv", tmp_path / "judged.jsonl"
    judge(source, sheet, out)
    fill(sheet, grade(5, 5, 5, 5, 5), {})
    assert judge(source, sheet, out)[0] == 1
    assert [one["worldline_judge"]["status"] for one in rows(out)] == ["scored", "unscored"]
    fill(sheet, grade(5, 5, 5, 5, 5), grade(2, 2, 2, 2, 2))
    assert judge(source, sheet, out)[0] == 0
    assert [one["total_score"] for one in rows(out)] == [5, 2]


@pytest.mark.parametrize(
    ("told", "column", "why"),
    [
        (grade(5, 6, 5, 5, 5), "factuality", "'6'"),
        (grade(5, 4, "4.5", 5, 5), "consistency", "'4.5'"),
        (grade(5, 4, 4, "good", 5), "realism", "'good'"),
        (grade(5, 4, 4, 5), "quality", "empty"),
        (grade(0, 4, 4, 5, 5), "format", "'0'"),
    ],
)
def test_a_bad_number_is_named_with_its_line_and_column(tmp_path, told, column, why):
    source = file(tmp_path / "p.jsonl", ["a\nb", "c"])
    sheet, out = tmp_path / "ada.csv", tmp_path / "judged.jsonl"
    judge(source, sheet, out)
    fill(sheet, grade(5, 5, 5, 5, 5), told)
    code, said = judge(source, sheet, out)
    number = 4  # the first prediction has two lines
    assert code == 2 and f"line {number}, {column}" in said and why in said
    assert "1 to 5" in said and not out.exists()


def test_scores_of_another_judge_are_never_overwritten(tmp_path):
    source = file(tmp_path / "p.jsonl", ["a"])
    judge(source, tmp_path / "ada.csv", tmp_path / "out.jsonl")
    fill(tmp_path / "ada.csv", grade(5, 5, 5, 5, 5))
    judge(source, tmp_path / "ada.csv", tmp_path / "out.jsonl")
    before = (tmp_path / "out.jsonl").read_bytes()
    judge(source, tmp_path / "bob.csv", tmp_path / "out.jsonl")
    fill(tmp_path / "bob.csv", grade(1, 1, 1, 1, 1))
    code, said = judge(source, tmp_path / "bob.csv", tmp_path / "out.jsonl")
    assert code == 2 and "human:ada" in said
    (tmp_path / "mine.jsonl").write_text('{"not": "ours"}\n')
    assert judge(source, tmp_path / "bob.csv", tmp_path / "mine.jsonl")[0] == 2
    assert (tmp_path / "out.jsonl").read_bytes() == before


def test_a_sheet_of_other_predictions_is_refused(tmp_path):
    first, second = file(tmp_path / "a.jsonl", ["a"]), file(tmp_path / "b.jsonl", ["b"])
    judge(first, tmp_path / "ada.csv", tmp_path / "out.jsonl")
    fill(tmp_path / "ada.csv", grade(5, 5, 5, 5, 5))
    code, said = judge(second, tmp_path / "ada.csv", tmp_path / "out.jsonl")
    assert (
        code == 2 and "not among the predictions" in said and not (tmp_path / "out.jsonl").exists()
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no sheet"),
        (b"a,b\n1,2\n", "no sheet"),
        (
            "row,format,factuality,consistency,realism,quality,note\nr1,1,1,1,1,1,\u00fc".encode(
                "latin-1"
            ),
            "UTF-8",
        ),
        (
            b"row,format,factuality,consistency,realism,quality\nr1,1,1,1,1,1\nr1,2,2,2,2,2\n",
            "again",
        ),
        (b"row,format,factuality,consistency,realism,quality\n,1,1,1,1,1\n", "empty"),
    ],
)
def test_what_is_no_sheet_is_told_with_its_file(tmp_path, content, why):
    path = tmp_path / "ada.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=why) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_a_sheet_shows_the_history_newest_turns_kept(tmp_path):
    told = line(0, "a guess")
    told.update(
        prompt=["old", "new", "look 0"],
        response=["o" * 40_000, "just before", "seen 0"],
        turn_idx=3,
        total_turns=3,
    )
    source = tmp_path / "p.jsonl"
    source.write_bytes(jsonl.dumps(told) + b"\n")
    judge(source, tmp_path / "ada.csv", tmp_path / "out.jsonl")
    (row,) = cells(tmp_path / "ada.csv")
    assert row["history"].endswith("new\njust before") and "older characters" in row["history"]
    assert len(row["history"]) < 32_767 and "seen 0" not in row["history"]


def test_a_sheet_that_covers_fewer_rows_than_the_input_says_so(tmp_path):
    source = file(tmp_path / "p.jsonl", ["a", "b", "c"])
    sheet, out = tmp_path / "ada.csv", tmp_path / "out.jsonl"
    judge(source, sheet, out, "--limit", "1")
    fill(sheet, grade(5, 5, 5, 5, 5))
    code, said = judge(source, sheet, out)
    assert code == 1 and "covers fewer rows" in said and "2 usable ones" in said
    assert rows(out)[2]["worldline_judge"]["reason"] == "not_in_sheet"


# cells


@given(st.text())
@example(FORMULA)
@example(" \t=1+1")
@example("'already")
@example("\ud83d half")
@example("\x00nul")
def test_a_cell_comes_back_and_is_never_a_formula(told):
    made = cell(told)
    assert text(made) == told
    assert made.lstrip()[:1] not in set("=+-@|%\uff1d\uff0b\uff0d\uff20") and made[:1] not in set(
        "\t\r\n"
    )
    made.encode("utf-8")


@given(st.lists(st.text(), min_size=3, max_size=3))
def test_texts_survive_the_sheet(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("sheet") / "s.csv"
    write(path, [Line("r1-0", texts[0], 1, "", texts[1], texts[2], FORMULA)])
    (row,) = cells(path)
    assert [text(row[name]) for name in ("session", "action", "truth")] == texts
    assert row["prediction"] == f"'{FORMULA}" and read(path) == {"r1-0": None}


def test_a_long_text_is_cut_where_a_spreadsheet_would_and_says_so():
    made = cell("x" * 40_000)
    assert len(made) < 32_767 and f"{40_000 - MOST:,} more characters" in made
