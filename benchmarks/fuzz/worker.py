"""One process of a fuzzing run: its share of the targets, in turns, for a while."""

import random
import re
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import Phase, given, settings, strategies
from hypothesis import seed as seeded

from benchmarks.fuzz import pathological
from benchmarks.fuzz.mutate import mutated
from benchmarks.fuzz.seeds import short
from benchmarks.fuzz.shrink import shrink
from benchmarks.fuzz.targets import Target, targets

Listed = Callable[[], Iterable[Target]]

SLICE_S = 0.5
"""Seconds that a target has before the next one's turn."""
DISTINCT = 5
"""Failures of one target that are kept, each at another place."""
LONG_S, GROWTH = 2.0, 3.0
"""A text that takes longer is read in half too: it may take so many times as long as its half."""


class Hang(BaseException):
    """Reading a text did not end."""


class Tally:
    """What became of one target."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.inputs, self.seconds = 0, 0.0
        self.failures: dict[str, dict[str, Any]] = {}
        self.slow: list[dict[str, Any]] = []

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "name": self.target.name,
            "inputs": self.inputs,
            "seconds": round(self.seconds, 3),
            "failures": list(self.failures.values()),
            "slow": self.slow,
            "linear": self.target.linear,
        }


def work(
    number: int, of: int, minutes: float, seed: int, folder: Path, listed: Listed = targets
) -> list[dict[str, Any]]:
    """Fuzz every `of`-th target from `number` on; the failing inputs are written to `folder`.

    Half of the time at most goes to the texts of `pathological`.
    """
    tempfile.tempdir = str(folder)  # what targets write goes there too
    mine = [Tally(one) for one in listed()][number::of]
    draw = random.Random(f"{seed}/{number}")
    start, end = time.monotonic(), time.monotonic() + 60 * minutes
    for done, tally in enumerate(mine):
        share = (start + 30 * minutes - time.monotonic()) / (len(mine) - done)
        measure(tally, folder, draw, time.monotonic() + share)
    plain = drawn(draw)
    while time.monotonic() < end:
        turn = min(SLICE_S, (end - time.monotonic()) / len(mine) + 0.01)
        for tally in mine:
            fuzz(tally, draw, plain, folder, time.monotonic() + turn)
    return [tally.record() for tally in mine]


def drawn(draw: random.Random) -> list[str]:
    """Some hundred texts as hypothesis draws them."""
    found: list[str] = []

    @seeded(draw.randrange(2**31))
    @settings(max_examples=300, database=None, phases=[Phase.generate])
    @given(strategies.text(max_size=200))
    def take(text: str) -> None:
        found.append(text)

    take()
    return found


def fuzz(tally: Tally, draw: random.Random, plain: list[str], folder: Path, end: float) -> None:
    """Damaged seeds until `end`."""
    if any(where.startswith(Hang.__name__) for where in tally.failures):
        return  # the next would take as long
    seeds = tally.target.seeds()
    start = time.perf_counter()
    while True:
        some = plain if draw.random() < 0.1 else seeds
        text = mutated(draw, some)
        tally.inputs += 1
        begun = time.process_time()
        where = failure(tally.target, text)
        if time.process_time() - begun > LONG_S and len(tally.slow) < DISTINCT:
            tally.slow += grown(tally.target, text)
        if where and where not in tally.failures and len(tally.failures) < DISTINCT:
            tally.failures[where] = kept(tally.target, text, where, folder)
        if time.monotonic() >= end:
            break
    tally.seconds += time.perf_counter() - start


def grown(target: Target, text: str) -> Iterator[dict[str, Any]]:
    """A text that takes long, if its half takes far less than half of that."""
    times = []
    for part in (text, text[: len(text) // 2]):
        begun = time.process_time()
        failure(target, part)
        times.append(max(time.process_time() - begun, 0.001))
    if times[0] > LONG_S and times[0] / times[1] > GROWTH:
        yield pathological.Slow(
            f"{len(text):,} characters", times[0], times[0] / times[1]
        )._asdict()


@contextmanager
def ending(seconds: float) -> Iterator[None]:
    """Raise `Hang` in the block once it has taken so many processor seconds."""
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Hang("it did not end")


def paired(text: str) -> str:
    """The text as JSON can hold it: two halves of a pair side by side are one character."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def failure(target: Target, text: str) -> str | None:
    """What is raised and where, if anything is; the same for the same fault."""
    try:
        with ending(target.limit_s):
            target.run(paired(text))
    except (Exception, Hang) as error:  # whatever it is, it is a finding
        frames = traceback.extract_tb(error.__traceback__)
        ours = [one for one in frames if "worldline" in one.filename] or list(frames)
        said = (
            re.sub(r"\d+", "", str(error).partition(":")[0][:40])
            if "Broken" in type(error).__name__
            else ""
        )
        return f"{type(error).__name__} {said} {Path(ours[-1].filename).name}:{ours[-1].lineno}"
    return None


def kept(target: Target, text: str, where: str, folder: Path) -> dict[str, Any]:
    """A failure with its input, made small and written to a file."""
    if not where.startswith(Hang.__name__):
        text = shrink(text, lambda shorter: failure(target, shorter) == where)
    text = paired(text)
    message = ""
    try:
        with ending(target.limit_s):
            target.run(text)
    except (Exception, Hang) as error:
        message = f"{type(error).__name__}: {error}"[:300]
    name = f"{target.name}-{abs(hash(where)) % 10**8}".replace("/", "-").replace(" ", "-")
    path = folder / f"{name}.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return {"where": where, "message": message, "input": repr(text[:200]), "file": str(path)}


def measure(tally: Tally, folder: Path, draw: random.Random, end: float) -> None:
    """The time of repeats, some of them in random order where there is no time for all."""
    target = tally.target
    if not target.linear:
        return
    some = [*pathological.texts(short(target.seeds())), *target.more()]
    draw.shuffle(some)
    for unit, make in some:
        if time.monotonic() > end:
            return
        text = make(pathological.SIZE)
        where = failure(target, text)
        if where:
            if where not in tally.failures and len(tally.failures) < DISTINCT:
                tally.failures[where] = kept(target, text, where, folder)
            continue
        found = pathological.slow(lambda one: failure(target, one), make, unit)
        tally.inputs += 2
        if found and len(tally.slow) < DISTINCT:
            tally.slow.append(found._asdict())
