"""One domain at a glance, while its rules and measures are worked on."""

import sys
from collections import Counter, defaultdict

from benchmarks.show import SMALL, real_data
from benchmarks.verify.counts import benign, broken, errors, truth
from benchmarks.verify.sessions import lies

EACH = 60
SHOWN = 12


def main(domain: str) -> None:
    data = real_data() or SMALL
    turns, alarms = truth(data, domain)
    print(f"{domain}: {sum(turns.values())} turns, {len(alarms)} false alarms")
    for dialect, count in turns.items():
        wrong = len({(a.trajectory, a.turn) for a in alarms if a.dialect == dialect})
        print(f"  {dialect:20}{count:7} turns  {wrong / count:.2%} with an alarm")
    for one in alarms[:SHOWN]:
        print(
            f"    {one.trajectory} turn {one.turn}: {one.violation.rule}: {one.violation.message}"
        )
    for lie in lies(domain):
        found = errors(lie.moment, lie.lie)
        alarm = errors(lie.moment, lie.moment.truth)
        print(f"  {'caught' if found else 'MISSED'} {lie.id} ({lie.origin}): {lie.why}", end="")
        print(f" ALARM {alarm[0].rule}" if alarm else "")
    _corruptions(domain)


def _corruptions(domain: str) -> None:
    data = real_data() or SMALL
    found = list(broken(data, domain, EACH))
    print(
        f"{'corruption':26}{'n':>5}{'drops':>8}{'still':>8}{'above':>7}{'heavier':>9}{'guard':>8}"
    )
    by_name: defaultdict[str, list[object]] = defaultdict(list)
    for one in found:
        by_name[one.name].append(one)
    for name in by_name:
        some = [one for one in found if one.name == name]
        n = len(some)
        print(
            f"{name:26}{n:5}{sum(o.drops for o in some) / n:8.1%}"
            f"{sum(o.still for o in some) / n:8.1%}{sum(o.above for o in some):7}"
            f"{sum(o.heavier_better for o in some):9}{sum(o.caught for o in some) / n:8.1%}"
        )
    for what, some in (("any", found), ("more than talk", [o for o in found if not o.talk])):
        rows, caught = {one.row for one in some}, {one.row for one in some if one.caught}
        print(f"rows on which the guard catches {what}: {len(caught)} of {len(rows)}")
    scores = Counter((name, value >= 1 - 1e-9) for name, value in benign(data, domain, EACH))
    for (name, right), count in sorted(scores.items()):
        print(f"benign {name:26}{count:5} {'at 1.00' if right else 'BELOW 1'}")


if __name__ == "__main__":
    main(sys.argv[1])
