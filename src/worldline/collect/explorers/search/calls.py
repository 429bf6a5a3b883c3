"""Moves of an explorer where tools are called: searches and pages."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from worldline.collect.explorers.search.mind import Mind

Maker = Callable[[Mind, str], str | None]
"""(mind, dialect) -> the action, or `None` where the move makes no sense now."""


def call(name: str, **arguments: Any) -> str:
    """A call as an action."""
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def phrases(mind: Mind, kind: str) -> str:
    """One of the phrases of a kind, filled."""
    return mind.worded(mind.rng.choice(mind.phrases[kind]))


def find(mind: Mind, dialect: str, query: str, **more: Any) -> str:
    """A search."""
    mind.asked.append(query)
    if dialect == "awb":
        return call("web_search", query=query)
    if "number_of_results" not in more and mind.rng.random() < 0.4:
        more["number_of_results"] = mind.rng.choice((1, 2, 3, 4, 5, 6, 8, 10, 12))
    return call("web_search", search_query=query, **more)


def read(dialect: str, url: str, **more: Any) -> str:
    """A page."""
    return call("web_extractor" if dialect == "awb" else "browse", url=url, **more)


# searches


def _search(mind: Mind, dialect: str) -> str:
    if mind.topic.labels and mind.rng.random() < 0.4:
        return find(mind, dialect, f"{mind.title()} {mind.rng.choice(mind.topic.labels)}")
    if mind.topic.host and mind.rng.random() < 0.25:
        return find(mind, dialect, f"{mind.term()} {mind.rng.choice(mind.topic.start)}")
    return find(mind, dialect, phrases(mind, "queries"))


def _refine(mind: Mind, dialect: str) -> str | None:
    if not mind.asked:
        return None
    query = mind.asked[-1][:120]
    pattern = mind.rng.choice(("{q} {a}", '{q} "{a}"', "{q} -{a}", "{q} site:{h}", "{a} {q}"))
    return find(mind, dialect, mind.worded(pattern.replace("{q}", query)))


def _exact(mind: Mind, dialect: str) -> str:
    return find(mind, dialect, phrases(mind, "exact"))


def _site(mind: Mind, dialect: str) -> str:
    return find(mind, dialect, f"{mind.term()} site:{mind.host()}")


def _dated(mind: Mind, dialect: str) -> str | None:
    if dialect != "json":
        return None
    year = mind.rng.randint(2018, 2026)
    day = f"{year}-{mind.rng.randint(1, 12):02}-{mind.rng.randint(1, 28):02}"
    form = mind.rng.choice(("start", "end", "both", "wrong"))
    if form == "wrong":
        return find(mind, dialect, mind.term(), start_date=mind.rng.choice((str(year), "soon", "")))
    dates = {"start_date": day} if form != "end" else {"end_date": day}
    if form == "both":
        dates["end_date"] = f"{year + mind.rng.randint(-1, 2)}-12-31"
    return find(mind, dialect, phrases(mind, "queries"), **dates)


def _batch(mind: Mind, dialect: str) -> str | None:
    if dialect != "awb":
        return None
    several = [phrases(mind, "queries") for _ in range(mind.rng.choice((1, 2, 2, 2, 3)))]
    if mind.rng.random() < 0.15:
        several.append(mind.rng.choice(("", phrases(mind, "misses"))))
    return call("web_search", queries=several)


def _typo(mind: Mind, dialect: str) -> str:
    return find(mind, dialect, mind.mistyped(phrases(mind, "queries")))


def _miss(mind: Mind, dialect: str) -> str:
    return find(mind, dialect, phrases(mind, "misses"))


def _foreign(mind: Mind, dialect: str) -> str:
    return find(mind, dialect, phrases(mind, "foreign"))


def _empty(mind: Mind, dialect: str) -> str:
    return find(mind, dialect, mind.rng.choice(("", " ", "\n", '""', "?", "the", "...")))


def _long(mind: Mind, dialect: str) -> str:
    words = " ".join(mind.worded("{a} {b} {c}") for _ in range(mind.rng.randint(10, 40)))
    return find(mind, dialect, words[: mind.rng.randint(300, 900)])


def _again(mind: Mind, dialect: str) -> str | None:
    return find(mind, dialect, mind.rng.choice(mind.asked)) if mind.asked else None


# pages


def _open(mind: Mind, dialect: str) -> str | None:
    new = mind.near_urls()[-10:]
    if not new:
        return None
    url = new[min(mind.rng.randrange(len(new)), mind.rng.randrange(len(new)))]
    mind.read.append(url)
    return read(dialect, url)


def _goal(mind: Mind, dialect: str) -> str | None:
    new = mind.near_urls()[-10:]
    if not new:
        return None
    url = mind.rng.choice(new)
    mind.read.append(url)
    goal = phrases(mind, "goals")
    if mind.topic.labels and mind.rng.random() < 0.6:
        goal = mind.rng.choice(mind.topic.labels)
    elif mind.asked and mind.rng.random() < 0.6:
        goal = mind.asked[-1][:120]
    return read(dialect, url, goal=goal)


def _section(mind: Mind, dialect: str) -> str | None:
    if not mind.read or not mind.headings:
        return None
    name = mind.rng.choice(mind.headings)
    if mind.rng.random() < 0.25:
        name = name.lower()[: mind.rng.randint(4, 30)]
    return read(dialect, mind.read[-1], section=name)


def _no_section(mind: Mind, dialect: str) -> str | None:
    if not mind.read:
        return None
    name = mind.rng.choice((mind.mistyped(mind.term()), mind.rng.choice(mind.phrases["sections"])))
    return read(dialect, mind.rng.choice(mind.read[-5:]), section=name)


def _more(mind: Mind, dialect: str) -> str | None:
    return read(dialect, mind.read[-1], page=mind.last.more) if mind.last.more else None


def _no_page(mind: Mind, dialect: str) -> str | None:
    if not mind.read:
        return None
    page = mind.rng.choice((0, -1, mind.rng.randint(2, 9), mind.rng.randint(20, 400)))
    return read(dialect, mind.rng.choice(mind.read[-5:]), page=page)


def _link(mind: Mind, dialect: str) -> str | None:
    new = [url for _, url in mind.links[-60:] if url not in mind.read]
    if not new:
        return None
    near = [url for url in new if mind.is_near(url)] or [u for u in new if mind.is_known(u)]
    url = mind.rng.choice(near if near and mind.rng.random() < 0.9 else new)
    mind.read.append(url)
    return read(dialect, url)


def _missing(mind: Mind, dialect: str) -> str:
    return read(dialect, f"https://{mind.host()}{phrases(mind, 'paths')}".replace(" ", "_"))


def _stranger(mind: Mind, dialect: str) -> str:
    host = phrases(mind, "hosts").lower().replace(" ", "-")
    return read(dialect, f"http{mind.rng.choice(('', 's'))}://{host}{phrases(mind, 'paths')}")


def _bad_url(mind: Mind, dialect: str) -> str:
    return read(
        dialect, mind.rng.choice(("", phrases(mind, "bad_urls"), phrases(mind, "bad_urls")))
    )


MOVES: Mapping[str, Maker] = {
    "search": _search,
    "refine": _refine,
    "exact": _exact,
    "site": _site,
    "dated": _dated,
    "batch": _batch,
    "typo": _typo,
    "miss": _miss,
    "foreign": _foreign,
    "empty": _empty,
    "long": _long,
    "again": _again,
    "open": _open,
    "goal": _goal,
    "section": _section,
    "no_section": _no_section,
    "more": _more,
    "no_page": _no_page,
    "link": _link,
    "missing": _missing,
    "stranger": _stranger,
    "bad_url": _bad_url,
}
