"""What `worldline corpus stats` counts, and that its page shows hostile text without obeying it."""

from html import escape
from pathlib import Path

import msgspec
from typer.testing import CliRunner

from worldline import jsonl
from worldline.cli import app
from worldline.corpus.essence import essence
from worldline.corpus.near import Near
from worldline.corpus.page import page
from worldline.corpus.stats import stats
from worldline.errors import DataError
from worldline.storage import write_trajectories
from worldline.trajectory import Trajectory, Turn


def session(id: str, *turns: tuple[str, str], domain: str = "terminal") -> Trajectory:
    made = tuple(
        Turn(action=action, observation=seen, info={"exit_code": 0, "intent": "look"})
        for action, seen in turns
    )
    return Trajectory(id=id, domain=domain, dialect="command", turns=made, meta={"family": "files"})


def test_actions_are_compared_by_what_they_do_not_by_their_talk() -> None:
    one = '{"analysis": "a", "plan": "b", "commands": [{"keystrokes": "ls\\n", "duration": 1}]}'
    two = '{"analysis": "x", "plan": "y", "commands": [{"keystrokes": "ls\\n", "duration": 2}]}'
    assert essence(one) == essence(two) == "ls\n"
    assert essence('{"name": "f", "arguments": {"b": 1, "a": 2}}') == essence(
        '{"arguments": {"a": 2, "b": 1}, "name": "f"}'
    )
    assert essence("{broken") == "{broken"


def test_near_duplicates_are_texts_that_differ_little() -> None:
    near, words = Near(), [f"w{n}" for n in range(100)]
    assert not near.seen(" ".join(words))
    assert near.seen(" ".join([*words[:-1], "other"]))
    assert not near.seen(" ".join(reversed(words)))


def test_shares_are_of_turns() -> None:
    found = stats(
        [
            session("a", ("ls", "one two three\n"), ("ls", "one two three\n"), ("cd x", "")),
            session("b", ("pwd", "/home/user\n")),
        ]
    ).domains["terminal"]
    assert (found.trajectories, found.turns) == (2, 4)
    assert found.distinct_actions == 0.75
    assert found.near_duplicates == 0.25
    assert found.empty_observations == 0.25
    assert found.families == {"files": 2} and found.exit_codes == {"0": 4}
    assert sum(found.lengths) == 4


def test_the_page_shows_hostile_text_and_obeys_none_of_it() -> None:
    hostile = "<script>alert(1)</script>\x1b]52;c;aGk=\x07 \u202e & ''"
    text = page(stats([session("<b>id", ("echo <img>", hostile))]), "<i>title")
    assert "<script>" not in text and "<img>" not in text and "<b>id" not in text
    assert "\x1b" not in text and "\u202e" not in text
    assert "&lt;script&gt;" in text


def test_the_page_sums_domains_by_turns_explains_its_shares_and_names_its_boxes() -> None:
    name = "a family whose name is longer than its place & more"
    one = session("a", ("ls", "one two three\n"), ("ls", "one two three\n"), ("pwd", ""))
    found = [msgspec.structs.replace(one, meta={"family": name}), session("b", ("x", "y\n"))]
    other = session("c", ("look", "a b c\n"), domain="swe")
    text = page(stats([*found, other]), "t")
    cells = "".join(f"<td>{cell}</td>" for cell in (3, 5, "80.0%", "20.0%", "20.0%"))
    assert f"<tr><th scope=row>all</th>{cells}" in text
    assert "Near-duplicates are turns whose" in text and "Distinct actions are turns" in text
    assert text.count(f"title='{escape(name)}'") == 1
    assert text.count(">action</p><pre class=action>") == 5
    assert text.count(">observation</p><pre>") == 5
    assert "<th scope=row>all</th>" not in page(stats([other]), "t")


def test_the_command_counts_folders_and_files(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    write_trajectories(tmp_path / "run" / "trajectories.jsonl", [session("a", ("ls", "x\n"))])
    write_trajectories(tmp_path / "b.jsonl.gz", [session("b", ("ls", "y\n"), domain="swe")])
    command = ["corpus", "stats", str(tmp_path / "run"), str(tmp_path / "b.jsonl.gz"), "--json"]
    result = CliRunner().invoke(app, [*command, "--page", str(tmp_path / "page.html")])
    assert result.exit_code == 0, result.output
    found = jsonl.loads(result.stdout)
    assert {name: one["turns"] for name, one in found["domains"].items()} == {
        "terminal": 1,
        "swe": 1,
    }
    assert "<h2>swe</h2>" in (tmp_path / "page.html").read_text()


def test_a_missing_folder_is_said_to_be_missing(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["corpus", "stats", str(tmp_path / "gone")])
    assert isinstance(result.exception, DataError), result.output
    assert "gone: cannot be read (No such file or directory)" in str(result.exception)
