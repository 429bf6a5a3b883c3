"""Goals at the memory server: a graph of entities, observations and relations."""

from typing import Any

from worldline.collect.explorers.mcp.hand import Goal, Hand

KINDS = ("person", "project", "company", "place", "machine", "event", "document", "team", "tool")
RELATIONS = (
    "works on", "knows", "owns", "lives in", "depends on", "supplies", "reports to", "borrowed",
    "was built in", "repairs", "sells to", "replaces", "is part of", "avoids",
)  # fmt: skip


def _name(hand: Hand) -> str:
    return hand.known("entities", hand.words.person)


def _fresh(hand: Hand) -> dict[str, Any]:
    kind = hand.rng.choice(KINDS)
    name = hand.words.person() if kind == "person" else hand.words.title()
    if hand.chance(0.3):
        name = hand.words.slug("_")
    count = hand.rng.randint(0, 3)
    notes = [hand.text() if hand.chance(0.2) else hand.words.sentence() for _ in range(count)]
    return {"name": hand.keep("entities", name), "entityType": kind, "observations": notes}


def look(hand: Hand) -> Goal:
    """Read everything, or what a word leads to."""
    if "entities" not in hand.pool or hand.chance(0.3):
        got = yield hand.call("read_graph", "read")
        found = got.json
        for one in (found or {}).get("entities", []) if isinstance(found, dict) else []:
            hand.keep("entities", one["name"])
            for note in one["observations"][:2]:
                hand.keep("notes", (one["name"], note))
        return
    words = hand.words
    query = hand.rng.choice(
        (words.one("thing"), words.one("city"), words.one("topic"), "the", "person")
    )
    if hand.chance(0.4):
        query = _name(hand).split(" ")[0]
    yield hand.call("search_nodes", "search", query=query)


def open_some(hand: Hand) -> Goal:
    """Nodes by name, at times one that does not exist."""
    names = [_name(hand) for _ in range(hand.rng.randint(1, 3))]
    if hand.chance(0.2):
        names.append(hand.words.person())
    yield hand.call("open_nodes", "read", names=list(dict.fromkeys(names)))


def create(hand: Hand) -> Goal:
    """New entities, read back; at times one twice."""
    made = [_fresh(hand) for _ in range(hand.rng.randint(1, 3))]
    yield hand.call("create_entities", "create", entities=made)
    if hand.chance(0.6):
        yield hand.call("open_nodes", "read back", names=[one["name"] for one in made])
    if hand.chance(0.3):
        again = {**hand.rng.choice(made), "observations": [hand.words.sentence()]}
        yield hand.call("create_entities", "create again", entities=[again])


def relate(hand: Hand) -> Goal:
    """Relations between entities, and away again."""
    made = []
    for _ in range(hand.rng.randint(1, 3)):
        kind = hand.rng.choice(RELATIONS)
        made.append({"from": _name(hand), "to": _name(hand), "relationType": kind})
    yield hand.call("create_relations", "relate", relations=made)
    yield hand.call("open_nodes", "read back", names=[made[0]["from"], made[0]["to"]])
    if hand.chance(0.4):
        gone = made[:1] if hand.chance(0.7) else [{**made[0], "relationType": "never said"}]
        yield hand.call("delete_relations", "delete", relations=gone)
        yield hand.call("search_nodes", "read back", query=made[0]["from"])


def observe(hand: Hand) -> Goal:
    """More observations, at times of an entity that is not there, and some taken back."""
    name = _name(hand) if hand.chance(0.85) else hand.words.person()
    notes = [
        hand.text() if hand.chance(0.3) else hand.words.sentence()
        for _ in range(hand.rng.randint(1, 3))
    ]
    added = [{"entityName": name, "contents": notes}]
    got = yield hand.call("add_observations", "observe", observations=added)
    if got.failed:
        yield hand.call("search_nodes", "check", query=name)
        return
    if hand.chance(0.4):
        yield hand.call("add_observations", "observe again", observations=added)
    if hand.chance(0.5):
        wrong = {"entityName": name, "observations": notes[:1]}
        yield hand.call("delete_observations", "delete", deletions=[wrong])
    yield hand.call("open_nodes", "read back", names=[name])


def forget(hand: Hand) -> Goal:
    """Delete an entity and touch it afterwards."""
    name = _name(hand)
    yield hand.call("delete_entities", "delete", entityNames=[name])
    hand.drop("entities", name)
    draw = hand.rng.random()
    if draw < 0.4:
        yield hand.call("open_nodes", "touch the deleted", names=[name])
    elif draw < 0.8:
        note = {"entityName": name, "contents": [hand.words.sentence()]}
        yield hand.call("add_observations", "touch the deleted", observations=[note])
    else:
        yield hand.call("delete_entities", "touch the deleted", entityNames=[name])


GOALS = (
    (1.5, look),
    (1.5, open_some),
    (2.0, create),
    (1.5, relate),
    (2.0, observe),
    (1.0, forget),
)
