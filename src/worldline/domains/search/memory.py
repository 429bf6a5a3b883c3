"""``dict_memory``: an agent's notes by key, which the ledger alone can answer for.

The operations are the reference's: ``add`` and ``update`` (``dict``: an object), ``retrieve`` and
``remove`` (``key_list``: a list of keys), ``retrieve_all`` and ``remove_all``; the argument
``operation`` names one. So are the sentences that confirm a change, and ``Key not found``. What it
leaves open is defined here:

* ``add`` and ``update`` both store every pair; a key that was there gets the new value.
* ``retrieve`` prints a JSON object in the order asked; a key that is not stored has the value
  ``Key not found``. ``retrieve_all`` prints all, in the order they were first stored.
* ``remove`` removes all the keys or, when one of them is not stored, none.

In a session that was recorded elsewhere, only what it has shown of its wording is known.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from worldline.domains.base import Known, Ledger
from worldline.domains.mcp.actions import Call
from worldline.domains.search.dialects.numbered import CLEARED
from worldline.domains.search.memo import changed, memo_of
from worldline.facts import Fact, FactOrigin, fact

NAME = "dict_memory"
OPERATIONS = ("add", "update", "retrieve", "retrieve_all", "remove", "remove_all")
NOT_FOUND = "Key not found"
_ASKED_AS = ("operation", "action", "op", "command", "method")
_DONE = {
    "add": "Successfully added items of {} to memory.",
    "update": "Successfully updated items of {} in memory.",
    "remove": "Successfully removed items of {} from memory.",
}
Group = Literal["keys", "pairs"]
WAYS: dict[Group, tuple[str, ...]] = {
    "keys": ("python", "json", "bare", "commas"),
    "pairs": ("json", "ascii", "python", "indented"),
}
"""How a list of keys or the pairs may be printed; the first is ours."""


class Deed(msgspec.Struct, frozen=True):
    """One operation. `problem` is the memory's own refusal of arguments that do not fit."""

    operation: str = ""
    pairs: dict[str, Any] = {}
    keys: tuple[str, ...] = ()
    problem: str | None = None


def deed(call: Call) -> Deed | None:
    """The operation a call asks for; `None` for another tool."""
    if call.name != NAME:
        return None
    given = call.arguments
    operation = next((given[name] for name in _ASKED_AS if name in given), None)
    if not isinstance(operation, str) or operation not in OPERATIONS:
        problem = f"Error: operation must be one of {', '.join(OPERATIONS)}."
        return Deed(problem=problem)
    if operation in ("add", "update"):
        pairs = given.get("dict")
        if not isinstance(pairs, dict) or not pairs:
            return Deed(operation, problem=f'Error: {operation} needs "dict", an object of pairs.')
        return Deed(operation, pairs=pairs, keys=tuple(pairs))
    if operation in ("retrieve", "remove"):
        keys = given.get("key_list")
        if not isinstance(keys, list) or not keys or not all(isinstance(k, str) for k in keys):
            problem = f'Error: {operation} needs "key_list", a list of keys.'
            return Deed(operation, problem=problem)
        return Deed(operation, keys=tuple(dict.fromkeys(keys)))
    return Deed(operation)


def known(ledger: Ledger, done: Deed) -> Known | None:
    """The memory's answer: in a session of ours always, unless something odd has happened."""
    ours = _is_ours(ledger)
    if done.problem is not None:
        return _known(done.problem, "request", []) if ours else None
    rests_on = _rests_on(ledger, done)
    if rests_on is None or not (ours or _follows_reference(ledger)):
        return None
    stored = {one.key: one.value for one in rests_on}
    if not ours and done.operation in ("retrieve", "remove") and len(stored) < len(done.keys):
        return None  # how a missing key is reported elsewhere is not known
    texts = {_answer(done, stored, way) for way in _ways(ledger, done)}
    return _known(texts.pop(), done.operation, rests_on) if len(texts) == 1 else None


def track(ledger: Ledger, done: Deed, observation: str, origin: FactOrigin) -> Ledger:
    """The ledger after an operation that was answered so."""
    if done.problem is not None:
        return ledger
    before = _rests_on(ledger, done)
    stored = {one.key: one.value for one in before or ()}
    if before is not None and origin == "real" and not _is_ours(ledger):
        ledger = _learned(ledger, done, stored, observation)
    settled = before is not None and observation in {
        _answer(done, stored, way) for way in WAYS[_group(done)]
    }
    if settled or observation.startswith("Successfully "):
        return _applied(ledger, done, "model" if origin == "model" else "action")
    return _doubted(ledger, done)


def entries(ledger: Ledger) -> list[Fact]:
    """What is stored or may be (not `complete`), in the order it was first stored."""
    return [one for one in ledger.facts.values() if one.kind == "memory"]


def _rests_on(ledger: Ledger, done: Deed) -> list[Fact] | None:
    """The entries the answer depends on; `None` when it depends on what is not known."""
    if done.operation in ("add", "update", "remove_all"):
        return []
    every = done.operation == "retrieve_all"
    found = entries(ledger) if every else [ledger.get("memory", key) for key in done.keys]
    stored = [one for one in found if one is not None]
    lacking = every or len(stored) < len(found)
    if not all(one.complete for one in stored) or (lacking and not memo_of(ledger).whole):
        return None
    return stored


def _answer(done: Deed, stored: Mapping[str, Any], way: str) -> str:
    """The sentence, with keys or pairs printed in this way."""
    match done.operation:
        case "remove_all":
            return CLEARED
        case "retrieve_all":
            return _pairs(stored, way)
        case "retrieve":
            return _pairs({key: stored.get(key, NOT_FOUND) for key in done.keys}, way)
        case "remove" if missing := [key for key in done.keys if key not in stored]:
            return f"{NOT_FOUND}: {_keys(missing, way)}"
        case operation:
            return _DONE[operation].format(_keys(list(done.keys), way))


def _keys(keys: list[str], way: str) -> str:
    match way:
        case "python":
            return repr(keys)
        case "json":
            return json.dumps(keys, ensure_ascii=False)
        case "bare":
            return f"[{', '.join(keys)}]"
        case _:
            return ", ".join(keys)


def _pairs(pairs: Mapping[str, Any], way: str) -> str:
    match way:
        case "python":
            return repr(dict(pairs))
        case "indented":
            return json.dumps(pairs, ensure_ascii=False, indent=2)
        case _:
            return json.dumps(pairs, ensure_ascii=way == "ascii")


def _group(done: Deed) -> Group:
    return "pairs" if done.operation.startswith("retrieve") else "keys"


def _ways(ledger: Ledger, done: Deed) -> tuple[str, ...]:
    """The ways of printing that are still possible."""
    group = _group(done)
    if _is_ours(ledger) or done.operation == "remove_all":
        return WAYS[group][:1]
    return memo_of(ledger).printed.get(group, ())


def _learned(ledger: Ledger, done: Deed, stored: dict[str, Any], observation: str) -> Ledger:
    """What this answer shows of how keys or pairs are printed."""
    printed, group = memo_of(ledger).printed, _group(done)
    if done.operation == "remove_all":
        return ledger
    left = [w for w in printed.get(group, WAYS[group]) if _answer(done, stored, w) == observation]
    return changed(ledger, printed={**printed, group: tuple(left)})


def _follows_reference(ledger: Ledger) -> bool:
    """Whether a memory elsewhere has used the reference's sentences whenever it spoke."""
    return bool(memo_of(ledger).printed.get("keys"))


def _is_ours(ledger: Ledger) -> bool:
    memo = memo_of(ledger)
    tool = memo.box.offered.get(NAME)
    fits = tool is not None and {"dict", "key_list"} <= tool.properties.keys()
    return memo.ours and (ledger.tools is None or fits)


def _applied(ledger: Ledger, done: Deed, origin: FactOrigin) -> Ledger:
    """The change was made."""
    if done.operation == "remove_all":
        return changed(
            ledger.with_facts(without=[one.id for one in entries(ledger)]),
            whole=True,
            assumed=False,
        )
    if done.operation in ("add", "update"):
        new = (fact("memory", k, v, origin=origin, turn=ledger.turn) for k, v in done.pairs.items())
        return ledger.with_facts(*new)
    gone = [one.id for key in done.keys if (one := ledger.get("memory", key))]
    refused = memo_of(ledger).whole and len(gone) < len(done.keys)
    if done.operation == "remove" and not refused:
        return ledger.with_facts(without=gone)
    return ledger


def _doubted(ledger: Ledger, done: Deed) -> Ledger:
    """Whether the change was made cannot be told."""
    if done.operation in ("retrieve", "retrieve_all"):
        return ledger
    keys = done.keys or [one.key for one in entries(ledger)]
    doubtful = (
        fact("memory", key, None, origin="action", turn=ledger.turn, complete=False) for key in keys
    )
    return ledger.with_facts(*doubtful)


def _known(observation: str, rule: str, rests_on: list[Fact]) -> Known:
    return Known(
        observation=observation,
        rule=f"search.memory_{rule}",
        because=tuple(one.id for one in rests_on),
        consistent_only=any(one.origin == "model" for one in rests_on),
    )
