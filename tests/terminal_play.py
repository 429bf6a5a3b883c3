"""Short sessions for the tests of the terminal domain: play turns, ask what is known."""

from collections.abc import Iterable, Sequence

from worldline.domains.base import Known, Ledger
from worldline.domains.terminal import DOMAIN
from worldline.facts import Fact, FactOrigin, fact
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

FOREIGN = Source(kind="recorded", name="somewhere")
"""A recording of a harness that we do not know."""


def trajectory(
    turns: Iterable[tuple[str, str]] = (),
    *,
    dialect: str = "command",
    foreign: bool = False,
    **parts: str,
) -> Trajectory:
    """A trajectory of (action, observation) pairs."""
    return Trajectory(
        id="t",
        domain="terminal",
        dialect=dialect,
        system=SystemPrompt(**parts),
        turns=tuple(Turn(action=action, observation=seen) for action, seen in turns),
        source=FOREIGN if foreign else Source(),
    )


def play(
    turns: Iterable[tuple[str, str]] = (),
    *,
    facts: Sequence[Fact] = (),
    origin: FactOrigin = "real",
    dialect: str = "command",
    foreign: bool = False,
    **parts: str,
) -> Ledger:
    """The ledger after the turns."""
    played = trajectory(turns, dialect=dialect, foreign=foreign, **parts)
    ledger = DOMAIN.open(played, facts)
    for turn in played.turns:
        ledger = DOMAIN.track(ledger, turn, origin)
    return ledger


def ask(turns: Iterable[tuple[str, str]], action: str, **options) -> Known | None:
    """What is known of the observation after `action`, once the turns have been played."""
    return DOMAIN.known(play(turns, **options), action)


def here(path: str = "/app") -> Fact:
    """The current directory, given."""
    return fact("cwd", "cwd", path, origin="given")


def given_file(path: str, content: str | None, *, complete: bool = True) -> Fact:
    """A file of a snapshot."""
    value = {"type": "file", "content": content, "size": len(content or ""), "mode": None}
    return fact("file", path, value, origin="given", complete=complete)


def given_dir(path: str, *names: str, complete: bool = True) -> Fact:
    """A directory of a snapshot."""
    value = {"type": "dir", "entries": list(names), "mode": "drwxr-xr-x"}
    return fact("file", path, value, origin="given", complete=complete)


NOTES = "red\ngreen tea\nblue\n"
PROJECT = (
    here(),
    given_dir("/app", "notes.txt", "src", "empty", "cut.txt"),
    given_file("/app/notes.txt", NOTES),
    given_dir("/app/src", "main.py", "util.py"),
    given_file("/app/src/main.py", "import util\nprint(util.x)\n"),
    given_file("/app/src/util.py", "x = 1"),
    given_dir("/app/empty"),
    given_file("/app/cut.txt", "token=[redacted]\n", complete=False),
)
"""A small snapshot."""
