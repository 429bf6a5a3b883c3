"""`--compat official` against the official script itself, from a checkout (``--official DIR``).

The script runs as a process of its own, at temperature 0, against the same stub as ours: requests
of both stages, in all seven domains and one that it does not know; its files judged by us and ours
by it; every key of the judged lines; the figures that it prints. Its parsers are imported and
compared on generated replies. What differs on purpose is listed in docs/official.md; nothing else
may. Without a checkout this fails.
"""

import hashlib
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.official import parsing, script
from benchmarks.official import replies as made
from benchmarks.official.rows import DOMAINS, rows
from benchmarks.show import Show
from benchmarks.stub import Answer, Call, Stub
from worldline import jsonl
from worldline.bench.official import COMMIT, arithmetic
from worldline.bench.official.checkout import read
from worldline.verify.compare import DIMENSIONS

OWN_FIELDS = frozenset({"seed", "stream", "stream_options"})
"""What our requests hold beside those of the script."""
COUNTS = {"mcp": 286, "search": 458, "terminal": 354, "swe": 472, "android": 200} | {
    "web": 200,
    "os": 200,
}
PUBLISHED = {"mcp": 64.79, "search": 36.69, "terminal": 53.96, "swe": 65.63, "android": 58.17} | {
    "web": 49.55,
    "os": 65.92,
}
"""The published scores of Qwen-AgentWorld-35B-A3B, which the counts of rows go with."""


def check(show: Show) -> None:
    if show.official is None:
        print("no checkout of the official code: give --official DIR")
        show.measure("checkout given", 0, better="higher", floor=1, goal=1)
        return
    checkout = show.official.resolve()
    found = read(checkout)
    print(f"checkout: {found.name}, commit {found.commit}")
    show.measure("prompts are those of the commit", int(found.known), better="higher", floor=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        theirs, ours = _infer(show, checkout, folder)
        for whose, predictions in (("their", theirs), ("our", ours)):
            _judge(show, checkout, folder, whose, predictions)
        _arithmetic(show, checkout, folder)
    with script.parsers(checkout) as official:
        for what, differ, n in parsing.compared(official):
            _none(show, what, differ, n)
        scored, n = parsing.scored(official)
    print(f"  {scored:,} of {n:,} generated judge replies hold scores")
    show.measure("verdicts that hold scores", scored, better="higher", floor=3_000, n=n)


def _none(show: Show, what: str, found: int, n: int) -> None:
    print(f"{what}: {found:,} of {n:,} differ")
    show.measure(what, found, better="lower", floor=0, goal=0, n=n)


# requests and files


def _infer(show: Show, checkout: Path, folder: Path) -> tuple[Path, Path]:
    """Both predict the same rows; (their predictions, ours)."""
    given = list(rows())
    for domain in DOMAINS:
        of = (row for row in given if row["task"].endswith(domain))
        jsonl.write(folder / f"{domain}_test.jsonl", of)
    source, out = folder / "rows.jsonl", folder / "ours.jsonl"
    jsonl.write(source, given)
    with Stub(_generation) as stub:
        theirs = script.infer(checkout, folder, stub.url, folder / "theirs")
        asked = list(stub.requests)
    with Stub(_generation) as stub:
        _worldline("infer", source, out, stub.url)
        ours = list(stub.requests)
    # without a system prompt the script sends none, and ours falls back to its template
    told = {row["system_str"] for row in given}
    fallback = [call for call in ours if call.body["messages"][0]["content"] not in told]
    for call in fallback:
        del call.body["messages"][0]
    bare = sum(not row["system_str"] for row in given)
    _none(show, "infer requests", _apart(map(_sent, asked), map(_sent, ours)), len(given))
    _none(show, "system prompts that fell back", abs(len(fallback) - bare), bare)
    _none(show, "other fields of infer requests", _fields(asked, ours), len(ours))
    lines = list(zip(_lines(theirs), _lines(out), strict=True))
    keys = ("worldline", "row_sha")
    _none(show, "predicted lines", sum(a != _without(b, *keys) for a, b in lines), len(lines))
    return theirs, out


def _judge(show: Show, checkout: Path, folder: Path, whose: str, predictions: Path) -> None:
    """Both judge the same predictions."""
    out = folder / f"judged-{whose}.jsonl"
    with Stub(_Verdicts()) as stub:
        theirs, printed = script.judge(checkout, predictions, stub.url, folder / whose)
        asked = list(stub.requests)
    with Stub(_Verdicts()) as stub:
        flags = ["--official", checkout, "--compat", "official", "--coverage", "0"]
        _worldline("judge", predictions, out, stub.url, *flags)
        ours = list(stub.requests)
    known = f"{whose} predictions:"
    _none(show, f"{known} judge requests", _apart(map(_sent, asked), map(_sent, ours)), len(asked))
    _none(show, f"{known} other fields of judge requests", _fields(asked, ours), len(ours))
    lines = list(zip(_lines(theirs), _lines(out), strict=True))
    differ = [(a, b) for a, b in lines if a != _without(b, "worldline_judge")]
    for one, other in differ[:3]:
        print(_changed(one, other))
    _none(show, f"{known} judged lines", len(differ), len(lines))
    unsaid = sum(line["worldline_judge"]["compat"] != COMMIT[:12] for _, line in lines)
    _none(show, f"{known} lines that do not name the commit", unsaid, len(lines))
    prompts = len({call.body["messages"][0]["content"] for call in ours})
    show.measure(
        f"{known} judge prompts", prompts, better="higher", floor=len(DOMAINS), n=len(ours)
    )
    print(f"  {Counter(line['failed'] for line, _ in lines)} failed; {printed.overall}")
    for what, figures in (
        ("our figures of their file", script.as_printed(arithmetic.of_file(theirs))),
        ("our figures of our file", script.as_printed(arithmetic.of_file(out))),
        ("their figures of our file", script.score(checkout, out)),
    ):
        _none(show, f"{known} {what}", *script.differing(figures, printed))


def _worldline(verb: str, source: Path, out: Path, url: str, *flags: str | Path) -> None:
    command = ["bench", verb, source, "-o", out, "-m", f"openai:any@{url}?temperature=0"]
    words = map(str, [*command, "--max-tokens", "32768", "-c", "4", *flags])
    done = subprocess.run(
        [sys.executable, "-m", "worldline", *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"worldline {verb} failed: {done.stderr[-2_000:]}")


def _sent(call: Call) -> str:
    return json.dumps(call.body["messages"])


def _apart(one: Iterable[str], other: Iterable[str]) -> int:
    """How many requests are on one side alone, repeated ones counted."""
    a, b = Counter(one), Counter(other)
    return (a - b).total() + (b - a).total()


def _fields(theirs: list[Call], ours: list[Call]) -> int:
    """Requests of ours whose settings are not those of theirs, but for `OWN_FIELDS`."""
    (wanted,) = {json.dumps(_without(call.body, "messages"), sort_keys=True) for call in theirs}
    own = ("messages", *OWN_FIELDS)
    return sum(json.dumps(_without(call.body, *own), sort_keys=True) != wanted for call in ours)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [line.value for line in jsonl.read(path)]


def _without(line: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in names}


def _changed(one: dict[str, Any], other: dict[str, Any]) -> str:
    names = [name for name in (one | other) if one.get(name) != other.get(name)]
    return "; ".join(f"{name}: {one.get(name)!r} | {other.get(name)!r}"[:400] for name in names)


# what the stubs say


def _draw(messages: list[dict[str, str]], number: int = 0) -> random.Random:
    """The same for the same conversation, whoever sends it; a system prompt does not count."""
    told = json.dumps([one for one in messages if one["role"] != "system"])
    return random.Random(hashlib.sha256(f"{number}{told}".encode()).digest())


def _generation(call: Call) -> Answer:
    draw = _draw(call.body["messages"])
    odd = draw.random()
    if odd < 0.1:
        return (Answer(content=""), Answer(content=None), Answer(choices=False))[int(odd * 30)]
    return Answer(content=made.generation(draw), reasoning="thoughts" if odd > 0.9 else None)


class _Verdicts:
    """Another verdict each time that the same is asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, call: Call) -> Answer:
        messages = call.body["messages"]
        number = self.asked[messages[-1]["content"]]
        self.asked[messages[-1]["content"]] += 1
        draw = _draw(messages, number)
        odd = draw.random()
        if odd < 0.004:  # an exception there, and two seconds of waiting
            return Answer(choices=False)
        if odd < 0.05:
            return Answer(content="" if odd < 0.03 else None, finish_reason="content_filter")
        return Answer(content=made.verdict(draw), finish_reason="length" if odd > 0.9 else "stop")


# arithmetic


def _arithmetic(show: Show, checkout: Path, folder: Path) -> None:
    published = [
        {"task": name, "failed": 0.0, "total_score": 1 + PUBLISHED[name] / 25}
        for name, count in COUNTS.items()
        for _ in range(count)
    ]
    best = {**dict.fromkeys(DIMENSIONS, 5), "total_score": 5, "failed": 0.0}
    one = {**dict.fromkeys(DIMENSIONS, 1), "total_score": 1, "failed": 0.0}
    cases = {
        "published": (published, 55.36, 56.39),
        "two domains": ([{"task": "mcp", **best}] * 9 + [{"task": "os", **one}], 90.0, 50.0),
        "nine failed": ([{"task": "mcp", **best}] + [{"task": "mcp"}] * 9, 100.0, 100.0),
        "by chance": (_judged(random.Random(7), 3_000), None, None),
    }
    for name, (judged, pooled, macro) in cases.items():
        path = folder / f"{name}.jsonl"
        jsonl.write(path, judged)
        ours, theirs = arithmetic.of_file(path), script.score(checkout, path)
        differ, n = script.differing(script.as_printed(ours), theirs)
        _none(show, f"figures, {name}", differ, n)
        if ours.macro is not None and pooled is not None and macro is not None:
            wrong = (round(ours.overall or 0, 2) != pooled) + (round(ours.macro, 2) != macro)
            _none(show, f"known answers, {name}: {pooled:.2f} pooled, {macro:.2f} macro", wrong, 2)


def _judged(draw: random.Random, count: int) -> list[dict[str, Any]]:
    """Judged rows of 300 domains, some without scores or with zeros."""
    scores: tuple[Any, ...] = (0, 0, 1, 2, 3, 4, 5, -2, 4.2, 3.8, 1 / 3, False)
    found: list[dict[str, Any]] = []
    for _ in range(count):
        row: dict[str, Any] = {"task": f"x/d{draw.randrange(300)}"} if draw.random() < 0.98 else {}
        if draw.random() < 0.9:
            row["failed"] = draw.choice((0.0, 0.0, 0.0, 0, False, 1.0))
        kept = [name for name in arithmetic.FIGURES if draw.random() < 0.95]
        found.append({**row, **{name: draw.choice(scores) for name in kept}})
    return found
