"""Texts made of one thing repeated: reading four times as much must take about four times as long.

Times are of this process alone, and of several runs the best, so that a busy machine does not
count; a ratio that is too high is measured twice more. Times under `NOISE` are not compared.
"""

import gc
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

SIZE, TIMES = 16_000, 4
RATIO = 8.0
"""Time of `TIMES` times the text, at most, in times of the text. Quadratic would be 16."""
NOISE = 0.01
"""Seconds under which a time says nothing."""
LIMIT = 20.0
"""Seconds after which a text is given up: that is not linear."""
UNITS = (
    "\n| p", "\n|| p", "\n+ a1 p", "\n- a3", "\n~ a3 t", "\n+ <a5@1 p", " x=1", " f", "..a3",
    '"', "'", "\\", '\\"', "[", "]", "[]", "{", "{}", '{"a":', "(", ")", "()", "<", ">", "<a ",
    "<a>", "</a>", "<b x='", "`", "```\n", "|", "| a ", "= ", "a=", 'a="b" ', "- ", "~ ", "+ ",
    "#", "# a\n", "a", " ", "\t", "\n", "\r", "\r\n", "a\n", " a", "a b\n", "\ta\n", "0", "1,",
    "1.", ".", "..", ":", "a:", "a: b\n", ";", "&", "&&", "$", "$(", "${", "<<E\n", "é", "\ud800",
    "\x00", "\u2028", "<think>", "</think>", "<predicted_observation>",
    "</predicted_observation>", "<state>", "<facts>", "**", "**a**", "[1] ", "[1] a 'b'\n",
    "1. a\n", "a\tb\tc\n", "…", "http://a/", "a@b:~$ ", "root@a:/# x\n",
)  # fmt: skip


class Slow(NamedTuple):
    """A text that took too long."""

    unit: str
    seconds: float
    ratio: float


def texts(seeds: list[str]) -> Iterator[tuple[str, Callable[[int], str]]]:
    """(what it is, text of a size): each unit alone and inside a seed, and seeds repeated."""
    for unit in UNITS:
        yield unit, lambda size, unit=unit: unit * (size // len(unit) + 1)
    for number, seed in enumerate(seeds):
        middle = len(seed) // 2
        for unit in UNITS:
            yield (
                f"seed {number}, {unit!r} inside",
                lambda size, unit=unit, seed=seed, at=middle: (
                    seed[:at] + unit * (size // len(unit) + 1) + seed[at:]
                ),
            )
        yield f"seed {number} repeated", lambda size, seed=seed: seed * (size // len(seed) + 1)
        line = max(seed.split("\n"), key=len)
        yield (
            f"a line of seed {number}",
            lambda size, line=line: (line + "\n") * (size // (len(line) + 1) + 1),
        )


def slow(run: Callable[[str], object], make: Callable[[int], str], unit: str) -> Slow | None:
    """Whether four times the text takes far more than four times as long, thrice in a row."""
    found = None
    for _ in range(3):
        small, large = make(SIZE), make(SIZE * TIMES)
        long = _seconds(run, large)
        if long < NOISE * RATIO:
            return None
        short = max(min(_seconds(run, small) for _ in range(3)), NOISE)
        ratio = long / short
        if ratio <= RATIO and long < LIMIT:
            return None
        found = Slow(unit, long, ratio)
    return found


def _seconds(run: Callable[[str], object], text: str) -> float:
    gc.disable()  # its full collections look at all that is alive, the seeds of a worker included
    try:
        start = time.process_time()
        run(text)
        return time.process_time() - start
    finally:
        gc.enable()
