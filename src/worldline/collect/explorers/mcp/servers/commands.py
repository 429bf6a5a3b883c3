"""Goals at the command-line server, which allows a few commands only."""

import re
import shlex

from worldline.collect.explorers.mcp.hand import Goal, Hand

_TOLD = re.compile(r"^/home/user/(\S+) \(\d+ bytes\)$", re.MULTILINE)


def _any(hand: Hand) -> str:
    return hand.rng.choice(_TOLD.findall(hand.initial) or ["README.md"])


def _run(hand: Hand, intent: str, command: str) -> Goal:
    yield hand.call("run_command", intent, command=command)


def look(hand: Hand) -> Goal:
    """List and read."""
    folder = _any(hand).rpartition("/")[0] or "."
    command = hand.rng.choice(("ls", "ls -l", "ls -a", f"ls {folder}", f"ls -R {folder}", "pwd"))
    yield from _run(hand, "list", command)
    for _ in range(hand.rng.randint(1, 3)):
        tool = hand.rng.choice(
            ("cat", "cat -n", "wc", "wc -l", "sort", "sort -r", "uniq -c", "cat -A")
        )
        yield from _run(hand, "read", f"{tool} {_any(hand)}")


def parts(hand: Hand) -> Goal:
    """Pieces of files, and where a word is."""
    file, many = _any(hand), hand.rng.randint(1, 9)
    word = hand.rng.choice((hand.words.one("thing"), hand.words.one("city"), "the", "e", "ERROR"))
    command = hand.rng.choice(
        (
            f"head -n {many} {file}",
            f"tail -n {many} {file}",
            f"grep -n {word} {file}",
            f"grep -r -l {word} .",
            f"grep -c -i {word} {file}",
            f"cut -d , -f {many % 4 + 1} {file}",
            f"find . -name '*.{hand.rng.choice(('md', 'csv', 'log', 'json', 'txt'))}'",
            f"find . -size +{many}00c",
        )
    )
    yield from _run(hand, "look closer", command)


def change(hand: Hand) -> Goal:
    """Make, copy, move and delete; then look."""
    folder, file = hand.words.slug(), _any(hand)
    name = f"{hand.words.slug('-')}.txt"
    yield from _run(hand, "create", f"mkdir {folder}")
    yield from _run(hand, "copy", f"cp {file} {folder}/{name}")
    if hand.chance(0.5):
        yield from _run(hand, "move", f"mv {folder}/{name} {hand.words.slug('-')}.txt")
    yield from _run(hand, "list", f"ls {folder}")
    if hand.chance(0.6):
        yield from _run(hand, "delete", f"rm {folder}/{name}")
        yield from _run(hand, "touch the deleted", f"cat {folder}/{name}")


def several(hand: Hand) -> Goal:
    """Two files, a file that is not there, a folder as a file."""
    wrong = hand.rng.choice((f"{hand.words.slug()}.txt", _any(hand).rpartition("/")[0] or "."))
    yield from _run(hand, "read", f"cat {_any(hand)} {hand.rng.choice((wrong, _any(hand)))}")


def say(hand: Hand) -> Goal:
    """Echo, which is harmless."""
    text = hand.rng.choice((hand.words.sentence(), hand.text()[:200]))
    yield from _run(hand, "echo", f"echo {shlex.quote(text)}")


def refused(hand: Hand) -> Goal:
    """Commands, operators and places that are not allowed."""
    file = _any(hand)
    command = hand.rng.choice(
        (
            f"{hand.words.one('verb')} {file}",
            f"cat {file} | sort",
            f"cat {file} > {hand.words.slug()}.txt",
            f"ls && cat {file}",
            f"cat /etc/{hand.words.one('thing')}",
            f"cat ../{hand.words.slug()}",
            f"ls --{hand.words.one('quality')}",
            f"cat '{file}",
            f"python3 {hand.words.slug()}.py",
            "cd /",
            " ",
        )
    )
    yield from _run(hand, "refused", command)
    if hand.chance(0.15):
        yield hand.call("show_security_rules", "ask for rules")


GOALS = ((2.0, look), (2.5, parts), (1.2, change), (0.8, several), (0.8, say), (1.0, refused))
