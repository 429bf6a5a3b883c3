"""What a database cannot answer, given the statements and the rows before."""

from collections.abc import Iterator
from typing import Any

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

Finding = tuple[str, str, str]
"""Rule, a sentence, and the piece of the answer it is about."""


def findings(tables: Tables, target: Target, value: Any, *, failed: bool) -> Iterator[Finding]:
    """What is impossible in an answer; `value`: its rows, if any."""
    if failed:
        return
    if lists_tables(target):
        yield from _list(tables, value)
    text = statement(target)
    if text is None:
        return
    new = created(text)
    if new is not None and new[0] in tables and not new[1]:
        yield "table_exists", f"the table {new[0]} exists already; it cannot be created again", ""
    rows = inserted(text)
    if rows is not None:
        yield from _insert(len(rows[2]), value)
    query = selected(text)
    if query is not None and isinstance(value, list) and value:
        yield from _select(tables.get(query.table, Table()), query, value)


def _list(tables: Tables, value: Any) -> Iterator[Finding]:
    if not isinstance(value, list):
        return
    names = {str(row.get("name")).lower() for row in value if isinstance(row, dict)}
    for name in tables:
        if name not in names:
            yield "table_lost", f"the table {name} exists, and is not listed", ""


def _insert(count: int, value: Any) -> Iterator[Finding]:
    row = value[0] if isinstance(value, list) and len(value) == 1 else None
    shown = row.get("affected_rows") if isinstance(row, dict) else None
    if isinstance(shown, int) and shown != count:
        yield "rows_affected", f"the statement inserts {count} rows, not {shown}", str(shown)


def _select(table: Table, query: Select, rows: list[Any]) -> Iterator[Finding]:
    objects = [row for row in rows if isinstance(row, dict)]
    wanted = query.keys if query.keys is not None else table.columns if query.plain else None
    for row in objects[:1]:
        yield from _columns(wanted, row)
    if query.limit is not None and len(rows) > query.limit:
        yield "row_limit", f"at most {query.limit} rows were asked for, {len(rows)} are given", ""
    if query.alone and len(rows) != 1:
        yield "one_row", f"an aggregate gives one row, not {len(rows)}", ""
    if query.plain:
        for row in objects:
            yield from _row(table, query, row)


def _columns(wanted: tuple[str | None, ...] | None, row: dict[str, Any]) -> Iterator[Finding]:
    if wanted is None:
        return
    sure = {name.lower() for name in wanted if name is not None}
    given = {name.lower() for name in row}
    if not sure <= given or len(given) > len(wanted):
        names = ", ".join(sorted(sure))
        yield "columns", f"the columns asked for are {names}, not {', '.join(row)}"[:300], ""


def _row(table: Table, query: Select, row: dict[str, Any]) -> Iterator[Finding]:
    own = row.get("id", query.id)
    if "id" in row and query.id is not None and row["id"] != query.id:
        yield "other_row", f"row {query.id} was asked for, not {row['id']}", str(row["id"])
    if own in table.gone:
        yield "row_gone", f"row {own} was deleted", str(own)
    for name, value in table.rows.get(own, {}).items():
        if name in row and not _same(row[name], value):
            shown = str(row[name])[:80]
            yield "row_changed", f"row {own}: {name} is {str(value)[:80]}, not {shown}", shown


def _same(one: Any, other: Any) -> bool:
    """Whether two values are one as a database stores them: numbers and texts of them alike."""
    if one == other:
        return True
    try:
        return float(one) == float(other)
    except (TypeError, ValueError):
        return str(one) == str(other)
