"""Moves of an explorer in the ``react`` dialect: titles to open, keywords to look up."""

from collections.abc import Callable, Mapping

from worldline.collect.explorers.search.mind import Mind


def _title(mind: Mind) -> str:
    """A title to try: one that was offered, one seen, or a term."""
    if mind.last.similar and mind.rng.random() < 0.75:
        return mind.rng.choice(mind.last.similar)
    return mind.term()


def _open(mind: Mind) -> str:
    mind.keyword = ""
    return f"Search[{_title(mind)}]"


def _term(mind: Mind) -> str:
    mind.keyword = ""
    pattern = mind.rng.choice(("{a}", "{a} {b}", "{A}", "{p}", "{a} (disambiguation)", "the {a}"))
    return f"Search[{mind.worded(pattern)}]"


def _typo(mind: Mind) -> str:
    mind.keyword = ""
    return f"Search[{mind.mistyped(_title(mind))}]"


def _miss(mind: Mind) -> str:
    mind.keyword = ""
    return f"Search[{mind.worded(mind.rng.choice(mind.phrases['misses']))}]"


def _back(mind: Mind) -> str:
    mind.keyword = ""
    return f"Search[{mind.rng.choice(mind.read)}]" if mind.read else _term(mind)


def _lookup(mind: Mind) -> str:
    text = mind.told() or mind.term()
    pattern = mind.rng.choice(("{a}", "{a}", "{p}", "{w}"))
    word = mind.rng.choice(text.split() or [mind.term()]).strip('.,;:()[]"') or "the"
    mind.keyword = mind.worded(pattern.replace("{w}", word.replace("{", "").replace("}", "")))
    return f"Lookup[{mind.keyword}]"


def _next(mind: Mind) -> str | None:
    if not mind.keyword:
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
