"""The generic domain serves any text environment and claims nothing."""

from hypothesis import given
from hypothesis import strategies as st

from worldline.domains import domain
from worldline.fit import estimate
from worldline.trajectory import SystemPrompt, Trajectory, Turn

GENERIC = domain("generic")


@given(st.text())
def test_any_text_is_an_action_and_an_observation(text):
    dialect = GENERIC.dialect("text")
    assert dialect.render_action(dialect.parse_action(text)) == text
    assert dialect.render_observation(dialect.parse_observation(text)) == text


def test_its_prompt_holds_what_is_given_and_no_empty_section():
    bare = Trajectory(id="x", domain="generic", dialect="text")
    assert estimate(GENERIC.system_text(bare, "compact")) < 350
    assert "\n# " not in GENERIC.system_text(bare, "full")
    system = SystemPrompt(task_description="A lift.", initial_state="floor 2")
    told = Trajectory(id="x", domain="generic", dialect="text", system=system)
    text = GENERIC.system_text(told, "full")
    assert "# The environment\nA lift." in text and "floor 2" in text
    assert GENERIC.reset_text(system, GENERIC.open(told)) == "floor 2"


def test_it_knows_nothing_and_notices_leaked_marks():
    ledger = GENERIC.open(Trajectory(id="x", domain="generic", dialect="text"))
    ledger = GENERIC.track(ledger, Turn(action="up", observation="floor 3"), "real")
    assert ledger.turn == 1 and GENERIC.known(ledger, "up") is None
    assert GENERIC.protocol(ledger, "") is None and GENERIC.facts(ledger, "up", 100) == []
    assert GENERIC.checks(ledger, "up", "floor 4") == []
    assert [v.rule for v in GENERIC.checks(ledger, "up", "<think>")] == ["leaked_tag"]


def test_it_is_found_and_guessed():
    assert GENERIC.id == "generic"
    assert GENERIC.detect(Trajectory(id="x", domain="generic", dialect="")) == "text"
