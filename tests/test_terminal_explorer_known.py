"""What the ledger keeps through commands that the explorer, as agents do, uses all the time."""

import json

import pytest

from tests.terminal_play import ask
from worldline.facts import fact

WROTE = ("printf '%s\\n' red green > a.txt", "")
FACTS = [
    fact("file", "/home/user", {"type": "dir", "entries": [], "writable": True}, origin="given"),
    fact("cwd", "cwd", "/home/user", origin="given"),
    fact("entity", "home", "/home/user", origin="given"),
    fact("entity", "user", "user", origin="given"),
    fact("entity", "hostname", "box", origin="given"),
]


def _answer(turns: list[tuple[str, str]], action: str) -> str | None:
    found = ask([WROTE, *turns], action, facts=FACTS)
    return None if found is None else found.observation


@pytest.mark.parametrize(
    "between",
    [
        ("sed -i 's/o/0/' other.txt", ""),
        ("sed -i.bak '2d' other.txt", ""),
        ("sed -i '3a some more text' other.txt", ""),
        ("find ~ -maxdepth 2 -type f | head -n 3", "/home/user/a.txt\n"),
        ("sed -n '1,4p' ~/b.txt", "sed: can't read /home/user/b.txt: No such file or directory\n"),
        ("bash -n script.sh", ""),
        ("yes no | head -n 2", "no\nno\n"),
        ("fmt -w 30 other.txt", "words\n"),
        ("ls -1A", "a.txt\n"),
    ],
)
def test_what_was_written_stays_known(between: tuple[str, str]) -> None:
    assert _answer([between], "cat a.txt") == "red\ngreen\n"


@pytest.mark.parametrize(
    "between",
    [
        ("sed -i 's/red/blue/' a.txt", ""),
        ("sed -i.bak '1d' ~/a.txt", ""),
        ("sed -i 's/red/blue/w b.txt' other.txt", ""),
        ("sed -i 's/red/rm a.txt/e' other.txt", ""),
        ("sed -i '1d' *", ""),
        ("sed -i '1d' a.txt.bak b.txt a.txt", ""),
        ("find ~ -name '*.txt' -delete", ""),
        ("bash script.sh", ""),
        ("bash ~/script.sh one two", ""),
    ],
)
def test_what_may_have_been_changed_is_not_known(between: tuple[str, str]) -> None:
    assert _answer([between], "cat a.txt") is None


def test_a_copy_kept_by_sed_is_not_what_it_was() -> None:
    turns = [("printf 'x\\n' > b.txt.bak", ""), ("sed -i.bak '1d' b.txt", "")]
    assert _answer(turns, "cat b.txt.bak") is None
    assert _answer(turns, "cat a.txt") == "red\ngreen\n"


def test_a_script_leaves_the_shell_as_it_was() -> None:
    assert _answer([("X=4", ""), ("bash script.sh", "done\n")], "echo $X; pwd") == "4\n/home/user\n"


def test_a_listing_does_not_take_away_who_may_write() -> None:
    assert _answer([("ls", "a.txt\n")], "mkdir -p new && cd new && pwd") == "/home/user/new\n"
    assert _answer([("chmod 555 ~", "")], "mkdir new") is None


def test_a_command_missed_on_another_path_is_not_missing() -> None:
    lost = ("PATH=/nowhere ls", "bash: ls: command not found\n")
    assert _answer([lost], "ls") in (None, "a.txt\n")
    assert _answer([("nolist", "bash: nolist: command not found\n")], "nolist") is not None


def test_names_that_a_terminal_shows_in_quotes_are_not_claimed() -> None:
    entries = ["plain.txt", "two words.txt"]
    folder = fact("file", "/home/user/d", {"type": "dir", "entries": entries}, origin="given")
    facts = [*FACTS, folder]
    listed = ask([], "ls -1 d", facts=facts)
    assert listed is not None
    assert listed.observation == "plain.txt\ntwo words.txt\n"
    shown = "New Terminal Output:\n\nuser@box:~$ pwd\n/home/user\nuser@box:~$\n"
    first = (json.dumps([{"keystrokes": "pwd\n", "duration": 0.1}]), shown)
    typed = json.dumps([{"keystrokes": "ls -1 d\n", "duration": 0.1}])
    assert ask([first], typed, facts=facts, dialect="terminus2") is None


def test_a_typed_document_is_echoed_line_by_line() -> None:
    def typed(keys: str) -> str:
        return json.dumps([{"keystrokes": keys, "duration": 0.1}])

    first = (typed("pwd\n"), "New Terminal Output:\n\nuser@box:~$ pwd\n/home/user\nuser@box:~$\n")
    known = ask(
        [first], typed("cat > b <<'EOF'\nred\n\n$X\nEOF\n"), facts=FACTS, dialect="terminus2"
    )
    assert known is not None
    assert [row.rstrip() for row in known.observation.split("\n")] == [
        "New Terminal Output:",
        "",
        "user@box:~$ cat > b <<'EOF'",
        "> red",
        ">",
        "> $X",
        "> EOF",
        "user@box:~$",
        "",
    ]
