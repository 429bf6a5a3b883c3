"""What one session of a tool dialect holds, and how its calls are answered."""

from collections.abc import Callable
from functools import cache
from typing import Any

from worldline import jsonl
from worldline.domains.search import DOMAIN
from worldline.environments.search import data, tools_awb, tools_json, wiki
from worldline.environments.search.engine import Engine
from worldline.environments.search.extracting import ToolError
from worldline.environments.search.memory import Memory
from worldline.trajectory import Source, SystemPrompt, Trajectory

Tool = Callable[[dict[str, Any]], str]


@cache
def _listed() -> dict[str, list[dict[str, Any]]]:
    return jsonl.loads(data.text("tools.json"))


def tool_list(dialect: str) -> tuple[dict[str, Any], ...] | None:
    """The tools of a dialect; ``react`` has actions of its own instead."""
    found = _listed().get(dialect)
    return None if found is None else tuple(found)


class Session:
    """One session: notes, stored pages, the open page. `finished` once an agent has answered.

    Args:
        chars: how much of a page is shown at once.
    """

    def __init__(self, dialect: str, engine: Engine, chars: int) -> None:
        self.dialect = dialect
        self.engine = engine
        self.chars = chars
        self.memory = Memory()
        self.storage = tools_json.Storage()
        self.reader = wiki.Reader()
        self.finished = False
        self._tools = self._offered()
        opened = Trajectory(
            id="",
            domain="search",
            dialect=dialect,
            system=SystemPrompt(),
            tools=tool_list(dialect),
            source=Source(kind="collected"),
        )
        self._gate = DOMAIN.open(opened)

    def _offered(self) -> dict[str, Tool]:
        engine, chars = self.engine, self.chars
        if self.dialect == "awb":
            return {
                "web_search": lambda given: tools_awb.search(engine, given),
                "web_extractor": lambda given: tools_awb.extract(engine, given, chars),
                "dict_memory": self.memory,
            }
        return {
            "web_search": lambda given: tools_json.search(engine, given),
            "browse": lambda given: tools_json.browse(engine, given, chars),
            "parse_html_page": lambda given: self.storage.save(engine, given),
            "read_stored_page": self.storage.read,
            "dict_memory": self.memory,
        }

    def answer(self, action: str) -> str:
        """What an action gives. Calls are checked against the tools' schemas first: the words of
        that refusal are defined with the dialect, in the domain."""
        refused = DOMAIN.protocol(self._gate, action)
        if refused is not None:
            return refused.observation
        parsed = DOMAIN.dialects[self.dialect].parse_action(action)
        if self.dialect == "react":
            self.finished = self.finished or parsed.name == "Finish"
            return wiki.answer(self.reader, self.engine, parsed)
        try:
            return self._tools[parsed.name](parsed.arguments)
        except ToolError as told:
            plain = self.dialect == "awb" or parsed.name == "dict_memory"
            key = "page_content" if parsed.name == "browse" else "results"
            return str(told) if plain else tools_json.wrapped(key, str(told))
