"""The swe environment's parts that need no sandbox: the lists, bugs, envelopes, the explorer."""

import ast
import random

import pytest
import re2

from worldline.collect.explorers import Move, explorer
from worldline.domains import domain
from worldline.domains.swe.dialects.bash_returncode import Elided, Returned, Whole, parse_returned
from worldline.environments.base import Opening
from worldline.environments.swe.harness import HARNESSES
from worldline.environments.swe.harness.edits import matching, replaced, sorted_by_file
from worldline.environments.swe.harness.returncode import envelope
from worldline.environments.swe.harness.window import Window
from worldline.environments.swe.masks import MASKS
from worldline.environments.swe.mutants import mutants
from worldline.environments.swe.operators import KINDS, changes
from worldline.environments.swe.options import read_options
from worldline.environments.swe.repos import repos
from worldline.environments.swe.shell import Printed
from worldline.errors import UsageError
from worldline.prediction import StepResult
from worldline.trajectory import SystemPrompt

SOURCE = '''"""Knots."""

LIMIT = 3


def tie(rope, times=1):
    """How often."""
    if not rope and times < LIMIT:
        return rope[:times]
    for one in rope:
        if one == "é": continue
        times += max(one, 2)
    raise ValueError(rope, times)
'''


def test_every_change_leaves_the_rest_of_the_file_as_it_is_and_is_python():
    found = changes(SOURCE)
    assert {one.kind for one in found} <= set(KINDS)
    assert len({one.kind for one in found}) >= 8
    for one in found:
        made = SOURCE[: one.start] + one.new + SOURCE[one.end :]
        ast.parse(made)
        rows, after = SOURCE.split("\n"), made.split("\n")
        differ = [
            n for n, pair in enumerate(zip(rows, after, strict=True), 1) if len(set(pair)) > 1
        ]
        assert differ == [one.line]
        assert after[one.line - 1].startswith(one.new, one.column)
        assert one.function == "tie"


def test_docstrings_and_what_is_outside_of_functions_stay():
    touched = {one.line for one in changes(SOURCE)}
    assert not touched & {1, 3, 6, 7}


def test_the_maintained_bugs_are_many_varied_and_subtle():
    found = list(mutants().values())
    assert len(found) >= 80
    assert len({one.repo for one in found}) >= 10
    assert len({one.kind for one in found}) >= 8
    for one in found:
        assert 1 <= len(one.failing) <= 20
        assert one.old != one.new
        unit = next(unit for unit in repos()[one.repo].units if unit.source == one.file)
        assert {test.partition("::")[0] for test in one.failing} <= set(unit.tests)


def test_a_bug_is_put_in_and_taken_out():
    one = next(iter(mutants().values()))
    line = "x" * one.column + one.old + "rest"
    source = "\n" * (one.start - one.column) + line
    broken = one.applied(source).split("\n")[-1]
    assert broken == "x" * one.column + one.new + "rest"
    assert one.repaired(broken) == line
    with pytest.raises(UsageError):
        one.applied("another file")
    with pytest.raises(ValueError, match="not in"):
        one.repaired("y" * (one.column + 40) if one.new[0] != "y" else "z" * 99)


def test_some_repositories_are_kept_for_benchmarks():
    held = [one for one in repos().values() if one.held_out]
    assert 0 < len(held) < len(repos()) / 2
    assert all(one.licence in ("MIT", "BSD-3-Clause") for one in repos().values())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"dialect": "hermes"}, "dialect"),
        ({"dialect": "\ud800"}, "Half of a character"),
        ({"repository": "toolz"}, "repository"),
        ({"repo": "nowhere"}, "'nowhere'"),
        ({"bug": "toolz-1"}, "'toolz-1'"),
        ({"bug": next(iter(mutants())), "repo": "networkx"}, "not one of networkx"),
    ],
)
def test_an_option_that_is_not_known_is_refused_by_name(options, told):
    with pytest.raises(UsageError, match=told):
        read_options(options)


def test_the_seed_chooses_repository_and_bug():
    options = read_options({})
    assert options.start(3) == options.start(3)
    assert len({options.start(n).mutant for n in range(20)}) > 5
    assert read_options({"bug": "none", "repo": "toolz"}).start(1).mutant is None


def test_short_output_stands_in_the_tags_whole():
    text = envelope(Printed("a\nb", 2, b"a\nb"), "ls", 10)
    assert text == "<returncode>2</returncode>\n<output>\na\nb</output>"
    found = parse_returned(text)
    assert isinstance(found, Returned)
    assert isinstance(found.body, Whole)


def test_ur_s25_long_output_is_cut_between_characters_and_the_count_is_right():
    output = "編" * 4_000 + "\n" + "x" * 8_000
    found = parse_returned(envelope(Printed(output, 0, None), "cat", 10))
    assert isinstance(found, Returned)
    assert isinstance(found.body, Elided)
    text = envelope(Printed(output, 0, None), "cat", 10)
    assert "\ufffd" not in text
    assert found.body.elided == len(output) - 10_000
    assert output[:5_000] in text
    assert output[-5_000:] in text


def test_a_command_that_was_stopped_says_so():
    found = parse_returned(envelope(Printed("half", None, b"half"), 'sleep "9"', 1.5))
    assert isinstance(found, Returned)
    assert found.code == -1
    assert found.exception is not None


@pytest.mark.parametrize(
    ("old", "everywhere", "after", "count"),
    [
        ("b", False, "axc", 1),
        ("z", False, "abc", 0),
        ("", True, "abc", 0),
    ],
)
def test_a_text_is_replaced_if_it_stands_there_once(old, everywhere, after, count):
    assert replaced("abc", old, "x", everywhere=everywhere) == (after, count)


def test_a_text_that_stands_there_twice_is_replaced_only_everywhere():
    assert replaced("aba", "a", "x", everywhere=False) == ("aba", 2)
    assert replaced("aba", "a", "x", everywhere=True) == ("xbx", 2)


class _Walk:
    def walk(self, path):
        names = ("a.py", "src/b.py", "src/deep/c.py", "src/deep/d.txt")
        return [(f"{path}/{name}", 5) for name in names]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.py", ["a.py"]),
        ("**/*.py", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/**", ["src/b.py", "src/deep/c.py", "src/deep/d.txt"]),
        ("**/deep/?.txt", ["src/deep/d.txt"]),
        ("*" * 40, []),
    ],
)
def test_patterns_of_paths(pattern, names):
    found = matching(_Walk(), "/r", pattern)  # type: ignore[arg-type]
    assert found == [f"/r/{name}" for name in names]


def test_rows_of_a_search_stay_in_order_within_a_file():
    rows = ["b:9:x", "a:10:y", "a:2:z"]
    assert sorted_by_file(rows) == ["a:10:y", "a:2:z", "b:9:x"]


def test_a_window_shows_where_it_is():
    rows = [f"row {n}" for n in range(1, 251)]
    window = Window("/r/f").at(120, len(rows))
    text = window.view(rows).split("\n")
    assert text[0] == "[File: /r/f (250 lines total)]"
    assert text[1] == "(103 more lines above)"
    assert text[2] == "104:row 104"
    assert text[-1] == "(47 more lines below)"
    down = window.moved(1, len(rows))
    assert down.view(rows).split("\n")[-1] == "250:row 250"
    assert down.moved(-1, len(rows)).moved(-1, len(rows)).first == 1


def test_masks_are_patterns_that_find_what_varies():
    patterns = {name: re2.compile(pattern) for name, pattern in MASKS}
    assert patterns["test-time"].search("3 passed in 0.12s")
    assert patterns["address"].search("<X at 0x7F277D42F5D0>")
    assert not any(one.search("line 12 of 200, 0.5 of it") for one in patterns.values())


SEEN = (
    "",
    "12:def braid(x):\n40:    def knot(self):\n",
    "FAILED tests/test_a.py::test_b - AssertionError\n1 failed, 3 passed in 0.1s",
    "1\timport os\n2\t\n3\treturn x",
    "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>",
    "<returncode>1</returncode>\n<output>\nno</output>",
    "<returncode>0</returncode>\n<output>\n3:def knot(a, b):\n</output>",
    "[File: /home/user/x/y.py (3 lines total)]\n1:a\n2:b\n3:c\n",
)


def episode(family, seed, answers):
    """The moves of an episode whose every observation is one of these."""
    made = explorer("swe")(family, random.Random(seed))
    options = made.options()
    dialect = options["dialect"]
    made.begin(Opening(domain="swe", dialect=dialect, system=SystemPrompt()))
    rng, moves, last = random.Random(seed + 1), [], None
    while (move := made.act(last)) is not None:
        moves.append(move)
        seen = rng.choice(answers)
        last = StepResult(
            observation=seen, outcome="ok", origin="real", seq=len(moves), branch="main"
        )
    return options, moves


@pytest.mark.parametrize("family", explorer("swe").families)
def test_whatever_it_sees_an_explorer_ends_and_acts_in_its_dialect(family):
    for seed in range(12):
        options, moves = episode(family, seed, SEEN)
        assert 1 <= len(moves) <= 40
        form = domain("swe").dialect(options["dialect"])
        for move in moves:
            assert isinstance(move, Move)
            if move.intent != "mistake":
                form.parse_action(move.action)


def test_an_explorer_does_the_same_where_it_sees_the_same():
    assert episode("fix", 4, SEEN) == episode("fix", 4, SEEN)
    assert episode("fix", 4, SEEN) != episode("fix", 5, SEEN)


def test_both_kinds_of_tools_are_used_by_halves_and_held_out_repositories_are_never_mixed():
    made = [explorer("swe")("fix", random.Random(n)) for n in range(300)]
    shells = sum(one.options()["dialect"] == "bash-returncode" for one in made)
    assert 110 < shells < 190
    assert {one.options()["dialect"] for one in made} == set(HARNESSES)
    assert not any(repos()[one.options()["repo"]].held_out for one in made)
    held = [explorer("swe")("held-fix", random.Random(n)) for n in range(30)]
    assert all(repos()[one.options()["repo"]].held_out for one in held)
