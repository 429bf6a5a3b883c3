"""What an explorer keeps in mind over an episode: terms, hits, pages read, notes made."""

import random
import re
from typing import Any, NamedTuple

from worldline.collect.explorers.search import eyes
from worldline.collect.explorers.search.eyes import Seen

MOST_TERMS = 40
_PLACE = re.compile(r"\{(\w)\}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Topic(NamedTuple):
    """What an episode is about."""

    start: tuple[str, ...]
    host: str
    labels: tuple[str, ...] = ()


class Mind:
    """Everything later choices rest on: it grows with each observation, newest last."""

    def __init__(self, topic: Topic, rng: random.Random, phrases: dict[str, list[str]]) -> None:
        self.topic = topic
        self.rng = rng
        self.phrases = phrases
        self.terms: list[str] = rng.sample(topic.start, min(3, len(topic.start)))
        self.titles: list[str] = []
        self.urls: list[str] = []
        self.read: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.headings: list[str] = []
        self.facts: list[tuple[str, str]] = []
        self.notes: dict[str, Any] = {}
        self.gone: list[str] = []
        self.stored: list[str] = []
        self.asked: list[str] = []
        self.keyword = ""
        self.last = Seen()
        self.count = 0

    # seeing

    def take_in(self, seen: Seen) -> None:
        """Remember what an observation showed."""
        self.last = seen
        for hit in seen.hits:
            if hit.url not in self.urls:
                self.urls.append(hit.url)
                self.titles.append(hit.title)
        near = [hit for hit in seen.hits if self.is_near(hit.url)]
        shown = " ".join(f"{hit.title} {hit.snippet}" for hit in near[:6])
        if not seen.hits:
            shown = seen.text
        elif not near:  # astray: back to the topic
            self.terms.append(self.rng.choice(self.topic.start))
        if seen.error and not seen.similar and self.rng.random() < 0.5:
            self.terms.append(self.rng.choice(self.topic.start))  # a fresh start
        if not seen.error:
            self.terms += eyes.telling(eyes.words(shown), self.rng, 6)
            some = eyes.names(shown)
            self.terms += self.rng.sample(some, min(len(some), 4 if self.topic.labels else 1))
            self.terms = list(dict.fromkeys(self.terms))[-MOST_TERMS:]
        self.links += seen.links[:40]
        self.facts += seen.facts
        if seen.headings:
            self.headings = list(seen.headings)

    # wording

    def term(self) -> str:
        """A term to go on with, more often a new one."""
        size = len(self.terms)
        return self.terms[max(self.rng.randrange(size), self.rng.randrange(size))]

    def worded(self, pattern: str) -> str:
        """A pattern filled from what was seen; see ``phrases.toml``."""

        used: set[str] = set()

        def place(match: re.Match[str]) -> str:
            match match[1]:
                case "x" | "y":
                    return self.gibberish()
                case "n":
                    return str(self.rng.randrange(1, 500))
                case "h":
                    return self.host()
                case "p":
                    return eyes.phrase(self.told() or self.term(), self.rng)
                case letter:
                    term = self.term()
                    while term in used and not used.issuperset(self.terms):
                        term = self.term()
                    used.add(term)
                    return term.capitalize() if letter.isupper() else term

        return _PLACE.sub(place, pattern)

    def title(self) -> str:
        """A title of the topic that was seen, without the site's name behind it."""
        seen = zip(self.titles, self.urls, strict=True)
        near = [title.partition(" - ")[0] for title, url in seen if self.is_near(url)]
        return self.rng.choice(near[-12:]) if near else self.term()

    def host(self) -> str:
        """A host that was seen, or the topic's."""
        if self.urls and self.rng.random() < 0.6:
            return self.rng.choice(self.urls).split("/")[2]
        return self.topic.host or "docs.example"

    def is_near(self, url: str) -> bool:
        """Whether an address belongs to the topic."""
        return not self.topic.host or url.split("/")[2] == self.topic.host

    def near_urls(self) -> list[str]:
        """Addresses seen and not read yet, the newest last; those of the topic if there are any."""
        new = [url for url in self.urls if url not in self.read][-20:]
        near = [url for url in new if self.is_near(url)]
        return near if near and self.rng.random() < 0.85 else new

    def is_known(self, url: str) -> bool:
        """Whether the host of an address was seen among hits, or is the topic's."""
        host = url.split("/")[2]
        return host == self.topic.host or any(host == one.split("/")[2] for one in self.urls)

    def gibberish(self) -> str:
        """A word that exists nowhere."""
        size = self.rng.randint(5, 12)
        return "".join(self.rng.choice(_LETTERS) for _ in range(size))

    def mistyped(self, text: str) -> str:
        """The text with one or two slips of the finger."""
        signs = list(text)
        for _ in range(self.rng.randint(1, 2)):
            if len(signs) < 4:
                break
            at = self.rng.randrange(1, len(signs) - 1)
            match self.rng.randrange(3):
                case 0:
                    signs[at], signs[at + 1] = signs[at + 1], signs[at]
                case 1:
                    del signs[at]
                case _:
                    signs[at] = self.rng.choice(_LETTERS)
        return "".join(signs)

    def told(self) -> str:
        """The text that was shown last, of a page or of hits."""
        return self.last.text or " ".join(hit.snippet for hit in self.last.hits)

    def sentence(self) -> str:
        """A sentence to keep."""
        found = eyes.sentences(self.told())
        return self.rng.choice(found) if found else f"nothing on {self.term()} yet"
