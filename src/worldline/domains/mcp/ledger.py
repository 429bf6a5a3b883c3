"""What a session establishes about its tools' world, and what follows from it with certainty.

A result is kept as a fact of kind ``row`` under the call that gave it. As long as nothing has
touched the world since, the same call answers the same (`known`); after a write the row is marked
incomplete: still worth telling a model, no longer certain. What counts as touching is judged by
`kinds`; every doubt counts as touching. A call that failed because of its arguments touches nothing
and fails again.

Beside rows the ledger keeps the records it saw (``entity``) and the files the agent wrote
(``file``). It computes; it never runs anything an agent sent.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from worldline.domains.base import Known, Ledger
from worldline.domains.mcp import calculator, protocol
from worldline.domains.mcp.actions import Call, CallError, call_key, parse_call
from worldline.domains.mcp.kinds import kind, repeatable, stamped
from worldline.domains.mcp.memo import Memo, Reader, memo_of, parse_observation
from worldline.domains.mcp.observations import Body, Json, ToolResult, render_body
from worldline.domains.mcp.reading import is_error, lasting, leaf, with_leaf
from worldline.domains.mcp.records import only_id, records
from worldline.domains.mcp.schema import check
from worldline.domains.mcp.tools import Target
from worldline.domains.mcp.world import after
from worldline.domains.mcp.writes import read_back, written
from worldline.facts import Fact, FactOrigin, fact
from worldline.trajectory import Turn

SEEN = frozenset({"mcp.repeated_read", "mcp.repeated_error"})
"""Rules of rows that were only read: in a live system another may have changed them since."""
MAX_FACTS = 400
MAX_VALUE = 60_000


def track(ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
    """The ledger after a turn. An action that is no call changes nothing but the turn count."""
    ledger = msgspec.structs.replace(ledger, turn=ledger.turn + 1)
    try:
        call = parse_call(turn.action)
    except CallError:
        return ledger
    step = _Step(ledger, call, turn.observation, origin)
    if step.failed and protocol.refuses(ledger, turn.action):
        return step.learned()
    return step.after()


def known(ledger: Ledger, action: str) -> Known | None:
    """The observation, when it follows from the facts: a row still standing, or arithmetic."""
    try:
        call = parse_call(action)
    except CallError:
        return None
    memo = memo_of(ledger)
    target = memo.box.target(call)
    row = ledger.get("row", row_key(target))
    if row is not None and row.complete and _answers(row.value):
        return Known(
            observation=row.value["observation"],
            rule=row.value["rule"],
            because=(row.id,),
            consistent_only=row.origin == "model",
        )
    return calculator.known(ledger, target)


def _answers(value: Any) -> bool:
    """Whether a row's value is an observation with its rule (a given row may be anything)."""
    return isinstance(value, dict) and value.keys() >= {"observation", "rule"}


def row_key(target: Target) -> str:
    """The fact key of a call's result."""
    return call_key(target.label, target.arguments)


class _Step:
    """One turn being taken into the ledger."""

    def __init__(self, ledger: Ledger, call: Call, observation: str, origin: FactOrigin) -> None:
        self.ledger = ledger
        self.memo: Memo = memo_of(ledger)
        self.target = self.memo.box.target(call)
        self.observation = observation
        self.origin: FactOrigin = origin
        self.body: Body = parse_observation(ledger.dialect, observation).body
        self.effect = kind(self.target).effect
        self.failed = is_error(self.body)

    def learned(self) -> Ledger:
        """The ledger after a call that never reached its tool: only its wording is news."""
        return msgspec.structs.replace(self.ledger, memo=self._worded())

    def _worded(self) -> Memo:
        """How this server words a breach, which only a real server can show."""
        if self.origin != "real":
            return self.memo
        return protocol.learn(self.memo, self.target, self.body)

    def after(self) -> Ledger:
        """The ledger after a call that reached its tool."""
        new: list[Fact] = []
        if self._changed_nothing():
            self._watch()
            if self.target.label in self.memo.moving:
                self.ledger = self.ledger.with_facts(without=[f"row:{row_key(self.target)}"])
            if self._repeats():
                rule = "mcp.repeated_error" if self.failed else "mcp.repeated_read"
                new.append(self._row(row_key(self.target), self.observation, rule, self.origin))
        else:
            self.memo = msgspec.structs.replace(
                self.memo, restless=self.memo.restless or self.effect == "process"
            )
            self.ledger = _stale(self.ledger)
            if not self.failed:
                new += self._read_backs()
        if not self.failed:
            new += self._entities()
            prints = calculator.learn(self.ledger, self.target, self.body, self.origin)
            new += [prints] if prints else []
        self._remember()
        ledger = msgspec.structs.replace(self.ledger, memo=self.memo)
        return _bounded(ledger.with_facts(*new), new)

    def _changed_nothing(self) -> bool:
        """A read, or a call refused for what is in it (a program may fail half way: not that)."""
        if self.effect == "read":
            return True
        tool = self.target.tool
        if self.failed and tool is not None:
            breach = check(tool.input_schema, self.target.arguments).message
            if breach is not None:
                return True
        return self.effect == "write" and lasting(self.body)

    def _watch(self) -> None:
        """A tool that answers the same call otherwise, though nothing has changed, is moving."""
        row = self.ledger.get("row", row_key(self.target))
        stood = row is not None and row.complete and _answers(row.value)
        if row is not None and stood and row.value["observation"] != self.observation:
            moving = self.memo.moving | {self.target.label}
            self.memo = msgspec.structs.replace(self.memo, moving=moving)

    def _repeats(self) -> bool:
        if self.target.label in self.memo.moving:
            return False
        if self.memo.restless or len(self.observation) > MAX_VALUE or stamped(self.observation):
            return False
        if self.failed:
            return lasting(self.body)
        return repeatable(self.target)

    def _row(self, key: str, observation: str, rule: str, origin: FactOrigin) -> Fact:
        value = {"observation": observation, "rule": rule}
        return fact("row", key, value, origin=origin, turn=self.ledger.turn)

    def _read_backs(self) -> Iterable[Fact]:
        """Reads whose answer the write itself has just shown or fixed."""
        if self.memo.restless or self.effect != "write":
            return
        file = written(self.target)
        if file is not None:
            path, content = file
            yield fact("file", path, content, origin="action", turn=self.ledger.turn)
            back = with_leaf(self.body, content)
            shown = None if back is None else render_body(back)
            for reader in read_back(self.memo.box, self.target, path):
                if shown is not None:
                    yield self._row(row_key(reader), shown, "mcp.file_read_back", "action")
        end = leaf(self.body)
        if not isinstance(end, Json) or not isinstance(end.value, dict):
            return
        for label, reader in self.memo.readers.items():
            yield from self._record(label, reader, end)

    def _record(self, label: str, reader: Reader, end: Json) -> Iterable[Fact]:
        """The write returned the whole record that this reader returns."""
        shown = leaf(reader.body)
        name = reader.argument
        same = isinstance(shown, Json) and shown.style == end.style
        if not same or reader.keys != end.value.keys() or name not in self.target.arguments:
            return
        if end.value[name] != self.target.arguments[name]:
            return
        back = with_leaf(reader.body, render_body(end))
        if back is not None:
            key = call_key(label, {name: end.value[name]})
            yield self._row(key, render_body(back), "mcp.record_read_back", self.origin)

    def _entities(self) -> Iterable[Fact]:
        end = leaf(self.body)
        if isinstance(end, Json):
            whole = self.effect == "read"
            for key, record in records(end.value, self.target.arguments, whole=whole).items():
                yield fact("entity", key, record, origin=self.origin, turn=self.ledger.turn)

    def _remember(self) -> None:
        memo = self._worded()
        world = after(memo.world, self.target, self.body, self.observation, self.origin)
        changes: dict[str, Any] = {"world": world}
        if isinstance(self.body, ToolResult):
            changes["sample"] = self.body
        label, end = self.target.label, leaf(self.body)
        if not self.failed:
            count = memo.structured.get(label, 0)
            answered = count + 1 if isinstance(end, Json) and count >= 0 else -1
            changes["structured"] = {**memo.structured, label: answered}
            name = only_id(self.target.arguments)
            if name and isinstance(end, Json) and repeatable(self.target):
                record = end.value
                if isinstance(record, dict) and record.get(name) == self.target.arguments[name]:
                    reader = Reader(name, frozenset(record), self.body)
                    changes["readers"] = {**memo.readers, label: reader}
        self.memo = msgspec.structs.replace(memo, **changes)


def _stale(ledger: Ledger) -> Ledger:
    """All that was seen is from before something changed."""
    seen = [f for f in ledger.facts.values() if f.complete and f.kind in ("row", "file", "entity")]
    return ledger.with_facts(*(msgspec.structs.replace(f, complete=False) for f in seen))


def _bounded(ledger: Ledger, new: list[Fact]) -> Ledger:
    """The oldest facts of our own go when there are too many; given ones stay."""
    surplus = len(ledger.facts) - MAX_FACTS
    if surplus <= 0:
        return ledger
    fresh = {f.id for f in new}
    old = [f for f in ledger.facts.values() if f.origin != "given" and f.id not in fresh]
    old.sort(key=lambda f: f.turn)
    return ledger.with_facts(without=[f.id for f in old[:surplus]])
