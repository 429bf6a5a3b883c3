"""Goals at the DuckDB server: CSV files into tables, then questions."""

import re

from worldline.collect.explorers.mcp.hand import Goal, Hand
from worldline.collect.explorers.mcp.servers import sql
from worldline.collect.explorers.mcp.servers.sql import Table

_TOLD = re.compile(r"^/home/user/(\w+)\.csv \(", re.MULTILINE)
_TEXTS, _NUMBERS = ("day", "city", "item"), ("amount", "price")


def _files(hand: Hand) -> list[str]:
    return _TOLD.findall(hand.initial) or ["sales"]


def _source(hand: Hand) -> Table:
    """A table that is there, or a file as one."""
    if hand.pool.get("tables") and hand.chance(0.6):
        return hand.rng.choice(hand.pool["tables"])
    return Table(
        f"read_csv_auto('/home/user/{hand.rng.choice(_files(hand))}.csv')", _TEXTS, _NUMBERS
    )


def load(hand: Hand) -> Goal:
    """A file into a table."""
    file = hand.rng.choice(_files(hand))
    name = hand.rng.choice((file, hand.words.slug()))
    source = f"read_csv_auto('/home/user/{file}.csv')"
    statement = f"CREATE TABLE {name} AS SELECT * FROM {source}"
    got = yield hand.call("query", "create", query=statement)
    if not got.failed:
        hand.keep("tables", Table(name, _TEXTS, _NUMBERS))
    look = hand.rng.choice((f"DESCRIBE {name}", "SHOW TABLES", f"SELECT COUNT(*) FROM {name}"))
    yield hand.call("query", "look", query=look)


def ask(hand: Hand) -> Goal:
    """A few questions."""
    for _ in range(hand.rng.randint(1, 3)):
        yield hand.call("query", "query", query=sql.select(hand, _source(hand)))


def special(hand: Hand) -> Goal:
    """What this database has of its own."""
    table, rng = _source(hand).name, hand.rng
    query = rng.choice(
        (
            f"SELECT city, LIST(item ORDER BY item) FROM {table} GROUP BY 1 ORDER BY 1 LIMIT 4",
            f"SELECT * FROM {table} ORDER BY price DESC LIMIT {rng.randint(1, 9)}",
            f"SELECT QUANTILE_CONT(price, 0.{rng.randint(1, 9)}) FROM {table}",
            f"SELECT YEAR(day::DATE) AS y, SUM(amount) FROM {table} GROUP BY y ORDER BY y",
            f"SELECT * EXCLUDE (day) FROM {table} ORDER BY item LIMIT {rng.randint(2, 8)}",
            f"SELECT range AS n, n * n AS square FROM range({rng.randint(1, 9)}, 12)",
            f"SELECT {rng.randint(2, 99)} ** {rng.randint(2, 9)}, {rng.randint(5, 99)} % 7",
            f"SELECT string_split('{hand.words.slug('-')}', '-') AS parts",
        )
    )
    yield hand.call("query", "query", query=query)


def make(hand: Hand) -> Goal:
    """A table of its own, through its life."""
    table, statement = sql.invented(hand)
    got = yield hand.call("query", "create", query=statement.replace("TEXT", "VARCHAR"))
    if got.failed:
        return
    yield hand.call("query", "insert", query=sql.insert(hand, table, 1))
    yield hand.call("query", "insert", query=sql.insert(hand, table, hand.rng.randint(2, 9)))
    yield hand.call("query", "read back", query=f"SELECT * FROM {table.name} ORDER BY id")
    yield hand.call("query", "update", query=sql.update(hand, table))
    yield hand.call("query", "read back", query=sql.select(hand, table))
    if hand.chance(0.5):
        yield hand.call("query", "drop", query=f"DROP TABLE {table.name}")
        yield hand.call("query", "touch the deleted", query=f"SELECT * FROM {table.name}")
    else:
        hand.keep("tables", table)


def mistakes(hand: Hand) -> Goal:
    """Wrong SQL and files that are not there."""
    if hand.chance(0.3):
        query = f"SELECT * FROM read_csv_auto('/home/user/{hand.words.slug()}.csv')"
    else:
        query = sql.wrong(hand, _source(hand))
    yield hand.call("query", "wrong query", query=query)


GOALS = ((1.2, load), (2.5, ask), (1.2, special), (1.5, make), (1.0, mistakes))
