"""Observations made wrong on purpose: the dimension declared beforehand drops, the others stay."""

from collections import Counter, defaultdict

from benchmarks.show import Show
from benchmarks.verify.counts import Broken, benign, broken
from benchmarks.verify.sessions import DOMAINS
from worldline.verify.corrupt import corruptions, variants

EACH = 60


def check(show: Show) -> None:
    for domain in DOMAINS:
        kinds: defaultdict[str, list[Broken]] = defaultdict(list)
        for one in broken(show.data, domain, EACH):
            kinds[one.name].append(one)
        declared = {one.name: one.dimension for one in corruptions(domain)}
        print(f"\n{domain:26}{'costs':14}{'rows':>6}{'drops':>8}{'others stay':>13}{'guard':>8}")
        for name, some in kinds.items():
            n = len(some)
            print(
                f"  {name:24}{declared[name]:14}{n:6}{sum(o.drops for o in some) / n:8.1%}"
                f"{sum(o.still for o in some) / n:13.1%}{sum(o.caught for o in some) / n:8.1%}"
            )
        _measures(show, domain, [one for some in kinds.values() for one in some], kinds)
        _benign(show, domain)


def _measures(show: Show, domain: str, found: list[Broken], kinds: dict[str, list[Broken]]) -> None:
    n = len(found)
    drops, still = sum(o.drops for o in found), sum(o.still for o in found)
    above, heavier = sum(o.above for o in found), sum(o.heavier_better for o in found)
    applied = sum(len(some) >= 20 for some in kinds.values())
    show.measure(f"{domain} kinds", applied, better="higher", floor=12, n=n, recorded=True)
    share = drops / max(n, 1)
    show.measure(
        f"{domain} drops", share, better="higher", floor=0.95, goal=0.99, n=n, recorded=True
    )
    stay = still / max(n, 1)
    show.measure(f"{domain} others stay", stay, better="higher", floor=0.8, n=n, recorded=True)
    show.measure(f"{domain} above truth", above, better="lower", floor=0, n=n, recorded=True)
    show.measure(f"{domain} heavier better", heavier, better="lower", floor=0, n=n, recorded=True)


def _benign(show: Show, domain: str) -> None:
    below, times = Counter[str](), Counter[str]()
    for name, value in benign(show.data, domain, EACH):
        times[name] += 1
        below[name] += value < 1 - 1e-9
    for one in variants(domain):
        print(f"  benign {one.name:24}{times[one.name]:6} rows, {below[one.name]} below 1.00")
    n = sum(times.values())
    show.measure(f"{domain} benign kinds", len(times), better="higher", floor=5, n=n, recorded=True)
    show.measure(
        f"{domain} benign below 1", below.total(), better="lower", floor=0, n=n, recorded=True
    )
