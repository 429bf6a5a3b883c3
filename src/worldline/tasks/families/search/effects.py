"""Families that end in notes or stored pages."""

import json
from collections.abc import Sequence
from typing import Any

from worldline.environments.search.fixtures import slug
from worldline.tasks.families.search import sites
from worldline.tasks.families.search.sites import Told, site
from worldline.tasks.task import Check, Place, Probe, Task

NOTES = (("company", 61), ("town", 62), ("machines", 63), ("company", 64), ("town", 65))
TABLES = (("machines", 71), ("town", 72), ("company", 73), ("machines", 74))
CHAINS = (("library", 81), ("stations", 82), ("library", 83), ("stations", 84))
STORED = (("stations", 91), ("library", 92), ("stations", 93), ("library", 94))
PAIRS: tuple[dict[str, Any], ...] = (
    {"port": 8080, "host": "harbour", "owner": "Marta"},
    {"colour": "green", "size": "large", "count": 12},
    {"first": "maple", "second": "alder", "third": "birch"},
    {"river": "Enz", "length": 105, "unit": "km"},
    {"monday": "soup", "tuesday": "rice", "friday": "fish"},
    {"north": 4, "south": 9, "west": 1},
)


def tasks() -> list[Task]:
    """All of them."""
    return [
        *(_note(*one) for one in NOTES),
        *(_table(*one) for one in TABLES),
        *(_chain(*one) for one in CHAINS),
        *(_stored(*one) for one in STORED),
        *(_tidy(number, pairs) for number, pairs in enumerate(PAIRS)),
    ]


def _note(kind: str, seed: int) -> Task:
    of = site(kind, seed)
    thing = sites.things(of)[0]
    wanted = {slug(one.fact.label): one for one in sites.facts(of, thing)[:2]}
    listed = " and ".join(f"{one.fact.label.lower()} under {key}" for key, one in wanted.items())
    return Task(
        id=f"search/note/{kind}-{seed}",
        kind="effect",
        domain="search",
        dialect="awb",
        instruction=of.told("note", name=thing.name, pairs=listed),
        environment=of.place("awb"),
        seed=seed,
        probes=(sites.noted({key: one.value for key, one in wanted.items()}),),
        reference=(
            sites.find("awb", thing),
            sites.read("awb", sites.found(1, thing)),
            sites.remember(**{key: sites.shown(2, one.fact) for key, one in wanted.items()}),
        ),
        split="train",
        family="search/note",
        difficulty="easy",
        unseen=True,
    )


def _table(kind: str, seed: int) -> Task:
    of = site(kind, seed)
    first = sites.things(of)[0]
    fact = sites.facts(of, first)[0].fact
    some = of.rng.sample(of.world.things[first.kind], 3)
    wanted = {one.name: Told(one, fact) for one in some}
    reads: list[str] = []
    for one in some:
        reads.append(sites.find("awb", one))
        reads.append(sites.read("awb", sites.found(len(reads), one)))
    pairs = {name: sites.shown(2 * at + 2, fact) for at, name in enumerate(wanted)}
    return Task(
        id=f"search/table/{kind}-{seed}",
        kind="effect",
        domain="search",
        dialect="awb",
        instruction=of.told(
            "table", label=fact.label.lower(), names=_listed([one.name for one in some])
        ),
        environment=of.place("awb"),
        seed=seed,
        probes=(sites.noted({name: one.value for name, one in wanted.items()}),),
        reference=(*reads, sites.remember(**pairs)),
        split="train",
        family="search/table",
        difficulty="hard",
        unseen=True,
    )


def _chain(kind: str, seed: int) -> Task:
    of = site(kind, seed)
    first = next(some[0] for one in sites.things(of) if (some := sites.facts(of, one, linked=True)))
    second = sites.facts(of, sites.named(of, first))[0]
    key, other = slug(first.fact.label), f"{slug(second.fact.label)}-of-it"
    return Task(
        id=f"search/chain/{kind}-{seed}",
        kind="effect",
        domain="search",
        dialect="awb",
        instruction=of.told(
            "chain",
            label=first.fact.label.lower(),
            name=first.thing.name,
            key=key,
            other_key=other,
            about=second.fact.label.lower(),
        ),
        environment=of.place("awb"),
        seed=seed,
        probes=(sites.noted({key: first.value, other: second.value}),),
        reference=(
            sites.find("awb", first.thing),
            sites.read("awb", sites.found(1, first.thing)),
            sites.read("awb", sites.linked(2, first.fact)),
            sites.remember(**{key: sites.shown(2, first.fact), other: sites.shown(3, second.fact)}),
        ),
        split="test",
        family="search/chain",
        difficulty="hard",
        unseen=True,
    )


def _stored(kind: str, seed: int) -> Task:
    of = site(kind, seed)
    thing = sites.things(of)[0]
    told = sites.facts(of, thing)[0]
    key, note = f"page-{seed}", slug(told.fact.label)
    page = Probe(
        action=sites.call("read_stored_page", key=key),
        checks=(Check(op="contains", arg=thing.name),),
    )
    return Task(
        id=f"search/stored/{kind}-{seed}",
        kind="effect",
        domain="search",
        dialect="json",
        instruction=of.told(
            "stored", name=thing.name, key=key, note=note, about=told.fact.label.lower()
        ),
        environment=of.place("json"),
        seed=seed,
        probes=(page, sites.noted({note: told.value})),
        reference=(
            sites.find("json", thing),
            sites.call("parse_html_page", url=sites.found(1, thing), key=key),
            sites.read("json", sites.found(1, thing)),
            sites.remember(**{note: sites.shown(3, told.fact)}),
        ),
        split="test",
        family="search/stored",
        difficulty="medium",
        unseen=True,
    )


def _tidy(number: int, pairs: dict[str, Any]) -> Task:
    """Notes that are all in the instruction: nothing here is unseen."""
    first, second, third = pairs
    memory = "dict_memory"
    match number % 3:
        case 0:
            new = f"new {second}"
            told = sites.text("tidy_change").format(first=_told(pairs), changed=second, new=new)
            steps = (
                sites.remember(**pairs),
                sites.call(memory, operation="update", dict={second: new}),
            )
            left = {**pairs, second: new}
        case 1:
            told = sites.text("tidy_remove").format(first=_told(pairs), gone=first)
            steps = (
                sites.remember(**pairs),
                sites.call(memory, operation="remove", key_list=[first]),
            )
            left = {second: pairs[second], third: pairs[third]}
        case _:
            left = {third: pairs[first]}
            told = sites.text("tidy_start").format(first=_told(pairs), last=_told(left))
            clear = sites.call(memory, operation="remove_all")
            steps = (sites.remember(**pairs), clear, sites.remember(**left))
    return Task(
        id=f"search/tidy/{number}",
        kind="effect",
        domain="search",
        dialect="awb",
        instruction=told,
        environment=Place(name="search", options={"dialect": "awb"}),
        seed=number,
        probes=(sites.holds_only(left),),
        reference=steps,
        split="train",
        family="search/tidy",
        difficulty="easy",
    )


def _told(pairs: dict[str, Any]) -> str:
    return _listed([f"{key} = {json.dumps(value)}" for key, value in pairs.items()])


def _listed(names: Sequence[str]) -> str:
    head = ", ".join(names[:-1])
    return f"{head} and {names[-1]}" if head else names[-1]
