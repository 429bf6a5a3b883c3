"""Episodes that find a bug and repair it."""

import re

from worldline.collect.explorers.swe import words
from worldline.collect.explorers.swe.desk import Desk, failing, traced
from worldline.collect.explorers.swe.hands import Step
from worldline.environments.swe.mutants import Mutant
from worldline.environments.swe.operators import changes


def fix(desk: Desk) -> Step[None]:
    """See tests fail, read, find the place, perhaps go wrong first, repair, commit."""
    rng, bug = desk.rng, desk.bug
    yield from desk.look_around(rng.randint(1, 4))
    if bug is None:
        return
    seen = yield from _symptoms(desk, bug)
    yield from _narrow_down(desk, bug, seen)
    yield from _repair(desk, bug)
    yield from desk.commit(desk.subject(bug.function.rpartition(".")[2]))


def fix_by_history(desk: Desk) -> Step[None]:
    """The bug came with the last commit: look at it, take it back or repair it."""
    rng, bug, hands = desk.rng, desk.bug, desk.hands
    yield from desk.look_around(rng.randint(1, 3))
    if bug is None:
        return
    yield from desk.test(rng.choice(bug.failing))
    for line in rng.sample(
        [
            "git log --oneline -n 4",
            f"git log -n {rng.randint(1, 4)} --format=fuller --stat",
            "git show HEAD",
            f"git show HEAD -U{rng.randint(0, 9)}",
            f"git diff HEAD~1 -- {bug.file}",
            f"git log -p -n 1 -- {bug.file}",
            f"git blame -L {bug.line},+{rng.randint(2, 9)} {bug.file}",
            f"git show HEAD~1:{bug.file} | sed -n '{bug.line},{bug.line + rng.randint(1, 9)}p'",
            "git reflog",
            f"git log -S'{words.noun(rng)}' --oneline",
        ],
        rng.randint(2, 5),
    ):
        yield from hands.run(line, "look at history")
    yield from desk.around(bug.file, bug.line)
    if rng.random() < 0.6:
        ways = [
            "git revert --no-edit HEAD",
            f"git checkout HEAD~1 -- {bug.file}",
            f"git diff HEAD HEAD~1 | git apply && git commit -qam '{desk.subject(bug.function)}'",
            "git revert -n HEAD && git status -s",
        ]
        yield from hands.run(rng.choice(ways), "take back")
        yield from desk.around(bug.file, bug.line)
        yield from desk.again(bug.file)
    else:
        yield from _repair(desk, bug)
    yield from desk.test(rng.choice(bug.failing), terse=True)
    yield from desk.test(rng.choice(bug.tests))
    yield from desk.commit(desk.subject(bug.function.rpartition(".")[2]))


def _symptoms(desk: Desk, bug: Mutant) -> Step[str]:
    """Run the tests; the output of one that fails."""
    rng = desk.rng
    ran = yield from desk.test(rng.choice(bug.tests))
    target = rng.choice(failing(ran.output) or list(bug.failing))
    if rng.random() < 0.25:
        yield from desk.test(f"{target}_{words.noun(rng)}")
    ran = yield from desk.test(target)
    name = target.rpartition("::")[2].partition("[")[0]
    found = yield from desk.hands.search(f"def {name}", target.partition("::")[0])
    for one in found[:1]:
        yield from desk.around(one.path, one.line)
    return ran.output


def _narrow_down(desk: Desk, bug: Mutant, output: str) -> Step[None]:
    """From the traceback or the name of the function to the line."""
    rng, hands = desk.rng, desk.hands
    name = bug.function.rpartition(".")[2]
    if rng.random() < 0.25:
        yield from hands.blunder(bug.file)
    if rng.random() < 0.6:
        yield from desk.outline(bug.file)
    found = yield from hands.search(f"def {name}", rng.choice([bug.file, desk.folder]))
    lines = [one.line for one in found if one.path == bug.file] + traced(output, bug.file)
    for line in rng.sample(lines, min(len(lines), 2)):
        yield from desk.around(bug.file, line)
        if rng.random() < 0.6:
            yield from desk.again(bug.file)
    if rng.random() < 0.4:
        yield from hands.search(f"{name}(", rng.choice([".", desk.folder, bug.tests[0]]))
    yield from desk.around(bug.file, bug.line)
    yield from desk.again(bug.file)
    if rng.random() < 0.3:
        yield from desk.again(bug.file)


def _repair(desk: Desk, bug: Mutant) -> Step[None]:
    """Edit, look, run; a wrong guess or a slip may come first."""
    rng = desk.rng
    broken = yield from _line(desk, bug)
    if broken is None:
        return
    target = rng.choice(bug.failing)
    if rng.random() < 0.45:
        yield from _wrong_guess(desk, bug, broken, target)
    if rng.random() < 0.25:
        yield from _slip(desk, bug, broken, target)
    try:
        right = bug.repaired(broken)
    except ValueError:
        return
    yield from desk.before(bug.file, bug.line)
    done = yield from desk.hands.edit_line(bug.file, bug.line, broken, right)
    yield from desk.after(bug.file, bug.line)
    if not done and desk.hands.seen[bug.file].get(bug.line) != right:
        yield from desk.hands.edit_line(bug.file, bug.line, broken, right)
    ran = yield from desk.test(target, terse=True)
    if ran.well and rng.random() < 0.8:
        yield from desk.test(rng.choice(bug.tests))
    if rng.random() < 0.3:
        yield from desk.test(rng.choice(desk.unit.tests))


def _line(desk: Desk, bug: Mutant) -> Step[str | None]:
    """The line with the bug as it was shown."""
    for _ in range(3):
        line = desk.hands.seen.get(bug.file, {}).get(bug.line)
        if line is not None and line.startswith(bug.new, bug.column):
            return line
        yield from desk.hands.view(bug.file, max(bug.line - 5, 1), bug.line + 5)
    return None


def _wrong_guess(desk: Desk, bug: Mutant, broken: str, target: str) -> Step[None]:
    """Another change of the line or of one near it, which does not help and is taken back."""
    guess = _guess(desk, bug, broken)
    if guess is None:
        return
    number, before, after = guess
    yield from desk.before(bug.file, number)
    yield from desk.hands.edit_line(bug.file, number, before, after)
    yield from desk.after(bug.file, number)
    yield from desk.test(target)
    yield from _take_back(desk, bug, number, before, after)


def _take_back(desk: Desk, bug: Mutant, number: int, before: str, after: str) -> Step[None]:
    if desk.rng.random() < 0.5:
        yield from desk.hands.edit_line(bug.file, number, after, before)
        return
    name = desk.hands.named(bug.file)
    ways = [f"git checkout -- {name}", f"git restore {name}", "git stash && git stash drop"]
    yield from desk.hands.run(desk.rng.choice(ways), "take back")
    desk.hands.seen.setdefault(bug.file, {})[number] = before
    yield from desk.hands.view(bug.file, max(bug.line - 4, 1), bug.line + 4)


def _guess(desk: Desk, bug: Mutant, broken: str) -> tuple[int, str, str] | None:
    """Another small change of a line that was shown."""
    seen = desk.hands.seen.get(bug.file, {})
    for _ in range(8):
        number = bug.line + desk.rng.choice([0, 0, 0, 1, -1, 2, -2])
        line = broken if number == bug.line else seen.get(number, "")
        made = _varied(desk, line)
        if made is not None and (number != bug.line or made != bug.repaired(broken)):
            return number, line, made
    return None


def _varied(desk: Desk, line: str) -> str | None:
    indent = re.match(r"\s*", line)
    body = line.strip()
    head = f"def _():\n {body}"
    if body.endswith(":"):
        head += "\n  pass" if not body.startswith(("el", "except", "finally")) else ""
    try:
        found = changes(head + "\n")
    except (SyntaxError, ValueError):
        return None
    some = [one for one in found if one.line == 2 and one.kind != "removed"]
    if not some or indent is None:
        return None
    one = desk.rng.choice(some)
    at = one.column - 1
    length = one.end - one.start
    return indent[0] + body[:at] + one.new + body[at + length :]


def _slip(desk: Desk, bug: Mutant, broken: str, target: str) -> Step[None]:
    """The right idea with a bracket or a colon too few: a syntax error, seen and undone."""
    right = bug.repaired(broken)
    spoilt = desk.rng.choice(
        [
            right.rstrip(":)") if right.rstrip().endswith((":", ")")) else f"{right} (",
            f"  {right}",
            f"{right})",
        ]
    )
    if spoilt == broken:
        return
    done = yield from desk.hands.edit_line(bug.file, bug.line, broken, spoilt)
    yield from desk.test(target)
    if done:
        yield from desk.before(bug.file, bug.line)
        yield from desk.hands.edit_line(bug.file, bug.line, spoilt, broken)
        yield from desk.after(bug.file, bug.line)
