"""Made-up pages, written anew from a seed: a company, its machines, a town ...

What they say is nowhere else, so an agent knows it only by reading. A world is declared in
``worlds/NAME.toml``: kinds of things, each with facts, and paragraphs around them.

    world = made("machines", seed=7)
    world.documents        # pages to search
    world.things["machine"][0].facts["torque"]     # "41 Nm"
"""

import random
import re
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from worldline.environments.search import data
from worldline.environments.search.reading import Document
from worldline.errors import UsageError

_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """Something a thing's page tells. One of `number`, `one_of`, `of`, `year`, `code`, `day`.

    Args:
        label: as the page's table has it. `ask`: a question for it.
        number: least, most and step, with a `unit`. `one_of`: a list of words.
        of: another kind of thing. `year`: first and last. `code`: ``A`` a letter, ``9`` a digit.
    """

    key: str
    label: str
    ask: str = ""
    number: tuple[int, int, int] | None = None
    unit: str = ""
    one_of: str = ""
    of: str = ""
    year: tuple[int, int] | None = None
    day: tuple[int, int] | None = None
    code: str = ""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of thing: how many there are, what they are called, what their pages say."""

    id: str
    count: tuple[int, int]
    name: str
    path: str
    lead: str
    plural: str
    fact: tuple[Fact, ...]
    paragraphs: tuple[str, ...]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A whole world as its file declares it."""

    name: str
    host: str
    about: str
    words: dict[str, list[str]]
    kind: tuple[Kind, ...]


class Thing(NamedTuple):
    """One thing: `facts` as its page shows them, `links` the addresses of what they name."""

    kind: str
    name: str
    url: str
    facts: dict[str, str]
    links: dict[str, str]


class World(NamedTuple):
    """A world made from a seed."""

    name: str
    host: str
    things: dict[str, list[Thing]]
    documents: tuple[Document, ...]


def names() -> list[str]:
    """The worlds there are."""
    return data.listed("worlds", ".toml")


@lru_cache(maxsize=16)
def plan(name: str) -> Plan:
    """A world's declaration.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in names():
        raise UsageError(
            f"there are no documents {name!r}",
            field="documents",
            remedy=f"There are: {', '.join(names())}.",
        )
    return msgspec.convert(data.table("worlds", f"{name}.toml"), Plan)


@lru_cache(maxsize=8)
def made(name: str, seed: int) -> World:
    """The world of that name and seed: always the same one."""
    return _Maker(plan(name), random.Random(f"{name}/{seed}")).world()


class _Maker:
    def __init__(self, plan: Plan, rng: random.Random) -> None:
        self.plan = plan
        self.rng = rng
        self.taken: set[str] = set()
        self.world_name = self.filled(plan.name)
        self.host = plan.host.format(slug=slug(self.world_name.split()[0]))

    def world(self) -> World:
        """Name all things first, then fill in what each says, then write the pages."""
        bare = {one.id: self._named(one) for one in self.plan.kind}
        things = {
            one.id: [self._told(one, thing, bare) for thing in bare[one.id]]
            for one in self.plan.kind
        }
        pages = [self._overview(things)]
        for one in self.plan.kind:
            pages += [self._page(one, thing) for thing in things[one.id]]
        return World(self.world_name, self.host, things, tuple(pages))

    def filled(self, text: str, **values: str) -> str:
        """The text with its places filled: ``{coin}`` a new word, ``{list}`` one of a list, the
        rest from `values`."""

        def place(match: re.Match[str]) -> str:
            name = match[1]
            if name in values:
                return values[name]
            if name == "coin":
                return self._coined()
            if name == "n":
                return str(self.rng.randrange(2, int(match[2] or 90)))
            return self.filled(self.rng.choice(self.plan.words[name]), **values)

        return _PLACE.sub(place, text)

    def _coined(self) -> str:
        made_of = data.table("syllables.toml")
        while True:
            parts = [self.rng.choice(made_of["first"]) for _ in range(self.rng.choice((2, 2, 3)))]
            word = ("".join(parts) + self.rng.choice(made_of["last"])).capitalize()
            if word not in self.taken:
                self.taken.add(word)
                return word

    def _named(self, kind: Kind) -> list[Thing]:
        found = []
        for _ in range(self.rng.randint(*kind.count)):
            name = self._unused(kind.name)
            url = f"https://{self.host}{kind.path.format(slug=slug(name))}"
            found.append(Thing(kind.id, name, url, {}, {}))
        return found

    def _unused(self, pattern: str) -> str:
        while True:
            name = self.filled(pattern)
            if name not in self.taken:
                self.taken.add(name)
                return name

    def _told(self, kind: Kind, thing: Thing, bare: dict[str, list[Thing]]) -> Thing:
        facts: dict[str, str] = {}
        links: dict[str, str] = {}
        for one in kind.fact:
            if one.of:
                others = [other for other in bare[one.of] if other.name != thing.name]
                other = self.rng.choice(others)
                facts[one.key], links[one.key] = other.name, other.url
            else:
                facts[one.key] = self._value(one)
        return thing._replace(facts=facts, links=links)

    def _value(self, fact: Fact) -> str:
        if fact.number is not None:
            least, most, step = fact.number
            return f"{self.rng.randrange(least, most + 1, step)} {fact.unit}".strip()
        if fact.year is not None:
            return str(self.rng.randint(*fact.year))
        if fact.day is not None:
            year = self.rng.randint(*fact.day)
            return f"{year}-{self.rng.randint(1, 12):02}-{self.rng.randint(1, 28):02}"
        if fact.code:
            signs = {"A": "ABCDEFGHKLMNPRSTUVWXYZ", "9": "0123456789"}
            return "".join(self.rng.choice(signs.get(one, one)) for one in fact.code)
        return self.filled(self.rng.choice(self.plan.words[fact.one_of]))

    def _page(self, kind: Kind, thing: Thing) -> Document:
        values = {"name": thing.name, "world": self.world_name, **thing.facts}
        lead = self.filled(kind.lead, **values)
        some = self.rng.sample(kind.paragraphs, self.rng.randint(2, len(kind.paragraphs)))
        around = [self.filled(one, **values) for one in some]
        rows = [f"| {one.label} | {_linked(thing, one.key)} |" for one in kind.fact]
        table = "\n".join(["| Item | Value |", "| --- | --- |", *rows])
        at = self.rng.randint(0, len(around) - 1)
        page = [f"# {thing.name}", lead, *_titled(around[:at]), "## Data", table]
        page += [*_titled(around[at:]), f"See also: [overview](https://{self.host}/)"]
        told = [
            f"{thing.name}: {one.label.lower()} is {thing.facts[one.key]}." for one in kind.fact
        ]
        body = [one.partition("\n")[2] for one in around]
        text = "\n\n".join([lead, *body[:at], *told, *body[at:]])
        date = f"{self.rng.randint(2019, 2025)}-{self.rng.randint(1, 12):02}-10"
        title = f"{thing.name} - {self.world_name}"
        return Document(thing.url, title, thing.name, text, "\n\n".join(page), date, "made-up")

    def _overview(self, things: dict[str, list[Thing]]) -> Document:
        about = self.filled(self.plan.about, world=self.world_name)
        page, text = [f"# {self.world_name}", about], [about]
        for kind in self.plan.kind:
            listed = things[kind.id]
            page += [f"## {kind.plural}", "\n".join(f"- [{t.name}]({t.url})" for t in listed)]
            text.append(f"{kind.plural}: {', '.join(one.name for one in listed)}.")
        url, name = f"https://{self.host}/", self.world_name
        return Document(url, f"{name} - Overview", name, "\n\n".join(text), "\n\n".join(page), "",
                        "made-up")  # fmt: skip


def _linked(thing: Thing, key: str) -> str:
    value = thing.facts[key]
    return f"[{value}]({thing.links[key]})" if key in thing.links else value


def _titled(paragraphs: list[str]) -> list[str]:
    """Paragraphs that start with their heading's line."""
    shown = []
    for one in paragraphs:
        heading, _, body = one.partition("\n")
        shown += [f"## {heading}", body]
    return shown


def slug(name: str) -> str:
    """A name as a part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def facts_of(world: str) -> dict[tuple[str, str], Fact]:
    """(kind, key) -> fact, of all kinds of a world."""
    return {(kind.id, one.key): one for kind in plan(world).kind for one in kind.fact}


def record(world: World) -> dict[str, Any]:
    """What a recording tells of a world: its name, host and pages."""
    return {"name": world.name, "host": world.host, "documents": len(world.documents)}
