"""`kill -9` half way through `predict`, then the same command again: nothing lost, all equal.

Every recorded terminal and mcp row with `copy`, and ten of each with `embedded --deterministic`.
Equal means: as an undisturbed run, but for latency and the tokens that came from a cache.
"""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.show import Show
from worldline import jsonl
from worldline.bench.rows import rows_of
from worldline.collect.importers import importer
from worldline.storage import read_trajectories, write_trajectories

EMBEDDED = ["--deterministic", "--limit", "10", "--context", "2048", "--max-tokens", "96"]
RUNS = (("copy", ["--concurrency", "8"]), ("embedded", EMBEDDED))


def check(show: Show) -> None:
    totals: Counter[str] = Counter()
    print(
        f"{'domain':9} {'model':9} {'rows':>6} {'killed at':>9} {'lost':>5} {'doubled':>7} "
        f"{'reordered':>9} {'different':>9} {'fields lost':>11} {'asked again':>11}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for domain in ("terminal", "mcp"):
            source = Path(folder) / f"{domain}.jsonl"
            write_trajectories(source, importer("common")(show.data / f"{domain}.jsonl"))
            for model, flags in RUNS:
                found = disturbed(source, ["-m", model, *flags])
                print(
                    f"{domain:9} {model:9} {found['rows']:6,} {found['killed']:9,} "
                    f"{found['lost']:5} {found['doubled']:7} {found['reordered']:9} "
                    f"{found['different']:9} {found['fields']:11} {found['again']:11}"
                )
                totals.update({f"{model}_{key}": value for key, value in found.items()})
                totals.update(found)
    for name in ("lost", "doubled", "reordered", "different", "fields", "again"):
        show.measure(
            name, totals[name], better="lower", floor=0, goal=0, n=totals["rows"], recorded=True
        )
    for model, _ in RUNS:
        stopped = 0 < totals[f"{model}_killed"] < totals[f"{model}_rows"]
        show.measure(
            f"{model}_killed_half_way",
            int(stopped),
            better="higher",
            floor=1,
            goal=1,
            n=totals[f"{model}_rows"],
            recorded=True,
        )


def predict(source: Path, out: Path, flags: list[str]) -> list[str]:
    """The command line of one run."""
    return [sys.executable, "-m", "worldline", "predict", str(source), "-o", str(out), *flags]


def disturbed(source: Path, flags: list[str]) -> dict[str, int]:
    """One undisturbed run, one that is killed half way and run again, and one more."""
    calm, out = (source.with_name(f"{source.stem}-{flags[1]}-{n}.jsonl") for n in ("calm", "out"))
    subprocess.run(predict(source, calm, flags), check=True, stderr=subprocess.DEVNULL)
    killed = kill_at(predict(source, out, flags), out, half_of(calm))
    command = [*predict(source, out, flags), "--json"]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run(command, check=True, capture_output=True)
    report = jsonl.loads(done.stdout)
    found = compared(calm, out)
    found["killed"] = killed
    found["again"] = report["rows"] - report["resumed"]
    found["fields"] = fields_lost(source, out)
    return found


def half_of(path: Path) -> int:
    """Bytes of the first half of the results."""
    lines = path.read_bytes().splitlines(keepends=True)
    return sum(map(len, lines[: len(lines) // 2]))


def kill_at(command: list[str], out: Path, size: int) -> int:
    """Kill the run once its output has so many bytes; how many whole rows it had then."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and (not out.exists() or out.stat().st_size < size):
        time.sleep(0.002)
    process.kill()
    process.wait()
    return out.read_bytes().count(b"\n")


def compared(calm: Path, out: Path) -> dict[str, int]:
    """How the disturbed output differs from the undisturbed one."""
    wanted, got = rows(calm), rows(out)
    keys = [[row["row_sha"] for row in side] for side in (wanted, got)]
    lost, doubled = Counter(keys[0]), Counter(keys[1])
    return {
        "rows": len(wanted),
        "lost": (lost - doubled).total(),
        "doubled": (doubled - lost).total(),
        "reordered": sum(a != b for a, b in zip(*keys, strict=False)),
        "different": sum(a != b for a, b in zip(wanted, got, strict=False)),
    }


def rows(path: Path) -> list[dict[str, Any]]:
    """The results without latency and cache counts."""
    found = [line.value for line in jsonl.read(path)]
    for row in found:
        row["worldline"]["latency_s"] = row["worldline"]["usage"]["cached"] = None
    return found


def fields_lost(source: Path, out: Path) -> int:
    """Input fields that a result does not hold as they were, `gen` included."""
    given = (row.row for one in read_trajectories(source) for row in rows_of(one))
    return sum(
        sum(key not in line.value or line.value[key] != value for key, value in row.items())
        + (not isinstance(line.value.get("gen"), str))
        for row, line in zip(given, jsonl.read(out), strict=False)
    )
