"""Reported cases of the terminal: what a person saw go wrong elsewhere does not happen here."""

import base64
import json

import pytest

from worldline import environment
from worldline.environments.terminal.display import Display, joined_text, screen_text
from worldline.environments.terminal.text import Capture, cut, decode

FILES = {"long.txt": "".join(f"line {number}\n" for number in range(200))}
REPO = (
    "git init -q . && for i in $(seq 80); do git -c user.name=A -c user.email=a@b.example "
    'commit -q --allow-empty -m "change $i"; done'
)


def _display(data: bytes, columns: int, rows: int = 10) -> Display:
    display = Display(columns, rows)
    display.feed(data)
    return display


# S22: programs that wait for a key


@pytest.mark.system
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("less long.txt", "line 0\n"),
        ("git log", "change 80"),
        ("python3 -i", ">>>"),
        ("cat", ""),
    ],
)
@pytest.mark.parametrize("observe", ["screen", "stream"])
def test_ur_s22_a_program_that_waits_for_keys_is_seen_to_wait(command, shown, observe):
    with environment("terminal", observe=observe, files=FILES) as real:
        real.reset(1)
        assert real.step(REPO).outcome == "ok"
        seen = real.step(command, limit_s=2.0)
        if observe == "stream" and command in ("less long.txt", "git log"):
            assert seen.outcome == "ok"  # to a pipe they do not page
            return
        assert seen.outcome == "awaiting_input"
        assert shown in seen.observation
        assert real.turns[-1].info["recovered"] in ("interrupted", "restarted")
        assert real.step("echo still here").observation == "still here\n"
        left = real.step("ps -eo comm= | sort | uniq -c | sort -rn").observation
        assert not {"less", "git", "python3", "cat"} & set(left.split())


@pytest.mark.system
def test_ur_s22_typed_keys_go_to_the_program_that_waits():
    with environment("terminal", dialect="terminus2", files=FILES) as real:
        real.reset(1)
        paged = real.step(_typed("less long.txt\n"), limit_s=2.0)
        assert paged.outcome == "awaiting_input"
        assert "line 20\n" in paged.observation
        more = real.step(_typed("G"), limit_s=2.0)
        assert "line 199\n" in more.observation
        assert real.step(_typed("q"), limit_s=2.0).outcome == "ok"


@pytest.mark.system
@pytest.mark.parametrize("stubborn", ["sleep 60", "while :; do :; done", "trap '' INT; sleep 60"])
def test_ur_s22_what_runs_too_long_is_ended_and_the_shell_lives_on(stubborn):
    with environment("terminal") as real:
        real.reset(1)
        real.step("cd /tmp; word=kept")
        seen = real.step(stubborn, limit_s=0.5)
        assert seen.outcome == "timeout"
        assert real.turns[-1].info["recovered"] == "interrupted"
        assert real.step("pwd; echo $word").observation == "/tmp\nkept\n"


# S23: the echo of a long command


ECHO = b"echo " + b"a" * 90
WRAPPED = b"\x1b[?2004h$ " + ECHO[:78] + b" \r" + ECHO[78:] + b"\r\n\x1b[?2004l\rok\r\n"


def test_ur_s23_a_wrapped_echo_is_one_logical_line():
    text = joined_text(_display(WRAPPED, 80).since(0))
    assert text.split("\n") == ["$ " + ECHO.decode(), "ok"]


def test_ur_s23_on_the_screen_it_is_two_rows_and_no_codes_are_shown():
    text = screen_text(_display(WRAPPED, 80).since(0))
    assert text.split("\n") == ["$ " + ECHO.decode()[:78], ECHO.decode()[78:], "ok"]
    assert "\x1b" not in text


@pytest.mark.system
@pytest.mark.parametrize("observe", ["stream", "screen"])
def test_ur_s23_a_typed_command_longer_than_the_screen(observe):
    command = ECHO.decode()
    with environment("terminal", dialect="terminus2", width=80, observe=observe) as real:
        real.reset(1)
        seen = real.step(_typed(command + "\n")).observation
        whole = f"user@box:~$ {command}\n" in seen
        assert whole if observe == "stream" else not whole
        assert "\x1b" not in seen
        raw = base64.b64decode(real.turns[0].info["raw"])
        assert b"\r\n" in raw and b"a" * 20 in raw  # the bytes as they came


# S24: lines as wide as the screen


def test_ur_s24_a_line_that_fills_the_width_has_no_empty_row_below():
    display = _display(b"x" * 20 + b"\r\nsecond\r\n", 20)
    assert screen_text(display.since(0)) == "x" * 20 + "\nsecond"


def test_ur_s24_a_longer_line_is_one_line_when_joined():
    display = _display(b"-" * 50 + b"\r\n" + b"end\r\n", 20)
    assert joined_text(display.since(0)) == "-" * 50 + "\nend"
    assert screen_text(display.since(0)).count("\n") == 3


def test_ur_s24_blanks_at_line_ends_stay_where_they_were_printed():
    display = _display(b"two  \r\n" + b"y" * 30 + b"\r\nnone\r\n", 20)
    assert joined_text(display.since(0)) == "two  \n" + "y" * 30 + "\nnone"


# S25: bytes that are no text, and cutting


def test_ur_s25_undecodable_bytes_have_one_form():
    raw = b"\x00\xff\xfe\x80done"
    assert decode(raw) == "\x00\\xff\\xfe\\x80done"


@pytest.mark.system
def test_ur_s25_the_bytes_themselves_are_kept():
    with environment("terminal") as real:
        real.reset(1)
        seen = real.step(r"printf '\000\377\376\200done'").observation
        raw = base64.b64decode(real.turns[0].info["raw"])
        assert raw == b"\x00\xff\xfe\x80done"
        assert decode(raw) == seen == "\x00\\xff\\xfe\\x80done"


@pytest.mark.parametrize("shift", ["", "a", "ab"])
def test_ur_s25_long_text_is_cut_between_characters(shift):
    text = shift + "日" * 4_000
    found = cut(text, 10_000)
    assert len(found.encode()) <= 10_000
    assert "\ufffd" not in found
    head, note, tail = found.split("\n")
    said = int(note.split()[1].replace(",", ""))
    assert said == len(text.encode()) - len(head.encode()) - len(tail.encode())
    assert text.startswith(head) and text.endswith(tail)


def test_ur_s25_output_that_never_stops_is_held_in_bounds():
    capture = Capture(hold=1_000)
    for _ in range(500):
        capture.add("日".encode() * 100)
    found = capture.text(900)
    head, note, tail = found.split("\n")
    assert len(found.encode()) <= 900 and "\\x" not in found and "\ufffd" not in found
    kept = len(head.encode()) + len(tail.encode())
    assert int(note.split()[1].replace(",", "")) == 500 * 300 - kept


def _typed(*keys: str, duration: float = 1.0) -> str:
    return json.dumps([{"keystrokes": one, "duration": duration} for one in keys])
