"""What kind of thing a tool does, judged from its annotations and its name.

Only one question matters here: can the answer to a call follow from what the session has already
seen? So every doubt counts against it. A *read* changes nothing; a *write* changes something and is
done when it returns; a *process* may go on by itself afterwards, and so may every tool whose name
tells nothing. A read is *volatile* when its answer moves on its own (clocks, prices, the web) or is
generated.
"""

import re
from functools import lru_cache
from typing import Literal

import msgspec

from worldline.domains.mcp.tools import Target

Effect = Literal["read", "write", "process"]


def _lexicon(text: str) -> frozenset[str]:
    return frozenset(text.split())


READ = _lexicon("""
    get list read search find lookup show describe view count glob grep ls stat retrieve calculate
    compute think
""")
WRITE = _lexicon("""
    create write update delete remove set add put insert edit modify patch move rename copy cancel
    book send save append replace transfer assign close reply forward upload post merge switch apply
    mark clear reset archive restore share invite approve reject register subscribe unsubscribe pay
    commit format highlight populate protect unprotect unmerge
    refund order checkout reserve return exchange accept decline toggle enable disable lock unlock
    store
""")
TELLING = READ | _lexicon("""
    diff outline info metadata tree preview validate extract check compare inspect echo sum convert
    status log branch nodes
""")
"""Of a tool that claims to be read-only: one of these in its name says what it reads.

Without one it may still count its calls, or open what the next call lists: it only ends by itself.
"""
STEADY = _lexicon("status log logs session sessions")
"""Volatile words that are not when the server says that the tool reads a closed world."""
NOUNS = _lexicon("""
    set order book post store share exchange return lock patch mark transfer reply archive invite
    copy move switch refund checkout upload close
""")
"""Writes that name a thing as often: ``get_order`` reads an order, ``get_and_order`` orders."""
VOLATILE = _lexicon("""
    current now today tomorrow yesterday time date datetime clock random uuid nonce otp token
    weather forecast price prices stock stocks quote quotes ticker tickets news latest live realtime
    trend trending trends feed status progress log logs metric metrics usage health uptime process
    processes session sessions next unread pending new recent web url http html page browser
    screenshot snapshot crypto rate rates traffic market score scores recommend recommendation
    recommendations suggest suggestion suggestions ask chat generate summarize summarise translate
    job jobs queue poll wait watch stream tail online internet visit navigate fetch download
""")
_MOVING = re.compile(
    r"real[- ]?time|\blive\b|\bcurrently\b|\blatest\b|\brandom|\binternet\b"
    r"|\bweb ?(?:site|page)?s?\b|\btoday\b|right now|up[- ]to[- ]date"
    r"|\bcurrent (?:time|date|price|weather|status|value)",
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"(?:request|trace|correlation|session|operation)[_ -]?id\b|timestamp|elapsed|duration_ms"
    r"|\btook\b|latency|(?:generated|fetched|retrieved|accessed|checked)(?:_at| at|:)|server_?time"
    r"|nonce|signature=|x-amz-|expires|cursor|\betag\b|\b\d{1,2}:\d\d:\d\d [ap]m\b",
    re.IGNORECASE,
)
_SPEAKS_SQL = re.compile(r"sql\b|\bsql|duckdb|\bdatabase\b", re.IGNORECASE)
_SELECTS = re.compile(r"\s{0,9}(?:select|with|describe|show)\b", re.IGNORECASE)
_CHANGES = re.compile(r"\s{0,9}(?:insert|update|delete|create|drop|alter)\b", re.IGNORECASE)
_ACTS = re.compile(
    r"\b(?:insert|update|delete|drop|create|alter|replace|into|copy|attach|set|call|truncate|merge"
    r"|pragma|load|install|export|import|random\w*|uuid\w*|gen_\w+|now|current_\w+|today|nextval"
    r"|date|time|datetime|julianday|strftime|unixepoch|localtime\w*|clock_\w+|sysdate|sleep\w*"
    r"|pg_\w+|last_insert_rowid|changes|total_changes)\b",
    re.IGNORECASE,
)
"""Words with which an SQL query may write, wait or see the clock."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Kind(msgspec.Struct, frozen=True):
    """What a tool does; `volatile` where even an undisturbed repeat may answer otherwise."""

    effect: Effect
    volatile: bool


def kind(target: Target) -> Kind:
    """The kind of the tool a call reaches."""
    tool = target.tool
    hints = tool.annotations if tool is not None else {}
    effect_of_sql = sql(target)
    if effect_of_sql is not None:
        return Kind(effect_of_sql, False)
    found = _judge(target.name, target.server or "", tool.description[:4000] if tool else "")
    effect, volatile = found.effect, found.volatile or hints.get("openWorldHint") is True
    if hints.get("readOnlyHint") is True:
        effect = "read" if TELLING & set(words(target.name)) else "write"
        if effect == "read" and hints.get("openWorldHint") is False:
            volatile = volatile and not _steady(target)
    elif hints.get("readOnlyHint") is False:
        named = effect == "read" or WRITE & set(words(target.name))
        effect = "write" if named else effect
    return Kind(effect, volatile)


def sql(target: Target) -> Effect | None:
    """What the call does if it is one SQL statement and nothing else, as far as that is certain."""
    if len(target.arguments) != 1:
        return None
    ((name, text),) = target.arguments.items()
    if name not in ("query", "sql") or not isinstance(text, str) or len(text) > 4_000:
        return None
    if not _speaks_sql(target.name, target.tool.description if target.tool is not None else ""):
        return None
    if ";" in text.rstrip().rstrip(";"):
        return None
    if _CHANGES.match(text):
        return "write"
    return "read" if _SELECTS.match(text) and not _ACTS.search(text) else None


@lru_cache(maxsize=256)
def _speaks_sql(name: str, about: str) -> bool:
    return _SPEAKS_SQL.search(f"{name} {about[:4000]}") is not None


def _steady(target: Target) -> bool:
    """Whether the name's only volatile words are of `STEADY`."""
    return (VOLATILE & set(words(target.name))) <= STEADY


def repeatable(target: Target) -> bool:
    """Whether an undisturbed repeat of this call answers the same."""
    found = kind(target)
    return found.effect == "read" and not found.volatile and not _looks_outside(target.arguments)


def stamped(observation: str) -> bool:
    """Whether a result carries what is new in every answer: a request id, a time, a signature."""
    return _STAMP.search(observation) is not None


def words(name: str) -> list[str]:
    """The words of a tool's name, lower case: ``getUserDetails`` -> get, user, details."""
    return [word.lower() for word in _WORD.findall(name)]


@lru_cache(maxsize=512)
def _judge(name: str, server: str, description: str) -> Kind:
    found = words(name)
    own = set(words(server))
    lead = next((word for word in found if word not in own), "")
    verbs = {w for w, before in zip(found, ["", *found], strict=False) if _is_verb(w, before)}
    effect: Effect = "process"
    if lead in WRITE:
        effect = "write"
    elif lead in READ and not WRITE & verbs:
        effect = "read"
    volatile = bool(VOLATILE & (set(found) | own)) or bool(_MOVING.search(description))
    return Kind(effect, volatile)


def _is_verb(word: str, before: str) -> bool:
    return word not in NOUNS or before in ("", "and", "or", "then")


def _looks_outside(arguments: object) -> bool:
    """Whether an argument names something outside the session: an address, or the present."""
    if isinstance(arguments, dict):
        return any(_looks_outside(value) for value in arguments.values())
    if isinstance(arguments, list):
        return any(_looks_outside(value) for value in arguments)
    if not isinstance(arguments, str):
        return False
    return "://" in arguments or arguments.strip().lower() in ("now", "today", "latest", "current")
