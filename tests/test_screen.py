"""Hostile text at a person's terminal is shown, never obeyed."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.visible import first_line, visible


@pytest.mark.parametrize(
    "attack",
    [
        "\x1b[2J\x1b[H",  # clear the screen
        "\x1b]52;c;ZXZpbA==\x07",  # set the clipboard
        "\x1b]0;title\x07",
        "\x9b31m",  # C1 control sequence introducer
        "\x90payload\x9c",  # device control string
        "safe\rEVIL",  # overwrite the line
        "a\b\b\bb",
        "\u202egnp.exe",  # right-to-left override
        "\u2066x\u2069",
        "zero\u200bwidth",
        "\x00",
    ],
)
def test_no_acting_character_remains(attack):
    shown = visible(attack)
    assert not any(
        unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t"
        for char in shown
    )


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_any_text_can_be_shown_and_encoded(text):
    visible(text).encode("utf-8")
    assert visible(visible(text)) == visible(text)


def test_ordinary_text_is_unchanged():
    text = "naïve café 日本語 → 🍸\n\tindented"
    assert visible(text) == text
    assert visible("a\r\nb") == "a\nb"


def test_first_line_is_the_first_that_says_something():
    assert first_line("\n\n  total 8\nx", 40) == "  total 8"
    assert first_line("x" * 50, 10) == "x" * 9 + "…"
    assert first_line(None, 10) == ""


def test_nothing_that_is_not_seen_or_turns_the_text_passes():
    unseen = (
        0x34F,
        0x115F,
        0x1160,
        0x17B4,
        0x180B,
        0x3164,
        0xFE00,
        0xFFA0,
        0xFFF0,
        0xE0100,
        0xE0FFF,
    )
    acting = [
        c for c in range(0x110000) if unicodedata.category(chr(c)) in ("Cf", "Zl", "Zp", "Cs")
    ]
    for code in (*acting, *unseen):
        shown = visible(f"a{chr(code)}b")
        assert f"{code:x}" in shown and chr(code) not in shown
    assert visible("a\u061cb\u00adc") == "a\\u061cb\\xadc"


def test_a_sign_keeps_its_look_and_a_row_of_selectors_does_not_hide():
    assert visible("\u26a0\ufe0f low") == "\u26a0\ufe0f low"
    assert visible("\u26a0\ufe0f\ufe0e\ufe0f") == "\u26a0\ufe0f\\ufe0e\\ufe0f"
    assert visible("\ufe0f") == "\\ufe0f" and visible("a \ufe0f") == "a \\ufe0f"
