"""Observations that the session before them rules out, and the guard that must see it.

The lies were written down (or said by the embedded model) before the rules. The same table has the
false alarms of the same rules on recorded truth: a guard that cries wolf catches everything.
"""

from benchmarks.show import Show
from benchmarks.verify.counts import errors, truth
from benchmarks.verify.sessions import DOMAINS, lies

SHOWN = 5


def check(show: Show) -> None:
    print(f"{'':10}{'caught':>12}{'by hand':>10}{'embedded':>10}{'turns':>9}{'false alarms':>14}")
    for domain in DOMAINS:
        found = lies(domain)
        seen = {one.id: bool(errors(one.moment, one.lie)) for one in found}
        caught = sum(seen.values())
        hand = sum(seen[one.id] for one in found if one.origin == "hand")
        turns, alarms = truth(show.data, domain)
        rows = len({(one.trajectory, one.turn) for one in alarms})
        total = sum(turns.values())
        print(
            f"{domain:10}{caught:>9}/{len(found)}{hand:10}{caught - hand:10}{total:9,}"
            f"{rows:8} {rows / max(total, 1):6.2%}"
        )
        for one in found:
            if not seen[one.id]:
                print(f"  not seen: {one.id} ({one.origin}): {one.why}")
        for alarm in alarms[:SHOWN]:
            print(f"  alarm: {alarm.trajectory} turn {alarm.turn}: {alarm.violation.rule}")
        half = sum(one.origin == "embedded" for one in found)
        show.measure(f"{domain} lies", len(found), better="higher", floor=20, n=len(found))
        show.measure(f"{domain} said by embedded", half, better="higher", floor=10, n=len(found))
        show.measure(
            f"{domain} lies caught", caught, better="higher", floor=16, goal=19, n=len(found)
        )
        show.measure(
            f"{domain} false alarms",
            rows / max(total, 1),
            better="lower",
            floor=0.005,
            goal=0.001,
            n=total,
            recorded=True,
        )
