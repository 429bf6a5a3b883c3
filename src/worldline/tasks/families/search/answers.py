"""Families that end in an answer."""

import re

from worldline.tasks.families.search import sites
from worldline.tasks.families.search.sites import Site, Told, site
from worldline.tasks.task import Place, Task

FACTS = (("machines", 1), ("company", 2), ("town", 3), ("machines", 4), ("company", 5), ("town", 6))
HOPS = (("company", 21), ("machines", 22), ("town", 23), ("company", 24), ("town", 25))
REVERSE = (("stations", 31), ("library", 32), ("stations", 33), ("library", 34), ("stations", 35))
BROWSED = (("machines", 41), ("town", 42), ("company", 43), ("machines", 44))
READER = (("library", 51), ("stations", 52), ("library", 53), ("stations", 54), ("library", 55))
WORDS = ("otter", "lighthouse", "harpsichord", "brigantine")
HEADERS = (("epoll_create", "2"), ("pthread_create", "3"), ("inotify_init", "2"))


def tasks() -> list[Task]:
    """All of them."""
    return [
        *(_fact(*one) for one in FACTS),
        *(_two_hops(*one) for one in HOPS),
        *(_reverse(*one) for one in REVERSE),
        *(_browsed(*one) for one in BROWSED),
        *(_reader(*one) for one in READER),
        *(_kind(word) for word in WORDS),
        *(_header(*one) for one in HEADERS),
    ]


def _any_fact(of: Site) -> Told:
    return sites.facts(of, sites.things(of)[0])[0]


def _fact(kind: str, seed: int) -> Task:
    of = site(kind, seed)
    told = _any_fact(of)
    return Task(
        id=f"search/fact/{kind}-{seed}",
        kind="answer",
        domain="search",
        dialect="awb",
        instruction=of.told("fact", ask=told.fact.ask.format(name=told.thing.name)),
        environment=of.place("awb"),
        seed=seed,
        probes=(sites.answered(told.value),),
        reference=(
            sites.find("awb", told.thing),
            sites.read("awb", sites.found(1, told.thing)),
            sites.shown(2, told.fact),
        ),
        split="train",
        family="search/fact",
        difficulty="easy",
        unseen=True,
    )


def _two_hops(kind: str, seed: int) -> Task:
    of = site(kind, seed)
    first = next(some[0] for one in sites.things(of) if (some := sites.facts(of, one, linked=True)))
    second = sites.facts(of, sites.named(of, first))[0]
    return Task(
        id=f"search/two-hops/{kind}-{seed}",
        kind="answer",
        domain="search",
        dialect="awb",
        instruction=of.told(
            "two_hops",
            label=first.fact.label.lower(),
            name=first.thing.name,
            about=second.fact.label.lower(),
        ),
        environment=of.place("awb"),
        seed=seed,
        probes=(sites.answered(second.value),),
        reference=(
            sites.find("awb", first.thing),
            sites.read("awb", sites.found(1, first.thing)),
            sites.read("awb", sites.linked(2, first.fact)),
            sites.shown(3, second.fact),
        ),
        split="dev",
        family="search/two-hops",
        difficulty="medium",
        unseen=True,
    )


def _reverse(kind: str, seed: int) -> Task:
    """From a code to the thing that has it: only a code stands on one page alone."""
    of = site(kind, seed)
    coded = [told for one in sites.things(of) for told in sites.facts(of, one) if told.fact.code]
    told = coded[0]
    return Task(
        id=f"search/reverse/{kind}-{seed}",
        kind="answer",
        domain="search",
        dialect="awb",
        instruction=of.told("reverse", value=told.value, label=told.fact.label.lower()),
        environment=of.place("awb"),
        seed=seed,
        probes=(sites.answered(told.thing.name),),
        reference=(
            sites.call("web_search", query=f'"{told.value}" site:{of.world.host}'),
            f"{{{{1:Title: (.+) - {re.escape(of.world.name)}}}}}",
        ),
        split="test",
        family="search/reverse",
        difficulty="medium",
        unseen=True,
    )


def _browsed(kind: str, seed: int) -> Task:
    of = site(kind, seed)
    told = _any_fact(of)
    return Task(
        id=f"search/browsed/{kind}-{seed}",
        kind="answer",
        domain="search",
        dialect="json",
        instruction=of.told("fact", ask=told.fact.ask.format(name=told.thing.name)),
        environment=of.place("json"),
        seed=seed,
        probes=(sites.answered(told.value),),
        reference=(
            sites.find("json", told.thing),
            sites.read("json", sites.found(1, told.thing)),
            sites.shown(2, told.fact),
        ),
        split="train",
        family="search/browsed",
        difficulty="easy",
        unseen=True,
    )


def _reader(kind: str, seed: int) -> Task:
    of = site(kind, seed)
    told = _any_fact(of)
    name, label = told.thing.name, told.fact.label.lower()
    return Task(
        id=f"search/reader/{kind}-{seed}",
        kind="answer",
        domain="search",
        dialect="react",
        instruction=of.told("reader", name=name, ask=told.fact.ask.format(name=name)),
        environment=of.place("react"),
        seed=seed,
        probes=(sites.answered(told.value),),
        reference=(
            f"Search[{name}]",
            f"Lookup[{label} is]",
            f"{{{{2:{re.escape(label)} is (.+)\\.}}}}",
        ),
        split="test",
        family="search/reader",
        difficulty="easy",
        unseen=True,
    )


# of the real documents; what they say is public, so nothing here is unseen


def _kind(word: str) -> Task:
    kinds = {
        "otter": "fur",
        "lighthouse": "tower",
        "harpsichord": "clavier",
        "brigantine": "sailing vessel",
    }
    return Task(
        id=f"search/manual/{word}",
        kind="answer",
        domain="search",
        dialect="awb",
        instruction=sites.text("manual_kind").format(word=word),
        environment=Place(name="search", options={"dialect": "awb"}),
        seed=0,
        probes=(sites.answered(kinds[word]),),
        reference=(
            sites.call("web_search", query=f"{word} site:wordnet.docs.example"),
            sites.read("awb", f"{{{{1:https://[a-z.]+/w/{word}\\b}}}}"),
            "{{2:Kind of: \\[([^\\]]+)\\]}}",
        ),
        split="train",
        family="search/manual",
        difficulty="easy",
    )


def _header(name: str, section: str) -> Task:
    headers = {"epoll_create": "sys/epoll.h", "pthread_create": "pthread.h"}
    return Task(
        id=f"search/manual/{name}",
        kind="answer",
        domain="search",
        dialect="awb",
        instruction=sites.text("manual_header").format(name=name, section=section),
        environment=Place(name="search", options={"dialect": "awb"}),
        seed=0,
        probes=(sites.answered(headers.get(name, "sys/inotify.h")),),
        reference=(
            sites.call("web_search", query=f"{name} site:man.docs.example"),
            sites.read("awb", f"{{{{1:https://[a-z.]+/man{section}/{name}\\.{section}\\.html}}}}"),
            "{{2:#include <([a-z/.]+)>}}",
        ),
        split="train",
        family="search/manual",
        difficulty="easy",
    )
