"""The ``react`` dialect's reader: ``Search[title]`` opens a page, ``Lookup[keyword]`` finds in it.

The sentences are the harness's own (`worldline.domains.search.dialects.react`).
"""

from worldline.domains.search.dialects import react
from worldline.domains.search.dialects.react import Step
from worldline.environments.search.engine import Engine

MAX_PARAGRAPH = 1_500


class Reader:
    """Which page is open, and how far a lookup has come in it."""

    def __init__(self) -> None:
        self.title: str | None = None
        self.paragraphs: list[str] = []
        self._word: str | None = None
        self._shown = 0

    def search(self, engine: Engine, title: str) -> str:
        """Open the page of this title, or tell what similar ones there are."""
        if not title.strip():
            return react.RETRY
        self.title, self.paragraphs, self._word = None, [], None
        found = engine.titled(title)
        if found is None:
            missing = react.Missing(title, tuple(engine.similar(title)))
            return react.render_observation(react.Observation(missing))
        self.title = found.name
        self.paragraphs = [_cut(one) for one in found.text.split("\n\n")]
        return self.paragraphs[0]

    def lookup(self, keyword: str) -> str:
        """The next paragraph of the open page that holds the keyword."""
        if self.title is None:
            return react.NO_PAGE
        word = keyword.lower()
        if word != self._word:
            self._word, self._shown = word, 0
        held = [one for one in self.paragraphs if word in one.lower()]
        if not held:
            return react.NO_RESULTS
        self._shown += 1
        if self._shown > len(held):
            return react.NO_MORE
        result = react.Result(self._shown, len(held), held[self._shown - 1])
        return react.render_observation(react.Observation(result))


def answer(reader: Reader, engine: Engine, step: Step) -> str:
    """What one step gives; a final answer gives nothing."""
    if step.name == "Search":
        return reader.search(engine, step.argument)
    if step.name == "Lookup":
        return reader.lookup(step.argument)
    return ""


def _cut(paragraph: str) -> str:
    if len(paragraph) <= MAX_PARAGRAPH:
        return paragraph
    return f"{paragraph[:MAX_PARAGRAPH].rsplit(None, 1)[0]} ..."
