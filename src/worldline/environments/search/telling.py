"""What a session is told at its start, and its snapshot."""

from typing import Any

from worldline.environments.search import data, recipe, store
from worldline.environments.search.fixtures import World
from worldline.environments.search.session import Session
from worldline.environments.search.store import Corpus
from worldline.facts import Fact, fact

CHARS_PER_TOKEN = 4


def task_description() -> str:
    """What kind of session this is."""
    return data.text("prompts", "task.txt").strip()


def initial_state(corpus: Corpus, world: World | None, dialect: str) -> str:
    """Which documents there are, by host, and that nothing has been noted yet."""
    held = store.counts(corpus)
    lines = ["Documents in the collection:"]
    if corpus.folder is not None:
        lines.append(f"- {recipe.FOLDER_HOST}: {sum(held.values()):,} pages of a folder")
    else:
        lines += _hosts(held)
    if world is not None:
        lines.append(f"- {world.host}: {len(world.documents)} pages of {world.name}")
    empty = {"react": "No page is open.", "awb": "The memory is empty."}
    lines.append(empty.get(dialect, "The memory and the data storage are empty."))
    return "\n".join(lines)


def _hosts(held: dict[str, int]) -> list[str]:
    told: dict[str, tuple[int, list[str]]] = {}
    for one in recipe.packages():
        if one.name in held:
            count, about = told.get(one.host, (0, []))
            told[one.host] = (count + held[one.name], [*about, one.about])
    return [f"- {host}: {n:,} pages, {' and '.join(a)}" for host, (n, a) in told.items()]


def snapshot(
    session: Session, corpus: Corpus, world: World | None, taken_at: str
) -> dict[str, Any]:
    """The state of a session as a ``worldline.snapshot/1`` record.

    The corpus itself is left out: it is what a world model must know, or make up.
    """
    import msgspec

    lines = [initial_state(corpus, world, session.dialect).rpartition("\n")[0]]
    lines += [f"In memory: {key} = {value!r}" for key, value in session.memory.notes.items()]
    lines += [f"In the data storage: {key}" for key in session.storage.pages]
    if session.reader.title is not None:
        lines.append(f"The open page is {session.reader.title}")
    text = "\n".join(lines)
    return {
        "schema": "worldline.snapshot/1",
        "domain": "search",
        "dialect": session.dialect,
        "text": text,
        "tokens": len(text) // CHARS_PER_TOKEN,
        "facts": [msgspec.to_builtins(one) for one in _facts(session, world)],
        "omitted": [f"the {sum(store.counts(corpus).values()):,} documents of the collection"],
        "redacted": {},
        "taken_at": taken_at,
    }


def _facts(session: Session, world: World | None) -> list[Fact]:
    found = [
        fact("memory", key, value, origin="given") for key, value in session.memory.notes.items()
    ]
    found += [
        fact("file", key, {"url": url}, origin="given") for key, url in session.storage.urls.items()
    ]
    for page in world.documents if world else ():
        react = session.dialect == "react"
        key, value = (page.name, page.text) if react else (page.url, page.page)
        whole = react or len(value) <= session.chars
        found.append(fact("page", key, value, origin="given", complete=whole))
    return found
