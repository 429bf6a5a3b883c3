"""The search environment: one engine, three dialects.

The driver's process opens the index of its corpus and no other file of it, makes no connection and
starts no program. What an agent sends is a key to look up or words to search for.
"""

from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import msgspec

from worldline.environments.base import Driver, Observed, Opening
from worldline.environments.search import fixtures, recipe, store
from worldline.environments.search.engine import Engine
from worldline.environments.search.fixtures import World
from worldline.environments.search.session import Session, tool_list
from worldline.environments.search.telling import initial_state, snapshot, task_description
from worldline.errors import UsageError
from worldline.trajectory import SystemPrompt


class SearchDriver(Driver):
    """Answers searches; see `worldline.environments.search.recipe.Options`."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = recipe.options(options)
        if self.options.documents is not None:
            fixtures.plan(self.options.documents)
        self.corpus = store.corpus(self.options)
        if self.options.folder is not None:
            store.make(self.corpus, self.options, print)
        self.index = store.opened(self.corpus)
        self.world: World | None = None
        self.session: Session | None = None

    def reset(self, seed: int) -> Opening:
        """No notes, no stored pages, no open page; the made-up pages are those of the seed."""
        chosen = self.options
        self.world = fixtures.made(chosen.documents, seed) if chosen.documents else None
        engine = Engine(self.index, self.world.documents if self.world else ())
        self.session = Session(chosen.dialect, engine, chosen.page_chars)
        return Opening(
            domain="search",
            dialect=chosen.dialect,
            system=SystemPrompt(
                task_description=task_description(),
                initial_state=initial_state(self.corpus, self.world, chosen.dialect),
            ),
            tools=tool_list(chosen.dialect),
            meta=self._meta(),
        )

    def _meta(self) -> dict[str, Any]:
        packages = {one.name: one for one in recipe.wanted(self.options)}
        return {
            "versions": {"tantivy": version("tantivy"), **self.corpus.packages},
            "options": msgspec.to_builtins(self.options),
            "corpus": self.corpus.sha,
            "documents": store.counts(self.corpus),
            "licences": {name: one.licence for name, one in packages.items()},
            "made_up": fixtures.record(self.world) if self.world else None,
        }

    def step(self, action: str, limit_s: float) -> Observed:
        """Answer one call. Every search ends in milliseconds, so the limit is not looked at."""
        session = self._session()
        said = session.answer(action)
        return Observed(observation=said, terminated=session.finished)

    def snapshot(self) -> dict[str, Any]:
        """Notes, stored pages, the open page and the session's made-up pages, as facts."""
        taken = datetime.now(UTC).isoformat(timespec="seconds")
        return snapshot(self._session(), self.corpus, self.world, taken)

    def _session(self) -> Session:
        if self.session is None:
            raise UsageError("has no session yet", remedy="Reset the environment first.")
        return self.session

    def close(self) -> None:
        """Nothing of a session is outside this process."""
        self.session = None
