"""The official script, from a checkout: as a process of its own, and its parsers for comparison.

Nothing of it is copied, and nothing is written into the checkout.
"""

import importlib
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from worldline.bench.official.arithmetic import FIGURES, Table

_PACKAGE = "lwm_eval_utils"
_SECTION = re.compile(r"^--- .*? \((\d+)/(\d+) valid, (\d+) failed\) ---$")
_FIGURE = re.compile(r"^\s+(\w+): (-?\d+\.\d\d)$")
_OVERALL = re.compile(r"^Overall: (-?\d+\.\d\d)$")
_COUNTS = re.compile(r"^Total samples: (\d+), Valid: (\d+), Failed: (\d+)$")


class Printed(NamedTuple):
    """The figures that are printed, as they are printed."""

    domains: tuple[tuple[tuple[int, int, int], dict[str, str]], ...]
    """(valid, rows, failed) and the figures of each domain, in order."""
    overall: tuple[str, int, int, int] | None
    """The figure, and rows, valid and failed ones."""


def infer(checkout: Path, data: Path, url: str, out: Path) -> Path:
    """Its first stage; returns the file of predictions."""
    server = ["--model-base-url", url, "--model-name", "any", "--temperature", "0"]
    _run(checkout, "infer", "--data-dir", data, *server, "--output-dir", out)
    return out / "predictions.jsonl"


def judge(checkout: Path, predictions: Path, url: str, out: Path) -> tuple[Path, Printed]:
    """Its second stage; returns the file of judged rows and what is printed of them."""
    server = ["--judge-base-url", url, "--judge-model", "any", "--judge-api-key", "none"]
    rest = ["--temperature", "0", "--output-dir", out]
    said = _run(checkout, "judge", "--predictions", predictions, *server, *rest)
    return out / "judged.jsonl", _printed(said)


def score(checkout: Path, judged: Path) -> Printed:
    """Its third stage."""
    return _printed(_run(checkout, "score", "--predictions", judged))


def as_printed(table: Table) -> Printed:
    """Our figures in the same form."""
    domains = [
        (
            (one.valid, one.rows, one.failed),
            {name: f"{value:.2f}" for name, value in one.figures.items()},
        )
        for one in table.domains.values()
    ]
    overall = None
    if table.overall is not None:
        overall = (f"{table.overall:.2f}", table.rows, table.valid, table.failed)
    return Printed(tuple(domains), overall)


def differing(ours: Printed, theirs: Printed) -> tuple[int, int]:
    """(figures and counts that differ, all that were compared)."""

    def flat(found: Printed) -> dict[object, object]:
        named: dict[object, object] = {"domains": len(found.domains)}
        for number, (counts, figures) in enumerate(found.domains):
            named.update({(number, at): count for at, count in enumerate(counts)})
            named.update({(number, name): figures.get(name) for name in FIGURES})
        named.update(enumerate(found.overall or ()))
        return named

    one, other = flat(ours), flat(theirs)
    keys = one.keys() | other.keys()
    return sum(one.get(key) != other.get(key) for key in keys), len(keys)


@contextmanager
def parsers(checkout: Path) -> Iterator[ModuleType]:
    """Its package of parsers, imported for as long as this lasts."""
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    place = str(checkout / "eval")
    sys.path.insert(0, place)
    logging.disable(logging.CRITICAL)
    try:
        yield importlib.import_module(_PACKAGE)
    finally:
        logging.disable(logging.NOTSET)
        sys.path.remove(place)
        sys.dont_write_bytecode = kept
        for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]


def _run(checkout: Path, *words: str | Path) -> str:
    place = checkout.resolve() / "eval"
    done = subprocess.run(
        [sys.executable, "eval.py", *map(str, words)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the official script failed: {done.stderr[-2_000:]}")
    return done.stdout


def _printed(said: str) -> Printed:
    domains: list[tuple[tuple[int, int, int], dict[str, str]]] = []
    overall: list[str] = []
    for line in said.splitlines():
        if found := _SECTION.match(line):
            valid, rows, failed = map(int, found.groups())
            domains.append(((valid, rows, failed), {}))
        elif found := _FIGURE.match(line):
            domains[-1][1][found[1]] = found[2]
        elif found := _OVERALL.match(line) or _COUNTS.match(line):
            overall += found.groups()
    figure, *counts = overall or [""]
    rows, valid, failed = map(int, counts or (0, 0, 0))
    return Printed(tuple(domains), (figure, rows, valid, failed) if counts else None)
