"""The knowledge graph of the memory server."""

import re
from collections import Counter
from typing import Any, NamedTuple

from worldline.environments.mcp.fixtures.words import lists
from worldline.tasks.families.mcp.making import (
    BREAK,
    Draft,
    Family,
    Seeded,
    call,
    finds,
    seen,
)


class Link(NamedTuple):
    """A relation."""

    one: str
    other: str
    kind: str


class Graph(NamedTuple):
    """Entities with their observations, and relations."""

    entities: dict[str, list[str]]
    links: list[Link]


def graph(of: Seeded) -> Graph:
    """The graph of a seed."""
    lines: list[dict[str, Any]] = of.truth("memory")["lines"]
    return Graph(
        {one["name"]: one["observations"] for one in lines if one["type"] == "entity"},
        [
            Link(one["from"], one["to"], one["relationType"])
            for one in lines
            if one["type"] == "relation"
        ],
    )


def _only(of: Seeded, *, of_one: bool) -> Link | None:
    """A relation that is the only one of its type from its first end (or to its second)."""
    links = graph(of).links
    counts = Counter((link.one if of_one else link.other, link.kind) for link in links)
    sole = [link for link in links if counts[link.one if of_one else link.other, link.kind] == 1]
    return of.rng.choice(sole) if sole else None


def _to(turn: int, link: Link) -> str:
    """The second end of a relation, from what a turn showed."""
    kind = f'"relationType": "{link.kind}"'
    start = f'"from": "{re.escape(link.one)}",{BREAK}'
    return seen(turn, f'{start}"to": "([^"]+)",{BREAK}{kind}')


def _from(turn: int, link: Link) -> str:
    end = f'"to": "{re.escape(link.other)}",{BREAK}"relationType": "{link.kind}"'
    return seen(turn, f'"from": "([^"]+)",{BREAK}{end}')


def _asked(of: Seeded) -> Draft | None:
    forward = of.seed % 2 == 0
    link = _only(of, of_one=forward)
    if link is None:
        return None
    known = link.one if forward else link.other
    side = f"from '{known}'" if forward else f"to '{known}'"
    told = _to(1, link) if forward else _from(1, link)
    return Draft(
        f"The memory has one relation of the type '{link.kind}' {side}. What is at its other end? "
        "Answer with the name.",
        (call("open_nodes", names=[known]), told),
        answer=link.other if forward else link.one,
    )


def _dropped(of: Seeded) -> Draft | None:
    link = _only(of, of_one=True)
    if link is None:
        return None
    whole = graph(of)
    left = sum(link.other not in (one.one, one.other) for one in whole.links)
    return Draft(
        f"The memory has one relation of the type '{link.kind}' from '{link.one}'. Delete the "
        "entity that it leads to, with all its relations, and nothing else.",
        (
            call("open_nodes", names=[link.one]),
            call("delete_entities", entityNames=[_to(1, link)]),
        ),
        probes=(
            finds(
                call("read_graph"),
                ("$.entities[*]", None, len(whole.entities) - 1),
                (f"$.entities[?@.name=='{link.other}']", None, 0),
                ("$.relations[*]", None, left),
            ),
        ),
    )


def _shifted(of: Seeded) -> Draft | None:
    """An observation goes from one entity, which has to be found, to another."""
    whole = graph(of)
    texts = [text for seen in whole.entities.values() for text in seen]
    everything = " ".join((*whole.entities, *texts))
    cities = [city for city in lists()["city"] if len(re.findall(city, everything)) == 1]
    held = [
        (city, name, text)
        for name, seen in whole.entities.items()
        for text in seen
        for city in cities
        if re.search(rf"\b{city}\b", text) and texts.count(text) == 1
    ]
    if not held:
        return None
    city, old, text = of.rng.choice(held)
    new = of.rng.choice([name for name in whole.entities if name != old])
    line = seen(1, f'"([^"]*{city}[^"]*)"')
    owner = seen(1, f'(?s)^.*"name": "([^"]+)".*?{city}')
    here, there = (f"$.entities[?@.name=='{name}'].observations[*]" for name in (new, old))
    return Draft(
        f"One observation in the memory mentions {city}, and is kept with the wrong entity. Move "
        f"it, word for word, to the entity '{new}'.",
        (
            call("search_nodes", query=city),
            call("delete_observations", deletions=[{"entityName": owner, "observations": [line]}]),
            call("add_observations", observations=[{"entityName": new, "contents": [line]}]),
        ),
        probes=(
            finds(
                call("read_graph"),
                (here, text, len(whole.entities[new]) + 1),
                (there, None, len(whole.entities[old]) - 1),
            ),
        ),
    )


def _new(of: Seeded) -> Draft | None:
    """All of it is told."""
    words = of.words
    person, place = words.person(), words.title()
    told = f"{words.one('quality')} {words.one('thing')}"
    if {person, place} & set(graph(of).entities):
        return None
    entities = [
        {"name": person, "entityType": "person", "observations": [f"repairs the {told}"]},
        {"name": place, "entityType": "project", "observations": []},
    ]
    link = {"from": person, "to": place, "relationType": "works on"}
    return Draft(
        f"Add to the memory {person} as a person, with the observation 'repairs the {told}', and "
        f"'{place}' as a project, without any. Add a relation: {person} 'works on' that project.",
        (call("create_entities", entities=entities), call("create_relations", relations=[link])),
        probes=(
            finds(
                call("open_nodes", names=[person, place]),
                (f"$.entities[?@.name=='{person}'].observations[*]", f"repairs the {told}", 1),
                (f"$.entities[?@.name=='{place}'].entityType", "project", 1),
                (
                    f"$.relations[?@.from=='{person}' && @.to=='{place}'].relationType",
                    "works on",
                    1,
                ),
            ),
        ),
    )


FAMILIES = (
    Family("graph-ask", _asked, ("memory",), "dev", "easy"),
    Family("graph-drop", _dropped, ("memory",), "train", "medium"),
    Family("graph-shift", _shifted, ("memory",), "test", "hard"),
    Family("graph-new", _new, ("memory",), "train", "easy", unseen=False, size=2),
)
