"""Turing judging with judges whose answers are known: a coin, one that always says A, an oracle."""

import tempfile
from pathlib import Path

from benchmarks.show import Show
from benchmarks.show.choices import always_a, bench, coin, files, half, oracle, placed, shown
from benchmarks.stub import Call


def check(show: Show) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = files(show, folder)

        def knows(call: Call) -> str:
            sides = shown(call)
            return rf"\boxed{{{'A' if sides['A'] in made.known[sides['ACTION']] else 'B'}}}"

        out = [folder / f"out-{number}.jsonl" for number in range(3)]
        found = bench("turing", (Path("worldline-bench"),), out[0], coin, "--truth")
        half(show, "turing truth against truth", found)
        placed(show, "turing", bench("turing", (made.wrong,), out[1], always_a))
        found = bench("turing", (made.wrong,), out[2], knows)
        oracle(show, "turing", found, out[2], made.kinds)
