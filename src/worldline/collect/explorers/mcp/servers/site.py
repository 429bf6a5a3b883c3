"""Goals at the fetch server: a small site on the loopback."""

import re

from worldline.collect.explorers.mcp.hand import Goal, Hand

ROOT = "http://127.0.0.1:8000"
_TOLD = re.compile(r"^/home/user/site/(\S+\.html) \(", re.MULTILINE)


def _page(hand: Hand) -> str:
    if "pages" not in hand.pool:
        hand.pool["pages"] = [f"{ROOT}/{name}" for name in _TOLD.findall(hand.initial)] or [ROOT]
    return hand.rng.choice(hand.pool["pages"])


def _part(hand: Hand) -> dict[str, object]:
    """How much of a page, and in which form."""
    more: dict[str, object] = {}
    if hand.chance(0.6):
        more["max_length"] = hand.rng.randint(60, 3_000)
    if hand.chance(0.3):
        more["start_index"] = hand.rng.randint(1, 900)
    if hand.chance(0.25):
        more["raw"] = True
    return more


def walk(hand: Hand) -> Goal:
    """The start page, then where it leads."""
    start = hand.rng.choice((ROOT, f"{ROOT}/", f"{ROOT}/index.html"))
    yield hand.call("fetch", "open", url=start, **_part(hand))
    for _ in range(hand.rng.randint(1, 4)):
        yield hand.call("fetch", "follow", url=_page(hand), **_part(hand))


def piecewise(hand: Hand) -> Goal:
    """A page in pieces."""
    url, size = _page(hand), hand.rng.randint(50, 900)
    at = 0
    for _ in range(hand.rng.randint(2, 4)):
        got = yield hand.call("fetch", "go on", url=url, max_length=size, start_index=at)
        if got.failed:
            return
        at += size if hand.chance(0.9) else 100_000


def data(hand: Hand) -> Goal:
    """What is no page."""
    name = hand.rng.choice(("data.json", "prices.txt", "data.json"))
    more = {"max_length": hand.rng.randint(20, 2_000)} if hand.chance(0.5) else {}
    yield hand.call("fetch", "open", url=f"{ROOT}/{name}", raw=hand.chance(0.5), **more)


def nowhere(hand: Hand) -> Goal:
    """Pages, ports and hosts that are not there."""
    url = hand.rng.choice(
        (
            f"{ROOT}/{hand.words.slug('-')}.html",
            f"http://127.0.0.1:{hand.rng.randint(8001, 9999)}/",
            f"https://{hand.words.one('unit')}.example/",
            f"ftp://127.0.0.1/{hand.words.one('thing')}",
            f"{ROOT}/../{hand.words.one('thing')}",
            hand.words.slug("-"),
        )
    )
    yield hand.call("fetch", "out of reach", url=url)


GOALS = ((2.0, walk), (1.5, piecewise), (0.8, data), (0.8, nowhere))
