"""Predict what happened the last time: the recorded turn whose action is most like this one.

``retrieval:FILE`` searches recorded turns of the same domain (and dialect, where the recording has
one). Actions are compared as text; among equally near ones the turn wins whose observation before
is most like the present one, and then the earlier in the file, so the answer is always the same.
A recording never answers for itself: turns of the trajectory that the request belongs to
(`Request.session`), and of other windows of the same run, are left out. With a ``splits.json`` (in
``splits=`` or beside the file) only one split is seen, ``train`` unless told otherwise.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec
from rapidfuzz import fuzz, process

from worldline import jsonl
from worldline.domains.base import Style
from worldline.errors import DataError, ModelError, UsageError
from worldline.messages import Request
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Prediction
from worldline.reply import stamp
from worldline.trajectory import trajectory, validation_error

SPLITS = ("train", "dev", "test")
_ACTION_CHARS = 4_000
"""What is compared of an action; the longest are whole files being written."""
_STATE_CHARS = 2_000
"""What is compared of the observation before: its end, where a terminal's prompt is."""


class Neighbour(NamedTuple):
    """A recorded turn near a request. `turn` is 1-based, `score` 0 to 1 (1: the same action)."""

    trajectory: str
    turn: int
    score: float
    action: str
    observation: str
    before: str
    """The state before the action."""


class Query(NamedTuple):
    """What recorded turns are compared with. `session` is whose own turns are left out."""

    domain: str
    dialect: str
    action: str
    before: str
    session: str


class _Entry(NamedTuple):
    trajectory: str
    cluster: str | None
    turn: int
    dialect: str | None
    action: str
    observation: str
    before: str


class _Turn(msgspec.Struct):
    action: str
    observation: str
    state_before: str | None = None


class _Row(msgspec.Struct):
    """What retrieval needs of a recording that is no trajectory record."""

    domain: str
    id: str | int
    turns: list[_Turn]
    dialect: str | None = None
    initial_state: str | None = None
    cluster: str | None = None


class _Pool:
    """The recorded turns of one domain, by the text of their action."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.by_action: dict[str, list[int]] = {}

    def add(self, row: _Row) -> None:
        before = row.initial_state or ""
        for number, turn in enumerate(row.turns, 1):
            self.by_action.setdefault(turn.action, []).append(len(self.entries))
            if turn.state_before is not None:
                before = turn.state_before
            self.entries.append(
                _Entry(
                    str(row.id),
                    row.cluster,
                    number,
                    row.dialect,
                    turn.action,
                    turn.observation,
                    before,
                )
            )
            before = turn.observation

    @cached_property
    def actions(self) -> list[str]:
        return list(self.by_action)

    @cached_property
    def compared(self) -> list[str]:
        return [action[:_ACTION_CHARS] for action in self.actions]


class RetrievalModel(WorldModel):
    """Predicts the observation of the nearest recorded turn. The file is read on first use.

    Args:
        path: JSON Lines of trajectories (`.gz` too), or of rows with domain, id and turns.
        splits: a ``splits.json`` (one that lies beside the file is used unasked); then only
            trajectories of `split` are seen.

    Raises:
        ModelError: there is no such file.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        splits: str | Path | None = None,
        split: str | None = None,
        style: Style = "full",
        context: int | None = None,
    ) -> None:
        self.path = Path(path).expanduser()
        beside = self.path.with_name("splits.json")
        if splits is None and beside.is_file():
            splits = beside
        self.splits = None if splits is None else Path(splits).expanduser()
        self.split = split or SPLITS[0]
        self.name = f"retrieval:{self.path.stem}"
        self.style = style
        self.context = context
        if self.split not in SPLITS or (split and splits is None):
            raise UsageError(
                f"there is no split {split!r} to choose",
                field="split",
                remedy=f"Give splits=FILE, and one of {', '.join(SPLITS)}.",
            )
        for file in (self.path, self.splits):
            if file is not None and not file.is_file():
                raise ModelError("there is no such file", file=file, remedy="Check the path.")

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """The nearest turn's observation; ``no_prediction`` (``no_neighbour``) if there is none."""
        found = self.nearest(request, 1)
        if not found:
            return stamp(request, self.name, "no_prediction", reason="no_neighbour")
        near = found[0]
        if on_text and near.observation:
            on_text(near.observation)
        origin = {"trajectory": near.trajectory, "turn": near.turn, "score": near.score}
        raw = {"content": near.observation, "reasoning": None, "neighbour": origin}
        return stamp(request, self.name, "ok", observation=near.observation, raw=raw)

    def nearest(self, request: Request, k: int) -> list[Neighbour]:
        """The `k` recorded turns most like the request, the nearest first."""
        before, session = request.before, request.session or ""
        query = Query(request.domain, request.dialect, request.action, before, session)
        return self.near(query, k)

    def near(self, query: Query, k: int) -> list[Neighbour]:
        """The `k` recorded turns most like the query, the nearest first."""
        pool = self._pools.get(query.domain)
        if pool is None or k < 1:
            return []
        scored = [(100.0, i) for i in self._usable(pool, query, query.action)]
        if len(scored) < k:
            scored = self._search(pool, query, k)
        before = query.before[-_STATE_CHARS:]

        def order(item: tuple[float, int]) -> tuple[float, float, int]:
            state = pool.entries[item[1]].before[-_STATE_CHARS:]
            return -item[0], -fuzz.ratio(before, state), item[1]

        return [
            self._neighbour(pool.entries[i], score) for score, i in sorted(scored, key=order)[:k]
        ]

    def _search(self, pool: _Pool, query: Query, k: int) -> list[tuple[float, int]]:
        """At least `k` turns (if there are as many) by score, and all that tie with the last."""
        action = query.action[:_ACTION_CHARS]
        ranked = process.extract(action, pool.compared, scorer=fuzz.ratio, limit=None)
        scored: list[tuple[float, int]] = []
        for _, score, number in ranked:
            if len(scored) >= k and score < scored[-1][0]:
                break
            usable = self._usable(pool, query, pool.actions[number])
            scored.extend((score, i) for i in usable)
        return scored

    def check(self) -> None:
        """Read the file now.

        Raises:
            ModelError: it cannot be read, or holds nothing.
        """
        if not self._pools:
            raise ModelError("holds no trajectories", file=self.path, remedy="Check the path.")

    @staticmethod
    def _usable(pool: _Pool, query: Query, action: str) -> Iterator[int]:
        """Turns with this action that may answer this query."""
        cluster = query.session.partition("/")[2]
        for i in pool.by_action.get(action, ()):
            entry = pool.entries[i]
            own = query.session == entry.trajectory or query.session.startswith(
                f"{entry.trajectory}/"
            )
            own = own or (cluster != "" and query.session.endswith(f"/{entry.cluster}"))
            if not own and entry.dialect in (None, query.dialect):
                yield i

    @staticmethod
    def _neighbour(entry: _Entry, score: float) -> Neighbour:
        return Neighbour(
            entry.trajectory,
            entry.turn,
            round(score / 100, 6),
            entry.action,
            entry.observation,
            entry.before,
        )

    @cached_property
    def _pools(self) -> dict[str, _Pool]:
        try:
            chosen = None if self.splits is None else _chosen(self.splits, self.split)
            pools: dict[str, _Pool] = {}
            for line in jsonl.read(self.path):
                row = _row(line, self.path)
                if chosen is None or str(row.id) in chosen:
                    pools.setdefault(row.domain, _Pool()).add(row)
            if chosen is not None and not pools:
                raise DataError(
                    f"holds no trajectory of the split {self.split!r} of {self.splits}",
                    file=self.path,
                    remedy="Give splits=FILE that lists its ids, or another split.",
                )
            return pools
        except DataError as error:
            raise ModelError(
                error.message,
                file=error.file,
                line=error.line,
                field=error.field,
                remedy=error.remedy,
            ) from error


def _row(line: jsonl.Line, path: Path) -> _Row:
    if isinstance(line.value, dict) and "schema" in line.value:
        read = trajectory(line.value, file=path, line=line.number)
        turns = [_Turn(turn.action, turn.observation, turn.state_before) for turn in read.turns]
        first = read.system.initial_state
        return _Row(read.domain, read.id, turns, read.dialect, first, read.cluster)
    try:
        return jsonl.convert(line.value, _Row)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=path, line=line.number) from error


def _chosen(path: Path, split: str) -> frozenset[str]:
    """Ids of the trajectories of a split."""
    try:
        splits = jsonl.convert(jsonl.loads(path.read_bytes()), dict[str, str])
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(
            f"is not a splits file ({error})", file=path, remedy="It maps each id to its split."
        ) from error
    return frozenset(id for id, name in splits.items() if name == split)
