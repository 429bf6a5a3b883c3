"""What a search session establishes, and what follows from it with certainty.

The web moves on its own: a search or a page that is asked for again is told to the model as it was
seen, and is not known. Known are the notes in ``dict_memory`` (`memory`), what the reader of the
``react`` dialect must answer (`lookups`), and pages that were given whole at the start.

Facts by kind: ``row`` a call and its result, ``entity`` a hit by its address, ``page`` a page's
text by address or title, ``file`` a key of a page store, ``memory`` a note, ``cwd`` the open page.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from worldline.domains.base import ActionError, Known, Ledger
from worldline.domains.mcp import protocol as tool_protocol
from worldline.domains.mcp.actions import Call, CallError, call_key, parse_call
from worldline.domains.search import lookups, memory, ranking
from worldline.domains.search.dialects import nested, numbered, react
from worldline.domains.search.hits import Hit, hits, records
from worldline.domains.search.memo import changed, memo_of, new_memo
from worldline.facts import Fact, FactOrigin, fact
from worldline.trajectory import Trajectory, Turn

MAX_FACTS = 600
MAX_VALUE = 20_000
"""Characters of a result or page that are kept."""
_GIVEN = ("page", "memory", "entity", "file")


def opened(ledger: Ledger, trajectory: Trajectory, given: Sequence[Fact]) -> Ledger:
    """The ledger before the first turn; given facts of kinds that are not ours are left out."""
    ledger = msgspec.structs.replace(ledger, memo=new_memo(trajectory), facts={})
    ledger = ledger.with_facts(*(one for one in given if one.kind in _GIVEN))
    if ledger.dialect == "react" and memo_of(ledger).ours:
        return ledger.with_facts(lookups.closed_book())
    return ledger


def track(ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
    """The ledger after a turn. An action that is none changes nothing but the turn count."""
    ledger = msgspec.structs.replace(ledger, turn=ledger.turn + 1)
    if ledger.dialect == "react":
        step = step_of(turn.action)
        after = ledger if step is None else lookups.track(ledger, step, turn.observation, origin)
        return _bounded(after)
    call = call_of(turn.action)
    if call is None or protocol(ledger, turn.action) is not None:
        return ledger
    done = memory.deed(call)
    if done is not None:
        return memory.track(ledger, done, turn.observation, origin)
    return _bounded(_called(ledger, call, turn.observation, origin))


def known(ledger: Ledger, action: str) -> Known | None:
    """The observation, when it follows with certainty."""
    if ledger.dialect == "react":
        step = step_of(action)
        return None if step is None else lookups.known(ledger, step)
    call = call_of(action)
    if call is None:
        return None
    done = memory.deed(call)
    if done is not None:
        return memory.known(ledger, done)
    whole = call.name == "web_extractor" and call.arguments.keys() == {"url"}
    page = ledger.get("page", address(call)) if whole else None  # else a part of the page
    if page is None or not lookups.whole(page):
        return None
    return Known(observation=page.value, rule="search.given_page", because=(page.id,))


def protocol(ledger: Ledger, action: str) -> Known | None:
    """An action of no known form; an unknown tool; arguments that break a tool's schema."""
    if ledger.dialect == "react":
        if not memo_of(ledger).strict or step_of(action) is not None:
            return None
        return Known(observation=react.INVALID, rule="search.invalid_action", origin="protocol")
    refused = tool_protocol.reject(ledger, action)
    if refused is None:
        return None
    text, rule = refused.observation, refused.rule.replace("mcp.", "search.", 1)
    if text.startswith("MCP error "):  # the same sentence, without another protocol's number
        text = f"Error: {text.partition(': ')[2]}"
    return msgspec.structs.replace(refused, observation=text, rule=rule)


def step_of(action: str) -> react.Step | None:
    """The step in an action of the ``react`` dialect."""
    try:
        return react.parse_action(action)
    except ActionError:
        return None


def call_of(action: str) -> Call | None:
    """The call in an action of the other dialects."""
    try:
        return parse_call(action)
    except CallError:
        return None


def body_of(dialect: str, observation: str) -> Any:
    """The parsed observation of a dialect in which tools are called."""
    if dialect == "awb":
        return numbered.parse_observation(observation).body
    return nested.parse(observation).body


def address(call: Call) -> str:
    """The page a call asks for, or an empty text."""
    found = call.arguments.get("url")
    return found if isinstance(found, str) else ""


def _called(ledger: Ledger, call: Call, observation: str, origin: FactOrigin) -> Ledger:
    body = body_of(ledger.dialect, observation)
    turn = ledger.turn
    shown = observation[:MAX_VALUE]
    complete = len(shown) == len(observation)
    row = fact("row", call_key(call.name, call.arguments), shown, origin=origin, turn=turn)
    new = [msgspec.structs.replace(row, complete=complete)]
    found = hits(body)
    new += [fact("entity", h.url, _told(h), origin=origin, turn=turn) for h in found]
    url, text = address(call), page_text(body)
    ledger = ledger if url else ranking.learned(ledger, call, found)
    given = ledger.get("page", url)
    if url and text and not (given is not None and lookups.whole(given)):
        page = fact("page", url, text[:MAX_VALUE], origin=origin, turn=turn, complete=False)
        new.append(page)
    saved = nested.saved_in(body) if isinstance(body, nested.Tree | nested.Saved) else None
    if saved is not None:
        ledger = _stored(ledger, saved, url, origin)
    return _form_seen(ledger.with_facts(*new), call, body)


def page_text(body: Any) -> str:
    """A page's text, when that is all the observation holds."""
    if isinstance(body, nested.Text):
        return body.text
    if isinstance(body, nested.Tree) and nested.saved_in(body) is None:
        value = nested.plain(body)
        only = list(value.values()) if isinstance(value, dict) else []
        if len(only) == 1 and isinstance(only[0], str):
            return only[0]
    return ""


def _stored(ledger: Ledger, saved: nested.Saved, url: str, origin: FactOrigin) -> Ledger:
    """The page store holds these keys now and no others."""
    before = {one.key: one for one in ledger.facts.values() if one.kind == "file"}
    ledger = ledger.with_facts(without=[one.id for one in before.values()])
    for key in saved.keys:
        if key == saved.key or key not in before:
            where = url if key == saved.key else ""
            ledger = ledger.with_facts(
                fact("file", key, {"url": where}, origin=origin, turn=ledger.turn)
            )
        else:
            ledger = ledger.with_facts(before[key])
    return changed(ledger, store_shown=True)


def _form_seen(ledger: Ledger, call: Call, body: Any) -> Ledger:
    """Whether this tool answers in JSON, as long as it does nothing else."""
    seen = memo_of(ledger).structured
    count = seen.get(call.name, 0)
    answered = count + 1 if isinstance(body, nested.Tree) and count >= 0 else -1
    fields = {**memo_of(ledger).fields, **fields_of(call.name, body)}
    return changed(ledger, structured={**seen, call.name: answered}, fields=fields)


def fields_of(tool: str, body: Any) -> dict[str, tuple[str, ...]]:
    """The fields of a JSON answer (by the tool's name) and of its hits (by that and ``[]``)."""
    outer = body.value if isinstance(body, nested.Tree) else None
    rows = records(body)
    found = {tool: tuple(outer)} if isinstance(outer, dict) else {}
    return {**found, f"{tool}[]": tuple(rows[0])} if rows else found


def _told(hit: Hit) -> dict[str, str]:
    return {k: v for k, v in msgspec.structs.asdict(hit).items() if v and k != "url"}


def _bounded(ledger: Ledger) -> Ledger:
    """The oldest results go when there are too many; notes, keys and given facts stay."""
    surplus = len(ledger.facts) - MAX_FACTS
    if surplus <= 0:
        return ledger
    old = [
        one
        for one in ledger.facts.values()
        if one.kind in ("row", "entity", "page") and one.origin != "given"
    ]
    old.sort(key=lambda one: one.turn)
    return ledger.with_facts(without=[one.id for one in old[:surplus]])
