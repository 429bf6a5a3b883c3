"""Goals at the SQLite server, over the shop that is there at the start."""

from worldline.collect.explorers.mcp.hand import Goal, Hand
from worldline.collect.explorers.mcp.servers import sql
from worldline.collect.explorers.mcp.servers.sql import Table

SHOP = (
    Table("customers", ("name", "city", "since"), ("id",)),
    Table("products", ("name",), ("id", "price", "stock")),
    Table("orders", ("day", "status"), ("id", "customer_id")),
    Table("order_lines", (), ("order_id", "product_id", "quantity")),
)


def _table(hand: Hand) -> Table:
    return hand.rng.choice([*SHOP, *hand.pool.get("tables", [])])


def look(hand: Hand) -> Goal:
    """What tables there are, and how one is made."""
    yield hand.call("list_tables", "list")
    name = _table(hand).name if hand.chance(0.8) else hand.words.slug()
    yield hand.call("describe_table", "describe", table_name=name)


def ask(hand: Hand) -> Goal:
    """A few questions."""
    for _ in range(hand.rng.randint(1, 3)):
        query = sql.select(hand, _table(hand)) if hand.chance(0.7) else _join(hand)
        yield hand.call("read_query", "query", query=query)
    if hand.chance(0.3):
        yield hand.call("append_insight", "note", insight=hand.text())


def _join(hand: Hand) -> str:
    rng = hand.rng
    limit = f"LIMIT {rng.randint(2, 12)}"
    return rng.choice(
        (
            "SELECT c.name, COUNT(o.id) AS orders FROM customers c LEFT JOIN orders o ON"
            f" o.customer_id = c.id GROUP BY c.id ORDER BY orders DESC, c.id {limit}",
            "SELECT p.name, SUM(l.quantity) AS sold FROM products p JOIN order_lines l ON"
            f" l.product_id = p.id GROUP BY p.id ORDER BY sold DESC, p.id {limit}",
            "SELECT o.id, ROUND(SUM(l.quantity * p.price), 2) AS total FROM orders o JOIN"
            " order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id"
            f" WHERE o.status = {sql.quoted(hand.words.one('status'))} GROUP BY o.id"
            f" ORDER BY total DESC {limit}",
            "SELECT c.city, COUNT(DISTINCT c.id) AS people, COUNT(o.id) AS orders FROM customers c"
            f" JOIN orders o ON o.customer_id = c.id GROUP BY c.city ORDER BY people DESC {limit}",
            "SELECT name FROM products WHERE id NOT IN (SELECT product_id FROM order_lines)"
            f" ORDER BY name {limit}",
            f"SELECT strftime('%Y', day) AS year, COUNT(*) FROM orders GROUP BY year {limit}",
        )
    )


def make(hand: Hand) -> Goal:
    """A table of its own: made, filled, changed, emptied, dropped, touched again."""
    table, statement = sql.invented(hand)
    got = yield hand.call("create_table", "create", query=statement)
    if got.failed:
        return
    hand.keep("tables", table)
    first = 1
    for _ in range(hand.rng.randint(1, 2)):
        yield hand.call("write_query", "insert", query=sql.insert(hand, table, first))
        first += hand.rng.randint(1, 6)  # at times over rows that are there: the key clashes
    yield hand.call("read_query", "read back", query=f"SELECT * FROM {table.name}")
    if hand.chance(0.7):
        yield hand.call("write_query", "update", query=sql.update(hand, table))
        yield hand.call("read_query", "read back", query=sql.select(hand, table))
    if hand.chance(0.4):
        where = sql.condition(hand, table)
        yield hand.call("write_query", "delete", query=f"DELETE FROM {table.name} {where}")
        yield hand.call("read_query", "read back", query=f"SELECT COUNT(*) FROM {table.name}")
    if hand.chance(0.4):
        yield hand.call("write_query", "drop", query=f"DROP TABLE {table.name}")
        hand.drop("tables", table)
        yield hand.call("read_query", "touch the deleted", query=f"SELECT * FROM {table.name}")


def sell(hand: Hand) -> Goal:
    """Orders in the shop: a new one, its lines, the stock."""
    order, customer = hand.rng.randint(41, 400), hand.rng.randint(1, 25)
    day, status = hand.words.date(), hand.words.one("status")
    values = f"({order}, {customer}, '{day}', '{status}')"
    yield hand.call("write_query", "insert", query=f"INSERT INTO orders VALUES {values}")
    product, many = hand.rng.randint(1, 22), hand.rng.randint(1, 9)
    line = f"INSERT INTO order_lines VALUES ({order}, {product}, {many})"
    yield hand.call("write_query", "insert", query=line)
    stock = f"UPDATE products SET stock = stock - {many} WHERE id = {product}"
    yield hand.call("write_query", "update", query=stock)
    query = f"SELECT * FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.id = {order}"
    yield hand.call("read_query", "read back", query=query)
    if hand.chance(0.4):
        name = sql.quoted(hand.words.fill("{quality} {thing}"))
        price = hand.rng.choice((hand.words.price(), 0, -5))
        query = f"INSERT INTO products (name, price, stock) VALUES ({name}, {price}, 3)"
        yield hand.call("write_query", "insert", query=query)


def mistakes(hand: Hand) -> Goal:
    """Wrong SQL, or the right one with the wrong tool."""
    table = _table(hand)
    draw = hand.rng.random()
    if draw < 0.6:
        yield hand.call("read_query", "wrong query", query=sql.wrong(hand, table))
    elif draw < 0.75:
        yield hand.call("read_query", "wrong tool", query=sql.update(hand, table))
    elif draw < 0.9:
        yield hand.call("write_query", "wrong tool", query=sql.select(hand, table))
    else:
        yield hand.call("create_table", "wrong tool", query=sql.select(hand, table))


GOALS = ((0.8, look), (4.0, ask), (1.4, make), (0.6, sell), (1.2, mistakes))
