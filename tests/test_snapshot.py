"""A snapshot says what a folder holds, what it left out, and never lets a secret through."""

import os
import subprocess
import sys

import msgspec
import pytest
from fakes import FakeModel

from worldline import World
from worldline.errors import DataError, UsageError
from worldline.redact import redact
from worldline.scenarios.snapshot import read_snapshot, write_snapshot
from worldline.scenarios.terminal import Limits, take


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "proj"
    (root / "src").mkdir(parents=True)
    (root / "README.md").write_text("hello\n", "utf-8")
    (root / "src" / "a.py").write_text("print(1)\n", "utf-8")
    return root


def facts(shot):
    return {one.key: one for one in shot.facts if one.kind == "file"}


def test_listing_and_small_files_become_complete_facts(folder):
    shot = take(folder)
    found = facts(shot)
    assert found["/proj"].value["entries"] == ["README.md", "src"] and found["/proj"].complete
    assert found["/proj/README.md"].value["content"] == "hello\n"
    assert found["/proj/README.md"].complete and found["/proj/README.md"].origin == "given"
    assert shot.omitted == () and shot.redacted == {}
    assert "/proj/src/a.py" in shot.text


def test_what_is_left_out_is_named_and_incomplete(folder):
    (folder / "big.log").write_text("x" * 50_000, "utf-8")
    (folder / "photo.bin").write_bytes(b"\x00\xff\xfe")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref", "utf-8")
    os.mkfifo(folder / "pipe")
    (folder / "out").symlink_to("/etc/passwd")
    shot = take(folder)
    found = facts(shot)
    for name in ("big.log", "photo.bin", ".git", "pipe"):
        assert not found[f"/proj/{name}"].complete, name
        assert any(name in line for line in shot.omitted), name
    assert "/proj/.git/HEAD" not in found
    assert found["/proj/out"].value["target"] == "/etc/passwd"
    assert "root:" not in str(msgspec.to_builtins(shot)), "links are not followed"


def test_a_folder_with_too_many_files_says_how_many_it_lacks(folder):
    for n in range(30):
        (folder / f"f{n:02}").write_text("x", "utf-8")
    shot = take(folder, limits=Limits(files=10))
    assert len(facts(shot)) <= 11
    assert any("entries not taken" in line for line in shot.omitted)


def test_a_listing_is_complete_even_when_contents_are_not(folder):
    shot = take(folder, limits=Limits(file_bytes=0))
    assert facts(shot)["/proj"].complete
    assert not facts(shot)["/proj/README.md"].complete


def test_secrets_are_replaced_and_the_fact_is_no_longer_complete(folder):
    key = "AKIA" + "Q" * 16
    (folder / "env").write_text(f"KEY={key}\nName=x\n", "utf-8")
    shot = take(folder)
    assert key not in str(msgspec.to_builtins(shot))
    assert shot.redacted == {"aws_key": 1}
    assert not facts(shot)["/proj/env"].complete


@pytest.mark.parametrize(
    ("kind", "secret"),
    [
        ("aws_key", "AKIA" + "A1B2" * 4),
        ("google_key", "AIza" + "x" * 35),
        ("api_key", "sk-proj-" + "a1B2" * 6),
        ("github_token", "ghp_" + "k" * 36),
        ("bearer", "Bearer " + "t0ken" * 5),
        ("header_key", "x-api-key: " + "v" * 20),
        ("private_key", "-----BEGIN RSA PRIVATE " + "KEY-----\nabc\n-----END RSA PRIVATE KEY-----"),
    ],
)
def test_each_kind_of_secret_is_typed(kind, secret):
    text, found = redact(f"before {secret} after")
    assert found == {kind: 1}
    assert text.startswith("before ") and text.endswith(" after")
    assert secret not in text


def test_it_reads_back_equal_and_starts_a_world(folder, tmp_path):
    path = tmp_path / "shot.json"
    shot = take(folder, at="/app")
    write_snapshot(path, shot)
    assert read_snapshot(path) == shot
    with World.open("terminal", model=FakeModel("x"), snapshot=path).sync() as world:
        result = world.step("cat README.md")
    assert (result.origin, (result.observation or "").rstrip()) == ("known", "hello")


def test_no_path_of_this_machine_is_told(folder, tmp_path):
    assert str(tmp_path) not in str(msgspec.to_builtins(take(folder)))


def test_bad_input_is_named(folder, tmp_path):
    with pytest.raises(UsageError, match="not a folder"):
        take(tmp_path / "nope")
    with pytest.raises(UsageError, match="absolute"):
        take(folder, at="relative/path")
    bad = tmp_path / "bad.json"
    bad.write_text('{"schema": "worldline.snapshot/2"}', "utf-8")
    with pytest.raises(DataError, match=r"bad\.json.*migrate"):
        read_snapshot(bad)
    bad.write_text("not json", "utf-8")
    with pytest.raises(DataError, match=r"bad\.json"):
        read_snapshot(bad)
    shot = msgspec.structs.replace(take(folder), domain="web")
    with pytest.raises(UsageError, match="snapshot of the domain 'web'"):
        World.open("terminal", model=FakeModel(), snapshot=shot)


def test_an_output_that_cannot_be_written_is_one_clear_line(folder, tmp_path):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "x.json"
    done = subprocess.run(
        [sys.executable, "-m", "worldline", "snapshot", "terminal", str(folder), "-o", str(out)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    *_, last = done.stderr.splitlines()
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert last.startswith("error: ") and "cannot be written" in last


def test_what_a_session_writes_where_it_may_is_known_at_once(folder):
    steps = [
        ("cd src", ""),
        ('echo "one two" > notes.txt', ""),
        ("cat notes.txt", "one two\n"),
        ("wc -l ../README.md", "1 ../README.md\n"),
        ("cat ../src/../README.md", "hello\n"),
        ("ls ..", "README.md\nsrc\n"),
        ("echo more >> ../README.md && cat ../README.md", "hello\nmore\n"),
    ]
    with World.open("terminal", model=FakeModel("x"), snapshot=take(folder)).sync() as world:
        for action, answer in steps:
            result = world.step(action)
            assert (result.origin, result.observation) == ("known", answer), action


def test_where_a_session_may_not_write_the_model_is_asked(folder):
    shot = take(folder)
    shut = [
        msgspec.structs.replace(one, value={**one.value, "writable": False})
        if one.kind == "file"
        else one
        for one in shot.facts
    ]
    closed = msgspec.structs.replace(shot, facts=tuple(shut))
    with World.open("terminal", model=FakeModel("denied"), snapshot=closed).sync() as world:
        assert world.step("echo x > new.txt").origin == "model"
        assert world.step("echo x >> README.md").origin == "model"
        assert world.step("cat new.txt").observation == "denied", "nothing is known of it"


def test_a_terminal_without_a_snapshot_starts_in_an_empty_home():
    steps = [
        ("pwd", "/home/user\n"),
        ("ls", ""),
        ("mkdir app && cd app", ""),
        (r"printf 'a\nb\n' > list.txt", ""),
        ("cat list.txt", "a\nb\n"),
        ("ls ..", "app\n"),
    ]
    with World.open("terminal", model=FakeModel("x")).sync() as world:
        assert "empty" in (world.reset().observation or "")
        for action, answer in steps:
            result = world.step(action)
            assert (result.origin, result.observation) == ("known", answer), action


@pytest.mark.parametrize(("locale", "origin"), [("C.UTF-8", "known"), ("en_US.UTF-8", "model")])
def test_names_are_listed_in_the_order_of_the_locale_or_not_at_all(
    folder, monkeypatch, locale, origin
):
    monkeypatch.setenv("LC_ALL", locale)
    (folder / "a file.txt").write_text("x", "utf-8")
    (folder / ".hidden").write_text("x", "utf-8")
    with World.open("terminal", model=FakeModel("?"), snapshot=folder).sync() as world:
        listing = world.step("ls")
        assert listing.origin == origin
        if origin == "known":
            assert listing.observation == "README.md\na file.txt\nsrc\n"
            world.step("export LC_ALL=de_DE.UTF-8")
            assert world.step("echo *").origin == "model", "names may sort differently now"


def test_a_folder_is_as_good_as_its_snapshot(folder):
    with World.open("terminal", model=FakeModel("x"), snapshot=folder).sync() as world:
        assert world.step("cat README.md").observation == "hello\n"
