"""Faults of a server, `kill -9` and a full disk, while predicting and while judging.

Of the requests 5 % are first answered with 429 and Retry-After, 2 % with 500, 1 % hang, 1 % are cut
off; six rows are pushed back for ever. Each stage is killed half way and run again, then once more
on a disk that fills up. Every answerable row must equal an undisturbed run's but for its latency
and attempts; the others must say why; none may be lost or doubled.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.apart import apart, as_asked
from benchmarks.predict import TEXT, row
from benchmarks.show import Show
from benchmarks.stub import Answer, Call, error
from worldline import jsonl

ROWS, AT_ONCE = 600, 16
LOST = 6
"""Rows that the server pushes back for ever."""
DISK_KB = 1_500
_ROW = re.compile(rb"/srv/(\d+)/2")


def check(show: Show) -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        apart(replies, True) as bad,
        apart(replies, False) as good,
    ):
        folder = Path(name)
        rows = folder / "rows.jsonl"
        jsonl.write(rows, (row(number) for number in range(ROWS)))
        source = rows
        for verb in ("infer", "judge"):
            calm = folder / f"{verb}-calm.jsonl"
            _finish(verb, source, calm, good)
            found = _disturbed(verb, source, calm, folder / f"{verb}-out.jsonl", bad)
            found += Counter(_full(verb, source, calm, folder, good))
            print(f"{verb}: {dict(found)}")
            for what in ("lost", "doubled", "different", "untyped", "full disk: lost"):
                show.measure(f"{verb}, {what}", found[what], better="lower", floor=0, n=ROWS)
            show.measure(
                f"{verb}, typed failures", found["typed"], better="higher", floor=LOST, n=LOST
            )
            for what in ("killed half way", "full disk: stopped with an error"):
                show.measure(f"{verb}, {what}", found[what], better="higher", floor=1, n=1)
            source = calm


def _command(verb: str, source: Path, out: Path, url: str) -> list[str]:
    spec = f"openai:any@{url}?thinking=off&read_timeout=5&backoff=0.05&attempts=4"
    command = [sys.executable, "-m", "worldline", "bench", verb, str(source), "-o", str(out)]
    return [*command, "-m", spec, "-c", str(AT_ONCE)]


def _finish(verb: str, source: Path, out: Path, url: str) -> int:
    """The exit code of a whole run."""
    command = _command(verb, source, out, url)
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode


def _disturbed(verb: str, source: Path, calm: Path, out: Path, url: str) -> Counter[str]:
    """Killed half way and run again at a faulty server."""
    process = subprocess.Popen(_command(verb, source, out, url), stderr=subprocess.DEVNULL)
    half = calm.stat().st_size // 2
    while process.poll() is None and (not out.exists() or out.stat().st_size < half):
        time.sleep(0.005)
    killed = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    code = _finish(verb, source, out, url)
    wanted, got = _lines(calm), _lines(out)
    keys, made = [one["row_sha"] for one in wanted], Counter(one["row_sha"] for one in got)
    found = Counter({"killed half way": int(killed), "exit code": code})
    found["lost"] = sum(made[key] == 0 for key in keys)
    found["doubled"] = sum(count > 1 for count in made.values())
    for old, new in zip(wanted, got, strict=False):
        trouble = _trouble(new)
        if trouble is None:
            found["different"] += _bare(old) != _bare(new)
        else:
            found["typed" if trouble.startswith("infra_error") else "untyped"] += 1
    return found


def _trouble(line: dict[str, Any]) -> str | None:
    told = line.get("worldline_judge")
    if told is not None:
        return told["reason"]
    outcome = line["worldline"]["outcome"]
    return None if outcome == "ok" else outcome


def _bare(line: dict[str, Any]) -> dict[str, Any]:
    """A line without what a clock and a fault decide."""
    bare = json.loads(json.dumps(line))
    for name in ("worldline", "worldline_judge"):
        for part in ("latency_s", "attempts", "of"):
            bare.get(name, {}).pop(part, None)
    return bare


def _full(verb: str, source: Path, calm: Path, folder: Path, url: str) -> dict[str, int]:
    """On a disk too small: the run stops with an error; with room again it goes on."""
    small = folder / f"small-{verb}"
    small.mkdir()
    out, kept = small / "out.jsonl", folder / f"kept-{verb}"
    mount = f"mount -t tmpfs -o size={DISK_KB}k small {small}"
    shell = f'{mount} && {{ "$@"; code=$?; cp -r {small} {kept}; exit $code; }}'
    command = ["unshare", "-m", "sh", "-c", shell, "sh", *_command(verb, source, out, url)]
    if os.geteuid():
        command.insert(1, "-r")
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    told = done.returncode == 2 and "Make room" in done.stderr
    if not told:
        print(done.returncode, done.stderr[-500:])
    finished = len(_lines(kept / "out.jsonl"))
    print(f"{verb} on a disk of {DISK_KB} kB: {finished} rows kept, {done.stderr.strip()[-160:]!r}")
    code = _finish(verb, source, kept / "out.jsonl", url)
    same = [_bare(one) for one in _lines(kept / "out.jsonl")] == [
        _bare(one) for one in _lines(calm)
    ]
    stopped = int(told and 0 < finished < ROWS)
    if code:
        reasons = Counter(_trouble(one) for one in _lines(kept / "out.jsonl"))
        print(f"{verb} with room again: exit code {code}, {dict(reasons)}")
    shutil.rmtree(kept)
    return {"full disk: stopped with an error": stopped, "full disk: lost": int(not same)}


def _lines(path: Path) -> list[dict[str, Any]]:
    """Whole lines; the last one may be torn."""
    raw = path.read_bytes().split(b"\n")
    return [jsonl.loads(line) for line in raw[:-1]]


def replies(faulty: bool) -> Callable[[Call], Answer]:
    """What the server answers; a request that comes again is remembered."""
    asked: Counter[bytes] = Counter()

    def answer(call: Call) -> Answer:
        key = hashlib.sha256(call.raw).digest()
        asked[key] += 1
        trouble = _fault(call, key, asked[key]) if faulty else None
        return trouble or Answer(content=as_asked(call), delay=0.01, piece=20)

    return answer


def _fault(call: Call, key: bytes, time: int) -> Answer | None:
    """What goes wrong with this request, the same in each run."""
    found = _ROW.search(call.raw)
    if found and int(found[1]) % (ROWS // LOST) == 50:
        return error(429, retry_after=0.05)
    if time > 1:
        return None
    share = int.from_bytes(key[:4], "big") / 2**32
    if share < 0.05:
        return error(429, retry_after=0.2)
    if share < 0.07:
        return error(500)
    if share < 0.08:
        return Answer(content=TEXT, cut_after=2, cut="silence")
    return Answer(content=TEXT, cut_after=3) if share < 0.09 else None
