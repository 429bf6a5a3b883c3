"""The scorecard: each difference costs one dimension, and nothing scores more than the truth."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.domains.parts import Part, line_parts
from worldline.domains.talk import set_aside, talk, talks
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn
from worldline.verify import runtime
from worldline.verify.compare import DIMENSIONS, Against, compare
from worldline.verify.knowable import unknown_words
from worldline.verify.measure import Moment, score, shape
from worldline.verify.moments import moments
from worldline.verify.plain import changed_f1
from worldline.verify.scorecard import dimensions
from worldline.verify.seen import Seen


def session(*turns: tuple[str, str], domain: str = "generic", dialect: str = "text") -> Trajectory:
    return Trajectory(
        id="t",
        domain=domain,
        dialect=dialect,
        system=SystemPrompt(task_description="A kettle, and its temperature."),
        turns=tuple(Turn(action=action, observation=seen) for action, seen in turns),
        source=Source(kind="test"),
    )


def last(*turns: tuple[str, str]) -> Moment:
    *_, moment = moments(session(*turns))
    return moment


def unknown(moment: Moment) -> list[str]:
    parts = moment.domain.parts(moment.ledger, moment.action, moment.truth)
    return unknown_words(moment, parts)


KETTLE = last(
    ("read", "water 20 degrees\nlid closed\nlamp off"),
    ("heat", "water 90 degrees\nlid closed\nlamp red\nsteam rises"),
)


def test_the_truth_is_whole():
    card = score(KETTLE, KETTLE.truth)
    assert card.true.score == card.plausible.score == 1
    assert card.plain.exact == card.plain.similarity == 1
    assert card.differences == () and card.lies == 0 and card.claims == 4


@pytest.mark.parametrize(
    ("observation", "dimension"),
    [
        ("water 70 degrees\nlid closed\nlamp red\nsteam rises", "factuality"),
        ("water 20 degrees\nlid closed\nlamp red\nsteam rises", "consistency"),
        ("water 90 degrees\nlid closed\nsteam rises", "quality"),
        ("water 90 degrees\nlid closed\nlamp red\nsteam rises\nbell rings", "quality"),
        (
            "Sure, here is the output:\nwater 90 degrees\nlid closed\nlamp red\nsteam rises",
            "realism",
        ),
        (
            "water 90 degrees\nlid closed\nlamp red\nsteam rises\n"
            "This output accurately reflects the state.",
            "realism",
        ),
        (
            "<think>It was heated.</think>\nwater 90 degrees\nlid closed\nlamp red\nsteam rises",
            "realism",
        ),
    ],
    ids=["another value", "an old value", "missing", "invented", "talk", "praise", "thoughts"],
)
def test_a_difference_costs_its_own_dimension_alone(observation: str, dimension: str):
    found = score(KETTLE, observation).true
    low = [name for name in DIMENSIONS if getattr(found, name) < 1]
    assert low == [dimension]


def test_plausible_forgives_other_values_of_the_same_form_and_true_does_not():
    card = score(KETTLE, "water 71 degrees\nlid closed\nlamp red\nsteam rises")
    assert card.plausible.factuality == 1 > card.true.factuality == 0.75


def test_invention_where_nothing_came_is_worth_no_facts():
    moment = last(("touch a", ""))
    card = score(moment, "created a\ndone")
    assert card.true.factuality == card.true.quality == 0
    assert card.lies == card.claims == 2


def test_silence_where_something_came_is_worth_its_form_alone():
    card = score(KETTLE, "")
    assert card.true.format == 1
    assert {getattr(card.true, name) for name in DIMENSIONS if name != "format"} == {0}
    assert card.claims == card.lies == 0


def test_old_news_alone_is_not_counted_as_facts():
    moment = last(("read", "water 20 degrees"), ("heat", "water 90 degrees"))
    assert score(moment, "water 20 degrees").true.factuality == 0


def test_a_claim_that_the_truth_contradicts_is_a_lie_and_what_is_missing_is_none():
    card = score(KETTLE, "water 70 degrees\nlid closed\nlamp red")
    assert (card.claims, card.lies) == (3, 1)


def test_times_are_equal_by_pattern_and_other_text_is_not():
    assert runtime.same("at 2026-01-02 03:04:05", "at 2025-11-12 13:14:15")
    assert runtime.same("took 0.31s", "took 12.5s") and not runtime.same("took 3", "took 4")
    assert runtime.possible("2026-01-02T03:04:05Z") and not runtime.possible("yesterday")
    assert runtime.same("pid 7", "pid 8", (("pid", r"\bpid \d+"),))


def test_runtime_metadata_in_no_possible_form_is_unreal():
    truth = [Part("up"), Part("2026-01-02 03:04:05", "runtime")]
    wrong = [Part("up"), Part("a while ago", "runtime")]
    right = [Part("up"), Part("2024-11-12 13:14:15", "runtime")]
    against = Against(
        same=lambda one, other: runtime.same(one, other),
        possible=lambda text: runtime.possible(text),
        stale=lambda one, other: False,
        talk=lambda text: False,
    )
    assert dimensions(compare(truth, right, against)).score == 1
    assert dimensions(compare(truth, wrong, against)).realism == 0.5


def test_keys_keep_values_together_wherever_they_stand():
    truth = [Part("1", key="a"), Part("2", key="b"), Part("3", key="c")]
    given = [Part("3", key="c"), Part("1", key="a"), Part("9", key="b")]
    found = compare(truth, given, _nothing())
    assert [(one.what, one.given and one.given.key) for one in found.differences] == [
        ("changed", "b")
    ]
    assert (found.pairs, found.equal) == (3, 2)


def test_a_lost_frame_costs_form():
    truth = [Part("[", "frame"), Part("1"), Part("]", "frame")]
    found = dimensions(compare(truth, [Part("[", "frame"), Part("1")], _nothing()))
    assert found.format < 1 and found.factuality == found.quality == 1


def _nothing() -> Against:
    return Against(
        same=lambda one, other: one == other,
        possible=lambda text: True,
        stale=lambda one, other: False,
        talk=lambda text: False,
    )


LINES = st.lists(st.sampled_from(["a b", "c 1", "c 2", "", "d", "Sure, here is it"]), max_size=8)


@settings(max_examples=300, deadline=None)
@given(truth=LINES, observation=LINES)
def test_nothing_scores_more_than_the_truth_and_all_shares_are_shares(
    truth: list[str], observation: list[str]
):
    moment = last(("go", "a b\nc 1"), ("go", "\n".join(truth)))
    card = score(moment, "\n".join(observation))
    for column in (card.true, card.plausible):
        assert all(0 <= getattr(column, name) <= 1 for name in DIMENSIONS)
    assert card.true.score <= card.plausible.score + 1e-9 or card.true.score <= 1
    assert card.true.score < 1 or card.differences == ()
    assert 0 <= card.lies <= card.claims


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=300))
def test_line_parts_stand_where_they_say(text: str):
    for part in line_parts(text):
        assert part.span is not None
        assert text[part.span[0] : part.span[1]] == part.text


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=300))
def test_setting_talk_aside_loses_nothing_else(text: str):
    found = set_aside(text)
    assert found.said or found.observation == text
    assert not found.said or found.observation in text


def test_blank_lines_of_the_environment_stay_and_those_of_the_talk_go():
    said = "Okay, the user wants it.\n\n\nlamp red"
    assert set_aside(said).observation == "lamp red"
    assert set_aside(said, blanks=False).observation == "\n\nlamp red"
    moment = last(("read", "\n\nlamp red"))
    card = score(moment, f"Okay, the user wants it.\n{moment.truth}")
    assert card.true.quality == card.true.factuality == 1 > card.true.realism


def test_what_a_file_says_is_no_talk():
    for honest in (
        "total 12",
        "Note: the harbour closes at 20:00",
        "I am the walrus",
        "The output of the pump is 4 l/s",
        "Let me in, said the wolf",
        "error: cannot run this program",
        "Expected: 4, got: 5",
        "OK",
    ):
        assert talk(honest) is None, honest


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Okay, the user wants a listing.", "reasoning"),
        ("Let me think about what it prints.", "reasoning"),
        ("The user is running the command ls", "reasoning"),
        ("Sure! Here is the file:", "answer"),
        ("Here is the simulated output", "answer"),
        ("Based on the history, the output would be", "answer"),
        ("This output faithfully represents the terminal.", "praise"),
        ("Factuality: 5", "praise"),
        ("I'm sorry, but I cannot do that.", "apology"),
        ("As an AI language model, I have no shell.", "apology"),
    ],
)
def test_talk_is_told_by_kind(line: str, kind: str):
    found = talk(line)
    assert found is not None and found.kind == kind
    assert [one.kind for one in talks(f"a.txt\n{line}\n")] == [kind]


def test_talk_costs_linear_time():
    text = "the user is " * 20_000 + "\n" + "<think>" * 5_000
    assert talks(text) is not None and set_aside(text) is not None


def test_a_word_that_nothing_before_holds_makes_a_row_unknowable():
    moment = last(("read", "lid closed"), ("open", "lid open\nkey 4471 inside"))
    assert unknown(moment) == ["key", "4471", "inside"]
    assert score(moment, "").unknowable
    again = last(("read", "lid closed"), ("read", "lid closed"))
    assert unknown(again) == [] and not score(again, "").unknowable


def test_lines_are_old_only_before_their_turn_and_only_telling_ones():
    seen = Seen()
    seen.add("lamp red\n}", 2)
    assert seen.line("lamp red", 3) and not seen.line("lamp red", 2)
    assert not seen.line("}", 9)


def test_the_changed_region_is_what_went_and_what_came():
    before, truth = "a\nb\nc", "a\nB\nc"
    assert changed_f1(before, truth, truth) == 1
    assert changed_f1(before, truth, before) == 0
    assert changed_f1(before, before, truth) is None
    half = changed_f1(before, truth, "a\nb\nB\nc")
    assert half is not None and 0 < half < 1


def test_shapes_of_like_lines_are_alike():
    assert shape("-rw-r--r-- 1 ann  12 notes.txt") == shape("-rw-r--r-- 1 bob 340 plans.txt")
    assert shape("12 files") != shape("no files")


@pytest.mark.parametrize(
    "line",
    [
        "The user asked for a refund on 3 May.",
        "Expected output: 42",
        "  Quality: 100",
        "Expected result: 3 but was 4",
        "I'm sorry, but the page you requested could not be found.",
        "Let me think about what makes a good loaf.",
        "Sorry, I can't find any booking with that name.",
        "I apologize for the delay in your order.",
        "Here's the result of running `cat -n` on a snippet of a.py:",
    ],
)
def test_what_files_and_pages_say_is_no_talk(line):
    assert talk(line) is None
