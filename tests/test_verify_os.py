"""Measures of desktops: the truth is whole, each rule speaks and is silent."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.verify.counts import errors
from benchmarks.verify.sessions import lies
from worldline.domains.desktop import DOMAIN
from worldline.verify.corrupt import corruptions, variants
from worldline.verify.measure import Moment, score

LIES = {one.id: one for one in lies("os")}
MOMENTS = {id: one.moment for id, one in LIES.items()}
SHELL, WAITED, SHOP, XML = (MOMENTS[f"os-{n}"] for n in ("05", "18", "07", "08"))
KINDS = {one.name: one for one in corruptions("os")}
RULES = {
    "os-01": "output",
    "os-02": "prompt",
    "os-03": "scrollback",
    "os-04": "prompt",
    "os-05": "output",
    "os-06": "typed",
    "os-07": "spelling",
    "os-08": "kept",
    "os-09": "frame",
    "os-10": "pair",
    "os-11": "text",
    "os-13": "gone",
    "os-14": "gone",
    "os-18": "idle",
    "os-19": "scrollback",
}
"""Which rule says that a lie cannot be."""
EDITS = {
    "columns": (SHOP, "link\tMerino\tMerino\t\t", "link\tMerino\tMerino\t"),
    "quotes": (SHOP, '"Add ""Merino"""', 'Add "Merino"'),
    "header": (SHOP, "tag\tname", "name\ttag"),
    "kind": (SHOP, "heading\tBalls", "static\tBalls"),
    "twice": (
        SHOP,
        "link\tMerino\tMerino",
        "link\tTin\tTin\t\t\t(100, 300)\t(80, 20)\nlink\tMerino\tMerino",
    ),
    "cut": (SHOP, '\ntoggle-button\tShow Applications\t""\t\t\t(0, 650)\t(70, 70)', ""),
    "no_screen": (XML, "</frame>", ""),
}
"""Rule -> a true screen, and what to replace in it to break the rule."""


def rules(moment: Moment, observation: str) -> set[str]:
    return {one.rule.removeprefix("os.") for one in errors(moment, observation)}


@pytest.mark.parametrize("id", LIES)
def test_the_truth_is_whole_and_draws_no_error(id: str):
    moment = MOMENTS[id]
    assert score(moment, moment.truth).true.score == 1
    assert errors(moment, moment.truth) == []


@pytest.mark.parametrize("id, rule", RULES.items())
def test_a_rule_finds_the_lie_and_shows_where_it_stands(id: str, rule: str):
    found = errors(MOMENTS[id], LIES[id].lie)
    one = next(one for one in found if one.rule == f"os.{rule}")
    assert one.span is not None and LIES[id].lie[slice(*one.span)].strip()
    assert score(MOMENTS[id], LIES[id].lie).true.score < 1


@pytest.mark.parametrize("rule, edit", EDITS.items())
def test_a_rule_finds_what_no_screen_can_be(rule: str, edit: tuple[Moment, str, str]):
    moment, old, new = edit
    broken = moment.truth.replace(old, new, 1)
    assert broken != moment.truth
    assert rule in rules(moment, broken) and rule not in rules(moment, moment.truth)


def test_a_terminal_does_not_close_while_nothing_is_done():
    header, newline, _ = WAITED.truth.partition("\n")
    row = 'menu\tSystem\t""\t\t\t(1202, 0)\t(78, 27)'
    assert "closed" in rules(WAITED, f"{header}{newline}{row}")


@pytest.mark.parametrize("typed", ["cd wool", "sudo -i", "source env.sh"])
def test_a_command_that_may_lead_elsewhere_may_change_the_prompt(typed: str):
    moment = MOMENTS["os-04"]
    action = moment.action.replace("whoami", typed)
    told = moment.truth.replace("whoami\nkim", typed)
    other = f"{told[::-1]}".replace("~:mool@mik", "loow/~:mool@mik", 1)[::-1]
    moment = moment._replace(action=action)
    assert "prompt" not in rules(moment, other)
    assert "prompt" in rules(moment._replace(action=action.replace(typed, "ls")), other)


def test_a_terminal_that_is_cleared_may_be_empty():
    moment = MOMENTS["os-19"]
    cleared = moment._replace(action=moment.action.replace("mkdir old", "clear"))
    assert "scrollback" in rules(moment, LIES["os-19"].lie)
    assert "scrollback" not in rules(cleared, LIES["os-19"].lie)


def test_what_was_typed_into_a_field_of_passwords_is_hidden():
    moment = MOMENTS["os-06"]
    hidden = moment.truth.replace("merino\t", "••••••\t")
    assert "typed" in rules(moment, hidden)
    before = (moment.before or "").replace("Find yarn", "Password")
    ledger = DOMAIN.changed(moment.ledger, before, "real")
    asked = hidden.replace("Find yarn", "Password")
    assert "typed" not in rules(moment._replace(ledger=ledger, before=before), asked)


def test_prompts_and_echoes_are_state_and_output_is_content():
    parts = DOMAIN.parts(SHELL.ledger, SHELL.action, SHELL.truth) or []
    kinds = {one.text: one.kind for one in parts}
    assert kinds["kim@loom:~$"] == kinds["whoami"] == "state"
    assert kinds["cat: notes.txt: No such file or directory"] == "content"
    assert all(SHELL.truth[slice(*(one.span or (0, 0)))] == one.text for one in parts)


def test_xml_is_read_tag_by_tag():
    parts = DOMAIN.parts(XML.ledger, XML.action, XML.truth) or []
    assert parts[0].kind == "state" and parts[-1].text == "</desktop-frame>"
    assert all(XML.truth[slice(*(one.span or (0, 0)))] == one.text for one in parts)
    assert DOMAIN.parts(XML.ledger, XML.action, XML.truth.replace("</frame>", "")) is None
    head = f'<?xml version="1.0"?>\n{XML.truth}'
    assert (DOMAIN.parts(XML.ledger, XML.action, head) or [])[1:][0].text == parts[0].text


@pytest.mark.parametrize("moment", [SHELL, SHOP], ids=["shell", "shop"])
def test_a_corruption_costs_its_dimension(moment: Moment):
    made = {name: one.make(moment, Random(4), 0.0) for name, one in KINDS.items()}
    applied = {name: text for name, text in made.items() if text is not None}
    assert len(applied) >= 12
    for name, text in applied.items():
        card = score(moment, text).true
        assert getattr(card, KINDS[name].dimension) < 1 and card.score < 1, name


def test_another_date_is_as_true_as_the_recorded_one():
    stamped = "[7073:7073:0519/004615.047332:ERROR] 2.1 MB/s eta 0:00:03"
    listing = f"-rw-r--r-- 1 kim kim 4 May  3 00:40 a\n{stamped}"
    told = SHELL.truth.replace("Mon\nTue", f"{listing}\nTue", 1)
    moment = SHELL._replace(truth=told)
    made = {one.name: one.make(moment, Random(2)) for one in variants("os")}
    assert all(given is not None for given in made.values())
    assert all(score(moment, given or "").true.score == 1 for given in made.values())
    assert len({*made.values(), told}) == len(made) + 1
    assert score(moment, told.replace("kim 4 May", "kim 5 May")).true.factuality < 1


def test_status_says_whether_the_screen_changed():
    def status(text: str) -> str | None:
        return DOMAIN.status(SHELL.ledger, SHELL.action, text)

    assert status(SHELL.truth) == "changed" and status("Error") == "none"
    assert status(SHELL.before or "") == "same"


@settings(max_examples=60, deadline=None)
@given(
    id=st.sampled_from(sorted(LIES)),
    cut=st.integers(0, 900),
    junk=st.text(alphabet='"\t<>/=()@:$~ \n0a', max_size=12),
)
def test_no_text_makes_a_measure_fail(id: str, cut: int, junk: str):
    moment = MOMENTS[id]
    given = moment.truth[:cut] + junk + moment.truth[cut + len(junk) :]
    for part in DOMAIN.parts(moment.ledger, moment.action, given) or ():
        assert given[slice(*(part.span or (0, 0)))] == part.text
    for one in DOMAIN.checks(moment.ledger, moment.action, given):
        start, end = one.span or (0, 0)
        assert 0 <= start <= end <= len(given)
    assert 0 <= score(moment, given).true.score <= 1
