"""The terminal's screen, keys and options, without a sandbox."""

import random

import pytest

from worldline.environments.terminal.display import Display, joined_text, screen_text
from worldline.environments.terminal.keys import keystrokes
from worldline.environments.terminal.options import read_options
from worldline.environments.terminal.plain import quoted
from worldline.environments.terminal.text import Capture, cut
from worldline.errors import UsageError


def _shown(data: bytes, columns: int = 20, rows: int = 5) -> str:
    display = Display(columns, rows)
    display.feed(data)
    return screen_text(display.since(0))


def test_codes_are_carried_out():
    assert _shown(b"50%\r100%\r\n") == "100%"
    assert _shown(b"abc\b\bX\r\n") == "aXc"
    assert _shown(b"\x1b[1;31mred\x1b[0m\x1b]0;title\x07\r\n") == "red"
    assert _shown(b"a\tb\r\n") == "a       b"
    assert _shown(b"one\x1b[s two\x1b[u!\r\n") == "one!two"


def test_what_scrolled_off_is_kept():
    lines = "".join(f"{number}\r\n" for number in range(12)).encode()
    assert _shown(lines).split("\n") == [str(number) for number in range(12)]


def test_plain_text_in_bulk_ends_up_as_if_drawn_bit_by_bit():
    rng = random.Random(3)
    for _ in range(100):
        width, height = rng.choice([(20, 5), (33, 8)])
        bulk, slow = Display(width, height), Display(width, height)
        start = b"".join(b"x" * rng.randrange(70) + b"\r\n" for _ in range(rng.randrange(9)))
        count = rng.randrange(3, 80)
        data = b"".join(b"%d " % n + b"y" * rng.randrange(60) + b"\r\n" for n in range(count))
        data += rng.choice([b"", b"$ "])
        for display in (bulk, slow):
            display.feed(start)
        bulk.feed(data)
        for at in range(0, len(data), 7):
            slow.feed(data[at : at + 7])
        assert bulk.since(0) == slow.since(0)
        assert (bulk.at, bulk.cursor.x) == (slow.at, slow.cursor.x)


def test_the_alternate_screen_gives_back_what_it_covered():
    display = Display(20, 5)
    display.feed(b"before\r\n\x1b[?1049hcovered")
    assert "before" not in screen_text(display.since(display.gone))
    display.feed(b"\x1b[?1049l")
    assert screen_text(display.since(0)) == "before"


def test_characters_and_codes_may_come_in_pieces():
    display = Display(20, 5)
    for byte in "é日\x1b[31mred\x1b[0m\r\n".encode():
        display.feed(bytes([byte]))
    assert screen_text(display.since(0)) == "é日red"


def test_whatever_a_program_writes_nothing_fails():
    rng = random.Random(0)
    parts = [b"text\r\n", "日é".encode(), b"\x1b]0;x", b"\x1b_never ended", b"\x1b[999999999C"]
    for _ in range(300):
        display = Display(20, 5)
        for _ in range(rng.randrange(1, 50)):
            code = bytes(rng.choice(b"0123456789;?") for _ in range(rng.randrange(8)))
            final = bytes([rng.randrange(64, 127)])
            display.feed(rng.choice([b"\x1b[" + code + final, bytes([rng.randrange(256)]), *parts]))
        joined_text(display.since(0))
        assert 0 <= display.cursor.y < 5


def test_names_of_keys_are_keys_and_all_else_is_text():
    assert keystrokes("C-c") == b"\x03"
    assert keystrokes("C-d\n") == b"\x04\n"
    assert keystrokes("Enter") == b"\r"
    assert keystrokes("Up") == b"\x1b[A"
    assert keystrokes("Up", application=True) == b"\x1bOA"
    assert keystrokes("M-f") == b"\x1bf"
    assert keystrokes("F5") == b"\x1b[15~"
    assert keystrokes("echo C-c\n") == b"echo C-c\n"
    assert keystrokes("Down the road") == b"Down the road"
    assert keystrokes("é") == "é".encode()


def test_options_are_refused_by_name():
    with pytest.raises(UsageError, match="colour"):
        read_options({"colour": True})
    with pytest.raises(UsageError, match="dialect"):
        read_options({"dialect": "telex"})
    with pytest.raises(UsageError, match="width"):
        read_options({"width": 3})
    with pytest.raises(UsageError, match="nowhere"):
        read_options({"fixture": "nowhere"})
    with pytest.raises(UsageError, match="Half of a character"):
        read_options({"width": "\ud800"})
    assert read_options({}).observes == "stream"
    assert read_options({"dialect": "terminus2"}).observes == "screen"


def test_a_command_is_handed_over_in_lines_a_terminal_takes():
    command = "x='\\\\\n\t\x03é" * 3_000
    assert max(map(len, quoted(command).split(b"\n"))) < 4_096
    assert all(byte >= 32 or byte == 10 for byte in quoted(command))


def test_cutting_leaves_short_text_alone_and_keeps_both_ends():
    assert cut("short", 200) == "short"
    found = cut("a" * 500 + "b" * 500, 300)
    assert found.startswith("aaa") and found.endswith("bbb") and len(found) <= 300
    capture = Capture(hold=100)
    capture.add(b"x" * 50)
    assert capture.raw == b"x" * 50
    capture.add(b"y" * 500)
    assert capture.raw is None
