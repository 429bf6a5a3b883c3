"""While a reply streams, a person sees the observation: no thoughts, no tags, nothing twice."""

import time
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from worldline.extract import extract, separated
from worldline.models.visible import Visible

BODY = st.text(alphabet="ab <>/\n\r\té", max_size=30)


def watch(content: str, cuts: list[int] | None, *, tagged: bool, bare: bool, thought: bool = False):
    """The pieces shown before the end, and all of them together."""
    pieces: list[str] = []
    visible = Visible(pieces.append, tagged=tagged, bare=bare)
    if thought:
        visible.thought()
    cuts = list(range(len(content))) if cuts is None else cuts
    edges = sorted({0, *(cut % (len(content) + 1) for cut in cuts), len(content)})
    for start, end in pairwise(edges):
        visible.feed(content[start:end])
    early = "".join(pieces)
    found = extract(separated(content) if thought else content, tags_expected=tagged)
    visible.finish(found.observation)
    return early, "".join(pieces), found.observation


cuts = st.lists(st.integers(0, 500), max_size=12) | st.none()


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["", "<think>SECRET\n</think>", "SECRET</think>\n\n"]), BODY, cuts)
@example("<think>SECRET\n</think>", "  indented\n", None)
def test_a_block_streams_and_adds_up_however_it_is_cut(thoughts, body, cuts):
    content = f"{thoughts}\n<predicted_observation>\n{body}\n</predicted_observation>"
    early, shown, observation = watch(content, cuts, tagged=True, bare=False)
    assert shown == observation == body.removesuffix("\r")
    assert "SECRET" not in early and "predicted" not in early


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["", "<think>SECRET</think>\n\n"]), BODY, cuts)
def test_bare_text_streams_and_adds_up(thoughts, body, cuts):
    early, shown, observation = watch(thoughts + body, cuts, tagged=False, bare=True)
    assert shown == (observation or "")
    assert "SECRET" not in early


TAGS = ["<think>", "</think>", "<predicted_observation>", "</predicted_observation>"]
TEXTS = [
    "< THINK >",
    "</s>",
    "<|im_end|>",
    "**Environment Observation:**\n",
    "\n",
    "  ",
    "x",
    "<",
    "text\n",
]
FRAGMENT = st.sampled_from([*TAGS, *TEXTS])


@settings(max_examples=500, deadline=None)
@given(st.lists(FRAGMENT, max_size=12).map("".join), cuts, st.booleans(), st.booleans())
def test_any_reply_shows_the_same_early_text_however_it_is_cut(content, cuts, tagged, bare):
    early, shown, observation = watch(content, cuts, tagged=tagged, bare=bare)
    whole, *_ = watch(content, [], tagged=tagged, bare=bare)
    assert early == whole
    if observation is not None and observation.startswith(early):
        assert shown == observation
    else:
        assert shown == early


def test_nothing_is_shown_while_it_may_still_be_thoughts():
    early, shown, _ = watch("I think that...", [3], tagged=False, bare=False)
    assert (early, shown) == ("", "I think that...")
    early, shown, _ = watch("hm</think>total 0", [3, 12], tagged=False, bare=False)
    assert (early, shown) == ("total 0", "total 0")


def test_a_preamble_is_skipped_once_thoughts_are_known_to_be_elsewhere():
    content = "Here it is:\n<predicted_observation>\ntotal 0\n</predicted_observation>"
    early, shown, _ = watch(content, None, tagged=True, bare=False, thought=True)
    assert early == shown == "total 0"
    assert watch(content, None, tagged=True, bare=False)[0] == ""


def test_an_observation_that_holds_our_own_tags_adds_up():
    inner = "cat x\n<predicted_observation>\nhi\n</predicted_observation>\n$"
    content = f"<predicted_observation>\n{inner}\n</predicted_observation>"
    early, shown, _ = watch(content, None, tagged=True, bare=False)
    assert early == shown == inner


def test_after_a_restart_nothing_is_shown_twice_or_mixed():
    for final, total in (("one two", "one two"), ("other", "one ")):
        pieces: list[str] = []
        visible = Visible(pieces.append, tagged=False, bare=True)
        visible.feed("one ")
        visible.restart()
        visible.feed(final)
        visible.finish(final)
        assert "".join(pieces) == total


@pytest.mark.parametrize("unit", ["<", " ", "\n", "<think>", "</think>", "< think", "<<think>"])
def test_hostile_streams_take_linear_time(unit):
    for bare in (True, False):
        visible = Visible(lambda _: None, tagged=False, bare=bare)
        began = time.process_time()
        for _ in range(20_000):
            visible.feed(unit)
        assert time.process_time() - began < 2


def test_a_heading_with_nothing_below_it_is_not_shown():
    text = "<predicted_observation>**Environment Observation:**</predicted_observation>"
    for size in (1, 7, 200):
        shown: list[str] = []
        visible = Visible(shown.append, tagged=True, bare=False)
        for at in range(0, len(text), size):
            visible.feed(text[at : at + size])
        visible.finish("")
        assert "".join(shown) == ""
