"""Tables of a database as far as statements and their answers have shown them.

Only simple statements are understood: a plain ``CREATE TABLE``, ``INSERT`` of literals, ``SELECT``
of columns from one table. Whatever else a statement does makes what it may have touched unknown.
Nothing is ever run.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from worldline.domains.mcp.kinds import kind, words
from worldline.domains.mcp.kinds import sql as effect_of
from worldline.domains.mcp.tools import Target

MAX_ROWS = 400
_NAME = r"[\"`\[]?(\w{1,80})[\"`\]]?"
_CREATE = re.compile(
    rf"\s{{0,9}}create\s{{1,9}}table\s{{1,9}}(if\s{{1,9}}not\s{{1,9}}exists\s{{1,9}})?{_NAME}"
    r"\s{0,9}\((.*)\)[\s;]{0,9}$",
    re.IGNORECASE | re.DOTALL,
)
_INSERT = re.compile(
    rf"\s{{0,9}}insert\s{{1,9}}into\s{{1,9}}{_NAME}\s{{0,9}}(?:\(([^()]{{1,2000}})\))?\s{{0,9}}"
    r"values\s{0,9}(?=\()",
    re.IGNORECASE,
)
_DELETE = re.compile(rf"\s{{0,9}}delete\s{{1,9}}from\s{{1,9}}{_NAME}", re.IGNORECASE)
_UPDATE = re.compile(rf"\s{{0,9}}update\s{{1,9}}{_NAME}\s{{1,9}}set\s{{1,9}}", re.IGNORECASE)
_DROP = re.compile(
    rf"\s{{0,9}}(?:drop|alter)\s{{1,9}}table\s{{1,9}}(?:if\s{{1,9}}exists\s{{1,9}})?{_NAME}",
    re.IGNORECASE,
)
_SELECT = re.compile(
    rf"\s{{0,9}}select\s{{1,9}}([^;]{{1,1000}}?)\sfrom\s{{1,9}}{_NAME}", re.IGNORECASE
)
_SET = re.compile(r"(\w{1,80})\s{0,9}=")
_WHERE_ID = re.compile(r"\swhere\s{1,9}id\s{0,9}=\s{0,9}(\d{1,15})[\s;]{0,9}$", re.IGNORECASE)
_LIMIT = re.compile(r"\slimit\s{1,9}(\d{1,9})[\s;]{0,9}$", re.IGNORECASE)
_COLUMN = re.compile(
    rf"(?:\w{{1,80}}\.)?{_NAME}(?:\s{{1,9}}(?:as\s{{1,9}})?{_NAME})?$", re.IGNORECASE
)
_AS = re.compile(rf"\sas\s{{1,9}}{_NAME}$", re.IGNORECASE)
_LITERAL = re.compile(
    r"\s{0,9}(?:'((?:[^']|''){0,4000})'|(-?\d{1,18}(?:\.\d{1,18})?)|(null))\s{0,9}", re.I
)
_CONSTRAINTS = frozenset(["primary", "foreign", "unique", "check", "constraint"])


class Table(msgspec.Struct, frozen=True):
    """What is known of one table."""

    columns: tuple[str, ...] | None = None
    """As it was created in this session; `None` if it was there before."""
    rows: Mapping[Any, Mapping[str, Any]] = {}
    """By id: the values that a row had when it was last shown or written."""
    own: frozenset[Any] = frozenset()
    """Ids of rows that the session has inserted."""
    gone: frozenset[Any] = frozenset()
    """Ids that were deleted."""


Tables = Mapping[str, Table]


class Select(msgspec.Struct, frozen=True):
    """A query for columns of one table."""

    table: str
    keys: tuple[str | None, ...] | None
    """The names of the columns it gives, `None` for one without a sure name; `None`: all."""
    plain: bool
    """Whether a row of the answer is a row of the table, its columns not renamed."""
    id: int | None
    limit: int | None
    alone: bool
    """Whether the one row of an aggregate is asked for."""


def statement(target: Target) -> str | None:
    """The SQL text of a call, where it is one statement and nothing else."""
    return None if effect_of(target) is None else next(iter(target.arguments.values()))


def lists_tables(target: Target) -> bool:
    """Whether a call asks for the names of all tables."""
    return words(target.name) == ["list", "tables"] and not target.arguments


def created(text: str) -> tuple[str, bool, tuple[str, ...]] | None:
    """Name, whether an existing one is left alone, and columns of a ``CREATE TABLE``."""
    found = _CREATE.match(text)
    if found is None:
        return None
    names = [piece.split()[0].strip('"`[]') for piece in _split(found[3]) if piece.split()]
    columns = tuple(name for name in names if name.lower() not in _CONSTRAINTS)
    return found[2].lower(), bool(found[1]), columns


def inserted(text: str) -> tuple[str, tuple[str, ...] | None, list[tuple[Any, ...]]] | None:
    """Table, columns and rows of an ``INSERT`` of literals."""
    found = _INSERT.match(text)
    rows = None if found is None else _rows(text, found.end())
    if found is None or rows is None:
        return None
    named = found[2].split(",") if found[2] else None
    columns = tuple(one.strip().strip('"`[]') for one in named) if named else None
    return found[1].lower(), columns, rows


def selected(text: str) -> Select | None:
    """What a ``SELECT`` asks for; `None` where it is not of the simple kind."""
    found = _SELECT.match(text)
    if found is None:
        return None
    rest = text[found.end() :]
    simple = not re.search(r"\b(?:join|union|group|having)\b|,", rest, re.IGNORECASE)
    distinct = found[1].lower().startswith("distinct ")
    pieces = _split(found[1][9:] if distinct else found[1])
    keys = None if [p.strip() for p in pieces] == ["*"] else tuple(map(_key, pieces))
    plain = simple and (keys is None or all(map(_unnamed, pieces)))
    where, limit = _WHERE_ID.search(rest), _LIMIT.search(rest)
    counted = keys is not None and all(
        re.match(r"\s*(?:count|sum|min|max|avg)\(", p, re.I) for p in pieces
    )
    return Select(
        table=found[2].lower(),
        keys=keys,
        plain=plain,
        id=int(where[1]) if where and plain else None,
        limit=int(limit[1]) if limit else None,
        alone=counted and not re.search(r"\b(?:group|union)\b", rest, re.IGNORECASE),
    )


def learned(tables: Tables, target: Target, value: Any, *, failed: bool) -> Tables:
    """What is known once a call has been answered; `value`: the rows of the answer, if any."""
    if lists_tables(target):
        names = [str(row["name"]).lower() for row in _dicts(value) if "name" in row]
        return {name: tables.get(name, Table()) for name in names} if names else tables
    text = statement(target)
    if text is None and kind(target).effect != "read":
        return {}  # a script, a tool that drops tables: it may have done anything
    if text is None or failed:
        return tables
    new = created(text)
    if new is not None:
        name, _, columns = new
        return tables if name in tables else {**tables, name: Table(columns=columns)}
    query = selected(text)
    if query is not None:
        return _shown(tables, query, value)
    return _written(tables, text)


def _written(tables: Tables, text: str) -> Tables:
    rows = inserted(text)
    if rows is not None:
        return _added(tables, *rows)
    update, delete, drop = _UPDATE.match(text), _DELETE.match(text), _DROP.match(text)
    found = update or delete or drop
    if found is None or drop is not None:
        name = found[1].lower() if found else ""
        return {k: v for k, v in tables.items() if k != name} if found else {}
    table = tables.get(found[1].lower(), Table())
    if update is not None:
        gone = set(_SET.findall(text[update.end() :]))
        kept = {i: {k: v for k, v in row.items() if k not in gone} for i, row in table.rows.items()}
        table = msgspec.structs.replace(table, rows={} if "id" in gone else kept)
    else:
        where = _WHERE_ID.search(text)
        if where is not None:
            table = msgspec.structs.replace(table, gone=table.gone | {int(where[1])})
    return {**tables, found[1].lower(): table}


def _added(
    tables: Tables, name: str, columns: tuple[str, ...] | None, rows: list[tuple[Any, ...]]
) -> Tables:
    table = tables.get(name, Table())
    columns = columns or table.columns
    if columns is None or "id" not in columns:  # the new row may take an id that was deleted
        return {**tables, name: msgspec.structs.replace(table, gone=frozenset())}
    new = [dict(zip(columns, row, strict=True)) for row in rows if len(row) == len(columns)]
    table = _with(table, new)
    own = table.own | {row["id"] for row in new}
    return {**tables, name: msgspec.structs.replace(table, own=own)}


def _shown(tables: Tables, query: Select, value: Any) -> Tables:
    if not query.plain:
        return tables
    rows = [row for row in _dicts(value) if isinstance(row.get("id"), int)]
    return (
        {**tables, query.table: _with(tables.get(query.table, Table()), rows)} if rows else tables
    )


def _with(table: Table, rows: list[dict[str, Any]]) -> Table:
    known = dict(table.rows)
    for row in rows:
        known[row["id"]] = {**known.get(row["id"], {}), **row}
    ids = {row["id"] for row in rows}
    kept = known if len(known) <= MAX_ROWS else {}
    return msgspec.structs.replace(table, rows=kept, gone=table.gone - ids)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _key(piece: str) -> str | None:
    """The name of a column in the answer, where that is sure."""
    piece = piece.strip()
    named = _AS.search(piece)
    if named is not None:
        return named[1]
    found = _COLUMN.match(piece)
    return None if found is None else found[2] or found[1]


def _unnamed(piece: str) -> bool:
    return re.fullmatch(r"(?:\w{1,80}\.)?\w{1,80}", piece.strip()) is not None


def _split(text: str) -> list[str]:
    """The text at its commas, those in parentheses and quotes left alone."""
    pieces, depth, quoted, start = [], 0, False, 0
    for at, char in enumerate(text):
        quoted ^= char == "'"
        if quoted:
            continue
        depth += (char == "(") - (char == ")")
        if char == "," and not depth:
            pieces.append(text[start:at])
            start = at + 1
    return [*pieces, text[start:]]


def _rows(text: str, at: int) -> list[tuple[Any, ...]] | None:
    """The rows of literals from `at` to the end; `None` where there is anything else."""
    rows = []
    while at < len(text) and text[at] == "(":
        row, at = _literals(text, at + 1)
        if at >= len(text) or text[at] != ")":
            return None
        rows.append(tuple(row))
        at += 1
        while at < len(text) and text[at] in " \n\t\r,;":
            at += 1
    return rows if at == len(text) else None


def _literals(text: str, at: int) -> tuple[list[Any], int]:
    """The literals from `at`, as far as there are any, and where they end."""
    row: list[Any] = []
    while True:
        found = _LITERAL.match(text, at)
        if found is None:
            return row, at
        number, said = found[2], found[1]
        value = float(number) if number is not None else said
        row.append(said.replace("''", "'") if said is not None else value)
        at = found.end()
        if at >= len(text) or text[at] != ",":
            return row, at
        at += 1
