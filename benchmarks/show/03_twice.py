"""Each collector twice with the same seed, then killed and resumed: the same, and nothing left.

Runs A and B play all episodes in one worker each, side by side. Run C has two workers and is killed
twice with SIGKILL: first the main process alone, then everything it started. Observations are
compared once the environment's own masks are applied. Afterwards processes, mounts, control groups
and temporary folders are as before; that this would be noticed is shown on a command that does
leave things behind.
"""

import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.show import Show
from benchmarks.show.leftovers import Left, Watch, control, kill_all
from benchmarks.show.marks import stays
from worldline.collect.masks import masked
from worldline.storage import read_trajectories
from worldline.trajectory import Trajectory

DOMAINS = ("terminal", "swe", "mcp", "search")
EPISODES = 20
SEED = 3
MASKED = 0.01
"""Share of the characters that masks may take."""

Set = dict[str, Trajectory]


class Compared(NamedTuple):
    """Two sets of the same episodes. Counts are of turns, masked characters of all characters."""

    turns: int
    other_actions: int
    other_observations: int
    masked: int
    characters: int


def check(show: Show) -> None:
    with tempfile.TemporaryDirectory(prefix="worldline-twice-") as folder:
        with control(Path(folder) / "control") as found:
            wanted = (found.processes, found.folders) + ((found.mounts,) if found.mounts else ())
            seen = all(wanted)
        show.measure(
            "a command that leaves things behind is noticed", seen, better="higher", floor=1
        )
        for domain in DOMAINS:
            of_domain(show, domain, Path(folder) / domain)


def of_domain(show: Show, domain: str, folder: Path, flags: tuple[str, ...] = ()) -> None:
    """All measures of one domain."""
    start, watch = time.monotonic(), Watch(folder / "tmp")
    try:
        with ThreadPoolExecutor(2) as both:
            for name in "ab":
                both.submit(run, watch, domain, folder / name, ("--workers", "1", *flags))
        left = [watch.left()]
        after, at = killed(watch, domain, folder / "c", flags)
        left += after
    finally:
        watch.end()
    first, second, third = (episodes(folder / name) for name in "abc")
    report(show, domain, compared(domain, first, second), len(first))
    resumed = compared(domain, first, third)
    differs = len({*first} ^ {*third}) + resumed.other_actions + resumed.other_observations
    n, half_way = resumed.turns, sum(0 < one < EPISODES for one in at)
    show.measure(f"{domain} kills half way", half_way, better="higher", floor=2, goal=2, n=len(at))
    show.measure(f"{domain} differs after kill -9", differs, better="lower", floor=0, goal=0, n=n)
    for name in Left._fields:
        found = [one for each in left for one in getattr(each, name)]
        for one in found:
            print(f"  left behind by {domain}: {name}: {one}")
        show.measure(
            f"{domain} {name} left", len(found), better="lower", floor=0, goal=0, n=len(left)
        )
    print(f"  {domain}: {time.monotonic() - start:.0f} s")


def report(show: Show, domain: str, found: Compared, kept: int) -> None:
    """Runs A and B against each other, and whether a reset forgets."""
    n = found.turns
    show.measure(f"{domain} episodes", kept, better="higher", floor=EPISODES, n=kept)
    for name, count in (
        ("actions", found.other_actions),
        ("observations", found.other_observations),
    ):
        show.measure(f"{domain} other {name}", count, better="lower", floor=0, goal=0, n=n)
    share = found.masked / max(found.characters, 1)
    show.measure(f"{domain} masked", share, better="lower", floor=MASKED, goal=MASKED / 2, n=n)
    print(f"  {domain}: {kept} episodes, {n} turns, {found.characters:,} characters")
    for what, value in stays(domain).items():
        wanted = 1 if what == "seen before the reset" else 0
        better = "higher" if wanted else "lower"
        show.measure(f"{domain} mark {what}", value, better=better, floor=wanted, goal=wanted)


def command(domain: str, out: Path, flags: tuple[str, ...]) -> list[str]:
    """The command line of a run."""
    head = [sys.executable, "-m", "worldline", "collect", domain, "--episodes", str(EPISODES)]
    return [*head, "--seed", str(SEED), "--out", str(out), *flags]


def run(watch: Watch, domain: str, out: Path, flags: tuple[str, ...]) -> None:
    """One run to its end; what it set aside is told, and missing episodes then miss a floor."""
    done = subprocess.run(command(domain, out, flags), env=watch.environment, capture_output=True)
    if done.returncode:
        print(done.stderr.decode("utf-8", "replace")[-2000:])


def killed(
    watch: Watch, domain: str, out: Path, flags: tuple[str, ...]
) -> tuple[list[Left], list[int]]:
    """A run that is killed after a third and after two, and run to its end.

    Returns what each left, and how many episodes there were at each kill.
    """
    found: list[Left] = []
    at: list[int] = []
    for third in (1, 2):
        process = subprocess.Popen(
            command(domain, out, ("--workers", "2", *flags)),
            env=watch.environment,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and lines(out) < third * EPISODES // 3:
            time.sleep(0.01)
        if third == 1:
            process.kill()
            process.wait()
        else:
            kill_all(process)
        at.append(lines(out))
        left = watch.left()
        # An empty group that SIGKILL left is taken away by the next session: looked for at the end.
        found.append(left._replace(groups=()))
    run(watch, domain, out, ("--workers", "2", *flags))
    return [*found, watch.left()], at


def lines(out: Path) -> int:
    """Episodes that are there."""
    path = out / "trajectories.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def episodes(out: Path) -> Set:
    """The trajectories of a run by id."""
    path = out / "trajectories.jsonl"
    return {one.id: one for one in read_trajectories(path)} if path.exists() else {}


def compared(domain: str, first: Set, second: Set) -> Compared:
    """Turn by turn; turns of only one side count as different."""
    turns = actions = observations = taken = characters = 0
    for id, one in first.items():
        other = second[id].turns if id in second else ()
        pairs = max(len(one.turns), len(other))
        turns += pairs
        same, told = 0, False
        for mine, yours in zip(one.turns, other, strict=False):
            a, b = masked(domain, mine.observation), masked(domain, yours.observation)
            taken += a.characters
            characters += len(mine.observation)
            actions += mine.action != yours.action
            observations += a.text != b.text
            same += 1
            if not told and mine.action != yours.action:
                tell(id, same, "the actions", mine.action, yours.action)
            elif not told and a.text != b.text:
                tell(id, same, mine.action[:80], a.text, b.text)
            told |= a.text != b.text or mine.action != yours.action
        actions += pairs - same
        observations += pairs - same
    return Compared(turns, actions, observations, taken, characters)


def tell(id: str, turn: int, what: str, first: str, second: str) -> None:
    """Where two texts part, for a person; what follows in the episode often follows from it."""
    at = next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    cut = slice(max(at - 60, 0), at + 60)
    print(f"  {id} turn {turn}, {what!r}:\n    {first[cut]!r}\n    {second[cut]!r}")
