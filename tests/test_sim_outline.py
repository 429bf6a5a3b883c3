"""What a person sees of pages and screens in `sim`: ids to act on, and what has changed."""

import json
import subprocess
import sys

import pytest

from worldline.cli.outline import change, outline
from worldline.domains import domain, names
from worldline.domains.base import ActionError

WEB = domain("web").dialect("browsergym").tree
HEAD = """Open tabs:
- Tab 0 (active)
  - Title: Bakery
  - URL: http://bakery.example/

Accessibility tree:
RootWebArea 'Bakery', focused, url='http://bakery.example/'
"""


def page(*lines):
    return HEAD + "\n".join(f"\t{line}" for line in lines)


def links(count, start=0):
    return [f"[{100 + n}] link 'Loaf {n}'" for n in range(start, start + count)]


def sim(tmp_path, *arguments, script, replies, start):
    (tmp_path / "script.txt").write_text("\n".join(script))
    (tmp_path / "page.txt").write_text(start)
    rows = [f"<predicted_observation>\n{r}\n</predicted_observation>" for r in replies]
    (tmp_path / "replies.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    command = [sys.executable, "-m", "worldline", "sim", *arguments]
    command += ["--model", f"scripted:{tmp_path / 'replies.jsonl'}?form=patch"]
    command += ["--state", str(tmp_path / "page.txt"), "--script", str(tmp_path / "script.txt")]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)


def test_what_changed_is_marked_and_counted():
    before = page("[1] link 'Rye'", "[2] button 'Order'", "[3] link 'Hours'", "[4] image 'Oven'")
    after = page("[3] link 'Hours'", "[2] button 'Ordered', disabled=True", "[5] link 'Thanks'")
    lines = outline(WEB, after, before=before).split("\n")
    assert [line[0] for line in lines if line.lstrip("~+#> ")[0].isdigit()][2:] == [">", "~", "+"]
    assert "2 gone (1 link, 4 image)" in lines[-1]


def test_the_same_node_under_another_id_is_said_to_be():
    tree = domain("web").dialect("labelled").tree
    before, after = '[0]: "Rye";\t[1]: "Oats";', '[0]: "News";\t[1]: "Rye";\t[2]: "Oats";'
    found = change(tree, before, after)
    assert found.marks == {0: "+", 1: "#", 2: "#"}


def test_a_change_far_from_the_action_is_shown_and_the_rest_is_counted():
    before = page(*links(200))
    text = outline(WEB, before + "\n\t[999] button 'More'", before=before, action="click('100')")
    assert "+  999 button" in text and " 100 link" in text
    assert text.count("\n") < 50 and "more (:screen shows all)" in text


def test_nothing_changed_is_said(tmp_path):
    done = sim(tmp_path, "web", script=["noop()"], replies=["= keep"], start=page("[1] link 'Rye'"))
    assert done.returncode == 0 and "(nothing has changed)" in done.stdout


def test_a_session_shows_outlines_whole_screens_and_the_text_itself(tmp_path):
    done = sim(
        tmp_path,
        "web",
        script=["click('1')", ":screen", ":text", ":why", "click('1')", ":why"],
        replies=['= keep\n~ 1 "Rye, sliced"', "= keep\n~ 77 x=1"],
        start=page("[1] link 'Rye'"),
    )
    out = done.stdout
    assert "An action, for example: click(" in out
    assert '~  1 link "Rye, sliced"' in out and "(1 changed)" in out
    assert "[1] link 'Rye, sliced'" in out, ":text is what the agent gets"
    assert "it predicted an edit of the state before; code carried it out" in out
    assert "no observation: no_prediction (bad_patch" in out
    assert "gave none that works" in out and done.returncode == 1


def test_a_command_in_a_script_for_programs_is_refused_before_it_is_an_action(tmp_path):
    done = sim(
        tmp_path, "web", "--json", script=[":why"], replies=["= keep"], start=page("[1] link 'R'")
    )
    assert done.returncode == 2 and "':why' is a command for people" in done.stderr


def test_a_message_about_a_rejected_action_does_not_take_the_screen_away(tmp_path):
    done = sim(
        tmp_path,
        "web",
        script=["jump('1')", "click('1')", ":screen"],
        replies=['= keep\n~ 1 "Oats"'],
        start=page("[1] link 'Rye'"),
    )
    assert '1 link "Oats"' in done.stdout and "no_page" not in done.stdout


def test_hostile_names_cannot_steer_the_terminal(tmp_path):
    start = page("[1] link '\x1b]52;c;aGk=\x07 \x1b[2J'")
    done = sim(tmp_path, "web", script=["noop()", ":text"], replies=["= keep"], start=start)
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout


@pytest.mark.parametrize(
    ("name", "dialect"),
    [(n, d) for n in names() if n not in ("generic",) for d in domain(n).examples],
)
def test_every_example_of_an_action_is_one(name, dialect):
    found = domain(name)
    action = found.from_line(found.examples[dialect], dialect)
    try:
        found.dialect(dialect).parse_action(action)
    except ActionError as error:
        pytest.fail(f"{action!r}: {error}")


@pytest.mark.parametrize("name", ["terminal", "mcp", "swe", "search", "web", "os", "android"])
def test_every_dialect_has_an_example(name):
    assert set(domain(name).examples) == set(domain(name).dialects)
