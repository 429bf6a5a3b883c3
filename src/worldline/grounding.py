"""What answers are grounded in: ``--ground ledger,snapshot,retrieval:FILE`` or ``none``.

``ledger``: what is known is not asked, and the model is told the facts. ``snapshot``: the facts of
a snapshot count as established. ``retrieval:FILE``: the model is shown what recorded environments
did after the most similar actions (the *train* split alone, where a ``splits.json`` lies beside
the file). ``none`` is the model prompted raw.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from worldline.domains.base import Domain
from worldline.domains.common import EXAMPLES_TAG, block, clip
from worldline.errors import UsageError
from worldline.messages import Thread
from worldline.trees import diff

if TYPE_CHECKING:
    from worldline.models.retrieval import Neighbour, RetrievalModel

NAMES = ("ledger", "snapshot")
RETRIEVAL = "retrieval:"
_COMMA = re.compile(r",(?=\s*(?:ledger|snapshot|none|retrieval:)|\s*$)")
"""Between two groundings; a comma in a path is none."""
EXAMPLES = 2
EXAMPLE_CHARS = 700
"""Of one example's observation; of its action half as many."""
_LEAD = "What other, recorded environments replied to similar actions (their content differs):"


class Ground(NamedTuple):
    """A parsed ``--ground``."""

    ledger: bool = False
    snapshot: bool = False
    retrieval: str | None = None

    @property
    def told(self) -> bool:
        """Whether what is known is answered and facts are told."""
        return self.ledger or self.snapshot

    @property
    def parts(self) -> tuple[str, ...]:
        """As it is recorded; nothing for ``none``."""
        named = tuple(name for name in NAMES if getattr(self, name))
        return (*named, RETRIEVAL + self.retrieval) if self.retrieval else named


def parse_ground(text: str) -> Ground:
    """Read ``--ground``.

    Raises:
        UsageError: no grounding of this name, or nothing named.
    """
    parts = [part.strip() for part in _COMMA.split(text) if part.strip()]
    if parts == ["none"]:
        return Ground()
    file = None
    for part in parts:
        if part.startswith(RETRIEVAL) and len(part) > len(RETRIEVAL):
            if file is not None:
                raise UsageError("names two files", field="--ground", remedy="Give one.")
            file = part.removeprefix(RETRIEVAL)
        elif part not in NAMES:
            raise UsageError(
                f"{part!r} is no grounding",
                field="--ground",
                remedy=f"Use none, or any of {','.join(NAMES)},retrieval:FILE.",
            )
    if not parts:
        raise UsageError("is empty", field="--ground", remedy=f"Use none or {','.join(NAMES)}.")
    return Ground(ledger="ledger" in parts, snapshot="snapshot" in parts, retrieval=file)


@lru_cache(maxsize=4)
def _opened(spec: str) -> "RetrievalModel":
    from worldline.models.retrieval import RetrievalModel
    from worldline.models.spec import load

    model = load(f"{RETRIEVAL}{spec}")
    assert isinstance(model, RetrievalModel)
    return model


class Examples:
    """Recorded turns to show, from the file of ``retrieval:FILE``."""

    def __init__(self, spec: str) -> None:
        self.model = _opened(spec)
        self.model.check()

    @property
    def all_shown(self) -> bool:
        """No splits are known: turns that something may be tested on are shown too."""
        return self.model.splits is None

    def block(
        self,
        domain: Domain,
        thread: Thread,
        dialect: str,
        action: str,
        state: str | None,
        session: str | None,
    ) -> str:
        """The block of a message, in the form that the thread asks for; empty without any.

        Args:
            session: whose own recording, if it is among them, must not answer.
        """
        from worldline.models.retrieval import Query

        query = Query(domain.id, dialect, action, state or "", session or "")
        near = self.model.near(query, EXAMPLES)
        lines = [_LEAD, *(line for one in near for line in _told(thread, one))]
        return block(lines, EXAMPLES_TAG) if near else ""


def _told(thread: Thread, near: "Neighbour") -> Iterable[str]:
    reply = near.observation
    if thread.form == "patch" and thread.tree is not None:
        reply = diff(thread.tree, near.before, near.observation)
    yield f"Action: {clip(near.action, EXAMPLE_CHARS // 2)}"
    yield f"Reply:\n{clip(reply, EXAMPLE_CHARS)}"


def examples(found: Ground) -> Examples | None:
    """The examples that a grounding asks for.

    Raises:
        ModelError: there is no such file.
    """
    return None if found.retrieval is None else Examples(found.retrieval)
