"""Pairwise judging with judges whose answers are known: a coin, one that says A, an oracle."""

import tempfile
from pathlib import Path

from benchmarks.show import Show
from benchmarks.show.choices import always_a, bench, coin, files, half, oracle, placed, shown
from benchmarks.stub import Call


def nearest(call: Call) -> str:
    """A judge that sees which prediction is the truth."""
    sides = shown(call)
    return rf"\boxed{{{'A' if sides['A'] == sides['TRUTH'].strip(chr(10)).rstrip() else 'B'}}}"


def check(show: Show) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = files(show, folder)
        out = [folder / f"out-{number}.jsonl" for number in range(4)]
        found = bench("pairwise", (made.truths, made.truths), out[0], always_a)
        asked = found["table"]["all"]["answers"]
        n = found["scored"]
        show.measure("pairwise equal predictions asked about", asked, better="lower", floor=0, n=n)
        apart = abs(found["table"]["all"]["score"] - 0.5)
        show.measure("pairwise equal predictions: off 0.5", apart, better="lower", floor=0, n=n)
        half(show, "pairwise by a coin", bench("pairwise", (made.wrong, made.other), out[1], coin))
        placed(show, "pairwise", bench("pairwise", (made.truths, made.wrong), out[2], always_a))
        found = bench("pairwise", (made.truths, made.wrong), out[3], nearest)
        oracle(show, "pairwise", found, out[3], made.kinds)
