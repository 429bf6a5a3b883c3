"""How near predicting and judging come to what the server allows, and what they hold in memory.

The server is the stub, in a process of its own: 200 ms, then the reply. At most 64 rows are asked
about at once, so the limit is 320 rows/s. Rows are of 4 kB; the long file has 400 MB.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.apart import apart, as_asked
from benchmarks.predict import row
from benchmarks.show import Show
from benchmarks.stub import Answer, Call
from worldline import jsonl

ROWS, AT_ONCE, DELAY_S, RUNS = 3_200, 64, 0.2, 3
LIMIT = AT_ONCE / DELAY_S
LONG_MB, LONG_ROW = 400, 200_000


def check(show: Show) -> None:
    with tempfile.TemporaryDirectory() as name, apart(replies) as url:
        folder = Path(name)
        rows = folder / "rows.jsonl"
        jsonl.write(rows, (row(number) for number in range(ROWS)))
        predicted = folder / "predicted-0.jsonl"
        for verb, source, made in (
            ("infer", rows, "predicted"),
            ("judge", predicted, "judged"),
        ):
            rates = [_rate(verb, source, folder / f"{made}-{n}.jsonl", url) for n in range(RUNS)]
            middle = sorted(rates)[RUNS // 2]
            print(f"{verb}: {middle:.0f} rows/s of {LIMIT:.0f} ({[round(one) for one in rates]})")
            show.measure(
                f"{verb}, share of the limit",
                middle / LIMIT,
                better="higher",
                floor=0.90,
                goal=0.97,
                n=ROWS * RUNS,
            )
        _memory(show, folder, url)


def _rate(verb: str, source: Path, out: Path, url: str) -> float:
    """Rows a second of one run of the command line, from its own report."""
    return ROWS / _run(verb, source, out, url)[0]


def _run(verb: str, source: Path, out: Path, url: str) -> tuple[float, float]:
    """(seconds of the run, MB of memory at most)."""
    code = (
        "import resource, runpy, sys\n"
        "try:\n    runpy.run_module('worldline', run_name='__main__')\n"
        "except SystemExit as end:\n    code = end.code\n"
        "kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(kb / 1024, file=sys.stderr)\nsys.exit(code)\n"
    )
    command = [sys.executable, "-c", code, "bench", verb, str(source), "-o", str(out)]
    command += ["-m", f"openai:any@{url}?thinking=off", "-c", str(AT_ONCE), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["seconds"], float(done.stderr.split()[-1])


def _memory(show: Show, folder: Path, url: str) -> None:
    """Both stages over a file of 400 MB."""
    long, filler = folder / "long.jsonl", "total 4\n" * (LONG_ROW // 8)
    with long.open("wb") as file:
        for number in range(LONG_MB * 1_000_000 // LONG_ROW):
            one = row(number)
            one["response"] = [filler, filler[:100], filler[:100]]
            file.write(jsonl.dumps(one) + b"\n")
    source = long
    for verb in ("infer", "judge"):
        size = source.stat().st_size / 1e6
        _, used = _run(verb, source, folder / f"long-{verb}.jsonl", url)
        print(f"{verb} over {size:.0f} MB: {used:.0f} MB of memory at most")
        show.measure(f"{verb}, MB of memory over 400 MB", used, better="lower", floor=500, n=1)
        source = folder / f"long-{verb}.jsonl"


def replies() -> Callable[[Call], Answer]:
    """What the server answers: the reply as one piece."""
    return lambda call: Answer(content=as_asked(call), delay=DELAY_S, piece=1_000)
