"""What `verify` and `assess` tell on stderr."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from worldline.cli.common import say

if TYPE_CHECKING:
    from worldline.bench.tally import Group

LISTED = 6
"""Rules on one line, at most."""


def tell(groups: "Sequence[Group]") -> None:
    """Scores in a table and what stands beside them; of recordings, the rules alone."""
    from worldline.bench.verify_page import only_rules

    if only_rules(groups):
        _tell_rules(groups)
    else:
        _tell_scores(groups)


def tell_unknown(counts: Mapping[str, int], unit: str) -> None:
    """Say of each domain that is not installed how its rows were read.

    Args:
        counts: domain -> rows.
    """
    from worldline.domains import names

    for name, count in counts.items():
        if name not in names():
            say(
                f'"{name}" is not an installed domain: its {count:,} {unit} are read as plain '
                f"text, and no rules of its own ran. Installed: {', '.join(names())}."
            )


def tell_guessed(counts: Mapping[tuple[str, str], int]) -> None:
    """Say which dialects were guessed.

    Args:
        counts: (domain, dialect) -> rows that do not say theirs.
    """
    from worldline.domains import names

    told = [f"{a}/{b} {count:,} rows" for (a, b), count in counts.items() if a in names()]
    if told:
        say(f"dialect guessed: {', '.join(told)}")


def _tell_scores(groups: "Sequence[Group]") -> None:
    from worldline.verify.compare import DIMENSIONS

    names = [*DIMENSIONS, "true", "plausible"]
    say(f"{'':22}{'rows':>7}{'scored':>8}" + "".join(f"{name[:11]:>12}" for name in names))
    for one in groups:
        values = [one.true.get(d) for d in (*DIMENSIONS, "score")] + [one.plausible.get("score")]
        cells = "".join(f"{'–' if v is None else format(v, '.3f'):>12}" for v in values)
        say(f"{_name(one):22}{one.rows:7,}{one.scored / one.rows:8.1%}{cells}")
    for one in _wholes(groups):
        unknowable = one.scored - one.knowable
        if unknowable:
            known = one.true_knowable.get("score")
            apart = "" if known is None else f"; without them true is {known:.3f}"
            say(f"{one.domain}: {unknowable:,} of {one.scored:,} rows are unknowable{apart}")
        if one.errors or one.warnings:
            broken = f"{one.errors:,} rows are impossible, {one.warnings:,} odd"
            say(f"{one.domain}: {broken}: {listed(one.rules)}")
        if one.notes:
            say(f"{one.domain}: of the action, {one.noted:,} rows: {listed(one.notes)}")
        if one.reasons:
            why = ", ".join(f"{reason} {count:,}" for reason, count in one.reasons.items())
            say(f"{one.domain}: unscored: {why}")


def listed(counts: Mapping[str, int]) -> str:
    """The first of some counts, and how many names are left."""
    told = ", ".join(f"{name} {count:,}" for name, count in list(counts.items())[:LISTED])
    return told if len(counts) <= LISTED else f"{told} and {len(counts) - LISTED:,} more"


def _tell_rules(groups: "Sequence[Group]") -> None:
    wholes = _wholes(groups)
    turns, errors = sum(one.rows for one in wholes), sum(one.errors for one in wholes)
    odd, noted = sum(one.warnings for one in wholes), sum(one.noted for one in wholes)
    apart = f"; {noted:,} with a note of the action" if noted else ""
    say(f"only rules ran: {turns:,} turns, {errors:,} impossible, {odd:,} odd{apart}")
    say(f"{'':32}{'turns':>9}{'impossible':>12}{'odd':>9}{'of the action':>15}")
    for one in groups:
        counts = (one.rows, one.errors, one.warnings, one.noted)
        say(_line(_name(one), *(f"{count:,}" for count in counts)))
    for one in wholes:
        for rule, count in one.rules.items():
            errors = one.impossible.get(rule, 0)
            say(_line(f"{one.domain}: {rule}", "", f"{errors:,}", f"{count - errors:,}", ""))
        for rule, count in one.notes.items():
            say(_line(f"{one.domain}: {rule}", "", "", "", f"{count:,}"))


def _line(name: str, turns: str, impossible: str, odd: str, action: str) -> str:
    return f"{name:32}{turns:>9}{impossible:>12}{odd:>9}{action:>15}".rstrip()


def _name(group: "Group") -> str:
    return group.domain if group.dialect == "*" else f"  {group.dialect}"


def _wholes(groups: "Sequence[Group]") -> "list[Group]":
    return [group for group in groups if group.dialect == "*"]
