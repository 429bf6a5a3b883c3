"""The fields of an index, and a document as its record."""

import re
from typing import Any

import msgspec

from worldline.environments.search.reading import Document

STEMMED = "en_stem"
_SECTION = re.compile(r"\(\d\w{0,4}\)$")
KEPT = "document"
"""The field that holds a document whole, and is not searched."""


def schema() -> Any:
    """The schema of corpus and made-up pages alike.

    ``title`` and ``body`` are those of pages, ``entry`` and ``gloss`` those of a dictionary's
    entries, which rank lower: so one field a kind, weighted in the query.
    """
    import tantivy

    make = tantivy.SchemaBuilder()
    for name in ("title", "body", "entry", "gloss"):
        make.add_text_field(name, stored=False, tokenizer_name=STEMMED)
    for name in ("url", "host", "key"):
        make.add_text_field(name, stored=False, tokenizer_name="raw", index_option="basic")
    make.add_text_field("words", stored=False, tokenizer_name="default", index_option="basic")
    make.add_unsigned_field("day", stored=False, indexed=True, fast=True)
    make.add_bytes_field(KEPT, stored=True, indexed=False)
    return make.build()


def record(document: Document) -> Any:
    """A document as the index takes it."""
    import tantivy

    one = tantivy.Document()
    heading, text = ("entry", "gloss") if document.entry else ("title", "body")
    one.add_text(heading, f"{document.title}\n{document.name}")
    one.add_text(text, document.text)
    one.add_text("words", document.name)
    one.add_text("url", document.url)
    one.add_text("host", host_of(document.url))
    for key in dict.fromkeys((key_of(document.name), key_of(short(document.name)))):
        one.add_text("key", key)
    one.add_unsigned("day", day_of(document.date))
    one.add_bytes(KEPT, msgspec.msgpack.encode(document))
    return one


def document(found: Any) -> Document:
    """The document in a record that was found."""
    return msgspec.msgpack.decode(found[KEPT][0], type=Document)


def host_of(url: str) -> str:
    """The host of an address of ours."""
    return url.partition("://")[2].partition("/")[0]


def key_of(name: str) -> str:
    """What equal titles have in common."""
    return " ".join(name.casefold().split())[:200]


def short(name: str) -> str:
    """What a page is called for short: ``zipfile`` of "zipfile — Work with ZIP archives",
    ``epoll`` of "epoll(7)"."""
    return _SECTION.sub("", name.partition(" — ")[0].removesuffix(" Manual Page"))


def day_of(date: str) -> int:
    """``2023-01-31`` as 20230131; 0 for no date."""
    return int(date.replace("-", "")) if date else 0
