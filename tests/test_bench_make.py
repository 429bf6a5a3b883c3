"""`worldline bench make`: trajectories once, an index of turns, and predicting only those."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from worldline import jsonl
from worldline.bench.make import Choice, make
from worldline.bench.suite import entries, evaluated
from worldline.cli import app
from worldline.errors import DataError, UsageError
from worldline.storage import write_trajectories
from worldline.trajectory import Source, Trajectory, Turn


def sessions(count: int, turns: int = 9) -> list[Trajectory]:
    return [
        Trajectory(
            id=f"t{number:03d}",
            domain="terminal",
            dialect="command" if number % 2 else "terminus2",
            turns=tuple(
                Turn(action=f"echo {number}-{turn}", observation=f"{number}-{turn}\n")
                for turn in range(turns)
            ),
            source=Source(kind="collected", name="worldline/terminal", licence="CC0-1.0"),
            meta={"family": f"f{number % 3}", "versions": {"bash": "5.2"}},
        )
        for number in range(count)
    ]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "some.jsonl"
    write_trajectories(path, sessions(30))
    return path


def test_first_last_and_middle_turns_are_indexed_and_nothing_is_stored_twice(
    source: Path, tmp_path: Path
) -> None:
    made = make([source], tmp_path / "bench", Choice(trajectories=12, rows=4))
    assert made.trajectories == {"terminal": 12} and made.rows == {"terminal": 48}
    found = list(entries(tmp_path / "bench"))
    for item in evaluated(tmp_path / "bench"):
        mine = [entry for entry in found if entry.trajectory == item.trajectory.id]
        assert [entry.position for entry in mine] == ["first", "middle", "middle", "last"]
        assert mine[0].turn == 1 and mine[-1].turn == 9 and len(item.trajectory.turns) == 9


def test_families_and_dialects_take_turns(source: Path, tmp_path: Path) -> None:
    make([source], tmp_path / "bench", Choice(trajectories=12))
    kinds = [(one.family, one.dialect) for one in entries(tmp_path / "bench") if one.turn == 1]
    assert {kinds.count(kind) for kind in kinds} == {2}


def test_the_same_sources_and_seed_give_the_same_files(source: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        make([source], tmp_path / name)
    for path in (tmp_path / "one").rglob("*.*"):
        if path.is_file():
            other = tmp_path / "two" / path.relative_to(tmp_path / "one")
            assert path.read_bytes() == other.read_bytes()


def test_only_the_indexed_turns_are_predicted(source: Path, tmp_path: Path) -> None:
    make([source], tmp_path / "bench", Choice(trajectories=5, rows=3))
    out = tmp_path / "out.jsonl"
    command = ["predict", str(tmp_path / "bench"), "-m", "copy", "-o", str(out)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    rows = [line.value for line in jsonl.read(out)]
    wanted = [(entry.trajectory, entry.turn) for entry in entries(tmp_path / "bench")]
    assert [(row["id"], row["turn_idx"]) for row in rows] == wanted


def test_a_folder_of_something_else_is_not_overwritten(source: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="no benchmark"):
        make([source], tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_nothing_to_choose_from_says_how_to_collect(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="worldline collect"):
        make([tmp_path], tmp_path / "bench")


def test_what_is_left_out_is_told_with_why(source: Path, tmp_path: Path) -> None:
    some = tmp_path / "more.jsonl"
    write_trajectories(some, [*sessions(3, turns=4), *sessions(2, turns=60)])
    command = ["bench", "make", str(source), str(some), "--longest", "400"]
    done = CliRunner().invoke(app, [*command, "--json", "-o", str(tmp_path / "bench")])
    assert done.exit_code == 0, done.output
    assert "3 left out: shorter than 5 turns" in done.stderr
    assert "2 left out: longer than 400 characters" in done.stderr
    assert jsonl.loads(done.stdout)["left_out"] == {"short": 3, "long": 2}
    done = CliRunner().invoke(app, [*command, "--shortest", "4", "-o", str(tmp_path / "bench")])
    assert done.exit_code == 0 and "shorter" not in done.stderr
    done = CliRunner().invoke(app, [*command, "--shortest", "70", "-o", str(tmp_path / "none")])
    assert "35 left out: shorter than 70 turns" in str(done.exception)


def test_an_index_that_names_a_missing_turn_is_an_error(source: Path, tmp_path: Path) -> None:
    make([source], tmp_path / "bench")
    index = tmp_path / "bench" / "index.jsonl"
    index.write_text(index.read_text().replace('"turn":9', '"turn":99'))
    with pytest.raises(DataError, match="not there"):
        list(evaluated(tmp_path / "bench"))


def test_the_card_tells_counts_families_licences_and_versions(source: Path, tmp_path: Path) -> None:
    make([source], tmp_path / "bench")
    card = (tmp_path / "bench" / "card.md").read_text()
    for said in ("30 trajectories", "f0 (10)", "CC0-1.0 (30)", "bash 5.2", "terminus2 15"):
        assert said in card
    assert "{{" not in card


def test_an_output_that_is_a_file_or_no_name_is_refused(source, tmp_path):
    (tmp_path / "taken").write_text("mine")
    for name in ("taken", "n" * 300):
        with pytest.raises(DataError, match="cannot be written"):
            make([source], tmp_path / name)
    assert (tmp_path / "taken").read_text() == "mine"
