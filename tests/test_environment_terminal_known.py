"""On random sessions of the real shell, what the ledger says is certain comes true."""

import json
import random

import msgspec
import pytest

from worldline import environment
from worldline.domains import domain
from worldline.facts import Fact

pytestmark = pytest.mark.system

NAMES = ("a", "a", "a", "b", "b", "c.txt", "d/f", "d", "d", "'x y'", "*.txt", "~/a")
WORDS = ("one", "'two words'", "'  lead'", "$X", '"it\'s"', "%d", "''", "é日", "a  b", "'*'")
COMMANDS = (
    "echo W > N", "echo W >> N", "cat N", "cat N", "cat N N", "mkdir N", "mkdir -p N", "rm N",
    "cp N N", "cp -r N N", "mv N N", "touch N N", "ls", "ls N", "ls -A N", "cd N", "cd ..", "cd",
    "cd -", "pwd", "wc -l N", "wc N", "head -n 1 N", "tail -n 2 N", "grep o N", "grep -c one N",
    "X=W", 'echo "$X"', "echo W", "sort N", "printf '%s-' W", "test -f N && echo yes || echo no",
    "cut -d ' ' -f 1 N", "tr a-z A-Z < N", "basename N", "tac N", "seq 4 > N", "ls | wc -l",
)  # fmt: skip
RARE = (
    "chmod 444 N", "chmod 755 N", "ln -s N N", "rmdir N", "tee N <<< W", "unset X", "export X=W",
    "find . -type f | sort", "echo $_", "(cd /tmp; pwd)", "read X", "exit 3", "echo 'open",
    "sleep 9; echo W > N", "set -u; echo $NOPE", "umask 077", "cat", "printf '\\377' > N",
    "seq 9999 > N", "alias ls='ls -1'", "pushd N", "cmp N N", "stat -c %s N", "rm -rf N",
    "echo $X $?", "sed s/o/0/ N", "set -e; false",
)  # fmt: skip
"""What a ledger must not stumble over; most of it costs what it knew."""


def _command(rng: random.Random) -> str:
    """A command with names (N) and words (W) put in."""
    parts = rng.choice(RARE if rng.random() < 0.15 else COMMANDS).split(" ")
    filled = {"N": NAMES, "W": WORDS}
    one = " ".join(rng.choice(filled[part]) if part in filled else part for part in parts)
    one = one.replace("=W", f"={rng.choice(WORDS)}")
    joint = rng.choice((" && ", "; ", " || ", " | "))
    return one + joint + _command(rng) if rng.random() < 0.1 else one


@pytest.mark.parametrize("dialect", ["command", "terminus2"])
def test_what_is_known_comes_true(dialect):
    terminal, known = domain("terminal"), 0
    with environment("terminal", dialect=dialect) as real:
        for seed in range(8):
            rng = random.Random(seed)
            real.reset(seed)
            start = real.trajectory()
            ledger = terminal.open(start, msgspec.convert(start.meta["facts"], list[Fact]))
            for _ in range(40):
                action = command = _command(rng)
                if dialect == "terminus2":
                    action = json.dumps([{"keystrokes": command + "\n", "duration": 0.3}])
                answer = terminal.known(ledger, action)
                seen = real.step(action, 0.6)
                assert seen.observation is not None
                if answer is not None:
                    known += 1
                    assert answer.observation == seen.observation, (seed, command)
                if seen.terminated:
                    break
                ledger = terminal.track(ledger, real.turns[-1], "real")
    assert known >= 10
