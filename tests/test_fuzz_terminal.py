"""What fuzzing found in the terminal's emulator; the right values are those that tmux captures."""

import subprocess

import pytest

pytest.importorskip("pyte")

from worldline.environments.terminal.display import Display, joined_text
from worldline.environments.terminal.plain import quoted
from worldline.environments.terminal.text import Capture


def shown(*pieces: bytes | str, columns: int = 40) -> list[str]:
    display = Display(columns, 5)
    for piece in pieces:
        display.feed(piece.encode() if isinstance(piece, str) else piece)
    return [row.text.rstrip() for row in display.shown() if row.text.strip()]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("\u2714\ufe0f Done", "\u2714\ufe0f Done"),
        ("a\u200bb", "a\u200bb"),
        ("\U0001f469\u200d\U0001f680 x", "\U0001f469\u200d\U0001f680 x"),
        ("e\u0301t", "e\u0301t"),
        ("\ufeffbom", "bom"),
        ("a\u0085b\u2028c", "abc"),
    ],
)
def test_what_stands_behind_a_character_without_width_is_shown(text, right):
    assert shown(text) == [right]


def test_control_characters_that_no_terminal_shows_take_no_cell():
    assert shown("a\x01b\x10c") == ["abc"]


def test_a_wide_character_that_fits_only_in_half_goes_to_the_next_row():
    display = Display(4, 5)
    display.feed("abc日本".encode())
    assert [row.text for row in display.shown()[:2]] == ["abc", "日本"]
    assert joined_text(display.since(0)) == "abc日本"


def test_a_code_whose_number_is_none_is_dropped_and_what_follows_is_shown():
    assert shown("\x1b[\u00b2mred") == ["red"]
    assert shown(f"\x1b[{'9' * 5000}mred") == ["red"]


def test_a_long_private_string_is_not_shown_however_it_comes():
    sixel = b"a\x1bPq" + b"~@" * 9_000 + b"\x1b\\b"
    pieces = [sixel[at : at + 1000] for at in range(0, len(sixel), 1000)]
    assert shown(sixel) == shown(*pieces) == ["ab"]
    assert shown(b"a\x1bPq\x07", b"hidden", b"\x1b\\b") == ["ab"]


def test_the_switch_of_bracketed_paste_is_one_whether_it_comes_whole_or_not():
    assert shown("ab\x1b[?2004l\rc") == shown("ab\x1b[?2004l", "\rc") == ["abc"]


def test_output_that_is_cut_is_the_same_however_it_came():
    data = b"\xe9" * 2_000
    seen = []
    for size in (1, 7, 2_000):
        capture = Capture(256)
        for at in range(0, len(data), size):
            capture.add(data[at : at + size])
        seen.append(capture.text(200))
    assert seen[0] == seen[1] == seen[2] and len(seen[0].encode()) <= 200


@pytest.mark.parametrize("command", ["", "\n" * 900, "'\\" * 900, "a\x1b" * 900, "é" * 1500])
def test_a_command_is_handed_over_whole_in_short_lines_whatever_it_is_made_of(command):
    lines = quoted(command)
    said = subprocess.run(
        ["bash"], input=lines + b'printf %s "$__c"\n', capture_output=True, timeout=20, check=True
    )
    assert said.stdout == command.encode()
    assert max(map(len, lines.split(b"\n"))) < 4_095
