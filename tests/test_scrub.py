"""A trajectory leaves without secrets and without names, in all its parts, and hangs together."""

import base64
import json
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.collect.scrub import Scrubber, preview, redact_trajectory, redact_value
from worldline.storage import read_trajectories, write_trajectories
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

KEY = "AKIA" + "QWERTYUIOPASDFGH"


def session(**changes):
    given = {
        "id": "t1",
        "domain": "terminal",
        "dialect": "command",
        "turns": (
            Turn(action="cat /home/jdoe/proj/a.py", observation="jdoe@box12:~$ cat a.py\nx = 1"),
            Turn(action=r"type C:\Users\jdoe\x", observation="Author: J D <jd@example.com>"),
            Turn(action="whoami; ls -l", observation="jdoe\n-rw-r--r-- 1 jdoe jdoe 5 May 1 a.py"),
            Turn(action="ls /usr/lib/python3", observation="git@github.com:o/r.git"),
        ),
    }
    return Trajectory(**given | changes)


def everything(value):
    return jsonl.dumps(value).decode()


def test_ur_s40_one_pseudonym_in_every_turn_and_systems_untouched():
    clean, found = redact_trajectory(session(), salt="s")
    text = everything(clean.record())
    assert "jdoe" not in text and "box12" not in text
    assert "J D" not in text and "jd@example.com" not in text
    who = clean.turns[0].action.removeprefix("cat /home/").partition("/")[0]
    assert clean.turns[0].action == f"cat /home/{who}/proj/a.py"
    assert clean.turns[0].observation.startswith(f"{who}@")
    assert clean.turns[1].action == rf"type C:\Users\{who}\x"
    assert clean.turns[2].observation == f"{who}\n-rw-r--r-- 1 {who} {who} 5 May 1 a.py"
    assert clean.turns[3] == session().turns[3]
    assert found == {"login": 6, "host": 1, "name": 1, "mail": 1}


def test_ur_s40_a_dry_run_lists_what_would_change_and_changes_nothing():
    changes = preview(session(), salt="s")
    clean, found = redact_trajectory(session(), salt="s")
    assert len(changes) == found.total()
    assert [(one.where, one.before) for one in changes[:2]] == [
        ("turns[0].action", "jdoe"),
        ("turns[0].observation", "jdoe"),
    ]
    assert all(one.after in everything(clean.record()) for one in changes)


def test_a_dry_run_does_not_show_secrets():
    changes = preview(session(turns=(Turn(action=KEY, observation="", info={KEY: 1}),)))
    assert changes and KEY not in str(changes)


def test_ur_s38_every_part_of_a_trajectory_is_read():
    parts = ("task_description", "action_space", "initial_state", "demonstrations")
    prompt = dict.fromkeys((*parts, "simulation_instruction", "verbatim"), KEY)
    info = {"raw": base64.b64encode(b"\xff" + KEY.encode()).decode(), "deep": [{KEY: [KEY]}]}
    given = Trajectory(
        id=f"a {KEY}",
        domain="mcp",
        dialect="json",
        system=SystemPrompt(**prompt),
        tools=({"name": KEY, "inputSchema": {"properties": {KEY: {"default": KEY}}}},),
        task=KEY,
        turns=(Turn(action=KEY, observation=KEY, state_before=KEY, info=info),),
        source=Source(name=KEY, host=KEY, version=KEY),
        meta={"log": KEY},
        extra={"x": {"y": KEY}},
    )
    clean, found = redact_trajectory(given, salt="s")
    text = everything(clean.record())
    raw = base64.b64decode(clean.turns[0].info["raw"])
    assert KEY not in text and raw == b"\xff[REDACTED:aws_key]"
    assert found == {"aws_key": 22}
    assert clean.tools is not None and len(clean.tools) == 1


def test_ur_s38_files_parse_and_the_rest_is_byte_identical(tmp_path):
    odd = 'authorization:abcdefghijklmnop"suffix \\ \u2028 \ud800 é'
    plain = session(id="t2", turns=(Turn(action="ls", observation="a \x1b[1mb\x1b[0m\r\n"),))
    given = [session(turns=(Turn(action="env", observation=odd),)), plain]
    write_trajectories(tmp_path / "before.jsonl", given)
    clean = [redact_trajectory(one, salt="s")[0] for one in given]
    write_trajectories(tmp_path / "after.jsonl", clean)
    back = list(read_trajectories(tmp_path / "after.jsonl"))
    assert back == clean and back[1] == plain
    assert back[0].turns[0].observation == odd.replace(
        "abcdefghijklmnop", "[REDACTED:authorization]"
    )
    lines = [
        (tmp_path / name).read_bytes().split(b"\n") for name in ("before.jsonl", "after.jsonl")
    ]
    assert lines[0][1:] == lines[1][1:]


def test_ur_s38_other_records_are_redacted_alike():
    manifest = {"argv": ["collect", "--out", "/home/jdoe/runs"], "env": {"API_KEY": KEY}, "n": 3}
    log = ["jdoe@box12:~$ export DB_PASSWORD=hunter2hunter2", "login with hunter2hunter2 failed"]
    both = Scrubber(manifest, log, salt="s", scope="t1")
    clean, found = both.value(manifest)
    lines, more = both.value(log)
    who = clean["argv"][2].split("/")[2]
    assert clean["env"]["API_KEY"] == "[REDACTED:aws_key]" and clean["n"] == 3
    assert lines[0].startswith(f"{who}@host-")
    assert lines[1] == "login with [REDACTED:password] failed"
    assert found + more == {"aws_key": 1, "login": 2, "host": 1, "password": 2}
    assert redact_value(manifest, salt="s", scope="t1")[0] == clean


def test_a_secret_given_away_once_is_replaced_wherever_it_stands():
    turns = (
        Turn(action="cat .env", observation="SECRET_TOKEN=9f8e7d6c5b4a39281706"),
        Turn(action="curl -d 9f8e7d6c5b4a39281706 x.test", observation="ok"),
    )
    clean, _ = redact_trajectory(session(turns=turns), salt="s")
    assert clean.turns[1].action == "curl -d [REDACTED:secret] x.test"


def test_a_secret_that_a_screen_wrapped_is_replaced_too():
    raw = base64.b64encode(b"export K=" + KEY.encode()).decode()
    turn = Turn(action="env", observation=f"K={KEY[:9]}\n{KEY[9:]}\n$", info={"raw": raw})
    clean, found = redact_trajectory(session(turns=(turn,)), salt="s")
    assert clean.turns[0].observation == "K=[REDACTED:aws_key]\n$" and found == {"aws_key": 2}


def test_pseudonyms_follow_from_salt_and_trajectory_alone():
    first, again = (redact_trajectory(session(), salt="s")[0] for _ in range(2))
    assert first == again
    assert redact_trajectory(session(), salt="other")[0] != first
    other = redact_trajectory(session(id="t9"), salt="s")[0]
    assert other.turns[0].action != first.turns[0].action
    unsalted = [redact_trajectory(session())[0] for _ in range(2)]
    assert unsalted[0] == unsalted[1]


def test_twice_is_once():
    once, _ = redact_trajectory(session(), salt="s")
    assert redact_trajectory(once, salt="other") == (once, {})


def test_two_keys_that_become_one_are_both_kept():
    clean, _ = redact_value({KEY: 1, KEY[:-1] + "Z": 2}, salt="s")
    assert clean == {"[REDACTED:aws_key]": 1, "[REDACTED:aws_key]#2": 2}


def test_secrets_alone_can_be_asked_for():
    clean, found = redact_trajectory(session(task=KEY), salt="s", people=False)
    assert found == {"aws_key": 1} and clean.turns == session().turns


@pytest.mark.parametrize(
    "text",
    [
        "/usr/lib/python3/dist-packages and /home and /home/ and /Users/Shared",
        "git@github.com:o/r.git, ssh://git@gitlab.com/o/r",
        "root@3f2a1b9c8d7e:/app# ls",
        "user@box:~$ ls /home/user",
        "cd ~ && ls /root /home/ubuntu",
        "write to noreply@github.com or to somebody@example.com",
        "see https://shop.net/home/garden and https://api.net/Users/42",
        '<a href="/home/products">',
        "icon@2x.png lodash@4.17.21 @scope/pkg@1.0 getty@tty1.service",
        "y = x@self.weights + a@b.T; c = d@np.array([1])",
        "postgres://user:pass@db.corp.com/x",
        "src\\users\\management\\x.py",
        "git config --global user.email you@example.com; user.name 'Your Name'",
        "10.0.0.1 - - [01/May] GET /home/index.html",
    ],
)
def test_what_names_nobody_stays(text):
    assert redact_value(text, salt="s") == (text, {})


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("[mmusterfrau@web7 src]$ make", ["mmusterfrau", "web7"]),
        ("mmusterfrau@Marias-MacBook ~/src % ls", ["mmusterfrau", "Marias-MacBook"]),
        ("\x1b[01;32mmmuster@pc77\x1b[00m:\x1b[01;34m~\x1b[00m$ ls", ["mmuster", "pc77"]),
        ("root@marias-pc:/srv# ls", ["marias-pc"]),
        ("C:\\Users\\Maria Muster\\notes.txt", ["Maria"]),
        ('{"p": "C:\\\\Users\\\\mmuster\\\\x"}', ["mmuster"]),
        ("/__Users__mmuster__work/x.py", ["mmuster"]),
        ("~/.agent/projects/-home-mmuster-proj/log", ["mmuster"]),
        ("file:///home/mmuster/a", ["mmuster"]),
        ("PATH=/usr/bin:/home/mmuster/bin", ["mmuster"]),
        ("mmuster:x:1000:1000:Maria Muster,,,:/home/mmuster:/bin/bash", ["mmuster", "Maria"]),
        ("uid=1000(mmuster) gid=1000(mmuster) groups=1000(mmuster),27(sudo)", ["mmuster"]),
        ("USER=mmuster\nHOME=/home/mmuster\nHOSTNAME=pc-muster", ["mmuster", "pc-muster"]),
        ("Signed-off-by: Maria Muster <m@muster.de>", ["Maria", "muster"]),
        ("'Maria Muster' <maria@muster.de>, thanks to Maria Muster", ["Maria", "muster"]),
        ('git config user.name "Maria Muster"', ["Maria"]),
        ("mail: maria.muster+x@sub.muster.co.uk!", ["muster"]),
        ('{"output": "mmuster\\n", "cwd": "/home/mmuster"}', ["mmuster"]),
        ("/home/mmuster/a\nMy name is mmuster, tar: drwxr-xr-x mmuster/staff", ["mmuster"]),
    ],
)
def test_who_is_introduced_is_gone(text, gone):
    clean, found = redact_value(text, salt="s")
    assert found and not [name for name in gone if name.lower() in clean.lower()]
    if text.startswith("{"):
        json.loads(clean)


def test_a_login_that_is_a_word_of_the_code_goes_only_where_an_account_stands():
    value = ["/home/celery/app.py", "from celery import Celery", "-rw-r--r-- 1 celery celery 2 x"]
    clean, _ = redact_value(value, salt="s")
    assert clean[1] == "from celery import Celery"
    assert "celery" not in clean[0] + clean[2]


PLACES = [
    "/home/",
    "/Users/",
    "C:\\Users\\",
    "__home__",
    "jdoe",
    "@",
    "box12",
    ":~$ ",
    "uid=1000(jdoe)",
]
MARKS = ["\n", "\\n", '"', "\\", "<", ">", " ", "é", "\ud800", "x"]
words = st.sampled_from([*PLACES, *MARKS, "Author: J D <j@d.org>", KEY])
texts = st.lists(words | st.text(max_size=4), max_size=10).map("".join)
values = st.recursive(
    texts | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(values)
def test_any_value_can_be_scrubbed_and_twice_is_once(value):
    once, _ = redact_value(value, salt="s")
    assert redact_value(once, salt="s") == (once, {})
    assert jsonl.loads(jsonl.dumps(once)) == once


@given(st.lists(texts, max_size=3), texts)
def test_json_inside_a_text_stays_json(value, key):
    try:
        text = json.dumps({"a": value, key: 1})
    except UnicodeEncodeError:
        return
    assert isinstance(json.loads(redact_value(text, salt="s")[0]), dict)


def test_a_flood_of_names_ends():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (100, 100))\n"
        "from worldline.collect.scrub import redact_value\n"
        "for piece in ('/home/jdoe/x ', 'jd@box1:~$ ', 'a@b.c', 'J D <j@d.org>', '/home/', '@',\n"
        "              'x' * 500, 'jd@box1:~'):\n"
        "    redact_value(piece * (200_000 // len(piece)), salt='s')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_schema_and_numbers_are_as_they_were():
    given = session(meta={"n": 1, "f": 0.5, "none": None, "yes": True})
    clean, _ = redact_trajectory(given, salt="s")
    assert clean.meta == given.meta and clean.schema == given.schema
    assert msgspec.structs.replace(clean, turns=()) == msgspec.structs.replace(given, turns=())
