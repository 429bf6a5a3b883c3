"""SQLite databases made by the explorer itself."""

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.moves.edit import document


def create(desk: Desk) -> Script:
    """Write a schema, load it, query it, change it."""
    rng, words = desk.rng, desk.words
    table, one, two = words.noun(), *words.some("fields", 2)
    base, script = desk.fresh("db"), desk.fresh("sql")
    rows = [(words.noun(), rng.randint(1, 500)) for _ in range(rng.randint(3, 9))]
    lines = [f"CREATE TABLE {table} ({one} TEXT, {two} INTEGER);"]
    lines += [f"INSERT INTO {table} VALUES ('{name}', {number});" for name, number in rows]
    yield desk.do(document(script, lines, desk.marker()), why=f"write {script}")
    desk.wrote(script, lines)
    yield desk.do(
        f"sqlite3 {base} < {script} && sqlite3 {base} 'SELECT count(*), sum({two}) FROM {table};'",
        why=f"load it into {base}",
    )
    queries = (
        f"SELECT * FROM {table} ORDER BY {two} DESC LIMIT {rng.randint(1, 5)};",
        f"SELECT upper({one}), {two} * {rng.randint(2, 9)} FROM {table} WHERE {two} > {rng.randint(1, 400)};",
        f"SELECT avg({two}), max({one}) FROM {table};",
        f"UPDATE {table} SET {two} = {two} + {rng.randint(1, 50)}; SELECT changes(), sum({two}) FROM {table};",
        f"DELETE FROM {table} WHERE {one} LIKE '%{rng.choice('aeiou')}%'; SELECT {one} FROM {table};",
        f"SELECT {one} FROM {table} WHERE {words.one('fields')} = 1;",
        f"INSERT INTO {table} VALUES ('{words.noun()}');",
        f"SELECT group_concat({one}, '/') FROM (SELECT {one} FROM {table} ORDER BY {one});",
    )
    mode = rng.choice(("", "-header ", "-column -header ", "-csv ", "-json "))
    for query in rng.sample(queries, rng.randint(2, 4)):
        yield desk.do(f'sqlite3 {mode}{base} "{query}"', why="query it")


def shell(desk: Desk) -> Script:
    """Several statements by a here-document."""
    rng = desk.rng
    base = desk.pick(".db")
    if base is None:
        yield from create(desk)
        return
    lines = rng.sample(
        (
            ".headers on", f".mode {rng.choice(('column', 'csv', 'line', 'list', 'json', 'quote', 'tabs'))}",
            f"SELECT name, price FROM parts ORDER BY price DESC LIMIT {rng.randint(2, 6)};",
            f"SELECT town, count(*) FROM makers GROUP BY town HAVING count(*) >= {rng.randint(1, 2)};",
            f"SELECT units FROM sales WHERE id = {rng.randint(1, 60)};", f".print {desk.words.noun()}",
            f"SELECT {desk.words.one('fields')} FROM parts LIMIT 1;", ".tables",
        ),
        rng.randint(3, 6),
    )  # fmt: skip
    marker = desk.marker()
    text = "\n".join([f"sqlite3 {desk.at(base)} <<'{marker}'", *lines, marker])
    yield desk.do(text, why="ask several things at once")
