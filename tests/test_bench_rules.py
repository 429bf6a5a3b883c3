"""Declared checks: proposed where they tell right from wrong, asked once, counted by axis."""

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests import command
from worldline.bench.rules.case import Case, posed, read, sets
from worldline.bench.rules.propose import axes, passes, proposals, propose
from worldline.bench.rules.run import count, run, write
from worldline.bench.rules.verdicts import Verdict, intervals, judged, single
from worldline.bench.suite import HOME, files
from worldline.errors import DataError
from worldline.models import load
from worldline.storage import read_trajectories, write_trajectories
from worldline.tasks.task import Check
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

PAGE = "The lighthouse of Sorvalen\nbuilt by Agda Quill\npainted white and copper"


def session() -> Trajectory:
    said = [
        ("cat /tmp/lamp.txt", PAGE),
        ("ls /tmp", "lamp.txt"),
        ("cat /tmp/lamp.txt /tmp/x", f"{PAGE}\ncat: /tmp/x: No such file or directory"),
        ("cat /tmp/missing", "cat: /tmp/missing: No such file or directory"),
        ("head -n 2 /tmp/lamp.txt", "The lighthouse of Sorvalen\nbuilt by Agda Quill"),
    ]
    return Trajectory(
        id="coast-1",
        domain="terminal",
        dialect="command",
        system=SystemPrompt(task_description="A coast."),
        turns=tuple(Turn(action=action, observation=seen) for action, seen in said),
        source=Source(kind="collected"),
        meta={"family": "coast"},
    )


def test_a_case_is_kept_only_where_wrong_answers_fail_it():
    found = list(proposals(session()))
    assert {one.axis for one in found} <= {"control", "error", "memory"} and found
    texts = {turn: one.observation for turn, one in enumerate(session().turns, 1)}
    for case in found:
        assert passes(case, texts[case.turn])
        assert not passes(case, "") and not passes(case, texts.get(case.turn - 1, ""))


def test_what_was_seen_before_is_asked_as_memory_and_what_was_not_as_control():
    by_turn = {one.turn: one for one in proposals(session())}
    assert by_turn[1].axis == "control" and by_turn[5].axis == "memory"
    told = by_turn[1].instruction
    assert told is not None and "The lighthouse of Sorvalen" in told
    assert by_turn[5].instruction is None


def test_a_search_that_finds_nothing_is_no_error():
    assert axes("search") == ("control", "memory")
    assert axes("terminal") == ("control", "error", "memory")


def test_cases_that_come_along_are_whole_and_about_the_benchmark():
    paths = sets()
    assert [path.stem for path in paths] == ["mcp", "search", "swe", "terminal"]
    for path in paths:
        cases = list(read(path))
        assert len(cases) >= 60 and len({case.id for case in cases}) == len(cases)
        assert {case.axis for case in cases} == set(axes(path.stem))
        order = list(posed(cases))
        assert len(order) == len(cases)
        for case, item in order:
            last = item.trajectory.turns[-1]
            assert len(item.trajectory.turns) == case.turn
            assert passes(case, last.observation) and not passes(case, "")
            told = item.trajectory.system.simulation_instruction
            assert (told is not None) == (case.axis == "control")


def test_a_case_about_a_session_that_is_not_there_is_told():
    path = sets()[0]
    case = next(read(path))
    lost = Case(**{**_fields(case), "trajectory": "nowhere"})
    with pytest.raises(DataError, match="nowhere"):
        list(posed([lost]))


def _fields(case: Case) -> dict[str, object]:
    return {name: getattr(case, name) for name in case.__struct_fields__}


def test_a_broken_line_names_file_line_and_field(tmp_path):
    path = tmp_path / "mine.jsonl"
    write(path, [next(read(sets()[0]))])
    row = json.loads(path.read_text())
    row["turn"] = "two"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(DataError, match=r"mine\.jsonl.*line 1.*turn"):
        list(read(path))


def test_unanswered_cases_are_counted_apart(tmp_path):
    cases = [next(read(path)) for path in sets()]
    out = tmp_path / "out.jsonl"

    async def main():
        async with load("copy") as model:
            return await run(cases, model, out)

    _, table = asyncio.run(main())
    assert sum(cell.answered for cells in table.cells.values() for cell in cells.values()) == 4
    order = [case for case, _ in posed(cases)]
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    rows[0]["worldline"].update(outcome="truncated", observation=None, reason="length")
    out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    again = count(order, out)
    first = again.cells[order[0].domain][order[0].axis]
    assert (first.cases, first.answered, first.share) == (1, 0, None)
    assert again.reasons == {"truncated: length": 1}


def worldline(*words: object) -> subprocess.CompletedProcess[str]:
    return command.worldline("bench", "rules", *words)


def test_the_command_tells_a_table_verdicts_and_a_page(tmp_path):
    out, page = tmp_path / "o.jsonl", tmp_path / "p.html"
    done = worldline(
        *("-m", "copy", "-o", out, "--domain", "mcp", "--limit", 2, "--json", "--page", page)
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    cells = told["cells"]["mcp"]
    assert {axis: cell["cases"] for axis, cell in cells.items()} == dict.fromkeys(axes("mcp"), 2)
    assert set(told["intervals"]["mcp"]) == {*axes("mcp"), "mean"}
    assert "mcp, mean" in done.stderr and "memory" in done.stderr and "95 %" in done.stderr
    kept = [json.loads(line) for line in (tmp_path / "o.jsonl.verdicts.jsonl").open()]
    assert len(kept) == 6 and {one["domain"] for one in kept} == {"mcp"}
    for one in kept:
        assert one["passed"] is False and one["reason"] is None
        assert one["failed"] and all(failed["why"] for failed in one["failed"])
    html = page.read_text("utf-8")
    assert "mcp, control" in html and "it must fail with" in html and "class=sides" in html


def test_nothing_answered_is_a_dash_and_says_why(tmp_path):
    out = tmp_path / "o.jsonl"
    known = ("-m", "copy", "-o", out, "--domain", "search", "--limit", 1)
    assert worldline(*known).returncode == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    for row in rows:
        row["worldline"].update(outcome="truncated", observation=None, reason="length")
    out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = worldline(*known)
    assert done.returncode == 1 and "no answer: truncated: length 2" in done.stderr
    (line,) = [one for one in done.stderr.splitlines() if one.startswith("search, mean")]
    assert line.split() == ["search,", "mean", "2", "0", "0", "–", "–"]
    kept = [json.loads(one) for one in (tmp_path / "o.jsonl.verdicts.jsonl").open()]
    assert [(one["passed"], one["reason"]) for one in kept] == [(None, "truncated: length")] * 2


@pytest.mark.parametrize("more", [(), ("--propose",)])
def test_a_domain_without_cases_is_named_with_those_that_have_some(tmp_path, more):
    done = worldline("-m", "copy", "-o", tmp_path / "o.jsonl", "--domain", "teminal", *more)
    assert done.returncode == 2 and "'teminal'" in done.stderr
    assert "mcp, search, swe, terminal" in done.stderr


def test_another_model_goes_into_another_file(tmp_path):
    out = tmp_path / "o.jsonl"
    known = ("-o", out, "--domain", "search", "--limit", 1)
    assert worldline("-m", "copy", *known).returncode == 0
    other = tmp_path / "other.jsonl"
    write_trajectories(other, [session()])
    done = worldline("-m", f"retrieval:{other}", *known)
    assert done.returncode == 2 and str(out.name) in done.stderr


def test_a_page_may_not_take_the_place_of_verdicts(tmp_path):
    out = tmp_path / "o.jsonl"
    done = worldline("-m", "copy", "-o", out, "--page", f"{out}.verdicts.jsonl")
    assert done.returncode == 2 and "page" in done.stderr


def test_a_verdict_names_each_line_that_is_missing():
    case = next(one for one in proposals(session()) if one.turn == 1)
    verdict = judged(case, "painted white and copper")
    wanted = single(case.checks[0])
    assert verdict.passed is False and len(verdict.failed) == len(wanted) - 1 == 2
    assert [one.arg["value"] for one in verdict.failed] == PAGE.split("\n")[:2]
    assert judged(case, PAGE).failed == () and judged(case, PAGE).passed is True
    nothing = judged(case, None, "truncated: length")
    assert (nothing.passed, nothing.reason, nothing.failed) == (None, "truncated: length", ())


@given(st.text(), st.integers(0, 5))
def test_a_verdict_agrees_with_the_rule_it_tells_of(text: str, lines: int):
    case = next(one for one in proposals(session()) if one.turn == 1)
    given_text = text + "\n".join(PAGE.split("\n")[:lines])
    verdict = judged(case, given_text)
    assert verdict.passed == passes(case, given_text) == (not verdict.failed)


def verdicts(*each: tuple[str, str, bool | None]) -> list[Verdict]:
    case = next(one for one in proposals(session()) if one.turn == 1)
    plain = judged(case, "")
    return [
        structs.replace(plain, axis=axis, trajectory=trajectory, passed=passed)
        for axis, trajectory, passed in each
    ]


def test_intervals_are_over_sessions_and_a_single_session_has_none():
    one = verdicts(*[("control", "a", True), ("control", "a", False)] * 9)
    assert intervals(one) == {"terminal": {"control": None, "mean": None}}
    assert intervals(verdicts(("control", "a", None))) == {}
    many = verdicts(*[("control", f"s{n}", n % 2 == 0) for n in range(20)])
    low, high = intervals(many)["terminal"]["control"] or (0, 0)
    assert 0.2 < low < 0.4 < 0.6 < high < 0.8


def test_where_all_end_alike_the_bound_is_exact_and_the_mean_less_sure():
    none = verdicts(*[("control", f"s{n}", False) for n in range(10)])
    found = intervals(none)["terminal"]
    assert found["control"] == found["mean"] == pytest.approx((0, 1 - 0.025**0.1))
    both = none + verdicts(*[("memory", f"s{n}", True) for n in range(10)])
    mean = intervals(both)["terminal"]["mean"]
    slack = (1 - 0.025**0.1) / 2
    assert mean == pytest.approx((0.5 - slack, 0.5 + slack))


def test_proposing_again_gives_the_cases_that_come_along():
    path = next(one for one in files(HOME) if one.name.startswith("mcp"))
    some = list(read_trajectories(path))[:12]
    mine = {case.id: case for case in propose(some, 10_000)}
    kept = {case.id: case for case in read(sets()[0])}
    assert mine.keys() & kept.keys()
    assert all(mine[id] == kept[id] for id in mine.keys() & kept.keys())


def test_a_check_is_any_of_the_language(tmp_path):
    case = next(read(sets()[0]))
    other = Case(**{**_fields(case), "checks": (Check(op="regex", arg="^$"),)})
    assert passes(other, "") and not passes(other, "something")
    path: Path = tmp_path / "c.jsonl"
    assert write(path, [other]) == 1 and next(read(path)) == other


def test_who_says_back_everything_has_not_answered():
    """A dump of the context holds every line, and no case is passed by it."""
    for path in sets():
        passed = 0
        cases = list(read(path))
        for case, item in posed(cases):
            *past, last = item.trajectory.turns[: case.turn]
            told = [item.trajectory.system.initial_state or "", case.instruction or ""]
            told += [turn.observation for turn in past]
            passed += passes(case, "\n".join([*told, last.action]))
        assert passed <= 0.1 * len(cases), (path.name, passed)
