"""What a search box takes: words, ``"exact words"``, ``-word``, ``site:host``.

Nothing else of a query has a meaning, so nothing in it can be an error. The engine's own syntax is
never given foreign text: a query is built from words alone.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from worldline.environments.search import data

MAX_QUERY = 400
"""Characters; more is refused."""
MAX_WORDS = 32
WEIGHTS = {"title": 2.5, "body": 1.0, "entry": 0.45, "gloss": 0.3}
FIELDS = tuple(WEIGHTS)
_WORD = re.compile(r"\w+")
_PIECE = re.compile(r'"([^"]{1,400})"|(\S+)')


class Asked(NamedTuple):
    """A query taken apart: words to find, exact phrases, words and a host to insist on."""

    words: tuple[str, ...]
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    host: str = ""

    @property
    def empty(self) -> bool:
        """Nothing to search for."""
        return not self.words and not self.phrases


@cache
def stop_words() -> frozenset[str]:
    """Words so frequent that they find nothing."""
    return frozenset(data.text("stopwords.txt").split())


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return [one.lower() for one in _WORD.findall(text)]


def asked(query: str) -> Asked:
    """Read a query."""
    words: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    host = ""
    for piece in _PIECE.finditer(query):
        quoted, bare = piece[1], piece[2]
        if quoted is not None:
            phrases.append(" ".join(words_of(quoted)[:MAX_WORDS]))
        elif bare.lower().startswith("site:") and len(bare) > 5:
            host = bare[5:].lower().partition("://")[2] or bare[5:].lower()
            host = host.partition("/")[0].encode("utf-8", "replace").decode("utf-8")
        elif bare.startswith("-") and len(bare) > 1 and words_of(bare):
            without += words_of(bare)
        else:
            words += words_of(bare)
    telling = [one for one in words if one not in stop_words()]
    kept = tuple(dict.fromkeys(telling or words))[:MAX_WORDS]
    return Asked(kept, tuple(one for one in phrases if one), tuple(without[:MAX_WORDS]), host)


def query(
    index: Any,
    what: Asked,
    days: tuple[int, int] | None = None,
    weigh: Callable[[str], float] | None = None,
) -> Any:
    """The engine's query for what was asked.

    Args:
        days: first and last day (``20230131``) of the documents that count.
        weigh: how much more a word counts than the index itself would say.
    """
    from tantivy import FieldType, Occur, Query

    schema = index.schema
    parts = []
    if what.words:
        occur = Occur.Should if what.phrases else Occur.Must
        parts.append((occur, _weighed(index, what.words, weigh)))
    parts += [(Occur.Must, _weighed(index, (f'"{one}"',), weigh)) for one in what.phrases]
    parts += [(Occur.MustNot, _parsed(index, one)) for one in what.without]
    if what.host:
        parts.append((Occur.Must, _unscored(Query.term_query(schema, "host", what.host))))
    if days is not None:
        ranged = Query.range_query(schema, "day", FieldType.Unsigned, *days, True, True)
        parts.append((Occur.Must, _unscored(ranged)))
    return Query.boolean_query(parts)


def _weighed(index: Any, words: tuple[str, ...], weigh: Callable[[str], float] | None) -> Any:
    from tantivy import Occur, Query

    if weigh is None:
        return _parsed(index, " ".join(words))
    parts = [(Occur.Should, Query.boost_query(_parsed(index, one), weigh(one))) for one in words]
    return Query.boolean_query(parts)


@cache
def stemmer() -> Callable[[str], list[str]]:
    """The stems of a text's words, as the index has them."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    build = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase())
    return build.filter(Filter.stemmer("english")).build().analyze


def _parsed(index: Any, words: str) -> Any:
    from tantivy import Query

    try:
        return index.parse_query(words, list(FIELDS), field_boosts=WEIGHTS)
    except ValueError:  # several words, of which none can be in an index: too long, or no letters
        return Query.empty_query()


def _unscored(query: Any) -> Any:
    from tantivy import Query

    return Query.boost_query(query, 0.0)
