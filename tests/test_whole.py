"""Outputs appear whole or not at all, and never in place of what is no file."""

import contextlib
import json
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_verify_refused import recording, told, worldline

from worldline import jsonl
from worldline.cli.common import write_page
from worldline.errors import DataError

FULL = Path("/dev/full")


def read_in_background(fifo: Path) -> tuple[threading.Thread, list[bytes]]:
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()), daemon=True)
    reader.start()
    return reader, got


def shown(leader: int) -> Iterator[bytes]:
    """What is written to a terminal, until nobody holds it any more."""
    with contextlib.suppress(OSError):
        while piece := os.read(leader, 4096):
            yield piece


@pytest.mark.parametrize("output", ["rows", "page"])
def test_a_pipe_is_written_in_place_and_stays_one(tmp_path, output):
    fifo = tmp_path / "out"
    os.mkfifo(fifo)
    reader, got = read_in_background(fifo)
    if output == "rows":
        jsonl.write(fifo, [{"n": 1}, {"n": 2}])
    else:
        write_page(fifo, "<p>oats</p>")
    reader.join(10)
    assert got == [b'{"n":1}\n{"n":2}\n' if output == "rows" else b"<p>oats</p>"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(not FULL.is_char_device(), reason="this system has no /dev/full")
def test_a_device_is_not_replaced(tmp_path):
    link = tmp_path / "full"
    link.symlink_to(FULL)
    with pytest.raises(DataError, match="cannot be written"):
        jsonl.write(link, [{"n": 1}])
    with pytest.raises(DataError, match="cannot be written"):
        write_page(link, "<p>")
    assert link.is_symlink() and FULL.is_char_device()


def test_a_device_of_ones_own_stays_a_device(tmp_path):
    leader, follower = os.openpty()  # anybody may have one, and it cannot be replaced by mistake
    node = Path(os.ttyname(follower))
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.extend(shown(leader)), daemon=True)
    reader.start()
    try:
        source = recording(tmp_path / "farm.jsonl")
        done = worldline("verify", source, "-o", node, "--page", node)
        assert done.returncode == 2 and stat.S_ISCHR(node.stat().st_mode)  # one place for two
        done = worldline("verify", source, "-o", node)
        assert done.returncode == 0 and stat.S_ISCHR(node.stat().st_mode)
    finally:
        os.close(follower)
        reader.join(10)
        os.close(leader)
    assert b'"turn":3' in b"".join(got)


def test_a_folder_is_refused(tmp_path):
    for write in (lambda: jsonl.write(tmp_path, [1]), lambda: write_page(tmp_path, "<p>")):
        with pytest.raises(DataError, match=r"is a folder.*Name a file"):
            write()


def test_what_a_link_points_to_is_written(tmp_path):
    old, link = tmp_path / "old.jsonl", tmp_path / "link.jsonl"
    jsonl.write(old, [1])
    link.symlink_to(old)
    jsonl.write(link, [2])
    assert link.is_symlink() and old.read_bytes() == b"2\n"


def test_a_page_that_cannot_be_finished_leaves_the_old_one(tmp_path):
    page = tmp_path / "page.html"
    write_page(page, "<p>old</p>")
    with pytest.raises(UnicodeEncodeError):
        write_page(page, "<p>new \ud800</p>")
    assert page.read_text() == "<p>old</p>"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_what_a_killed_process_left_is_no_part_of_the_next_output(tmp_path):
    (tmp_path / "a.jsonl.partial").write_text('{"torn')
    jsonl.write(tmp_path / "a.jsonl", [1])
    assert (tmp_path / "a.jsonl").read_bytes() == b"1\n"


def test_standard_output_by_name_keeps_what_was_said_before(tmp_path):
    path, log = recording(tmp_path / "farm.jsonl"), tmp_path / "log"
    log.write_text("before\n")
    with log.open("a") as file:
        done = worldline("verify", path, "-o", "/dev/stdout", stdout=file)
    assert done.returncode == 0
    first, *rows = log.read_text().splitlines()
    assert first == "before" and [json.loads(row)["turn"] for row in rows] == [1, 2, 3]


@pytest.mark.skipif(not FULL.is_char_device(), reason="this system has no /dev/full")
def test_a_full_standard_output_is_told_in_one_line(tmp_path):
    import subprocess

    path = recording(tmp_path / "farm.jsonl")
    with FULL.open("wb") as full:
        done = worldline("verify", path, "--json", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: standard output: cannot be written")
    assert "Traceback" not in done.stderr and "ignored" not in done.stderr


@pytest.mark.parametrize("verb", ["verify", "assess", "predict"])
def test_a_pipe_as_input_is_refused_with_what_to_do(tmp_path, verb):
    fifo, out = tmp_path / "rows.jsonl", tmp_path / "out"
    os.mkfifo(fifo)
    more = () if verb == "verify" else ("-m", "copy", "-o", out)
    told(worldline(verb, fifo, *more), "rows.jsonl", "pipe", "to a file first")
