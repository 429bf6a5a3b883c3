"""Reported cases as tests: each case of a part has at least one, and all pass, none skipped.

A test says which case it is by its name: ``test_ur_s08_...``.
"""

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

from benchmarks.show import Show

ROOT = Path(__file__).resolve().parents[2]


def run_cases(show: Show, ids: list[str]) -> None:
    """Run the tests of these cases (as ``S08``) and report how many cases hold."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        chosen = " or ".join(f"ur_{one.lower()}" for one in ids)
        command = [sys.executable, "-m", "pytest", "-m", "", "-k", chosen, f"--junitxml={report}"]
        subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        outcomes = _outcomes(report)
    held = 0
    for one in ids:
        tests = outcomes.get(one, [])
        good = bool(tests) and all(verdict == "passed" for _, verdict in tests)
        held += good
        bad = [f"{name}: {verdict}" for name, verdict in tests if verdict != "passed"]
        print(f"UR-{one}: {len(tests)} tests {'hold' if good else 'DO NOT HOLD'} {bad or ''}")
    show.measure("cases", held, better="higher", floor=len(ids), goal=len(ids), n=len(ids))


def _outcomes(report: Path) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for test in ElementTree.parse(report).getroot().iter("testcase"):
        name = test.get("name") or ""
        kinds = {child.tag for child in test} & {"failure", "error", "skipped"}
        for case in set(re.findall(r"ur_(s\d\d[a-z]?)", name)):
            found[case.upper().rstrip("AB")].append((name, min(kinds, default="passed")))
    return found
