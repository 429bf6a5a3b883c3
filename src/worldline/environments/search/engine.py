"""Finding documents: in the corpus and in a session's own pages, best first, in a stable order."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from worldline.environments.search import fields, queries
from worldline.environments.search.queries import Asked
from worldline.environments.search.reading import Document, flat

SNIPPET_CHARS = 240
SNIPPET_FROM = 60_000
"""Characters of a page that a snippet is looked for in."""
SIMILAR = 10
EXTRA_HEAP = 15_000_000


class Hit(NamedTuple):
    """A document found, the piece of it that fits the query, and how well it fits."""

    document: Document
    snippet: str
    score: float


class _Ranked(NamedTuple):
    """A document found, not read yet: `lost` is its score, negative; `which` index, `order` in it,
    by `query`."""

    lost: float
    which: int
    order: int
    address: Any
    query: Any


class Engine:
    """Searches one index, and beside it the pages of a session.

    Args:
        index: of the corpus.
        extra: pages that are found as if they were part of it.
    """

    def __init__(self, index: Any, extra: Sequence[Document] = ()) -> None:
        self._indexes = [index, _in_memory(extra)] if extra else [index]
        self._searchers = [one.searcher() for one in self._indexes]
        self._weights = [None, lru_cache(maxsize=512)(self._rarity)]
        self.find = lru_cache(maxsize=512)(self._find)

    def search(
        self, what: Asked, limit: int = 10, days: tuple[int, int] | None = None
    ) -> list[Hit]:
        """The best documents, at most `limit`; equal scores in the order of the corpus."""
        return [self._hit(one) for one in self._ranked(what, limit, days)]

    def _ranked(
        self, what: Asked, limit: int, days: tuple[int, int] | None = None
    ) -> list["_Ranked"]:
        if what.empty:
            return []
        found: list[_Ranked] = []
        for which, index in enumerate(self._indexes):
            query = queries.query(index, what, days, self._weights[which])
            hits = self._searchers[which].search(query, limit).hits
            found += [
                _Ranked(-round(score, 4), which, order, address, query)
                for order, (score, address) in enumerate(hits)
            ]
        found.sort(key=lambda one: one[:3])
        return found[:limit]

    def _document(self, one: "_Ranked") -> Document:
        return fields.document(self._searchers[one.which].doc(one.address))

    def _hit(self, one: "_Ranked") -> Hit:
        found = self._document(one)
        index, searcher = self._indexes[one.which], self._searchers[one.which]
        return Hit(found, _snippet(index, searcher, one.query, found), -one.lost)

    def _rarity(self, word: str) -> float:
        """How much rarer a word is among all documents than among the session's own pages: scores
        of the two indexes are then comparable, as if they were one."""
        stems = queries.stemmer()(word)
        corpus, extra = self._searchers
        own = [extra.doc_freq("body", one) for one in stems]
        all_ = [
            n + corpus.doc_freq("body", one) + corpus.doc_freq("gloss", one)
            for n, one in zip(own, stems, strict=True)
        ]
        here = sum(_idf(extra.num_docs, n) for n in own)
        return sum(_idf(corpus.num_docs + extra.num_docs, n) for n in all_) / here if here else 1.0

    def _find(self, url: str) -> Document | None:
        """The document at an address."""
        return self._first("url", url)

    def titled(self, title: str) -> Document | None:
        """The document of that title, upper and lower case alike; a session's own first."""
        return self._first("key", fields.key_of(title))

    def similar(self, title: str) -> list[str]:
        """Titles of documents like this one, the likeliest first."""
        from tantivy import Occur, Query

        words = queries.words_of(title)[: queries.MAX_WORDS]
        found = [self._document(one) for one in self._ranked(Asked(tuple(words)), SIMILAR * 3)]
        ranked = sorted(found, key=lambda one: -_shared(words, one.name))
        titles = list(dict.fromkeys(one.name for one in ranked))
        if len(titles) < SIMILAR:
            parts = [
                (Occur.Should, Query.fuzzy_term_query(self._indexes[0].schema, "words", word, 1))
                for word in words
                if 3 < len(word) < 40
            ]
            titles += self._names(Query.boolean_query(parts)) if parts else []
        return list(dict.fromkeys(titles))[:SIMILAR]

    def _names(self, query: Any) -> list[str]:
        names = []
        for searcher in reversed(self._searchers):
            for _, address in searcher.search(query, SIMILAR).hits:
                names.append(fields.document(searcher.doc(address)).name)
        return names

    def knows(self, host: str) -> bool:
        """Whether any document lies on this host."""
        return self._first("host", host) is not None

    def _first(self, field: str, value: str) -> Document | None:
        from tantivy import Query

        value = value.encode("utf-8", "replace").decode("utf-8")  # half a character is in no field
        for index, searcher in reversed(list(zip(self._indexes, self._searchers, strict=True))):
            hits = searcher.search(Query.term_query(index.schema, field, value), 1).hits
            if hits:
                return fields.document(searcher.doc(hits[0][1]))
        return None


def _in_memory(extra: Sequence[Document]) -> Any:
    import tantivy

    index = tantivy.Index(fields.schema())
    writer = index.writer(heap_size=EXTRA_HEAP, num_threads=1)
    for one in extra:
        writer.add_document(fields.record(one))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def _idf(documents: int, having: int) -> float:
    """BM25's weight of a word that so many of the documents hold."""
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


def _snippet(index: Any, searcher: Any, query: Any, found: Document) -> str:
    import tantivy

    field = "gloss" if found.entry else "body"
    text = found.text[:SNIPPET_FROM]
    maker = tantivy.SnippetGenerator.create(searcher, query, index.schema, field)
    maker.set_max_num_chars(SNIPPET_CHARS)
    holder = tantivy.Document()
    holder.add_text(field, text)
    piece = flat(maker.snippet_from_doc(holder).fragment())
    if not piece:
        return _cut(flat(text[: SNIPPET_CHARS * 2]))
    whole = flat(text)
    return piece if whole.endswith(piece) else f"{piece} ..."


def _cut(text: str) -> str:
    return text if len(text) <= SNIPPET_CHARS else f"{text[:SNIPPET_CHARS].rsplit(' ', 1)[0]} ..."


def _shared(words: Sequence[str], name: str) -> float:
    have = set(queries.words_of(name))
    both = have & set(words)
    return len(both) / len(have | set(words)) if both else 0.0
