"""Recorded truth scores 1.00 and draws no error; made wrong, the guard sees it without the truth.

Exceptions are listed in exceptions.toml beside the lies, each with its reason.
"""

from collections import Counter

from benchmarks.show import Show
from benchmarks.verify.counts import broken, errors
from benchmarks.verify.sessions import DOMAINS, sessions
from worldline.verify.measure import score
from worldline.verify.moments import moments

EACH = 60
"""Rows of a dialect that are made wrong."""
FREE = ("search",)
"""Domains whose text is free: little of it follows from what came before."""


def check(show: Show) -> None:
    for domain in DOMAINS:
        turns, right, unread = Counter[str](), Counter[str](), Counter[str]()
        for one in sessions(show.data, domain):
            for moment in moments(one):
                turns[one.dialect] += 1
                card = score(moment, moment.truth + "\n")  # a blank at the end is no difference
                parts = moment.domain.parts(moment.ledger, moment.action, moment.truth)
                unread[one.dialect] += parts is None
                whole = card.true.score == 1 and parts is not None
                right[one.dialect] += whole and not errors(moment, moment.truth)
        for dialect, count in sorted(turns.items()):
            share = right[dialect] / count
            name = f"{domain}/{dialect}"
            print(f"{name:28}{count:7,} turns  {share:.2%} whole, {unread[dialect]} unread")
            show.measure(
                f"{domain}/{dialect} truth",
                share,
                better="higher",
                floor=0.995,
                goal=0.999,
                n=count,
                recorded=True,
            )
        _flagged(show, domain)


def _flagged(show: Show, domain: str) -> None:
    """Rows on which the guard flags one of the row's own corruptions, with and without talk."""
    found = list(broken(show.data, domain, EACH))
    floor, goal = (0.3, 0.6) if domain in FREE else (0.6, 0.85)
    for what, some, least, most in (
        ("corrupted rows flagged", found, floor, goal),
        ("... by more than talk", [one for one in found if not one.talk], None, goal),
    ):
        rows, caught = {one.row for one in some}, {one.row for one in some if one.caught}
        print(f"{domain}: {what}: {len(caught)} of {len(rows)}")
        show.measure(
            f"{domain} {what}",
            len(caught) / max(len(rows), 1),
            better="higher",
            floor=least,
            goal=most,
            n=len(rows),
            recorded=True,
        )
