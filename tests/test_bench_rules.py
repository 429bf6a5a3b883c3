"""Declared checks: proposed where they tell right from wrong, asked once, counted by axis."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from worldline.bench.rules.case import Case, posed, read, sets
from worldline.bench.rules.propose import axes, passes, proposals, propose
from worldline.bench.rules.run import count, run, write
from worldline.bench.suite import HOME, files
from worldline.errors import DataError
from worldline.models import load
from worldline.storage import read_trajectories
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


def test_the_command_tells_a_table_and_proposes_cases(tmp_path):
    def worldline(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "worldline", "bench", "rules", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    done = worldline(
        *("-m", "copy", "-o", tmp_path / "o.jsonl", "--domain", "mcp", "--limit", 2, "--json")
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]["mcp"]
    assert {axis: cell["cases"] for axis, cell in cells.items()} == dict.fromkeys(axes("mcp"), 2)
    assert "memory" in done.stderr


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
