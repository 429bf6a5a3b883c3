"""Measures and rules of the swe domain: what a person who reads a score is promised."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.swe_play import call, numbered, returned, trajectory
from worldline.domains.parts import STATUS
from worldline.domains.swe import DOMAIN
from worldline.domains.swe.scored import parts, status
from worldline.verify.corrupt import corruptions, variants
from worldline.verify.measure import score
from worldline.verify.moments import moments

SHUTTLE = '"""A shuttle."""\n\n\ndef throws(picks):\n    return picks - 1\n'
RUN = "python -m pytest -q tests"
PASSED = ".....                                     [100%]\n5 passed in 0.03s\n"
PATH = "/w/shuttle.py"
OPENED = f"<path>{PATH}</path>\n<type>file</type>\n<content>\n"
TRUTHS = [
    ("bash-returncode", RUN, returned(PASSED)),
    ("bash-returncode", f"cat {PATH}", returned(SHUTTLE)),
    ("bash-returncode", "ls nowhere", returned("ls: cannot access 'nowhere'\n", 2)),
    ("claude-code", call("Read", file_path=PATH), numbered(SHUTTLE)),
    ("claude-code", call("Bash", command="weave"), "Exit code 1\nno luck"),
    (
        "claude-code",
        call("Edit", file_path=PATH, old_string="- 1", new_string="- 2"),
        f"The file {PATH} has been updated successfully.",
    ),
    (
        "opencode",
        call("read", filePath=PATH),
        f"{OPENED}{numbered(SHUTTLE.rstrip(), ': ')}\n\n(End of file - total 5 lines)\n</content>",
    ),
    ("pi", call("bash", command="weave"), "no luck\n\nCommand exited with code 1"),
    ("pi", call("read", path=PATH), SHUTTLE),
    (
        "aci",
        f"open {PATH}",
        f"[File: {PATH} (5 lines total)]\n{numbered(SHUTTLE.rstrip(), ':')}\n",
    ),
    (
        "hermes",
        call("terminal", command=f"cat {PATH}"),
        json.dumps({"output": SHUTTLE, "exit_code": 0, "error": None}),
    ),
    (
        "qwen-cli",
        call("run_shell_command", command="pwd"),
        "Command: pwd\nDirectory: (root)\nOutput: /w\nError: (none)\nExit Code: 0\n"
        "Signal: (none)\nProcess Group PGID: 4711",
    ),
]


def moment(dialect, action, observation, before=()):
    """The session just before an action, with what really came."""
    played = trajectory([*before, (action, observation)], dialect=dialect)
    *_, last = moments(played)
    return last


def errors(dialect, action, observation, before=()):
    """Rules whose errors an observation draws."""
    now = moment(dialect, action, observation, before)
    found = DOMAIN.checks(now.ledger, action, observation)
    for one in found:
        assert one.span is None or observation[one.span[0] : one.span[1]]
    return [one.rule for one in found if one.severity == "error"]


@pytest.mark.parametrize(("dialect", "action", "observation"), TRUTHS)
def test_the_truth_scores_one_and_draws_no_error(dialect, action, observation):
    now = moment(dialect, action, observation)
    assert score(now, observation).true.score == 1
    assert score(now, observation.rstrip() + "\n\n").true.score == 1
    assert errors(dialect, action, observation) == []


@pytest.mark.parametrize(("dialect", "action", "observation"), TRUTHS)
def test_every_corruption_costs_the_dimension_it_says(dialect, action, observation):
    now = moment(dialect, action, observation)
    made = 0
    for one in corruptions("swe"):
        text = one.make(now, Random(7), 0.0)
        if text is None or text.rstrip() == observation.rstrip():
            continue
        made += 1
        card = score(now, text)
        assert getattr(card.true, one.dimension) < 1, (one.name, text)
    assert made >= 3


def test_what_nobody_can_know_is_not_held_against_anyone():
    run = moment("bash-returncode", RUN, returned(PASSED))
    assert score(run, returned(PASSED.replace("0.03s", "1.71s"))).true.score == 1
    assert score(run, returned(PASSED.replace("5 passed", "6 passed"))).true.factuality < 1
    said = "[main 0a1b2c3] Throw\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"
    commit = moment("bash-returncode", "git commit -am Throw", returned(said))
    assert score(commit, returned(said.replace("0a1b2c3", "9f8e7d6"))).true.score == 1
    made = [one.make(run, Random(1)) for one in variants("swe")]
    assert any(text is not None and text != run.truth for text in made)
    assert all(text is None or score(run, text).true.score == 1 for text in made)


def test_a_difference_costs_the_dimension_of_its_part():
    action, truth = call("Read", file_path=PATH), numbered(SHUTTLE)
    now = moment("claude-code", action, truth)
    lines = truth.split("\n")
    other = score(now, truth.replace("- 1", "- 9")).true
    assert (other.factuality < 1, other.consistency, other.quality) == (True, 1, 1)
    shifted = score(now, numbered(SHUTTLE, first=4)).true
    assert (shifted.factuality, shifted.consistency) == (1, 0)
    short = score(now, "\n".join(lines[:-2])).true
    assert (short.factuality, short.quality < 1) == (1, True)
    marked = score(now, numbered(SHUTTLE, "→", 6)).true
    assert (marked.factuality, marked.format < 1) == (1, True)


def test_an_exit_code_alone_is_no_answer():
    now = moment("bash-returncode", f"cat {PATH}", returned(SHUTTLE))
    assert score(now, returned("")).true.factuality == 0
    flipped = score(now, returned(SHUTTLE, 1)).true
    assert (flipped.factuality < 1, flipped.quality, flipped.format) == (True, 1, 1)


def test_an_old_line_is_a_contradiction_and_a_made_up_one_a_falsehood():
    before = [(f"sed -n '4,5p' {PATH}", returned("def throws(picks):\n    return picks - 1\n"))]
    shown = returned("def throws(picks):\n    return picks - 2\n")
    now = moment("bash-returncode", f"tail -n 2 {PATH}", shown, before)
    old = score(now, returned("def throws(picks):\n    return picks - 1\n")).true
    made_up = score(now, returned("def throws(picks):\n    return picks * 7\n")).true
    assert (old.consistency < 1, made_up.consistency, made_up.factuality < 1) == (True, 1, True)


def test_how_it_went_can_be_told_where_the_dialect_tells():
    told = {(dialect, action): status(dialect, action, seen) for dialect, action, seen in TRUTHS}
    assert told["claude-code", call("Bash", command="weave")] == "1"
    assert told["pi", call("bash", command="weave")] == "1"
    assert told["bash-returncode", RUN] == "0"
    assert told["aci", f"open {PATH}"] is None


def test_what_stood_nowhere_before_cannot_be_known():
    action = f"grep -n throws {PATH}"
    fresh = moment("bash-returncode", action, returned("4:def throws(heddles):\n"))
    assert "heddles" in score(fresh, fresh.truth).unknown
    before = [(f"cat {PATH}", returned("def throws(heddles):\n"))]
    told = moment("bash-returncode", action, returned("4:def throws(heddles):\n"), before)
    assert not score(told, told.truth).unknowable


DIALECTS = sorted({dialect for dialect, _, _ in TRUTHS})


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_text_can_be_taken_apart(data):
    dialect, action, observation = data.draw(st.sampled_from(TRUTHS))
    start = data.draw(st.integers(0, len(observation)))
    end = data.draw(st.integers(start, len(observation)))
    put = data.draw(
        st.sampled_from(["", "\n", "<output>", "12\t", "[File: /a (", "{", "é", "\ud800"])
    )
    text = observation[:start] + put + observation[end:]
    for reader in (dialect, data.draw(st.sampled_from(DIALECTS))):
        for part in parts(reader, action, text) or ():
            assert part.span is None or text[part.span[0] : part.span[1]] == part.text
    now = moment(dialect, action, observation)
    assert 0 <= score(now, text).true.score <= 1
    DOMAIN.checks(now.ledger, action, text)


def test_parts_know_their_places():
    found = parts("bash-returncode", RUN, returned(PASSED)) or []
    assert next(one.text for one in found if one.kind == "frame") == "<returncode>"
    assert next(one.text for one in found if one.key == STATUS) == "0"
    assert parts("bash-returncode", RUN, PASSED) is None
    assert parts("hermes", call("terminal", command="ls"), "plain") is None
    place = parts("claude-code", call("Bash", command="pwd"), "/w") or []
    assert [one.kind for one in place if one.text == "/w"] == ["state"]
