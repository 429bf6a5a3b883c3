"""Families with a seeded bug: repair it, take it back, say what it does."""

import re

from worldline.environments.swe.mutants import Mutant
from worldline.tasks.families.swe.making import (
    answers,
    bugs,
    command,
    fails,
    succeeds,
    task,
    told,
    untouched,
)
from worldline.tasks.task import Probe, Task

_SUBTESTS = ("lark", "mistune")
"""Repositories where pytest counts parts of tests too."""


def tasks() -> list[Task]:
    """All of them."""
    taken: set[str] = set()
    found: list[Task] = []
    for family, dialect, split, many, held_out in (
        ("fix", "bash-returncode", "train", 10, False),
        ("fix-tools", "claude-code", "dev", 6, False),
        ("fix-editor", "aci", "train", 4, False),
        ("fix-held", "bash-returncode", "test", 5, True),
        ("fix-held-tools", "claude-code", "test", 3, True),
    ):
        some = [one for one in _plain(held_out) if one.id not in taken][:many]
        taken.update(one.id for one in some)
        found += [_fix(family, n, split, dialect, one) for n, one in enumerate(some, 1)]
    left = [one for one in _plain(False) if one.id not in taken]
    found += [_take_back(n, one) for n, one in enumerate(left[:5], 1)]
    several = [one for one in left[5:] if len(one.failing) > 1 and one.repo not in _SUBTESTS]
    found += [_count(n, one) for n, one in enumerate(several[:5], 1)]
    single = [one for one in left[5:] if len(one.failing) == 1]
    found += [_failing(n, one) for n, one in enumerate(single[:5], 1)]
    found += [_changed(n, one) for n, one in enumerate(left[-4:], 1)]
    return found


def _plain(held_out: bool) -> list[Mutant]:
    """Bugs whose tests can be named without quoting."""
    plain = re.compile(r"[\w./:\[\]-]+")
    return [
        one
        for one in bugs(held_out=held_out)
        if all(plain.fullmatch(test) for test in one.failing) and "'" not in one.old + one.new
    ]


def _probes(dialect: str, bug: Mutant) -> list[Probe]:
    tests = " ".join(bug.tests)
    run = f"python -m pytest -q {tests}"
    return [succeeds(dialect, run), untouched(dialect, tests)]


def _fix(family: str, number: int, split: str, dialect: str, bug: Mutant) -> Task:
    tests = " ".join(bug.tests)
    name = bug.function.rpartition(".")[2]
    places = {"repo": bug.repo, "file": bug.file, "tests": tests, "name": name}
    hint = number % 2 == 0
    instruction = told("fix_hint" if hint else "fix", test=bug.failing[0], **places)
    return task(
        family,
        number,
        split,
        instruction,
        _repair(dialect, bug),
        _probes(dialect, bug),
        dialect=dialect,
        options={"bug": bug.id},
        difficulty="medium" if hint else "hard",
    )


def _repair(dialect: str, bug: Mutant) -> list[str]:
    """Run the test, look at the line, write it without the bug."""
    first = command(dialect, f"python -m pytest -q '{bug.failing[0]}'")
    start = f".{{{bug.column}}}" if bug.column else ""
    skip = f".{{{bug.column + len(bug.new)}}}"
    if dialect == "aci":
        look = f"open {bug.file} {bug.line}"
        mark = f"(?m)^{bug.line}:"
    elif dialect == "claude-code":
        path = f"/home/user/{bug.repo}/{bug.file}"
        look = (
            f'{{"name": "Read", "arguments": {{"file_path": "{path}", '
            f'"offset": {bug.line}, "limit": 1}}}}'
        )
        mark = f"(?m)^{bug.line}\\t"
    else:
        look = f"sed -n {bug.line}p {bug.file}"
        mark = "<output>\\n"
    line = f"{{{{2:{mark}({start})}}}}{bug.old}{{{{2:{mark}{skip}(.*)}}}}"
    if dialect == "aci":
        edit = f"edit {bug.line}:{bug.line}\n{line}\nend_of_edit"
    else:
        before, after = f"head -n {bug.line - 1}", f"tail -n +{bug.line + 1}"
        write = f"{{ {before} {bug.file}; cat <<'EOF'\n{line}\nEOF\n{after} {bug.file}; }}"
        edit = command(dialect, f"{write} > /tmp/repaired && cp /tmp/repaired {bug.file}")
    return [first, look, edit]


def _take_back(number: int, bug: Mutant) -> Task:
    tests = " ".join(bug.tests)
    probes = [
        succeeds("bash-returncode", f"python -m pytest -q {tests}"),
        succeeds("bash-returncode", "git diff --quiet HEAD HEAD~2 && git diff --quiet"),
        succeeds("bash-returncode", f"git log --format=%s | grep -qx '{bug.message}'"),
    ]
    reference = [
        f"python -m pytest -q {tests} --tb=line | tail -n 3",
        f"git log --oneline -n 3 -- {bug.file}",
        "git show {{2:([0-9a-f]{7,12}) Simplify}}",
        "git revert --no-edit {{2:([0-9a-f]{7,12}) Simplify}}",
    ]
    return task(
        "take-back",
        number,
        "train",
        told("take_back", repo=bug.repo, tests=tests),
        reference,
        probes,
        options={"bug": bug.id, "history": True},
    )


def _count(number: int, bug: Mutant) -> Task:
    tests = " ".join(bug.tests)
    return task(
        "count",
        number,
        "dev",
        told("count", repo=bug.repo, tests=tests),
        [f"python -m pytest -q --tb=no {tests}", r"{{1:(\d+) failed}}"],
        [
            answers(rf"(?:^|\D){len(bug.failing)}(?:\D|$)"),
            fails("bash-returncode", f"python -m pytest -q {tests}"),
        ],
        options={"bug": bug.id},
        kind="answer",
        difficulty="easy",
    )


def _failing(number: int, bug: Mutant) -> Task:
    tests = " ".join(bug.tests)
    name = bug.failing[0].rpartition("::")[2].partition("[")[0]
    return task(
        "failing",
        number,
        "train",
        told("failing", repo=bug.repo, tests=tests),
        [
            f"python -m pytest -q --tb=no {tests}",
            r"{{1:FAILED \S*::(\w+)}}",
        ],
        [answers(rf"\b{name}\b")],
        options={"bug": bug.id},
        kind="answer",
        difficulty="easy",
    )


def _changed(number: int, bug: Mutant) -> Task:
    return task(
        "changed",
        number,
        "test",
        told("changed", repo=bug.repo),
        ["git show --stat --format=%h HEAD", r"{{1:(?m)^ (\S+) +\|}}"],
        [answers(re.escape(bug.file))],
        options={"bug": bug.id, "history": True},
        kind="answer",
        difficulty="easy",
    )
