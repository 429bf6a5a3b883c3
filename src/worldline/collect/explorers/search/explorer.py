"""The search explorer: search, read, remember, and let what was found lead on.

An episode is about one topic; its first words come from a list, every later one from what was seen.
A tenth of its moves are the wrong turns agents take.
"""

import random
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

from worldline.collect.explorers.base import Explorer, Family, Move
from worldline.collect.explorers.search import calls, eyes, notes, wiki
from worldline.collect.explorers.search.mind import Mind, Topic
from worldline.environments.base import Opening
from worldline.prediction import StepResult

PACKAGE = "worldline.collect.explorers.search"
LENGTH = (20, 30)
SLIPS = 0.1
DIALECTS = {"awb": 9, "json": 6, "react": 5}
PAGE_CHARS = (2_000, 3_000, 4_000, 5_000)
_MOVES = {**calls.MOVES, **notes.MOVES}
_NAMED = re.compile(r"(?m)^- (\S+): [\d,]+ pages of (.+)$")
TRIES = 4
_REPEATING = frozenset({"again", "back", "next", "list", "clear", "retrieve"})
_NOTING = frozenset({"add", "update", "retrieve", "remove", "lost", "list", "clear"})


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files(PACKAGE).joinpath(f"{name}.toml").read_text("utf-8"))


class SearchExplorer(Explorer):
    """One episode on one topic."""

    domain: ClassVar[str] = "search"
    families: ClassVar[Mapping[str, Family]] = {
        name: Family(held_out=topic.get("held_out", False))
        for name, topic in _table("topics").items()
    }

    def __init__(self, family: str, rng: random.Random) -> None:
        super().__init__(family, rng)
        self.about = _table("topics")[family]
        self.dialect = rng.choices(list(DIALECTS), list(DIALECTS.values()))[0]
        self.length = rng.randint(*LENGTH)
        self.style = _table("habits")["style"][rng.choice(("reader", "noter", "searcher", "plain"))]
        self.task = ""
        self.mind = Mind(Topic(("",), ""), rng, {})
        self._last = "start"
        self._done: set[str] = set()

    def options(self) -> dict[str, Any]:
        """The dialect, how much of a page is shown at once, and made-up pages for some topics."""
        chosen: dict[str, Any] = {"dialect": self.dialect}
        if self.dialect != "react":
            chosen["page_chars"] = self.rng.choice(PAGE_CHARS)
        if "documents" in self.about:
            chosen["documents"] = self.about["documents"]
        return chosen

    def begin(self, opening: Opening) -> None:
        """Learn what the session is about; a made-up site names itself in the opening."""
        named = _NAMED.search(opening.system.initial_state or "")
        start, host = tuple(self.about.get("start", ())), self.about.get("host", "")
        if "documents" in self.about and named:
            start, host = (named[2],), named[1]
        topic = Topic(start or ("documents",), host, tuple(self.about.get("labels", ())))
        self.mind = Mind(topic, self.rng, _table("phrases"))
        self.task = self.mind.worded(self.rng.choice(_table("phrases")["tasks"]))

    def act(self, last: StepResult | None) -> Move | None:
        """The next move; what was seen decides what makes sense."""
        mind = self.mind
        if last is not None and self._last not in _NOTING:
            mind.take_in(eyes.seen(self.dialect, last.observation))
        if mind.count >= self.length:
            return None
        mind.count += 1
        return self._wiki_move() if self.dialect == "react" else self._call_move()

    def _call_move(self) -> Move:
        slip = self.mind.count > 1 and self.rng.random() < SLIPS
        habits = _table("habits")
        weights = habits["slips"] if slip else habits["after"][self._situation()]
        for name in self._order(weights):
            action = self._new(lambda name=name: _MOVES[name](self.mind, self.dialect), name)
            if action is not None:
                self._last = name
                return Move(self._dressed(action), name)
        return Move(self._dressed(calls.find(self.mind, self.dialect, self.mind.term())), "search")

    def _situation(self) -> str:
        seen = self.mind.last
        if self._last == "start":
            return "start"
        if self._last in _NOTING:
            return "notes"
        if self._last in ("save", "stored"):
            return "stored"
        return "hits" if seen.hits else "page" if seen.text and not seen.error else "error"

    def _wiki_move(self) -> Move:
        seen, habits = self.mind.last, _table("habits")["wiki"]
        situation = "start" if self.mind.count == 1 else "error" if seen.error else "page"
        for name in self._order(habits[situation]):
            action = self._new(lambda name=name: wiki.MOVES[name](self.mind), name)
            if action is not None:
                return Move(action, name)
        return Move(f"Search[{self.mind.term()}]", "term")

    def _new(self, make: Callable[[], str | None], name: str) -> str | None:
        """An action not taken before, unless repeating is the point of the move."""
        for _ in range(TRIES):
            action = make()
            if action is None or name in _REPEATING or action not in self._done:
                break
        else:
            return None
        self._done.add(action or "")
        return action

    def _order(self, weights: Mapping[str, float]) -> list[str]:
        """Moves to try, drawn by weight."""
        left = {name: weight * self.style.get(name, 1) for name, weight in weights.items()}
        order: list[str] = []
        while left:
            name = self.rng.choices(list(left), list(left.values()))[0]
            order.append(name)
            del left[name]
        return order

    def _dressed(self, action: str) -> str:
        """Now and then an action in one of the other forms that mean the same."""
        chance = self.rng.random()
        if chance < 0.01:
            return f"```json\n{action}\n```"
        return action
