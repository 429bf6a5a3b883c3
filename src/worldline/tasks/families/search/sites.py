"""What the families share: a made-up site of a seed, things of it, calls, references, checks."""

import json
import random
import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from worldline.environments.search import fixtures
from worldline.environments.search.fixtures import Fact, Thing, World
from worldline.tasks.task import Check, Place, Probe

EASY_KINDS = ("number", "year", "code", "day", "one_of")
"""Facts whose value stands on the page itself."""


class Site(NamedTuple):
    """A made-up site, and the dice of the task that is set in it."""

    world: World
    kind: str
    rng: random.Random

    def place(self, dialect: str) -> Place:
        """The environment that has it."""
        return Place(name="search", options={"dialect": dialect, "documents": self.kind})

    def told(self, pattern: str, /, **values: str) -> str:
        """An instruction."""
        return text(pattern).format(site=self.world.name, host=self.world.host, **values)


class Told(NamedTuple):
    """A thing and one fact its page tells."""

    thing: Thing
    fact: Fact

    @property
    def value(self) -> str:
        """As the page shows it."""
        return self.thing.facts[self.fact.key]


@cache
def _texts() -> dict[str, str]:
    here = files("worldline.tasks.families.search")
    return tomllib.loads(here.joinpath("texts.toml").read_text("utf-8"))


def text(name: str) -> str:
    """An instruction's pattern."""
    return _texts()[name]


def site(kind: str, seed: int) -> Site:
    """The site of a kind and a seed."""
    return Site(fixtures.made(kind, seed), kind, random.Random(f"{kind}/{seed}/task"))


def things(of: Site) -> list[Thing]:
    """All things of a site, in a random order."""
    listed = [thing for some in of.world.things.values() for thing in some]
    return of.rng.sample(listed, len(listed))


def facts(of: Site, thing: Thing, *, linked: bool = False) -> list[Told]:
    """Facts of a thing in a random order: its own, or those that name another thing."""
    listed = [
        Told(thing, fact)
        for (kind, _), fact in fixtures.facts_of(of.kind).items()
        if kind == thing.kind and bool(fact.of) == linked
    ]
    return of.rng.sample(listed, len(listed))


def named(of: Site, told: Told) -> Thing:
    """The thing that a fact names."""
    return next(one for one in of.world.things[told.fact.of] if one.name == told.value)


# actions


def call(name: str, **arguments: Any) -> str:
    """A call as an action."""
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def find(dialect: str, thing: Thing) -> str:
    """A search for a thing by its name."""
    query = f'"{thing.name}"'
    if dialect == "json":
        return call("web_search", search_query=query)
    return call("web_search", query=query)


def found(turn: int, thing: Thing) -> str:
    """The address of a thing's page, from the hits of a turn."""
    slug = thing.url.rpartition("/")[2]
    return f"{{{{{turn}:https://[a-z0-9./-]+/{re.escape(slug)}\\b}}}}"


def shown(turn: int, fact: Fact) -> str:
    """A fact's value, from the page of a turn."""
    if fact.of:
        return f"{{{{{turn}:\\| {re.escape(fact.label)} \\| \\[([^|\\]]+)\\]}}}}"
    return f"{{{{{turn}:\\| {re.escape(fact.label)} \\| ([^|]+) \\|}}}}"


def linked(turn: int, fact: Fact) -> str:
    """The address behind a fact's value, from the page of a turn."""
    return f"{{{{{turn}:\\| {re.escape(fact.label)} \\| \\[[^|\\]]+\\]\\(([^)]+)\\)}}}}"


def read(dialect: str, url: str) -> str:
    """A page."""
    return call("browse" if dialect == "json" else "web_extractor", url=url)


def remember(**pairs: Any) -> str:
    """A note."""
    return call("dict_memory", operation="add", dict=pairs)


# checks


def answered(value: str) -> Probe:
    """The answer holds the value, standing alone."""
    pattern = f"(?:^|[^\\w-]){re.escape(value)}(?:$|\\W)"
    check = Check(op="regex", arg={"value": pattern, "ignore_case": True}, of="answer")
    return Probe(checks=(check,))


def noted(pairs: dict[str, str]) -> Probe:
    """The memory holds these values."""
    checks = tuple(
        Check(op="jsonpath", arg={"path": f"$[{json.dumps(key)}]", "equals": value})
        for key, value in pairs.items()
    )
    keys = list(pairs)
    return Probe(action=call("dict_memory", operation="retrieve", key_list=keys), checks=checks)


def holds_only(pairs: dict[str, Any]) -> Probe:
    """The memory holds these pairs and nothing else."""
    wanted = json.dumps(pairs, ensure_ascii=False)
    checks = (Check(op="equals", arg=wanted),)
    return Probe(action=call("dict_memory", operation="retrieve_all"), checks=checks)
