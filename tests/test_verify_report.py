"""What a report of `verify` tells and leaves apart: rules alone, notes on actions, guesses."""

from hypothesis import given
from hypothesis import strategies as st
from mcp_rows import READ_FILE, after, call, opened

from worldline.domains.common import shortened
from worldline.domains.mcp import DOMAIN


@given(st.text(), st.integers(1, 60))
def test_a_text_that_is_cut_says_so_and_is_never_too_long(text: str, limit: int):
    told = shortened(text, limit)
    assert len(told) <= limit
    if told != text:
        assert len(text) > limit and told.endswith("…") and text.startswith(told[:-1])


def test_a_cut_stands_between_words():
    assert shortened("the harbour master", 12) == "the harbour…"
    assert shortened("x" * 20, 12) == "x" * 11 + "…"
    assert shortened("the harbour", 11) == "the harbour"


def test_what_the_session_settles_is_quoted_up_to_a_whole_word():
    action = call("read_file", path="/a")
    ledger = after(opened(READ_FILE), (action, "the tide table of the harbour " * 20))
    (found,) = [v for v in DOMAIN.checks(ledger, action, "x") if v.rule == "contradicts_session"]
    assert found.message.endswith(("tide…", "table…", "of…", "the…", "harbour…")), found.message
