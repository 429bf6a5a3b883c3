"""Moves of an explorer in the ``react`` dialect: titles to open, keywords to look up."""

from collections.abc import Callable, Mapping

from worldline.collect.explorers.search.mind import Mind

WORDS = "wordnet.docs.example"


def _title(mind: Mind) -> str:
    """A title to try: one that was offered, one seen, or a term."""
    if mind.last.similar and mind.rng.random() < 0.8:
        long = [title for title in mind.last.similar if " " in title or "(" in title]
        pages = long if long and mind.topic.host != WORDS else mind.last.similar
        return mind.rng.choice(pages)
    return mind.term()


def _open(mind: Mind) -> str:
    mind.keyword, title = "", _title(mind)
    mind.read.append(title)
    return f"Search[{title}]"


def _term(mind: Mind) -> str:
    mind.keyword = ""
    pattern = mind.rng.choice(("{a}", "{a} {b}", "{A}", "{p}", "{a} ({b})", "the {a}", "{s}"))
    return f"Search[{mind.worded(pattern.replace('{s}', mind.rng.choice(mind.topic.start)))}]"


def _typo(mind: Mind) -> str:
    mind.keyword = ""
    return f"Search[{mind.mistyped(_title(mind))}]"


def _miss(mind: Mind) -> str:
    mind.keyword = ""
    return f"Search[{mind.worded(mind.rng.choice(mind.phrases['misses']))}]"


def _back(mind: Mind) -> str | None:
    mind.keyword = ""
    before = [one for one in mind.read[:-1] if one != mind.read[-1]]
    return f"Search[{mind.rng.choice(before)}]" if before else None


def _lookup(mind: Mind) -> str:
    """A word or two of what is shown, or a term of before."""
    shown = [one.strip('.,;:()[]"') for one in mind.told().split()]
    if len(shown) > 2 and mind.rng.random() < 0.75:
        at = mind.rng.randrange(len(shown) - 1)
        mind.keyword = " ".join(shown[at : at + mind.rng.choice((1, 1, 2))])
    if mind.topic.labels and mind.rng.random() < 0.35:
        mind.keyword = mind.rng.choice(mind.topic.labels)
    elif not mind.keyword or mind.rng.random() < 0.3:
        mind.keyword = mind.term()
    return f"Lookup[{mind.keyword}]"


def _next(mind: Mind) -> str | None:
    if not mind.keyword or mind.last.error:
        return None
    word = mind.keyword.upper() if mind.rng.random() < 0.08 else mind.keyword
    return f"Lookup[{word}]"


def _longer(mind: Mind) -> str | None:
    """More words behind a keyword that was not found."""
    if not mind.keyword or not mind.last.error:
        return None
    return f"Lookup[{mind.keyword} {mind.term()}]"


def _absent(mind: Mind) -> str:
    mind.keyword = mind.rng.choice((mind.gibberish(), mind.mistyped(mind.term()), mind.term()))
    return f"Lookup[{mind.keyword}]"


def _broken(mind: Mind) -> str:
    term = mind.term()
    options = (f"Search {term}", f"lookup[{term}]", f"Find[{term}]", f"Search[{term}", term)
    more = (f"Search: {term}", f"Open[{term}]", "", f"Thought: look for {term}", f"[{term}]")
    return mind.rng.choice(options + more)


def _empty(mind: Mind) -> str:
    mind.keyword = ""
    return mind.rng.choice(("Search[]", "Search[ ]", "Lookup[]"))


MOVES: Mapping[str, Callable[[Mind], str | None]] = {
    "open": _open,
    "term": _term,
    "typo": _typo,
    "miss": _miss,
    "back": _back,
    "lookup": _lookup,
    "next": _next,
    "longer": _longer,
    "absent": _absent,
    "broken": _broken,
    "empty": _empty,
}
