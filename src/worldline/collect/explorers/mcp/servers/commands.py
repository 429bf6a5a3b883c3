"""Goals at the command-line server, which allows a few commands only."""

import re
import shlex

from worldline.collect.explorers.mcp.hand import Goal, Hand

_TOLD = re.compile(r"^/home/user/(\S+) \(\d+ bytes\)$", re.MULTILINE)


def _file(hand: Hand) -> str:
    return hand.known(
        "files", lambda: hand.rng.choice(_TOLD.findall(hand.initial) or ["README.md"])
    )


def _any(hand: Hand) -> str:
    return hand.rng.choice(_TOLD.findall(hand.initial) or ["README.md"])


def _run(hand: Hand, intent: str, command: str) -> Goal:
    yield hand.call("run_command", intent, command=command)


def look(hand: Hand) -> Goal:
    """List and read."""
    folder = _any(hand).rpartition("/")[0]
    command = hand.rng.choice(("ls", "ls -l", "ls -a", f"ls {folder}", f"ls -la {folder}", "pwd"))
    yield from _run(hand, "list", command)
    for _ in range(hand.rng.randint(1, 3)):
        tool = hand.rng.choice(("cat", "cat -n", "cat -A", "cat -b"))
        yield from _run(hand, "read", f"{tool} {_any(hand)}")


def several(hand: Hand) -> Goal:
    """Two files, a file that is not there, a folder as a file."""
    wrong = hand.rng.choice((f"{hand.words.slug()}.txt", _any(hand).rpartition("/")[0] or "."))
    yield from _run(hand, "read", f"cat {_any(hand)} {hand.rng.choice((wrong, _any(hand)))}")


def say(hand: Hand) -> Goal:
    """Echo, which is harmless."""
    text = hand.rng.choice((hand.words.sentence(), hand.text()[:200]))
    yield from _run(hand, "echo", f"echo {shlex.quote(text)}")


def refused(hand: Hand) -> Goal:
    """Commands, flags, operators and places that are not allowed."""
    file = _any(hand)
    command = hand.rng.choice(
        (
            f"rm {file}",
            f"{hand.words.one('verb')} {file}",
            f"cat {file} | sort",
            f"cat {file} > {hand.words.slug()}.txt",
            f"ls && cat {file}",
            "cat /etc/passwd",
            f"cat ../{hand.words.slug()}",
            f"ls --{hand.words.one('quality')}",
            f"cat '{file}",
            f"head -n {hand.rng.randint(1, 9)} {file}",
            f"grep {hand.words.one('thing')} {file}",
            "cd /",
            " ",
        )
    )
    yield from _run(hand, "refused", command)
    if hand.chance(0.3):
        yield hand.call("show_security_rules", "ask for rules")


GOALS = ((2.0, look), (1.0, several), (1.0, say), (1.5, refused))
