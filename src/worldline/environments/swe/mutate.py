"""Finds bugs worth keeping: ``python -m worldline.environments.swe.mutate --repo toolz --n 10``.

Tests run in the sandbox, with the sources as they are first: only what passes then counts. A change
that 1 to 20 tests notice is printed as a line of ``mutants.jsonl`` (or appended with ``--keep``).
"""

import argparse
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec

from worldline import jsonl
from worldline.environments.swe import repos
from worldline.environments.swe.mutants import Mutant
from worldline.environments.swe.operators import Change, changes
from worldline.environments.swe.repos import Repo, Unit
from worldline.environments.swe.store import store
from worldline.environments.swe.workspace import Start, Workspace

LEAST, MOST = 1, 20
LIMIT_S = 60.0
OUTCOMES = Path(__file__).with_name("mutants.jsonl")
_PLUGIN = """
def pytest_runtest_logreport(report):
    if report.when == "call" or report.failed:
        with open("/tmp/outcomes", "a") as file:
            hangs = report.failed and "Timeout" in str(report.longrepr)
            file.write(f"{'hangs' if hangs else report.outcome} {report.nodeid}\\n")
"""


def main() -> None:
    """Find bugs of one repository and print them."""
    parser = argparse.ArgumentParser(prog="worldline.environments.swe.mutate")
    parser.add_argument("--repo", required=True)
    parser.add_argument("--n", type=int, default=10, help="how many to find")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="append them to mutants.jsonl")
    given = parser.parse_args()
    repo = repos.repo(given.repo)
    workspace = Workspace(store(), Start(repo))
    try:
        for found in find(workspace, repo, given.n, given.seed):
            line = jsonl.dumps(msgspec.to_builtins(found)).decode()
            print(line, flush=True)
            if given.keep:
                with OUTCOMES.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
    finally:
        workspace.close()


def find(workspace: Workspace, repo: Repo, n: int, seed: int) -> Iterator[Mutant]:
    """`n` bugs of a repository, spread over its files, kinds and functions, as they are found."""
    workspace.box.put({"outcomes.py": _PLUGIN})
    rng = random.Random(f"{repo.name}:{seed}")
    kept = 0
    used: set[tuple[str, str]] = set()
    for unit, change, source, before in _candidates(workspace, repo, rng):
        if kept >= n:
            break
        if (unit.source, change.function) in used:
            continue
        made = _tried(workspace, repo, unit, change, source, before)
        if made is not None:
            used.add((unit.source, change.function))
            kept += 1
            yield made


def _candidates(workspace: Workspace, repo: Repo, rng: random.Random):
    """Changes in turn: of each unit, and of each kind within it."""
    queues = []
    for unit in repo.units:
        before = outcomes(workspace, unit.tests)
        if not before or any(one != "passed" for one in before.values()):
            print(f"# {unit.source}: not green", flush=True)
            continue
        source = workspace.box.run(["cat", unit.source], cwd=workspace.home).stdout.decode()
        by_kind: dict[str, list[Change]] = {}
        for one in changes(source):
            by_kind.setdefault(one.kind, []).append(one)
        for some in by_kind.values():
            rng.shuffle(some)
        queues.append((unit, by_kind, source, before))
    while any(by_kind for _, by_kind, _, _ in queues):
        rng.shuffle(queues)
        for unit, by_kind, source, before in queues:
            if by_kind:
                kind = rng.choice(sorted(by_kind))
                yield unit, by_kind[kind].pop(), source, before
                if not by_kind[kind]:
                    del by_kind[kind]


def _tried(
    workspace: Workspace,
    repo: Repo,
    unit: Unit,
    change: Change,
    source: str,
    before: dict[str, str],
) -> Mutant | None:
    start, end = change.start, change.end
    name = f"{repo.name}/{unit.source}"
    workspace.box.put({name: source[:start] + change.new + source[end:]})
    after = outcomes(workspace, unit.tests)
    workspace.box.put({name: source})
    failing = tuple(sorted(one for one, outcome in after.items() if outcome == "failed"))
    hangs = "hangs" in after.values()
    if hangs or not LEAST <= len(failing) <= MOST or len(after) < len(before):
        return None
    return Mutant(
        id=f"{repo.name}-{unit.source.rpartition('/')[2][:-3]}-{change.line}-{change.kind}",
        repo=repo.name,
        file=unit.source,
        kind=change.kind,
        start=start,
        end=end,
        old=source[start:end],
        new=change.new,
        line=change.line,
        column=change.column,
        function=change.function,
        failing=failing,
        passing=len(after) - len(failing),
    )


def outcomes(workspace: Workspace, tests: tuple[str, ...]) -> dict[str, str]:
    """Test id -> ``passed``, ``failed`` or ``skipped``; nothing where the run did not end well."""
    command = "rm -f /tmp/outcomes; python -m pytest -q -p outcomes --timeout=20 --tb=no "
    command += f"{' '.join(tests)} > /tmp/told; code=$?; cat /tmp/outcomes; exit $code"
    env = {"PYTHONPATH": "/home/user"}
    try:
        done = workspace.box.run(
            ["bash", "-c", command], cwd=workspace.home, env=env, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return {}
    if done.returncode not in (0, 1):
        return {}
    rows = [line.partition(" ") for line in done.stdout.decode().split("\n") if line]
    found: dict[str, str] = {}
    for outcome, _, name in rows:
        if found.get(name) not in ("failed", "hangs"):
            found[name] = outcome
    return {name: one for name, one in found.items() if one != "skipped"}


if __name__ == "__main__":
    main()
