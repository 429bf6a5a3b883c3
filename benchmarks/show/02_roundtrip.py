"""Every recorded text of every dialect: parsed, dumped to JSON, reloaded, rendered: the same text.

And what that is worth: no field but leaf text holds a large part of its source (`honest`), an edit
script between two recorded states gives the second exactly, and the dialect of a trajectory is
found without being told. Dialects that nobody recorded are shown apart, on small rows of our own.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec

from benchmarks.show import Show, walk
from benchmarks.show.honest import SHORT, Large, json_strings, large, leaf, opaque
from worldline import jsonl
from worldline.domains.base import ActionError, Dialect, Domain
from worldline.trajectory import Trajectory
from worldline.trees import PatchError, apply, apply_past, diff, diff_past

FLOOR, GOAL, DETECTED = 0.995, 1.0, 0.99
LISTED = 12
"""Exceptions of a kind that are printed for each dialect."""
SUMMED = ("rows", "exact", "pairs", "patched", "trajectories", "detected", "structured", "noticed")
AROUND = 60
"""Characters shown before and after a first difference."""


@dataclass
class Tally:
    """What was found in one dialect."""

    rows: int = 0
    exact: int = 0
    refused: int = 0
    """Actions that the dialect says are none: they count as not exact."""
    wrong: list[str] = field(default_factory=list)
    opaque: list[str] = field(default_factory=list)
    structured: int = 0
    """Texts that are plainly JSON or a state."""
    noticed: int = 0
    """Of those, how many would be noticed if they were kept whole in one field."""
    fields: Counter[str] = field(default_factory=Counter)
    """Fields that hold large leaf text, and in how many rows."""
    pairs: int = 0
    patched: int = 0
    trajectories: int = 0
    detected: int = 0
    taken_for: Counter[str] = field(default_factory=Counter)


def check(show: Show) -> None:
    for domain in walk.installed(show):
        found = walk.recordings(show, domain.id)
        if not found:
            found = walk.small(domain.id)
        report(show, domain, tallies(domain, found))
        reference(show, domain)


def tallies(domain: Domain, found: list[Trajectory]) -> dict[str, Tally]:
    """Dialect -> what was found over these trajectories."""
    made: dict[str, Tally] = {}
    for name, group in walk.by_dialect(domain, found).items():
        made[name] = tally = Tally()
        for trajectory in group:
            taken = domain.detect(trajectory)
            tally.trajectories += 1
            tally.detected += taken == name
            if taken != name:
                tally.taken_for[taken] += 1
                tally.wrong.append(f"{trajectory.id}: detected as {taken}")
            if name not in domain.dialects:
                tally.rows += sum(1 for _ in walk.texts(trajectory))
                continue
            examine(domain, domain.dialects[name], trajectory, tally)
    return made


def examine(domain: Domain, dialect: Dialect, trajectory: Trajectory, tally: Tally) -> None:
    """Every text and every pair of states of one trajectory."""
    for row in walk.texts(trajectory):
        tally.rows += 1
        where = f"{row.trajectory}, turn {row.turn}, {row.kind}"
        again, dumped = round_trip(dialect, row.kind, row.text)
        tally.exact += again == row.text
        tally.refused += again is None
        if again != row.text:
            tally.wrong.append(f"{where}: {difference(row.text, again)}")
        judge(f"{domain.id}/{dialect.id}", dialect, row, dumped, tally)
    for step in walk.steps(trajectory, dialect):
        tally.pairs += 1
        right = patched(dialect, step)
        tally.patched += right
        if not right:
            tally.wrong.append(f"{trajectory.id}, turn {step.turn}: apply(diff) differs")


def round_trip(dialect: Dialect, kind: walk.Kind, text: str) -> tuple[str | None, Any]:
    """The text rendered from a reloaded parse (`None`: no action), and the parse as JSON values."""
    acts = kind == "action"
    parse, render = (
        (dialect.parse_action, dialect.render_action)
        if acts
        else (dialect.parse_observation, dialect.render_observation)
    )
    try:
        parsed = parse(text)
        dumped = jsonl.loads(jsonl.dumps(msgspec.to_builtins(parsed)))
        made = msgspec.convert(dumped, dialect.action if acts else dialect.observation)
        return render(made), dumped
    except ActionError:
        return None, None
    except Exception as error:  # a parser must not raise: shown as a text that differs
        return f"RAISED {type(error).__name__}: {error}", None


def judge(name: str, dialect: Dialect, row: walk.Text, dumped: Any, tally: Tally) -> None:
    """Count the large strings of one parse: declared leaf text, or kept whole."""
    if dumped is None:
        return
    kind = "action" if row.kind == "action" else "observation"
    form = None if kind == "action" else dialect.tree
    state = form.parse(row.text) if form else None
    if len(row.text) >= SHORT and (state is not None or json_strings(row.text) is not None):
        tally.structured += 1
        whole = Large("text", row.text, 1.0)
        tally.noticed += opaque(row.text, whole, "control", state) is not None
    seen: set[str] = set()
    for one in large(row.text, dumped):
        path = f"{kind}:{one.path}"
        why = opaque(row.text, one, leaf(name, path), state)
        if why is None:
            tally.fields.update({path} - seen)
            seen.add(path)
        else:
            tally.opaque.append(told(row, one, path, why))


def told(row: walk.Text, one: Large, path: str, why: str) -> str:
    """A field that holds too much, in words."""
    return (
        f"{row.trajectory}, turn {row.turn}: {path} holds {one.share:.0%} of {len(row.text)} "
        f"characters and {why}: {one.text[:AROUND]!r}"
    )


def patched(dialect: Dialect, step: walk.Step) -> bool:
    """Whether the edit scripts between two states, that which `fits` counts included, give the
    second exactly."""
    form, before, after = dialect.tree, step.before, step.after
    assert form is not None
    try:
        counted = diff_past(form, step.earlier, before, after)
        if apply_past(form, counted, step.earlier, before) != after:
            return False
        return apply(form, diff(form, before, after), before) == after
    except PatchError:
        return False


def difference(source: str, again: str | None) -> str:
    """Where two texts part."""
    if again is None:
        return f"is no action: {source[: 2 * AROUND]!r}"
    shared = min(len(source), len(again))
    at = next((i for i in range(shared) if source[i] != again[i]), shared)
    start = max(at - AROUND, 0)
    return f"at {at}: {source[start : at + AROUND]!r} -> {again[start : at + AROUND]!r}"


def report(show: Show, domain: Domain, found: dict[str, Tally]) -> None:
    """The table of one domain, its exceptions, and its measures."""
    print(
        f"\n{domain.id:22}{'rows':>7}{'exact':>9}{'no action':>10}{'kept whole':>11}"
        f"{'pairs':>7}{'patched':>9}{'detected':>10}"
    )
    for name, one in sorted(found.items()):
        if not one.rows:
            continue
        pairs = f"{one.pairs:7}{one.patched / one.pairs:9.1%}" if one.pairs else f"{0:7}{'-':>9}"
        print(
            f"  {name:20}{one.rows:7}{one.exact / one.rows:9.2%}{one.refused:10}"
            f"{len(one.opaque):11}{pairs}{one.detected / one.trajectories:10.1%}"
        )
        for path, times in one.fields.most_common():
            print(f"      leaf text {path} in {times} rows")
        for kind, lines in (("differs", one.wrong), ("kept whole", one.opaque)):
            for line in lines[:LISTED]:
                print(f"      {kind}: {line}")
            if len(lines) > LISTED:
                print(f"      {kind}: ... and {len(lines) - LISTED} more")
        measures(show, f"{domain.id}/{name}", one)
    measures(show, domain.id, total(found))


def total(found: dict[str, Tally]) -> Tally:
    """All dialects together."""
    made = Tally()
    for one in found.values():
        for name in SUMMED:
            setattr(made, name, getattr(made, name) + getattr(one, name))
        made.opaque += one.opaque
    return made


def measures(show: Show, name: str, one: Tally, *, recorded: bool = True) -> None:
    """The measures of one dialect or domain."""

    def share(what: str, held: int, of: int, floor: float, goal: float = 1.0) -> None:
        value = held / of if of else 0.0
        show.measure(
            f"{name} {what}",
            value,
            better="higher",
            floor=floor,
            goal=goal,
            n=of,
            recorded=recorded,
        )

    share("exact", one.exact, one.rows, FLOOR, GOAL)
    whole = len(one.opaque)
    show.measure(
        f"{name} kept whole", whole, better="lower", floor=0, goal=0, n=one.rows, recorded=recorded
    )
    if one.structured:
        share("noticed if kept whole (control)", one.noticed, one.structured, 1.0)
    if one.pairs:
        share("patched", one.patched, one.pairs, 1.0)
    share("detected", one.detected, one.trajectories, DETECTED)


def reference(show: Show, domain: Domain) -> None:
    """Dialects that no recorded row has: the same on small rows of our own, shown apart."""
    ours = tallies(domain, walk.small(domain.id))
    for name, dialect in domain.dialects.items():
        if dialect.recorded:
            continue
        one = ours.get(name, Tally())
        print(f"  from reference: {name}, {one.rows} texts of our own, {one.exact} exact")
        for line in [*one.wrong, *one.opaque][:LISTED]:
            print(f"      {line}")
        measures(show, f"{domain.id}/{name} (from reference)", one, recorded=False)
