"""Cases out of recorded sessions, kept only where they tell right from wrong.

A line of an observation is asked for when it is content (no time, no prompt) and telling: long
enough, and not said by the action itself. A proposal is kept when the truth passes its checks, and
neither silence, nor the observation before, nor the action repeated, nor the truth with its words
replaced does.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from random import Random

from worldline.bench.rules.case import AXES, Axis, Case
from worldline.domains.parts import Part
from worldline.tasks.checks import evaluate
from worldline.tasks.task import Check
from worldline.tasks.texts import Texts
from worldline.trajectory import Trajectory
from worldline.verify import runtime
from worldline.verify.corrupt.common import content_replaced
from worldline.verify.knowable import unknown_words
from worldline.verify.measure import Moment
from worldline.verify.moments import moments

LINES = 3
"""Lines that a case asks for, at most."""
SHORTEST, LONGEST = 8, 160
"""Characters of a line that is asked for."""
WORDS = re.compile(r"[^\W\d_]{3,}")
"""A line is telling if it has two of these, or a name with a suffix."""
NAME = re.compile(r"[\w-]{2,64}\.\w{1,8}\b")
FAR = 2
"""Turns back, at least, that the memory axis reaches."""
INSTRUCTION = (
    "Simulate this session so that one of its answers holds certain lines. When the agent sends "
    "the action that begins with\n    {action}\nthe environment's answer holds these lines, "
    "exactly as they stand here:\n{lines}\nNo earlier answer holds them."
)


def propose(trajectories: Iterable[Trajectory], each: int = 60) -> list[Case]:
    """The cases of some sessions, `each` a domain: axes alike, sessions and dialects in turn."""
    found: defaultdict[tuple[str, Axis], defaultdict[str, list[Case]]]
    found = defaultdict(lambda: defaultdict(list))
    for trajectory in trajectories:
        for case in proposals(trajectory):
            found[case.domain, case.axis][f"{case.dialect}|{case.family}"].append(case)
    chosen: list[Case] = []
    for key in sorted(found):
        groups = [_spread(cases) for _, cases in sorted(found[key].items())]
        wanted = each // len(axes(key[0]))
        taken = [case for turn in zip_longest(*groups) for case in turn if case is not None]
        chosen += taken[:wanted]
    return chosen


def axes(domain: str) -> tuple[Axis, ...]:
    """The axes of a domain: a search that finds nothing is no error."""
    return tuple(axis for axis in AXES if (domain, axis) != ("search", "error"))


def _spread(cases: list[Case]) -> list[Case]:
    """One of each session first, in an order that does not favour early ones."""
    seen: defaultdict[str, int] = defaultdict(int)
    ranked: list[tuple[int, str, Case]] = []
    for case in sorted(cases, key=lambda one: Random(one.id).random()):
        ranked.append((seen[case.trajectory], case.id, case))
        seen[case.trajectory] += 1
    return [case for _, _, case in sorted(ranked, key=lambda one: one[0])]


ROOM = 200
"""Characters that any answer may have."""


def proposals(trajectory: Trajectory) -> Iterator[Case]:
    """Every case that a session gives, validated."""
    before = ""
    for moment in moments(trajectory):
        for axis, lines in _axes(moment):
            if axis not in axes(trajectory.domain):
                continue
            case = _case(trajectory, moment, axis, lines)
            if tells(case, moment, before):
                yield case
        before = moment.truth


def _axes(moment: Moment) -> Iterator[tuple[Axis, list[str]]]:
    parts = moment.domain.parts(moment.ledger, moment.action, moment.truth)
    lines = _telling(moment, parts or ())
    if not lines:
        return
    known = not unknown_words(moment, parts)
    status = moment.domain.status(moment.ledger, moment.action, moment.truth)
    if status not in (None, "ok", "0"):
        if known:
            yield "error", lines[:LINES]
        return
    if known:
        far = moment.turn + 1 - FAR
        old = [line for line in lines if not moment.seen.unseen(line, far, (moment.action,))]
        if old:
            yield "memory", old[:LINES]
    else:
        yield "control", lines[:LINES]


def _telling(moment: Moment, parts: Iterable[Part]) -> list[str]:
    found: dict[str, None] = {}
    for part in parts:
        line = part.text.strip()
        varies = runtime.masked(line, moment.domain.runtime) != line
        if part.kind != "content" or varies or not SHORTEST <= len(line) <= LONGEST:
            continue
        if len(set(WORDS.findall(line))) < 2 and NAME.search(line) is None:
            continue
        if line in moment.truth and line not in moment.action and "\n" not in line:
            found.setdefault(line)
    return list(found)


def _case(trajectory: Trajectory, moment: Moment, axis: Axis, lines: list[str]) -> Case:
    family = str(trajectory.meta.get("family") or "")
    instruction = None
    if axis == "control":
        action = moment.action.strip().split("\n")[0][:200]
        listed = "\n".join(f"    {line}" for line in lines)
        instruction = INSTRUCTION.format(action=action, lines=listed)
    return Case(
        id=f"{trajectory.id}/{moment.turn}/{axis}",
        axis=axis,
        domain=trajectory.domain,
        dialect=trajectory.dialect,
        family=family,
        trajectory=trajectory.id,
        turn=moment.turn,
        checks=(Check(op="contains", arg={"value": lines, "squeeze": True}),),
        instruction=instruction,
        longest=max(ROOM, 2 * len(moment.truth)),
    )


def tells(case: Case, moment: Moment, before: str) -> bool:
    """Whether the checks tell the truth from what is surely not the answer."""
    other = content_replaced(moment, Random(case.id), 1.0) or ""
    wrong = ("", before, moment.action, other)
    return passes(case, moment.truth) and not any(passes(case, text) for text in wrong)


def passes(case: Case, observation: str) -> bool:
    """Whether an observation passes all checks of a case."""
    if case.longest is not None and len(observation) > case.longest:
        return False
    texts = Texts(observation=observation, domain=case.domain, dialect=case.dialect)
    return all(evaluate(check, texts).ok for check in case.checks)
