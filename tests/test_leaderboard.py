"""The leaderboard and the files for the Hub: only what may stand together stands together."""

import json
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.judging import predicted, write
from tests.scoring import judged, run_of, worldline
from worldline import jsonl
from worldline.bench.manifest import manifest_path
from worldline.bench.score import hub, leaderboard
from worldline.bench.score.published import published
from worldline.bench.score.table import score
from worldline.errors import DataError, SchemaVersionError, UsageError

DRAWS = 200
SEVEN = tuple(published().rows)
HOSTILE = "<script>alert(1)</script>\x1b[31m"


def result(folder, name, scores, domains=("mcp", "os"), missing=0, counts=None, **more):
    """A judged file: `scores` is what every row of a domain has, of 3 rows or of `counts`."""
    lines = [
        judged(value, id=f"{domain}{n}", domain=domain, turn=1, gen=name, **more)
        for domain, value in zip(domains, scores, strict=True)
        for n in range((counts or {}).get(domain, 3))
    ]
    for line in lines[:missing]:
        line["worldline_judge"].update(status="unscored", stage="judge", reason="no_verdict")
    for line in lines:
        line["worldline"] = {"model": name, "outcome": "ok", "observation": name}
    folder.mkdir(parents=True, exist_ok=True)
    return write(folder / f"{name.strip('<>/')[:6]}.jsonl", lines)


def drawn(tmp_path, *paths, title="Leaderboard"):
    out = tmp_path / "made" / "board.html"
    done = worldline("leaderboard", *paths, "-o", out, "--title", title, "--draws", DRAWS)
    assert done.returncode == 0, done.stderr
    return out.read_text("utf-8")


def tables(html):
    """Of each section: its heading and its rows, as texts."""
    found = []
    for part in html.split("<h2>")[1:]:
        rows = [
            [re.sub(r"<[^>]*>", "", cell) for cell in re.split(r"</t[hd]>", row)[:-1]]
            for row in re.findall(r"<tr>(.*?)</tr>", part)
        ]
        found.append((part.partition("</h2>")[0], rows))
    return found


def test_runs_are_ranked_by_macro_above_the_published_table_which_is_labelled(tmp_path):
    rows = published().rows
    result(tmp_path / "runs", "better", range_of(3), SEVEN, counts=rows)
    result(tmp_path / "runs", "worse", range_of(2), SEVEN, counts=rows)
    write(tmp_path / "runs" / "predictions.jsonl", [predicted()])
    html = drawn(tmp_path, tmp_path / "runs")
    ((heading, (heads, *rows)),) = tables(html)
    assert heading.startswith("Judge openai:judge; judge prompts worldline/1; ")
    assert heading.endswith("; its settings not said; 2,170 rows")
    assert [row[:3] for row in rows[:2]] == [
        ["better", "1", "measured"],
        ["worse", "2", "measured"],
    ]
    assert len(rows) == 2 + len(published().models) == 18
    assert all(row[1:3] == ["–", "published"] for row in rows[2:])
    named = {row[0]: dict(zip(heads, row, strict=True)) for row in rows}
    ours = named["Qwen-AgentWorld-35B-A3B"]
    assert (ours["macro"], ours["micro"], ours["os"]) == ("56.39", "55.36", "65.92")
    assert "gpt-5.2-2025-12-11" in html and "not measured here" in html
    assert "arXiv 2606.24597" in html


def test_the_published_figures_do_not_stand_beside_other_rows_of_the_same_domains(tmp_path):
    found = tables(drawn(tmp_path, result(tmp_path, "mine", range_of(3), SEVEN)))
    assert [len(rows) - 1 for _, rows in found] == [1, 16]
    assert found[1][0].endswith("another benchmark: these 2,170 rows")


def test_what_is_misprinted_or_needs_a_word_is_told_below_the_table(tmp_path):
    html = drawn(tmp_path, result(tmp_path, "mine", (3, 4)))
    assert "58.71, is the authors&#x27; figure; the mean of the domains in its row is 58.76" in html
    assert html.count("is the authors&#x27; figure") == 1
    assert "exact: the mean of the exact scorecard" in html and "those of the judge are not" in html
    assert html.count("<div class=wide>") == html.count("<table>") == 2  # scrolls in its box
    assert "95 %</th>" not in html and "95\u00a0%</th>" in html


def test_a_calibration_is_no_run_of_a_model(tmp_path):
    folder = tmp_path / "runs"
    result(folder, "mine", (3, 4))
    tag = {"row": 0, "kind": "truth", "name": ""}
    lines = [{**judged(5, id=n), "worldline_calibration": tag} for n in range(2)]
    for line in lines:
        line["worldline"] = {"model": "truth", "outcome": "ok", "observation": "x"}
    (folder / "calibrate").mkdir()
    source = write(folder / "calibrate" / "judged.jsonl", lines)
    done = worldline("score", source, "-o", folder / "kept.json", "--draws", DRAWS)
    assert done.returncode == 0
    out = tmp_path / "board.html"
    done = worldline("leaderboard", folder, "-o", out, "--draws", DRAWS)
    assert done.returncode == 0
    assert [row[0] for row in tables(out.read_text("utf-8"))[0][1]] == ["model", "mine"]
    assert f"left out: {source} grades a judge" in done.stderr
    assert f"left out: {folder / 'kept.json'} grades a judge" in done.stderr
    done = worldline("leaderboard", folder / "calibrate", "-o", out)
    assert done.returncode == 2 and "calibrations of judges alone" in done.stderr


def test_tables_that_would_be_called_alike_say_in_what_they_differ(tmp_path):
    for name, tries in (("one", 3), ("two", 5)):
        file = result(tmp_path / name, "model", (3, 4))
        judge = {"name": "openai:judge", "sampling": {"temperature": 0.0}}
        told = {"schema": "worldline.manifest/1", "verb": "judge", "judge": judge, "tries": tries}
        manifest_path(file).write_bytes(jsonl.dumps(told))
    (first, rows), (second, others), _ = tables(drawn(tmp_path, tmp_path))
    assert first.endswith("6 rows; tries 3") and second.endswith("6 rows; tries 5")
    assert [rows[1][0], others[1][0]] == ["model (one/model.jsonl)", "model (two/model.jsonl)"]


def test_tables_over_other_rows_of_the_same_number_say_so(tmp_path):
    one = result(tmp_path / "a", "one", (3, 4))
    two = result(tmp_path / "b", "two", (3, 4), system_str="another")
    (first, _), (second, _), _ = tables(drawn(tmp_path, one, two))
    assert "rows of SHA-256 " in first and first != second


def test_a_page_that_cannot_be_written_is_told_before_the_work(tmp_path):
    done = worldline("leaderboard", tmp_path / "nothing", "-o", tmp_path)
    assert done.returncode == 2 and "cannot be written" in done.stderr


def range_of(value):
    return [value] * len(SEVEN)


def test_where_no_run_is_over_its_domains_the_published_table_stands_apart(tmp_path):
    found = tables(drawn(tmp_path, result(tmp_path, "mine", (3, 4))))
    assert [len(rows) - 1 for _, rows in found] == [1, 16]
    assert found[1][0].startswith("Published: Qwen-AgentWorld, arXiv 2606.24597")
    heads, first, *_ = found[1][1]
    assert heads == ["model", "kind", "macro", *SEVEN, "micro"]
    assert first[:3] == ["Qwen-AgentWorld-397B-A17B", "published", "58.71"]


def test_runs_of_different_judges_or_over_different_rows_are_not_ranked_together(tmp_path):
    one = result(tmp_path / "a", "one", (3, 4))
    two = result(tmp_path / "b", "two", (4, 4), judge="openai:other")
    three = result(tmp_path / "c", "three", (5, 5, 5), ("mcp", "os", "web"))
    found = tables(drawn(tmp_path, one, two, three))[:-1]
    assert len(found) == 3
    assert {rows[1][0]: rows[1][1] for _, rows in found} == {"one": "1", "two": "1", "three": "1"}


def test_a_run_that_misses_too_many_rows_has_no_rank(tmp_path):
    whole = result(tmp_path / "a", "whole", (3, 3))
    holes = result(tmp_path / "b", "holes", (5, 5), missing=2)
    (_, (_, *rows)), _ = tables(drawn(tmp_path, holes, whole))
    assert [row[:2] for row in rows] == [["whole", "1"], ["holes", "–"]]


def test_a_report_that_was_kept_stands_for_its_judged_file(tmp_path):
    folder = tmp_path / "runs"
    source = result(folder, "mine", (3, 4))
    done = worldline("score", source, "-o", folder / "mine.json", "--draws", DRAWS)
    assert done.returncode == 0
    (_, rows), _ = tables(drawn(tmp_path, folder))
    assert len(rows) == 2 and rows[1][rows[0].index("exact")] != "–"
    source.unlink()
    assert len(tables(drawn(tmp_path, folder))[0][1]) == 2


def test_reports_of_another_kind_or_version_are_refused(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"schema": "worldline.score/2"}))
    with pytest.raises(SchemaVersionError, match="migrate"):
        leaderboard.read(path)
    path.write_text(json.dumps({"schema": "worldline.score/1", "rows": "many"}))
    with pytest.raises(DataError, match=re.escape(str(path))):
        leaderboard.read(path)
    path.unlink()
    with pytest.raises(DataError, match="without judged rows"):
        leaderboard.entries([tmp_path])


def test_the_page_is_safe_with_hostile_text(tmp_path):
    hostile = result(tmp_path, HOSTILE, (3, 4), domains=("mcp", HOSTILE), judge=HOSTILE)
    html = drawn(tmp_path, hostile, title=HOSTILE)
    assert "<script" not in html and "\x1b" not in html and "&lt;script&gt;" in html
    assert "default-src 'none'" in html and not re.search(r"\b(?:src|href)=", html)


# the Hub


def test_the_files_for_the_hub_hold_the_headline_and_each_domain(tmp_path):
    source = result(tmp_path, "My Model/7B", (3, 4))
    out = tmp_path / "hub"
    flags = ("--hub", out, "--dataset", "someone/some-bench", "--source", "https://example.org/r")
    done = worldline("score", source, *flags, "--no-exact", "--draws", DRAWS)
    assert done.returncode == 0, done.stderr
    benchmark = yaml.safe_load((out / "eval.yaml").read_text("utf-8"))
    assert set(benchmark) == {"name", "description", "evaluation_framework", "tasks"}
    assert benchmark["name"] == "some-bench"
    tasks = [task["id"] for task in benchmark["tasks"]]
    assert tasks == ["macro", "mcp", "os"]
    results = yaml.safe_load((out / ".eval_results" / "my-model-7b.yaml").read_text("utf-8"))
    assert [one["value"] for one in results] == [62.5, 50.0, 75.0]
    for one, task in zip(results, tasks, strict=True):
        assert one["dataset"] == {"id": "someone/some-bench", "task_id": task}
        assert one["source"]["url"] == "https://example.org/r"
        assert "judge openai:judge" in one["notes"] and "coverage 100.0%" in one["notes"]


def test_below_coverage_nothing_is_written_for_the_hub(tmp_path):
    source = result(tmp_path, "holes", (5, 5), missing=2)
    done = worldline("score", source, "--hub", tmp_path / "hub", "--dataset", "a/b")
    assert done.returncode == 1 and not (tmp_path / "hub").exists()
    assert f"Nothing was written to {tmp_path / 'hub'}." in done.stderr


def test_the_hub_needs_to_know_the_data(tmp_path):
    source = result(tmp_path, "mine", (3, 4))
    done = worldline("score", source, "--hub", tmp_path / "hub")
    assert done.returncode == 2 and "--dataset" in done.stderr
    found = score(run_of(source, [judged(3)]), draws=DRAWS)
    with pytest.raises(UsageError, match="OWNER/NAME"):
        hub.write(found, tmp_path, dataset="no id")


def test_what_cannot_be_written_is_told_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    for flags in (
        ("-o", tmp_path / "file" / "x"),
        ("--hub", tmp_path / "file", "--dataset", "a/b"),
    ):
        done = worldline("score", tmp_path / "nothing.jsonl", *flags)
        assert done.returncode == 2
        assert "cannot be written" in done.stderr and "nothing.jsonl" not in done.stderr


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30) | st.sampled_from(
    ["no", "null", "1", "- a", "a: b", "#", "'\"", "\\n", "a\tb", "é 😀", "~", "2026-01-01"]
)
VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans(),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "value", "notes", "tasks"]), inner, min_size=1)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["name", "tasks", "dataset"]), VALUES, min_size=1))
def test_what_is_written_for_the_hub_is_read_back_alike(value):
    from worldline.visible import visible

    def shown(one):
        if isinstance(one, str):
            return visible(one)
        if isinstance(one, dict):
            return {name: shown(inner) for name, inner in one.items()}
        return [shown(inner) for inner in one] if isinstance(one, list) else one

    assert yaml.safe_load("\n".join(hub.yaml(value))) == shown(value)
