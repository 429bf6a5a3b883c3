"""The one parser of thoughts and tags: what a person sees as the observation, case by case."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.extract import Extract, extract

O, C = "<predicted_observation>", "</predicted_observation>"  # noqa: E741

# name: (text, how, observation, reasoning); a plain reply of a model that was asked for tags.
ASKED = {
    "a block": (f"{O}\nfile.txt\n{C}", "tagged", "file.txt", None),
    "a block in one line": (f"{O}file.txt{C}", "tagged", "file.txt", None),
    "first-line indentation kept": (f"{O}\n    a\n  b\n{C}", "tagged", "    a\n  b", None),
    "blank lines of its own kept": (f"{O}\n\na\n\n{C}", "tagged", "\na\n", None),
    "trailing blanks kept": (f"{O}a  \t{C}", "tagged", "a  \t", None),
    "carriage returns kept": (f"{O}\r\na\r\nb\r\n{C}", "tagged", "a\r\nb", None),
    "an empty block": (f"{O}{C}", "tagged", "", None),
    "an empty block over two lines": (f"{O}\n{C}", "tagged", "", None),
    "an empty block over three lines": (f"{O}\n\n{C}", "tagged", "", None),
    "upper case": ("<PREDICTED_OBSERVATION>x</Predicted_Observation>", "tagged", "x", None),
    "blanks inside the tags": (
        "< predicted_observation >x</ predicted_observation\n>",
        "tagged",
        "x",
        None,
    ),
    "words around": (f"Sure! Here:\n{O}\nx\n{C}\nHope it helps.", "tagged", "x", None),
    "the last block wins": (f"{O}a{C}\nWait.\n{O}b{C}", "tagged", "b", None),
    "the benchmark's heading": (
        f"{O}\n**Environment Observation:**\n  x\n{C}",
        "tagged",
        "  x",
        None,
    ),
    "only the heading": (f"{O}\n**Environment Observation:**\n{C}", "tagged", "", None),
    "a heading further down stays": (
        f"{O}a\n**Environment Observation:**\nb{C}",
        "tagged",
        "a\n**Environment Observation:**\nb",
        None,
    ),
    "thoughts, then a block": (f"<think>\nhm\n</think>\n\n{O}x{C}", "tagged", "x", "hm"),
    "thinking, not think": (f"<thinking>hm</thinking>{O}x{C}", "tagged", "x", "hm"),
    "mixed think tags": (f"<THINK>hm</ thinking >{O}x{C}", "tagged", "x", "hm"),
    "only a closing think tag": (f"hm\n</think>\n{O}x{C}", "tagged", "x", "hm"),
    "nested thoughts": (f"<think>a<think>b</think>c</think>{O}x{C}", "tagged", "x", "abc"),
    "thoughts twice": (f"<think>a</think>\n<think>b</think>{O}x{C}", "tagged", "x", "a\nb"),
    "doubled opening think tag": (f"<think>\n<think>\na</think>{O}x{C}", "tagged", "x", "a"),
    "thoughts that speak of think tags": (
        f"<think>I am in <think> tags</think>{O}x{C}",
        "tagged",
        "x",
        "I am in  tags",
    ),
    "a draft in thoughts": (
        f"<think>maybe {O}draft{C}</think>{O}x{C}",
        "tagged",
        "x",
        f"maybe {O}draft{C}",
    ),
    "a draft in thoughts, then nothing": (
        f"<think>maybe {O}draft{C} no</think>\n",
        "no_answer_after_reasoning",
        None,
        f"maybe {O}draft{C} no",
    ),
    "a draft in unopened thoughts": (
        f"{O}draft{C} no</think>{O}x{C}",
        "tagged",
        "x",
        f"{O}draft{C} no",
    ),
    "thoughts that name the tag": (
        f"<think>put it in {O} tags</think>{O}x{C}",
        "tagged",
        "x",
        f"put it in {O} tags",
    ),
    "unopened thoughts that name the tag": (
        f"I use {O} tags.</think>{O}x{C}",
        "tagged",
        "x",
        f"I use {O} tags.",
    ),
    "words that name the tag": (f"I will use {O} tags:\n{O}x{C}", "tagged", "x", None),
    "thoughts that name the tag, bare answer": (
        f"<think>no {O} today</think>\n\nx\n",
        "untagged",
        "x\n",
        f"no {O} today",
    ),
    "a closing think tag in the block": (f"{O}a </think> b{C}", "tagged", "a </think> b", None),
    "thoughts in the block": (
        f"<think>hm</think>{O}<think>b</think>\nc{C}",
        "tagged",
        "<think>b</think>\nc",
        "hm",
    ),
    "an opening think tag in the block": (f"{O}<think>{C}", "tagged", "<think>", None),
    "a cat of a prompt file": (
        f"<think>cat</think>\n{O}\nThink in <think></think>, answer in {O}...{C}.\n{C}",
        "tagged",
        f"Think in <think></think>, answer in {O}...{C}.",
        "cat",
    ),
    "a pair between think tags in the block": (
        f"{O}a</think>b{O}c{C}d{C}",
        "tagged",
        f"a</think>b{O}c{C}d",
        None,
    ),
    "a lone opening tag in the block": (f"{O}a {O} b{C}", "tagged", f"a {O} b", None),
    "a lone closing tag in the block": (f"{O}a {C} b{C}\n", "tagged", f"a {C} b", None),
    "a stuttered opening tag": (f"{O}\n{O}\nx\n{C}", "tagged", "x", None),
    "a stuttered closing tag": (f"{O}x{C}\n{C}", "tagged", "x", None),
    "a block, then thoughts": (f"{O}x{C}<think>done?</think>", "tagged", "x", "done?"),
    "a block, then thoughts without end": (f"{O}x{C}<think>do", "tagged", "x", "do"),
    "an end mark after the block": (f"{O}x{C}<|im_end|>\n", "tagged", "x", None),
    "an end mark in the block": (f"{O}x<|im_end|>{C}", "tagged", "x<|im_end|>", None),
    "a block that is not closed": (f"{O}\n  x\ny\n", "unclosed_tag", "  x\ny\n", None),
    "words, then a block not closed": (f"Here: {O}x", "unclosed_tag", "x", None),
    "a complete block, then the tag's name": (f"{O}x{C} I used {O}.", "tagged", "x", None),
    "a block opened with nothing in it": (f"{O}\n", "unclosed_tag", None, None),
    "a block that was never opened": (f"x\ny\n{C}", "unopened_tag", "x\ny", None),
    "thoughts not closed before the block": (
        f"<think>hm\n{O}x{C}\n",
        "unclosed_think",
        "x",
        "hm",
    ),
    "thoughts not closed, think tag in the block": (
        f"<think>hm {O}a</think>b{C}",
        "unclosed_think",
        "a</think>b",
        "hm",
    ),
    "thoughts not closed, a draft within": (
        f"<think>hm {O}x{C} no",
        "no_answer_after_reasoning",
        None,
        f"hm {O}x{C} no",
    ),
    "thoughts without end": (
        "<think>It lists a.txt",
        "no_answer_after_reasoning",
        None,
        "It lists a.txt",
    ),
    "thoughts, then nothing": ("<think>hm</think>\n\n", "no_answer_after_reasoning", None, "hm"),
    "empty thoughts, then nothing": ("<think></think>", "empty", None, None),
    "nothing": ("", "empty", None, None),
    "only blanks": (" \n", "empty", None, None),
    "bare": ("  x\ny\n", "untagged", "  x\ny\n", None),
    "bare after thoughts": ("<think>hm</think>\n\n  x\n", "untagged", "  x\n", "hm"),
    "bare after thoughts, own blank line": ("hm</think>\n\n\nx", "untagged", "\nx", "hm"),
    "bare with the heading": ("**Environment Observation:**\nx", "untagged", "x", None),
    "bare with end marks": ("x\n<|im_end|>\n<|endoftext|>", "untagged", "x\n", None),
    "bare HTML": ("<s>old</s>", "untagged", "<s>old</s>", None),
    "no tag but its like": (
        "<predicted_observations>x",
        "untagged",
        "<predicted_observations>x",
        None,
    ),
    "letters that only look the same": ("<thin\u212a>x", "untagged", "<thin\u212a>x", None),
    "half an emoji": (f"{O}\ud83d{C}", "tagged", "\ud83d", None),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_reply_that_was_asked_for_tags(name: str):
    text, how, observation, reasoning = ASKED[name]
    found = extract(text)
    assert (found.how, found.observation, found.reasoning) == (how, observation, reasoning)


BARE = {
    "text as it is": ("  x\n", "untagged", "  x\n"),
    "blanks are an observation": ("\n", "untagged", "\n"),
    "a block that opens the answer": (f"{O}\nx\n{C}", "tagged", "x"),
    "a block after thoughts": (f"<think>hm</think>\n{O}x{C}", "tagged", "x"),
    "tags that the environment printed": (f"$ cat p\nuse {O}x{C}", "untagged", None),
    "one tag that the environment printed": (f"use {O}", "untagged", None),
    "a closing tag that it printed": (f"end with {C}", "untagged", None),
    "a block not closed": (f"{O}x", "unclosed_tag", "x"),
    "after empty thoughts": ("<think>\n\n</think>\n\nx", "untagged", "x"),
}


@pytest.mark.parametrize("name", BARE)
def test_a_reply_that_was_asked_for_bare_text(name: str):
    text, how, observation = BARE[name]
    found = extract(text, tags_expected=False)
    assert (found.how, found.observation) == (how, text if observation is None else observation)


CUT = {
    "a complete block before the cut": (f"{O}x{C} and th", "tagged", "x"),
    "a block cut": (f"{O}x\ny", "cut_in_block", None),
    "a closing tag cut": (f"{O}x</predicted_obs", "cut_in_block", None),
    "the last block cut": (f"{O}x{C}\n{O}y", "cut_in_block", None),
    "a block cut after an inner pair": (f"{O}a {O}b{C} c", "cut_in_block", None),
    "a block that may end at an inner tag": (f"{O}a {O} b{C}", "cut_in_block", None),
    "thoughts cut": ("<think>hm", "cut_in_reasoning", None),
    "thoughts cut after a draft": (f"<think>hm {O}x{C}", "cut_in_reasoning", None),
    "bare text cut": ("x\ny", "cut_in_text", None),
    "nothing after thoughts": ("<think>hm</think>", "cut_in_text", None),
}


@pytest.mark.parametrize("expected", [True, False])
@pytest.mark.parametrize("name", CUT)
def test_what_was_cut_is_no_answer(name: str, expected: bool):
    text, how, observation = CUT[name]
    found = extract(text, tags_expected=expected, cut=True)
    assert (found.how, found.observation) == (how, observation)


def test_ur_s08_cut_inside_reasoning():
    for text in ("<think>The file probably lists a.txt", "<think>…</think>", "x</think>\n"):
        for expected in (True, False):
            for cut in (True, False):
                found = extract(text, tags_expected=expected, cut=cut)
                assert found.observation is None
                assert found.how.startswith("cut") if cut else found.how.startswith("no_answer")


PIECES = st.sampled_from(
    [
        O,
        C,
        "<think>",
        "</think>",
        "<THINKING >",
        "a",
        " ",
        "\n",
        "</s>",
        "<|im_end|>",
        "\udcb2",
        "<",
    ]
)
texts = st.lists(PIECES | st.text(max_size=3), max_size=14).map("".join)


@settings(max_examples=400, deadline=None)
@given(texts, st.booleans(), st.booleans())
def test_any_text_is_read_and_nothing_is_made_up(text: str, expected: bool, cut: bool):
    found = extract(text, tags_expected=expected, cut=cut)
    assert isinstance(found, Extract)
    assert found.observation is None or found.observation in text
    if found.observation is None:
        assert found.how not in ("tagged", "untagged", "unopened_tag", "unclosed_think")
    if cut:
        assert (found.observation is not None) == (found.how == "tagged")


plain = st.text(alphabet="ab\n \ud83d<>/", max_size=20)
balanced = st.recursive(
    plain | st.just("</think>") | st.just("<think>"),
    lambda inner: st.lists(inner, max_size=3).map("".join) | inner.map(lambda x: f"{O}{x}{C}"),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(plain, balanced, st.booleans(), st.booleans())
def test_what_an_environment_prints_comes_through_whole(
    thoughts: str, observation: str, expected: bool, cut: bool
):
    """Also when it holds think tags and balanced pairs of our own."""
    for text in (
        f"<think>{thoughts}</think>\n{O}\n{observation}\n{C}",
        f"{thoughts}</think>\n{O}\n{observation}\n{C}\n",
        f"{O}\n{observation}\n{C}",
    ):
        found = extract(text, tags_expected=expected, cut=cut)
        assert (found.how, found.observation) == ("tagged", observation)


HOSTILE = {
    "opening think tags": "<think>",
    "closing think tags": "</think>",
    "think pairs": "<think></think>",
    "opening tags": O,
    "closing tags": C,
    "opening tags with text": f"x{O}",
    "pairs": f"{O}{C}",
    "crossing": f"<think>{O}</think>{C}",
    "angle brackets and blanks": "<  ",
    "blanks": " ",
    "tags never ended": "<think   ",
    "end marks": "</s>",
    "end marks and blanks": "<|im_end|> \n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear_on_hostile_text(name: str):
    piece = HOSTILE[name]

    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        extract(text)
        extract(text, tags_expected=False, cut=True)
        return time.process_time() - start

    small = min(seconds(60_000) for _ in range(3))
    large = min(seconds(480_000) for _ in range(2))
    assert large < 40 * small + 0.1, f"{small:.4f} s -> {large:.4f} s for eight times the text"
