"""Certain answers against the recorded truth, turn by turn: what the checks `known` share.

Every recorded trajectory is replayed; before each turn the ledger, which has seen only the turns
before, may claim the observation. A claim must be byte-exact but for trailing blanks and CR.
Answers of the protocol (an unknown tool, broken arguments) are counted apart.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from benchmarks.show import Show
from worldline.collect.importers.common import read_common
from worldline.domains import domain as find_domain
from worldline.domains.base import Domain, Known
from worldline.facts import Fact
from worldline.trajectory import Trajectory

SHOWN = 1_500
"""Characters of each text of a disagreement that are printed."""


@dataclass(frozen=True)
class Claim:
    """One answer that was claimed to be certain, and what really came."""

    trajectory: str
    dialect: str
    turn: int
    action: str
    known: Known
    truth: str

    @property
    def right(self) -> bool:
        """Byte-exact but for trailing blanks and CR."""
        return bare(self.known.observation) == bare(self.truth)


@dataclass
class Tally:
    """Turns and claims of one dialect."""

    turns: int = 0
    claims: list[Claim] = field(default_factory=list)

    def split(self, origin: str) -> tuple[int, int]:
        """Claims of this origin, and how many of them were wrong."""
        some = [claim for claim in self.claims if claim.known.origin == origin]
        return len(some), sum(not claim.right for claim in some)


def bare(text: str) -> str:
    """The text without blanks and CR at the ends of lines, and without blank lines at its end."""
    return "\n".join(line.rstrip(" \t\r") for line in text.split("\n")).rstrip("\n")


def claims(found: Domain, trajectory: Trajectory) -> list[Claim]:
    """What the ledger claims over a whole trajectory."""
    made = []
    given = trajectory.meta.get("facts")  # what a collected session started with
    ledger = found.open(trajectory, msgspec.convert(given or [], list[Fact]))
    for number, turn in enumerate(trajectory.turns, 1):
        known = found.protocol(ledger, turn.action) or found.known(ledger, turn.action)
        if known is not None:
            made.append(
                Claim(
                    trajectory=trajectory.id,
                    dialect=trajectory.dialect,
                    turn=number,
                    action=turn.action,
                    known=known,
                    truth=turn.observation,
                )
            )
        ledger = found.track(ledger, msgspec.structs.replace(turn, state_before=None), "real")
    return made


def known_turns(domain: str, path: Path) -> dict[str, Tally]:
    """Dialect -> tally, over every recorded trajectory of a domain."""
    tallies: dict[str, Tally] = {}
    found = find_domain(domain)
    for trajectory in read_common(path):
        tally = tallies.setdefault(trajectory.dialect, Tally())
        tally.turns += len(trajectory.turns)
        tally.claims += claims(found, trajectory)
    return tallies


def upper_bound(errors: int, n: int, risk: float = 0.05) -> float:
    """One-sided Clopper-Pearson bound on an error rate (for 0 errors: about 3/n)."""
    low, high = errors / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(errors, n, middle) > risk:
            low = middle
        else:
            high = middle
    return high


def _at_most(k: int, n: int, p: float) -> float:
    """Probability of at most `k` of `n` when each has probability `p`."""
    if p >= 1.0:
        return float(k >= n)
    term = (1 - p) ** n
    total = term
    for i in range(1, k + 1):
        term *= (n - i + 1) / i * p / (1 - p)
        total += term
    return total


def report(domain: str, tallies: dict[str, Tally]) -> None:
    """The table of one domain, its rules, and every disagreement with both texts."""
    print(
        f"\n{domain:24}{'turns':>8}{'known':>8}{'errors':>8}{'bound':>9}{'coverage':>10}{'protocol':>10}"
    )
    for dialect, tally in sorted(tallies.items()):
        n, wrong = tally.split("known")
        asked, refused = tally.split("protocol")
        bound = f"{upper_bound(wrong, n):.1%}" if n else "-"
        print(
            f"  {dialect:22}{tally.turns:8}{n:8}{wrong:8}{bound:>9}{n / tally.turns:10.1%}"
            f"{asked:7}/{refused}"
        )
    rules = Counter(claim.known.rule for tally in tallies.values() for claim in tally.claims)
    print("  rules: " + ", ".join(f"{rule} {times}" for rule, times in rules.most_common()))
    for claim in (claim for tally in tallies.values() for claim in tally.claims if not claim.right):
        print(f"\n  DISAGREES {claim.trajectory}, turn {claim.turn} ({claim.known.rule})")
        for name, text in (
            ("action", claim.action),
            ("known", claim.known.observation),
            ("truth", claim.truth),
        ):
            print(f"  {name:7} {text[:SHOWN]!r}")


def measures(show: Show, domain: str, floor: int | None = None) -> int:
    """Known turns, errors, bound and coverage of one domain, by dialect; how many are known.

    Args:
        floor: known turns that there must be at least. Without one a domain may know nothing for
            certain: then its errors are counted over all of its turns.
    """
    tallies = known_turns(domain, show.data / f"{domain}.jsonl")
    report(domain, tallies)
    turns = sum(tally.turns for tally in tallies.values())
    n, wrong = (
        sum(pair) for pair in zip(*(t.split("known") for t in tallies.values()), strict=True)
    )
    asked, refused = (
        sum(pair) for pair in zip(*(t.split("protocol") for t in tallies.values()), strict=True)
    )
    lower, higher = "lower", "higher"
    claimed = turns if floor is None else n
    show.measure(f"{domain} known turns", n, better=higher, floor=floor, n=turns, recorded=True)
    show.measure(f"{domain} errors", wrong, better=lower, floor=0, goal=0, n=claimed, recorded=True)
    if n:
        bound = upper_bound(wrong, n)
        show.measure(f"{domain} error rate", wrong / n, better=lower, n=n, lo=0.0, hi=bound)
    show.measure(f"{domain} coverage", n / turns if turns else 0.0, better=higher, n=turns)
    show.measure(f"{domain} protocol answers", asked, better=higher, n=turns)
    if asked:
        show.measure(f"{domain} protocol errors", refused, better=lower, floor=0, n=asked)
    for dialect, tally in sorted(tallies.items()):
        known, bad = tally.split("known")
        if known:
            hi = upper_bound(bad, known)
            show.measure(
                f"{domain}/{dialect} errors", bad, better=lower, floor=0, n=known, lo=0.0, hi=hi
            )
    return n
