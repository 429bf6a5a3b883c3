"""What lists of search results can suffer: results missing, invented, under other titles."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from worldline.verify.corrupt.common import other_number, other_word, places
from worldline.verify.measure import Moment

Listed = tuple[list[Any], Callable[[list[Any]], str]]
RESULT = re.compile(r"\[(\d{1,6})\] (\S+)\n")
URL = re.compile(r"(?<=://)[^\s\"\\)\]]+")
_TITLES = re.compile(r"(Could not find \[.{0,500}?\]\. Similar: )(\[.*\])", re.DOTALL)
_NAME = re.compile(r"(?<![:/\w.-])(?!(?:Title|Snippet|Date|https?)\b)[A-Za-z]{4,}")


def listed(moment: Moment) -> Listed | None:
    """The results of a list, and how a list of them is printed; `None` in any other answer."""
    text = moment.truth
    titles = _TITLES.fullmatch(text)
    if titles is not None:
        found = [one or two for one, two in re.findall(r"'([^']*)'|\"([^\"]*)\"", titles[2])]
        return (found, lambda some: titles[1] + repr(some)) if repr(found) == titles[2] else None
    starts = [match.start() for match in RESULT.finditer(text)]
    if starts and starts[0] == 0:
        blocks = [text[a:b].rstrip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
        plain = all(block.count("\n") == 3 for block in blocks)
        return (blocks, _numbered) if plain and text.count("[1] ") == 1 else None
    try:
        outer = json.loads(text)
        (name, inner), *more = outer.items()
        found = json.loads(inner)
    except (ValueError, AttributeError, TypeError):
        return None
    hits = isinstance(found, list) and found and all(isinstance(one, dict) for one in found)
    if not hits or more or _json(name, found) != text:
        return None
    return found, lambda some: _json(name, some)


def _numbered(blocks: list[str]) -> str:
    return "\n\n".join(re.sub(r"^\[\d+\]", f"[{n}]", one) for n, one in enumerate(blocks, 1))


def _json(name: str, found: list[Any]) -> str:
    inner = json.dumps(found, ensure_ascii=False)
    return json.dumps({name: inner}, ensure_ascii=False, separators=(",", ":"))


def results_dropped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Results are missing from a list; half of them at most."""
    found = listed(moment)
    if found is None or len(found[0]) < 3:
        return None
    gone = places(rng, len(found[0]), heaviness / 2)
    return found[1]([one for i, one in enumerate(found[0]) if i not in gone])


def results_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """More results at the end, of pages that nobody found."""
    found = listed(moment)
    if found is None or not found[0]:
        return None
    results, show = found
    made = [_made_up(rng.choice(results), rng) for _ in range(1 + round(3 * heaviness))]
    return show([*results, *made])


def _made_up(one: Any, rng: Random) -> Any:
    if isinstance(one, dict):
        return {k: v if k in ("score", "date", "id") else _made_up(v, rng) for k, v in one.items()}
    if not isinstance(one, str):
        return one
    text = URL.sub(lambda match: other_address(match[0], rng), one)
    return _NAME.sub(lambda match: other_word(match[0], rng), text)


def titles_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Results have other titles than these."""
    found = listed(moment)
    if found is None or not found[0]:
        return None
    results = list(found[0])
    for i in places(rng, len(results), heaviness):
        results[i] = _retitled(results[i], rng)
    return found[1](results)


def _retitled(one: Any, rng: Random) -> Any:
    name = " ".join(other_word(word, rng) for word in ("Grand", "Overview"))
    if isinstance(one, dict):
        key = next((key for key in ("title", "name", "description", "form") if key in one), "")
        return {**one, key: name} if key else {**one, next(iter(one)): name}
    if "\nTitle: " in one:
        return re.sub(r"\nTitle: [^\n]*", f"\nTitle: {name}", one, count=1)
    return name


def other_address(url: str, rng: Random) -> str:
    """Another page of the same host.

    Args:
        url: without its scheme.
    """
    host, _, path = url.partition("/")
    words = re.findall(r"[a-z]{3,}", path) or ["page"]
    return f"{host}/{other_word(rng.choice(words), rng)}-{other_number('100', rng)}"
