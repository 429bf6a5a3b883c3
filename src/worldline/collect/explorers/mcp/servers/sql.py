"""Queries an analyst would ask, and wrong ones, over any tables whose columns are known."""

from typing import NamedTuple

from worldline.collect.explorers.mcp.hand import Hand

TYPES = {"id": "INTEGER", "name": "TEXT", "day": "TEXT", "amount": "INTEGER", "price": "REAL"}


class Table(NamedTuple):
    """A table: its name, and its columns by whether they hold numbers."""

    name: str
    texts: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        return self.texts + self.numbers


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def select(hand: Hand, table: Table) -> str:
    """A query of one table."""
    rng, name = hand.rng, table.name
    number = rng.choice(table.numbers or table.columns)
    text = rng.choice(table.texts or table.columns)
    some = ", ".join(rng.sample(table.columns, rng.randint(1, len(table.columns))))
    order = f"ORDER BY {rng.choice(table.columns)}{rng.choice(('', ' DESC'))}, {table.columns[0]}"
    limit = f"LIMIT {rng.randint(1, 15)}"
    forms = (
        f"SELECT * FROM {name} {order} {limit}",
        f"SELECT {some} FROM {name} {condition(hand, table)} {order} {limit}",
        f"SELECT COUNT(*) AS {hand.words.one('topic')} FROM {name} {condition(hand, table)}",
        f"SELECT {text}, COUNT(*) AS n, SUM({number}) AS total FROM {name} GROUP BY {text}"
        f" HAVING n > {rng.randint(0, 2)} ORDER BY n DESC, {text} {limit}",
        f"SELECT MIN({number}), MAX({number}), AVG({number}) FROM {name} {condition(hand, table)}",
        f"SELECT DISTINCT {text} FROM {name} ORDER BY 1 {limit}",
        f"SELECT UPPER({text}) AS u, LENGTH({text}) AS l FROM {name} ORDER BY l DESC, u {limit}",
        f"SELECT {number} * {rng.randint(2, 9)} AS scaled, {text} FROM {name} {order} {limit}"
        f" OFFSET {rng.randint(0, 10)}",
        f"WITH few AS (SELECT * FROM {name} {condition(hand, table)}) SELECT COUNT(*) FROM few",
        f"SELECT {text}, {number}, RANK() OVER (ORDER BY {number} DESC) AS place FROM {name}"
        f" ORDER BY place, {text} {limit}",
    )
    return rng.choice(forms)


def condition(hand: Hand, table: Table) -> str:
    """A WHERE clause, or none."""
    rng = hand.rng
    if hand.chance(0.25):
        return ""
    if table.numbers and hand.chance(0.5):
        column, value = rng.choice(table.numbers), rng.randint(1, 300)
        sign = rng.choice((">", "<", ">=", "<=", "=", "!=", "BETWEEN"))
        return f"WHERE {column} {sign} {value}" + (f" AND {value * 2}" if sign == "BETWEEN" else "")
    column = rng.choice(table.texts or table.columns)
    start = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return rng.choice(
        (
            f"WHERE {column} LIKE '{start}%'",
            f"WHERE {column} LIKE '%{rng.choice(('an', 'er', 'o', 'st'))}%'",
            f"WHERE {column} = {quoted(hand.words.one(rng.choice(('city', 'status', 'thing'))))}",
            f"WHERE {column} IS NOT NULL",
            f"WHERE {column} IN ({', '.join(map(quoted, hand.words.some('city', 2)))})",
        )
    )


def wrong(hand: Hand, table: Table) -> str:
    """A query that fails: a name that does not exist, or no SQL at all."""
    word, name = hand.words.one("quality"), table.name
    return hand.rng.choice(
        (
            f"SELECT {word}_{hand.words.one('thing')} FROM {name}",
            f"SELECT * FROM {hand.words.slug()}",
            f"SELEC * FROM {name}",
            f"SELECT * FORM {name}",
            f"SELECT * FROM {name} WHERE",
            f"SELECT COUNT(* FROM {name}",
            f"SELECT {table.columns[0]} FROM {name} GROUP BY {word}",
            f"SELECT * FROM {name} ORDER BY {len(table.columns) + hand.rng.randint(1, 9)}",
            f"SELECT {word}({table.columns[0]}) FROM {name}",
            f"SELECT * FROM {name} LIMIT {word}",
        )
    )


def invented(hand: Hand) -> tuple[Table, str]:
    """A new table and the statement that makes it."""
    words = hand.words
    name = words.slug()
    texts = [words.one("thing") for _ in range(hand.rng.randint(1, 3))]
    numbers = [words.one("topic") for _ in range(hand.rng.randint(1, 2))]
    table = Table(name, tuple(dict.fromkeys(texts)), ("id", *dict.fromkeys(numbers)))
    columns = ["id INTEGER PRIMARY KEY"]
    columns += [f"{one} TEXT{hand.rng.choice(('', ' NOT NULL', ''))}" for one in table.texts]
    columns += [f"{one} {hand.rng.choice(('INTEGER', 'REAL'))}" for one in table.numbers[1:]]
    return table, f"CREATE TABLE {name} ({', '.join(columns)})"


def insert(hand: Hand, table: Table, first: int) -> str:
    """Some rows for a table of `invented`."""
    rows = []
    for number in range(first, first + hand.rng.randint(1, 5)):
        texts = (quoted(hand.words.fill("{quality} {thing}")) for _ in table.texts)
        numbers = (str(hand.rng.randint(0, 900)) for _ in table.numbers[1:])
        rows.append(f"({', '.join([str(number), *texts, *numbers])})")
    columns = ", ".join(("id", *table.texts, *table.numbers[1:]))
    return f"INSERT INTO {table.name} ({columns}) VALUES {', '.join(rows)}"


def update(hand: Hand, table: Table) -> str:
    """A change of some rows."""
    if table.texts and hand.chance(0.5):
        change = f"{hand.rng.choice(table.texts)} = {quoted(hand.words.one('quality'))}"
    else:
        column = table.numbers[-1]
        change = f"{column} = {column} + {hand.rng.randint(1, 50)}"
    return f"UPDATE {table.name} SET {change} {condition(hand, table)}"
