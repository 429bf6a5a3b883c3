"""Rows and stub judges for the checks of two-choice judging."""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmarks.show import Show
from benchmarks.stub import Call, Stub
from benchmarks.verify.sessions import DOMAINS, sessions
from worldline import jsonl
from worldline.bench.calibrate.sample import Drawn, drawn
from worldline.bench.source import of_items
from worldline.bench.versus.pairs import bare
from worldline.bench.versus.truths import as_predicted
from worldline.verify.corrupt import corruptions

EACH = 12
"""Recorded turns of a domain."""
_BLOCK = re.compile(
    r"<<<(ACTION|TRUTH|(?:ANSWER|PREDICTION) [AB]) ([0-9a-f]+)>>>\n(.*?)\n<<<END \1 \2>>>",
    re.DOTALL,
)


class Files(NamedTuple):
    """Predictions of the same turns: what came, made wrong in every way, made wrong in another."""

    truths: Path
    wrong: Path
    other: Path
    kinds: list[str]
    """``domain/corruption`` of each line of `wrong`."""
    known: dict[str, set[str]]
    """Action -> what really came after it, without blank lines at the ends."""


def files(show: Show, folder: Path) -> Files:
    """Every corruption of some turns of each domain, as predictions."""
    truths, wrong, other, kinds = [], [], [], []
    known: dict[str, set[str]] = {}
    for domain in DOMAINS:
        for number, one in enumerate(_turns(show, domain)):
            texts = list(_broken(one, number))
            for place, (name, text) in enumerate(texts):
                if bare(text) == bare(one.moment.truth):
                    continue  # only blanks were lost: nothing to choose between
                truths.append(as_predicted(one.row, one.moment.truth, "truth"))
                wrong.append(as_predicted(one.row, text, "wrong"))
                other.append(as_predicted(one.row, texts[place - 1][1], "other"))
                kinds.append(f"{domain}/{name}")
                action = one.row.row["current_prompt"]
                known.setdefault(action, set()).add(bare(one.moment.truth))
    paths = [folder / f"{name}.jsonl" for name in ("truths", "wrong", "other")]
    for path, lines in zip(paths, (truths, wrong, other), strict=True):
        jsonl.write(path, lines)
    return Files(paths[0], paths[1], paths[2], kinds, known)


def _turns(show: Show, domain: str) -> Iterator[Drawn]:
    source = of_items(list(sessions(show.data, domain)))
    for _, turns in drawn(source, EACH, domains=[domain]):
        yield from islice((one for one in turns if one.moment.truth.strip()), EACH)


def _broken(one: Drawn, number: int) -> Iterator[tuple[str, str]]:
    for way in corruptions(one.domain):
        text = way.make(one.moment, Random(f"{number}|{way.name}"), 0.0)
        if text is not None and text.rstrip() != one.moment.truth.rstrip():
            yield way.name, text


def shown(call: Call) -> dict[str, str]:
    """The blocks of a question by name; answers and predictions as A and B."""
    found = _BLOCK.finditer(call.body["messages"][-1]["content"])
    return {one[1].rpartition(" ")[2]: one[3] for one in found}


def always_a(call: Call) -> str:
    """A judge that only knows the place."""
    return r"\boxed{A}"


def coin(call: Call) -> str:
    """A judge that throws a coin: the same for the same question and seed, whenever it is asked."""
    digest = hashlib.sha256(call.raw).digest()
    return rf"\boxed{{{'AB'[digest[0] & 1]}}}"


def bench(verb: str, files: tuple[Path, ...], out: Path, judge: Any, *more: str) -> dict[str, Any]:
    """The report of `worldline bench VERB` with a stub judge."""
    with Stub(judge) as stub:
        told = [*files, "-o", out, "-m", f"openai:stub@{stub.url}", "--json", *more]
        done = subprocess.run(
            [sys.executable, "-m", "worldline", "bench", verb, *map(str, told)],
            capture_output=True,
            text=True,
            check=False,
        )
        print("\n".join(done.stderr.strip().split("\n")[-12:]), f"\n{len(stub.requests):,} calls\n")
    return jsonl.loads(done.stdout)


def half(show: Show, what: str, report: dict[str, Any]) -> None:
    """50 % lies within the interval."""
    cell = report["table"]["all"]
    low, high = cell["interval"] or (1.0, 0.0)
    inside = float(low <= 0.5 <= high)
    show.measure(
        f"{what}: 50 % in the interval", inside, better="higher", floor=1, n=cell["scored"]
    )
    show.measure(what, cell["score"], better="lower", n=cell["scored"], lo=low, hi=high)


def placed(show: Show, what: str, report: dict[str, Any]) -> None:
    """An always-A judge has position bias 1.0 and scores 0.5."""
    cell = report["table"]["all"]
    bias, score, n = cell["position_bias"], cell["score"], cell["answers"]
    show.measure(f"{what} always A: position bias", bias, better="higher", floor=1, n=n)
    show.measure(f"{what} always A: off 0.5", abs(score - 0.5), better="lower", floor=0, n=n)


def oracle(show: Show, what: str, report: dict[str, Any], out: Path, kinds: list[str]) -> None:
    """A judge that knows the truth picks it, whatever the corruption."""
    rows = [line.value for line in jsonl.read(out)]
    missed = [kind for kind, row in zip(kinds, rows, strict=True) if row["winner"] != "first"]
    print(f"missed: {', '.join(missed) or 'none'}; {len(set(kinds))} kinds of corruption")
    cell = report["table"]["all"]
    show.measure(
        f"{what} oracle picks the truth",
        cell["first"] / max(len(kinds), 1),
        better="higher",
        floor=0.99,
        n=len(kinds),
    )
    show.measure(f"{what} kinds of corruption", len(set(kinds)), better="higher", n=len(kinds))
