"""Recordings of a terminal become sessions where what was done is certain; else they say why."""

import base64
import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_import_atif import damaged

from worldline import jsonl
from worldline.collect.importers import BadLine, importer
from worldline.domains import domain
from worldline.errors import DataError, WorldlineError

pytest.importorskip("pyte")
read = importer("asciinema")

PROMPT = "ann@barn:~$ "
HEADER = {"version": 2, "width": 40, "height": 8, "timestamp": 1_700_000_000}


def keys(at, text):
    """Keys typed one by one, each echoed."""
    events = []
    for key in text:
        events += [[at, "i", key], [at + 0.01, "o", "\r\n" if key == "\r" else key]]
        at += 0.1
    return events, at


def typed(*turns):
    """(keys, output) of each turn, as events."""
    events, at = [[0.1, "o", PROMPT]], 1.0
    for text, output in turns:
        more, at = keys(at, text)
        events += [*more, [at + 0.2, "o", output.replace("\n", "\r\n")]]
        at += 2.0
    return events


def echoed(*turns):
    """The same session without its keys."""
    return [event for event in typed(*turns) if event[1] != "i"]


def written(tmp_path, events, header=HEADER, name="farm.cast"):
    path = tmp_path / name
    path.write_bytes(b"".join(jsonl.dumps(line) + b"\n" for line in (header, *events)))
    return path


SESSION = (("ls\r", f"hay  rake\n{PROMPT}"), ("cat no\r", f"cat: no: gone\n{PROMPT}"))


def test_keys_and_screens(tmp_path):
    (one,) = read(written(tmp_path, typed(*SESSION)))
    assert (one.id, one.domain, one.dialect) == ("farm", "terminal", "terminus2")
    first, second = one.turns
    assert json.loads(first.action)[0]["keystrokes"] == "ls\n"
    assert first.observation == "New Terminal Output:\n\nann@barn:~$ ls\nhay  rake\nann@barn:~$\n"
    assert second.observation.startswith("New Terminal Output:\n\nann@barn:~$ cat no\n")
    raw = base64.b64decode(first.info["raw"]).decode()
    assert raw == f"ls\r\nhay  rake\r\n{PROMPT}"
    assert one.source.collected_at == "2023-11-14T22:13:20+00:00"
    assert one.system.initial_state == "Current Terminal Screen:\nann@barn:~$\n"
    domain("terminal").dialects["terminus2"].parse_action(first.action)


def test_commands_are_read_off_the_screen(tmp_path):
    (one,) = read(written(tmp_path, echoed(*SESSION)))
    assert one.dialect == "command"
    assert [(turn.action, turn.observation) for turn in one.turns] == [
        ("ls", "hay  rake\n"),
        ("cat no", "cat: no: gone\n"),
    ]
    assert base64.b64decode(one.meta["raw"]).decode().count(PROMPT) == 3


def test_other_prompts_count_if_they_waited(tmp_path):
    events = [[t, c, d.replace(PROMPT, "$ ")] for t, c, d in echoed(*SESSION)]
    (one,) = read(written(tmp_path, events))
    assert [turn.action for turn in one.turns] == ["ls", "cat no"]


def test_long_lines_clear_and_output_without_a_line_end(tmp_path):
    long = "echo " + "x" * 60
    session = (
        (f"{long}\r", "x" * 60 + f"\n{PROMPT}"),
        ("printf a\r", f"a{PROMPT}"),
        ("clear\r", f"\x1b[H\x1b[2J\x1b[3J{PROMPT}"),
        ("pwd\r", f"/farm\n{PROMPT}"),
    )
    (one,) = read(written(tmp_path, echoed(*session)))
    assert [(turn.action, turn.observation) for turn in one.turns] == [
        (long, "x" * 60 + "\n"),
        ("printf a", "a"),
        ("clear", ""),
        ("pwd", "/farm\n"),
    ]


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([[0.1, "o", "hello\r\n"], [0.2, "o", "world\r\n"]], "no prompt can be told apart"),
        ([[0.1, "o", PROMPT]], "no prompt can be told apart"),
        ([], "no prompt can be told apart"),
        (echoed(("vi\r", f"\x1b[?1049h~\x1b[?1049l{PROMPT}")), "used the whole screen"),
        (echoed(("./x\r", f"secret\n\x1b[2J\x1b[3J\x1b[H{PROMPT}")), "erased"),
        ([*echoed(("\r", PROMPT))], "no command can be told apart"),
    ],
)
def test_where_nothing_is_certain_the_recording_is_refused(tmp_path, events, words):
    with pytest.raises(DataError, match=words) as caught:
        list(read(written(tmp_path, events)))
    assert "rec --stdin" in str(caught.value)


def test_full_screen_programs_show_the_screen(tmp_path):
    vi = "\x1b[?1049h\x1b[H\x1b[2Jtext\r\n~"
    session = (("vi\r", vi), ("\x1b:q\r", f"\x1b[?1049l{PROMPT}"))
    (one,) = read(written(tmp_path, typed(*session)))
    assert one.turns[0].observation == "Current Terminal Screen:\ntext\n~\n"
    assert one.turns[1].observation.startswith("Current Terminal Screen:\nann@barn:~$ vi\n")


def test_control_keys_and_pauses_end_an_action(tmp_path):
    events = [
        [0.1, "o", PROMPT],
        *([1.0, "i", "c"], [1.01, "o", "c"], [1.1, "i", "\r"], [1.2, "o", "\r\n"]),
        *([3.0, "i", "\x03"], [3.1, "o", f"^C\r\n{PROMPT}"]),
        *([5.0, "i", "l"], [5.1, "o", "l\r\nmore"], [9.0, "i", "q"], [9.1, "o", f"\r\n{PROMPT}"]),
        [9.5, "i", "\x1b[1;1R"],
        [12.0, "i", "x"],
    ]
    (one,) = read(written(tmp_path, events))
    typed = [json.loads(turn.action)[0]["keystrokes"] for turn in one.turns]
    assert typed == ["c\n", "\x03", "l", "q"]
    assert json.loads(one.meta["unanswered"][0]["action"])[0]["keystrokes"] == "x"


def test_sizes_markers_and_the_exit_status(tmp_path):
    events = typed(("ls\r", f"{'x' * 50}\n{PROMPT}"))
    events[1:1] = [[0.2, "r", "60x8"], [0.3, "m", "start"]]
    events += [[9.0, "m", "end"], [9.1, "x", "0"], [9.2, "z", "?"]]
    (one,) = read(written(tmp_path, events))
    assert "x" * 50 + "\n" in one.turns[0].observation
    assert one.meta["markers"] == [[0.3, "start"], [9.0, "end"]]
    assert one.meta["exit_status"] == "0" and one.meta["other_events"] == ["z"]
    assert one.turns[0].info["markers"] == ["end"]


def test_all_versions_tell_the_same(tmp_path):
    events, last = echoed(*SESSION), 0.0
    delays = []
    for time, _, _ in events:
        delays.append(time - last)
        last = time
    old = {"version": 1, "width": 40, "height": 8, "duration": 9.0, "title": "a farm"}
    old["stdout"] = [[delay, data] for delay, (_, _, data) in zip(delays, events, strict=True)]
    first = tmp_path / "one.cast"
    first.write_text(json.dumps(old, indent=1))
    new = {"version": 3, "term": {"cols": 40, "rows": 8, "type": "xterm"}}
    third = written(
        tmp_path,
        [[delay, *event[1:]] for delay, event in zip(delays, events, strict=True)],
        new,
        "three.cast",
    )
    lines = third.read_bytes().split(b"\n")
    third.write_bytes(b"\n".join([lines[0], b"# a comment", *lines[1:]]))
    two = written(tmp_path, events, name="two.cast")
    (tmp_path / "zip.cast.gz").write_bytes(gzip.compress(two.read_bytes()))
    found = list(read(tmp_path))
    assert [one.id for one in found] == ["one", "three", "two", "zip"]
    turns = [[(turn.action, turn.observation) for turn in one.turns] for one in found]
    assert turns[0] == turns[1] == turns[2] == turns[3]
    assert found[0].system.task_description == "a farm"


def test_a_recorder_that_was_killed_loses_its_last_line_alone(tmp_path):
    path = written(tmp_path, typed(*SESSION))
    path.write_bytes(path.read_bytes() + b'[20.0, "o", "par')
    (one,) = read(path)
    assert len(one.turns) == 2 and one.meta["cut"] is True


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        (b'{"version": 4, "width": 1, "height": 1}', 1, "is 4"),
        (b'{"version": 2, "width": 0, "height": 1}', 1, "cannot be shown"),
        (b'{"version": 2, "width": "x", "height": 1}', 1, "Expected"),
        (b"[1]", 1, "no recording"),
        (b'[0.2, "o"]', 3, "is no event"),
        (b'[0.2, "r", "0x9"]', 3, "is no event"),
        (b"nonsense", 3, "is no event"),
        (b"\xff", 3, "no text in UTF-8"),
    ],
)
def test_damage_is_named_with_file_and_line(tmp_path, line, number, words):
    path = written(tmp_path, typed(*SESSION))
    lines = path.read_bytes().split(b"\n")
    lines[number - 1] = line
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(DataError, match=words) as caught:
        list(read(path))
    assert caught.value.file == str(path)
    assert caught.value.line == (None if line == b"\xff" else number)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_random_damage_is_our_error_and_loses_no_good_file(tmp_path_factory, seed, with_keys):
    folder = tmp_path_factory.mktemp("casts")
    events = typed(*SESSION) if with_keys else echoed(*SESSION)
    for name in ("a", "b", "c"):
        written(folder, events, name=f"{name}.cast")
    lines = (folder / "b.cast").read_bytes().split(b"\n")
    at = seed % (len(lines) - 1)
    lines[at] = damaged(lines[at], seed)
    (folder / "b.cast").write_bytes(b"\n".join(lines))
    bad: list[BadLine] = []
    ids = [one.id for one in read(folder, bad.append)]
    assert ids[0] == "a" and ids[-1] == "c"
    assert all(isinstance(one.error, WorldlineError) for one in bad)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text() | st.sampled_from(["\x1b[", "1;9", "H", "L", "\x1b[?1049h"]), max_size=8))
def test_any_output_is_a_session_or_our_error(tmp_path_factory, output):
    path = tmp_path_factory.mktemp("odd") / "x.cast"
    lines = [HEADER, [0.1, "o", PROMPT], [0.2, "i", "x\r"], [0.3, "o", "".join(output)]]
    path.write_bytes(b"".join(jsonl.dumps(line) + b"\n" for line in lines))
    bad: list[BadLine] = []
    assert len(list(read(path, bad.append))) + len(bad) == 1


@pytest.mark.parametrize("stdout", [None, 3, [1], [[0.1]], [["a", "b"]], {"a": 1}])
def test_output_of_version_1_that_is_no_list_of_pairs_is_told(tmp_path, stdout):
    path = tmp_path / "odd.cast"
    path.write_text(json.dumps({"version": 1, "width": 20, "height": 4, "stdout": stdout}))
    with pytest.raises(DataError, match=r"odd\.cast.*stdout"):
        list(read(path))
