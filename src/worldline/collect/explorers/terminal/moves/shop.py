"""SQLite databases made by the explorer itself."""

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.moves.edit import document
from worldline.collect.explorers.terminal.phrases import rows


def create(desk: Desk) -> Script:
    """Write a schema, load it, query it, change it."""
    rng, words = desk.rng, desk.words
    table, one, two = words.noun(), *words.some("fields", 2)
    base, script = desk.fresh("db"), desk.fresh("sql")
    pairs = [(words.noun(), rng.randint(1, 500)) for _ in range(rng.randint(3, 9))]
    lines = [f"CREATE TABLE {table} ({one} TEXT, {two} INTEGER);"]
    lines += [f"INSERT INTO {table} VALUES ('{name}', {number});" for name, number in pairs]
    yield desk.do(document(script, lines, desk.marker()), why=f"write {script}")
    desk.wrote(script, lines)
    yield desk.do(
        f"sqlite3 {base} < {script} && sqlite3 {base} 'SELECT count(*), sum({two}) FROM {table};'",
        why=f"load it into {base}",
    )
    mode = rng.choice(("", "-header ", "-column -header ", "-csv ", "-json "))
    for query in rows(desk, "query", 2, 4, table=table, one=one, two=two):
        yield desk.do(f'sqlite3 {mode}{base} "{query}"', why="query it")


def shell(desk: Desk) -> Script:
    """Several statements by a here-document."""
    base = desk.pick(".db")
    if base is None:
        yield from create(desk)
        return
    lines = rows(desk, "script", 3, 6)
    marker = desk.marker()
    text = "\n".join([f"sqlite3 {desk.at(base)} <<'{marker}'", *lines, marker])
    yield desk.do(text, why="ask several things at once")
