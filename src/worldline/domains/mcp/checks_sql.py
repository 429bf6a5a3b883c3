"""What a database cannot answer, given the statements and the rows before."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from worldline.domains.mcp.sql import (
    Select,
    Table,
    Tables,
    created,
    inserted,
    lists_tables,
    selected,
    statement,
)
from worldline.domains.mcp.tools import Target


class Finding(NamedTuple):
    """What is wrong with an answer."""

    rule: str
    message: str
    piece: str = ""
    """The piece of the answer that it is about."""
    sure: bool = True
    """Whether the answer is impossible; else it is odd at most."""


def findings(
    tables: Tables, target: Target, value: Any, *, failed: bool, closed: bool = False
) -> Iterator[Finding]:
    """What is wrong in an answer; `value`: its rows, if any.

    In a database that others use too (not `closed`), only what this session wrote is sure to stand.
    """
    if failed:
        return
    if lists_tables(target):
        yield from _list(tables, value, closed)
    text = statement(target)
    if text is None:
        return
    new = created(text)
    if new is not None and new[0] in tables and not new[1]:
        sure = closed or tables[new[0]].columns is not None
        message = f"the table {new[0]} exists already; it cannot be created again"
        yield Finding("table_exists", message, sure=sure)
    rows = inserted(text)
    if rows is not None:
        yield from _insert(len(rows[2]), value)
    query = selected(text)
    if query is not None and isinstance(value, list) and value:
        yield from _select(tables.get(query.table, Table()), query, value, closed)


def _list(tables: Tables, value: Any, closed: bool) -> Iterator[Finding]:
    if not isinstance(value, list) or not all(isinstance(r, dict) and "name" in r for r in value):
        return
    names = {str(row["name"]).lower().rpartition(".")[2] for row in value}
    for name, table in tables.items():
        if name not in names:
            sure = closed or table.columns is not None
            yield Finding("table_lost", f"the table {name} exists, and is not listed", sure=sure)


def _insert(count: int, value: Any) -> Iterator[Finding]:
    row = value[0] if isinstance(value, list) and len(value) == 1 else None
    shown = row.get("affected_rows") if isinstance(row, dict) else None
    if isinstance(shown, int) and shown != count and shown >= 0:  # below: the driver cannot tell
        message = f"the statement inserts {count} rows, not {shown}"
        yield Finding("rows_affected", message, str(shown))


def _select(table: Table, query: Select, rows: list[Any], closed: bool) -> Iterator[Finding]:
    objects = [row for row in rows if isinstance(row, dict)]
    if len(objects) != len(rows):
        return  # rows of another form, maybe below a row of names
    wanted = query.keys if query.keys is not None else table.columns if query.plain else None
    for row in objects[:1]:
        yield from _columns(wanted, row)
    if query.limit is not None and len(rows) > query.limit:
        message = f"at most {query.limit} rows were asked for, {len(rows)} are given"
        yield Finding("row_limit", message)
    if query.alone and len(rows) != 1:
        yield Finding("one_row", f"an aggregate gives one row, not {len(rows)}")
    if query.plain:
        for row in objects:
            yield from _row(table, query, row, closed)


def _columns(wanted: tuple[str | None, ...] | None, row: dict[str, Any]) -> Iterator[Finding]:
    if wanted is None:
        return
    sure = {name.lower() for name in wanted if name is not None}
    given = {name.lower() for name in row}
    if not sure <= given or len(given) > len(wanted):
        names = ", ".join(sorted(sure))
        message = f"the columns asked for are {names}, not {', '.join(row)}"[:300]
        yield Finding("columns", message)


def _row(table: Table, query: Select, row: dict[str, Any], closed: bool) -> Iterator[Finding]:
    own = row.get("id", query.id)
    if "id" in row and query.id is not None and row["id"] != query.id:
        message = f"row {query.id} was asked for, not {row['id']}"
        yield Finding("other_row", message, str(row["id"]))
    if own in table.gone:
        yield Finding("row_gone", f"row {own} was deleted", str(own))
    for name, value in table.rows.get(own, {}).items():
        if name in row and not _same(row[name], value):
            shown = str(row[name])[:80]
            message = f"row {own}: {name} is {str(value)[:80]}, not {shown}"
            yield Finding("row_changed", message, shown, closed or own in table.own)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are one as a database stores them: numbers and texts of them alike."""
    if one == other:
        return True
    try:
        return float(one) == float(other)
    except (TypeError, ValueError):
        return str(one) == str(other)
