"""WordNet's database files as pages of a dictionary, one a word.

Formats: wndb(5WN). A line of ``data.noun`` is a synset (its words, its relations, a gloss), a line
of ``index.noun`` a word and its synsets, most frequent first.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from worldline.environments.search.reading import Document

PARTS = ("noun", "verb", "adj", "adv")
_NAMES = {"noun": "noun", "verb": "verb", "adj": "adjective", "adv": "adverb"}
_LETTERS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
_RELATIONS = {"@": "Kind of", "~": "Kinds", "!": "Opposite", "%p": "Parts", "#p": "Part of"}
_SHOWN = 8
"""Related words that are listed."""

Key = tuple[str, str]


class Synset(NamedTuple):
    """Words that mean the same, related synsets by relation, and what they mean."""

    words: tuple[str, ...]
    related: tuple[tuple[str, Key], ...]
    gloss: str


def pages(files: Mapping[str, bytes], host: str, source: str) -> Iterator[Document]:
    """The dictionary's pages in alphabetical order.

    Args:
        files: name (``data.noun``, ``index.noun``, ...) -> content.
    """
    synsets: dict[Key, Synset] = {}
    senses: dict[str, list[tuple[str, Key]]] = {}
    for part in PARTS:
        for line in _lines(files[f"data.{part}"]):
            offset, synset = _synset(line)
            synsets[part, offset] = synset
        for line in _lines(files[f"index.{part}"]):
            fields = line.split()
            senses.setdefault(fields[0], []).extend(
                (part, (part, offset)) for offset in fields[-int(fields[2]) :]
            )
    for word in sorted(senses):
        yield _page(word, senses[word], synsets, host, source)


def address(host: str, word: str) -> str:
    """The address of a word's page."""
    from urllib.parse import quote

    return f"https://{host}/w/{quote(word.replace(' ', '_').lower())}"


def _lines(data: bytes) -> Iterator[str]:
    """The lines after the licence, which is indented."""
    for line in data.decode("utf-8", "replace").split("\n"):
        if line and not line.startswith(" "):
            yield line


def _synset(line: str) -> tuple[str, Synset]:
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    count = int(fields[3], 16)
    words = tuple(_word(one) for one in fields[4 : 4 + 2 * count : 2])
    at = 5 + 2 * count
    related = []
    for _ in range(int(fields[at - 1])):
        symbol, offset, letter = fields[at : at + 3]
        related.append((symbol.removesuffix("i"), (_LETTERS[letter], offset)))
        at += 4
    return fields[0], Synset(words, tuple(related), gloss.strip())


def _word(text: str) -> str:
    return text.partition("(")[0].replace("_", " ")  # an adjective's place stands in parentheses


def _page(
    word: str,
    senses: list[tuple[str, Key]],
    synsets: Mapping[Key, Synset],
    host: str,
    source: str,
) -> Document:
    shown = _spelling(word.replace("_", " "), synsets[senses[0][1]])
    lines, paragraphs, last, number = [f"# {shown}"], [], "", 0
    for part, key in senses:
        if part != last:
            lines += ["", f"## {_NAMES[part].capitalize()}", ""]
            last, number = part, 0
        number += 1
        synset = synsets[key]
        others = [one for one in synset.words if one.lower() != shown.lower()]
        lines.append(f"{number}. {synset.gloss}")
        text = [f"{shown} ({_NAMES[part]} {number}): {synset.gloss}"]
        for label, words in [("Synonyms", others), *_related(synset, synsets)]:
            if words:
                links = ", ".join(f"[{one}]({address(host, one)})" for one in words)
                lines.append(f"   - {label}: {links}")
                text.append(f"{label}: {', '.join(words)}")
        paragraphs.append(". ".join(text))
    url, page = address(host, word), "\n".join(lines)
    return Document(
        url, f"{shown} - WordNet 3.0", shown, "\n\n".join(paragraphs), page, "", source, entry=True
    )


def _spelling(word: str, synset: Synset) -> str:
    return next((one for one in synset.words if one.lower() == word), word)


def _related(synset: Synset, synsets: Mapping[Key, Synset]) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for symbol, key in synset.related:
        label = _RELATIONS.get(symbol)
        words = found.setdefault(label, []) if label else []
        name = synsets[key].words[0]
        if label and len(words) < _SHOWN and name not in words:
            words.append(name)
    return list(found.items())
