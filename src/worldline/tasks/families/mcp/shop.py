"""A shop's SQLite database: questions, changes, tables; and what it says, told to a memory."""

import sqlite3
from contextlib import closing
from typing import Any

from worldline.environments.mcp.fixtures import make
from worldline.tasks.families.mcp.making import (
    Draft,
    Family,
    Seeded,
    call,
    finds,
    holds,
    seen,
)

QUESTIONS: tuple[tuple[str, str], ...] = (
    (
        "Which product of the shop has the lowest stock? Answer with its name.",
        "SELECT name AS answer, stock AS n FROM products ORDER BY n",
    ),
    (
        "Which customer ordered the most pieces, all orders together? Answer with the full name.",
        "SELECT c.name AS answer, SUM(l.quantity) AS n FROM order_lines l JOIN orders o ON "
        "o.id = l.order_id JOIN customers c ON c.id = o.customer_id GROUP BY c.id ORDER BY n DESC",
    ),
    (
        "Which order is worth the most, at the prices of the products? Answer with its id.",
        "SELECT l.order_id AS answer, SUM(l.quantity * p.price) AS n FROM order_lines l JOIN "
        "products p ON p.id = l.product_id GROUP BY l.order_id ORDER BY n DESC",
    ),
    (
        "Customers of which city placed the most orders? Answer with the city.",
        "SELECT c.city AS answer, COUNT(*) AS n FROM orders o JOIN customers c ON "
        "c.id = o.customer_id GROUP BY c.city ORDER BY n DESC",
    ),
    (
        "Of which product were the most pieces ordered? Answer with its name.",
        "SELECT p.name AS answer, SUM(l.quantity) AS n FROM order_lines l JOIN products p ON "
        "p.id = l.product_id GROUP BY p.id ORDER BY n DESC",
    ),
)
ANSWER = r"'answer': '?([^'},]+)"


class Shop:
    """The database of a seed."""

    def __init__(self, seed: int) -> None:
        self._data = make("database", seed).files["shop.db"]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query gives."""
        assert isinstance(self._data, bytes)
        with closing(sqlite3.connect(":memory:")) as base:
            base.deserialize(self._data)
            return base.execute(query).fetchall()

    def first(self, query: str) -> tuple[Any, ...] | None:
        """The first row, unless the second ties with it in the column `n` (the second one)."""
        found = self.rows(query)
        tied = len(found) > 1 and found[0][1] == found[1][1]
        same = sum(row[0] == found[0][0] for row in found) > 1 if found else True
        return None if tied or same else found[0]


def ask(query: str) -> str:
    """A SELECT as an action."""
    return call("read_query", query=query)


def _asked(of: Seeded) -> Draft | None:
    question, query = QUESTIONS[of.seed % len(QUESTIONS)]
    found = Shop(of.seed).first(query)
    if found is None:
        return None
    steps = (call("list_tables"), ask(f"{query} LIMIT 1"), seen(2, ANSWER))
    return Draft(question, steps, answer=str(found[0]))


def _changed(of: Seeded) -> Draft | None:
    """A statement with a sub-query does these without a look: not unseen."""
    return (_shipped, _restocked, _cleared)[of.seed % 3](of, Shop(of.seed))


def _shipped(of: Seeded, shop: Shop) -> Draft | None:
    names = shop.rows(
        "SELECT c.name, COUNT(*), SUM(o.status = 'shipped') FROM orders o JOIN customers c ON "
        "c.id = o.customer_id GROUP BY c.id"
    )
    if not names:
        return None
    name, orders, done = of.rng.choice(names)
    alike = shop.rows(f"SELECT id FROM customers WHERE name = '{name}'")
    if orders == done or len(alike) > 1:
        return None
    total = shop.rows("SELECT COUNT(*) FROM orders WHERE status = 'shipped'")[0][0]
    theirs = f"customer_id = (SELECT id FROM customers WHERE name = '{name}')"
    count = "SELECT COUNT(*) AS {} FROM orders WHERE status = 'shipped'"
    return Draft(
        f"All orders of the customer {name} have left the house. Set their status in the shop's "
        "database to shipped, and change nothing else.",
        (call("write_query", query=f"UPDATE orders SET status = 'shipped' WHERE {theirs}"),),
        probes=(
            holds(ask(f"{count.format('hers')} AND {theirs}"), f"'hers': {orders}}}"),
            holds(ask(count.format("every")), f"'every': {total + orders - done}}}"),
        ),
    )


def _restocked(of: Seeded, shop: Shop) -> Draft | None:
    name, stock = of.rng.choice(shop.rows("SELECT name, stock FROM products"))
    total = shop.rows("SELECT SUM(stock) FROM products")[0][0]
    more = of.rng.randint(11, 240)
    update = f"UPDATE products SET stock = stock + {more} WHERE name = '{name}'"
    return Draft(
        f"{more} more pieces of the product {name} have come in. Add them to its stock in the "
        "shop's database.",
        (call("write_query", query=update),),
        probes=(
            holds(
                ask(f"SELECT stock AS here FROM products WHERE name = '{name}'"),
                f"'here': {stock + more}}}",
            ),
            holds(ask("SELECT SUM(stock) AS every FROM products"), f"'every': {total + more}}}"),
        ),
    )


def _cleared(of: Seeded, shop: Shop) -> Draft | None:
    never = "id NOT IN (SELECT product_id FROM order_lines)"
    count = "SELECT COUNT(*) AS {} FROM products"
    gone = shop.rows(f"{count.format('n')} WHERE {never}")[0][0]
    total = shop.rows(count.format("n"))[0][0]
    if not gone or gone == total:
        return None
    return Draft(
        "Delete from the shop's database every product that was never ordered. Leave all others.",
        (call("write_query", query=f"DELETE FROM products WHERE {never}"),),
        probes=(
            holds(ask(f"{count.format('idle')} WHERE {never}"), "'idle': 0}"),
            holds(ask(count.format("every")), f"'every': {total - gone}}}"),
        ),
    )


def _tabled(of: Seeded) -> Draft | None:
    """A table computed from two others; one statement does it, so it is not unseen."""
    name = f"{of.words.one('quality')}_totals"
    select = (
        "SELECT c.city, COUNT(*) FROM orders o JOIN customers c ON c.id = o.customer_id "
        "GROUP BY c.city"
    )
    found = Shop(of.seed).rows(select)
    if len(found) < 3:
        return None
    city, orders = max(found, key=lambda row: row[1])
    return Draft(
        f"Create a table {name} with the columns city (text) and orders (integer) in the shop's "
        "database. Fill it with a row for each city that orders came from, and how many they were.",
        (
            call("create_table", query=f"CREATE TABLE {name} (city TEXT, orders INTEGER)"),
            call("write_query", query=f"INSERT INTO {name} {select}"),
        ),
        probes=(
            holds(
                ask(f"SELECT orders AS most FROM {name} WHERE city = '{city}'"),
                f"'most': {orders}}}",
            ),
            holds(ask(f"SELECT COUNT(*) AS lines FROM {name}"), f"'lines': {len(found)}}}"),
            holds(
                ask(f"SELECT SUM(orders) AS every FROM {name}"),
                f"'every': {sum(row[1] for row in found)}}}",
            ),
        ),
    )


# with a memory beside the database: what is asked of the one has to be told to the other

BEST = (
    "SELECT c.name AS answer, SUM(l.quantity) AS n, c.city AS city FROM customers c JOIN orders o "
    "ON o.customer_id = c.id JOIN order_lines l ON l.order_id = o.id GROUP BY c.id ORDER BY n DESC"
)
SCARCE = "SELECT name AS answer, stock AS n FROM products ORDER BY n"
BOUGHT = (
    "SELECT p.name AS answer, SUM(l.quantity) AS n FROM orders o JOIN order_lines l ON "
    "l.order_id = o.id JOIN products p ON p.id = l.product_id WHERE o.customer_id = "
    "(SELECT id FROM customers WHERE name = '{}') GROUP BY p.id ORDER BY n DESC"
)


def _recorded(of: Seeded) -> Draft | None:
    return (_best, _scarce, _bought)[of.seed % 3](of, Shop(of.seed))


def _best(_: Seeded, shop: Shop) -> Draft | None:
    found = shop.first(BEST)
    if found is None:
        return None
    name, _, city = found
    here = f"$.entities[?@.name=='{name}']"
    entity = {"name": seen(1, ANSWER), "entityType": "customer"}
    place = seen(1, "'city': '([^']+)'")
    return Draft(
        "Find out from the shop's database which customer ordered the most pieces, all orders "
        "together. Add that customer to the memory as an entity of the type customer, named in "
        "full, with one observation: the city.",
        (
            ask(f"{BEST} LIMIT 1"),
            call("create_entities", entities=[{**entity, "observations": [place]}]),
        ),
        probes=(
            finds(
                call("read_graph"),
                (f"{here}.entityType", "customer", 1),
                (f"{here}.observations[*]", city, 1),
            ),
        ),
    )


def _scarce(_: Seeded, shop: Shop) -> Draft | None:
    found = shop.first(SCARCE)
    if found is None:
        return None
    name, stock = found
    here = f"$.entities[?@.name=='{name}']"
    entity = {"name": seen(1, ANSWER), "entityType": "product"}
    left = seen(1, r"'n': (\d+)")
    return Draft(
        "Find out from the shop's database which product has the lowest stock. Add it to the "
        "memory as an entity of the type product, with one observation: its stock, the number "
        "alone.",
        (
            ask(f"{SCARCE} LIMIT 1"),
            call("create_entities", entities=[{**entity, "observations": [left]}]),
        ),
        probes=(
            finds(
                call("read_graph"),
                (f"{here}.entityType", "product", 1),
                (f"{here}.observations[*]", str(stock), 1),
            ),
        ),
    )


def _bought(_: Seeded, shop: Shop) -> Draft | None:
    best = shop.first(BEST)
    found = None if best is None else shop.first(BOUGHT.format(best[0]))
    if best is None or found is None:
        return None
    customer, product = best[0], found[0]
    fields = {"from": seen(1, ANSWER), "to": seen(2, ANSWER), "relationType": "likes"}
    kinds = ((seen(1, ANSWER), "customer"), (seen(2, ANSWER), "product"))
    link = f"$.relations[?@.from=='{customer}' && @.to=='{product}'].relationType"
    return Draft(
        "Find out from the shop's database which customer ordered the most pieces, all orders "
        "together, and of which product this customer ordered the most. Add both to the memory, "
        "as entities of the types customer and product, and a relation from the customer to the "
        "product of the type likes.",
        (
            ask(f"{BEST} LIMIT 1"),
            ask(f"{BOUGHT.format(seen(1, ANSWER))} LIMIT 1"),
            call(
                "create_entities",
                entities=[
                    {"name": name, "entityType": kind, "observations": []} for name, kind in kinds
                ],
            ),
            call("create_relations", relations=[fields]),
        ),
        probes=(
            finds(
                call("read_graph"),
                (link, "likes", 1),
                (f"$.entities[?@.name=='{customer}'].entityType", "customer", 1),
                (f"$.entities[?@.name=='{product}'].entityType", "product", 1),
            ),
        ),
    )


FAMILIES = (
    Family("shop-ask", _asked, ("sqlite",), "train", "medium", size=5),
    Family("shop-change", _changed, ("sqlite",), "train", "medium", unseen=False),
    Family("shop-table", _tabled, ("sqlite",), "dev", "medium", unseen=False, size=2),
    Family("records", _recorded, ("sqlite", "memory"), "test", "hard"),
)
