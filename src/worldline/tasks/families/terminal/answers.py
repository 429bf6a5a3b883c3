"""Tasks that end in an answer: something is to be found out."""

import json
import re
import sqlite3
from collections import Counter

from worldline.environments.terminal import fixtures
from worldline.environments.terminal.fixtures import Words
from worldline.tasks.families.terminal.making import Draft, Family, most, only

NUMBER = r"{{2:(?m)^(\d+)$}}"


def _service_errors(words: Words, seed: int) -> Draft | None:
    files = fixtures.make("weblogs", seed)
    name = only(files, "-services.log")
    if name is None:
        return None
    rows = re.findall(r"(?m)^\S+ \S+ (\w+) (\w+):", files[name].decode())
    counts = Counter(service for level, service in rows if level == "ERROR")
    service, count = words.rng.choice(sorted(counts.items()))
    return Draft(
        "Below the home there is a log of several services; its lines read DAY TIME LEVEL SERVICE: "
        f"MESSAGE. How many lines of level ERROR are of the service {service}? "
        "Answer with the number alone.",
        (
            "find . -name '*-services.log'",
            f"grep -c ' ERROR {service}: ' {{{{1:(?m)^(\\./\\S+-services\\.log)$}}}}",
            NUMBER,
        ),
        answer=str(count),
        fixture="weblogs",
    )


def _top_client(_: Words, seed: int) -> Draft | None:
    files = fixtures.make("weblogs", seed)
    name = next(name for name in files if name.endswith("access.log"))
    found = most(Counter(row.split(" ")[0] for row in files[name].decode().splitlines()))
    if found is None:
        return None
    return Draft(
        "Which client address sent the most requests, going by the newest access log of the web "
        "server (access.log, not the older access.log.1)? Answer with the address alone.",
        (
            "find . -name access.log",
            "cut -d' ' -f1 {{1:(?m)^(\\./\\S+access\\.log)$}} "
            "| sort | uniq -c | sort -rn | head -n 3",
            r"{{2:(?m)^ *\d+ (\d+\.\d+\.\d+\.\d+)$}}",
        ),
        answer=found[0],
        fixture="weblogs",
    )


def _order_state(words: Words, seed: int) -> Draft | None:
    files = fixtures.make("data", seed)
    name = next(name for name in files if name.endswith("orders.json"))
    orders = json.loads(files[name])
    state = words.rng.choice(sorted({order["state"] for order in orders}))
    chosen = [order for order in orders if order["state"] == state]
    units = sum(line["units"] for order in chosen for line in order["lines"])
    return Draft(
        f"orders.json, somewhere below the home, lists orders. How many units do the orders in "
        f"state {state} have in all their lines together? Answer with the number alone.",
        (
            "find . -name orders.json",
            f"jq '[.[] | select(.state == \"{state}\") | .lines[].units] | add' "
            "{{1:(?m)^(\\./\\S+orders\\.json)$}}",
            NUMBER,
        ),
        answer=str(units),
        fixture="data",
    )


def _best_seller(_: Words, seed: int) -> Draft | None:
    files = fixtures.make("database", seed)
    base = only(files, ".db")
    assert base is not None
    connection = sqlite3.connect(":memory:")
    connection.deserialize(files[base])
    query = (
        "SELECT p.name, sum(s.units) FROM parts p JOIN sales s ON s.part_id = p.id GROUP BY p.id"
    )
    found = most(dict(connection.execute(query).fetchall()))
    connection.close()
    if found is None:
        return None
    return Draft(
        "The SQLite database in the home has tables parts and sales. Which part has sold the most "
        "units in all? Answer with its name alone.",
        (
            "ls *.db",
            f"sqlite3 {{{{1:(?m)^(\\w+\\.db)$}}}} '{query} ORDER BY 2 DESC LIMIT 1;'",
            r"{{2:(?m)^(\w+)\|\d+$}}",
        ),
        answer=found[0],
        fixture="database",
    )


def _archive_code(_: Words, seed: int) -> Draft | None:
    import io
    import zipfile

    files = fixtures.make("archives", seed)
    name = only(files, ".zip")
    assert name is not None
    with zipfile.ZipFile(io.BytesIO(files[name])) as archive:
        readme = next(one for one in archive.namelist() if one.endswith("/README"))
        code = re.findall(r"code (\w+)", archive.read(readme).decode())[0]
    return Draft(
        "There is one zip archive below the home. Its README names a code; what is it? Answer with "
        "the code alone.",
        (
            "find . -name '*.zip'",
            "unzip -p {{1:(?m)^(\\./\\S+\\.zip)$}} '*/README'",
            r"{{2:(?m)^code (\w+)$}}",
        ),
        answer=code,
        fixture="archives",
    )


def _largest(_: Words, seed: int) -> Draft | None:
    files = fixtures.make("nested", seed)
    found = most({name: len(content) for name, content in files.items()})
    if found is None:
        return None
    return Draft(
        "Which regular file below the home is the largest? Answer with its name alone, without "
        "folders.",
        (
            "find . -type f -printf '%s %f\\n' | sort -n | tail -n 2",
            r"{{1:(?m)^\d+ (\S+)\n(?:user@|$|\z)}}",
        ),
        answer=found[0].rpartition("/")[2],
        fixture="nested",
    )


def _common_word(words: Words, seed: int) -> Draft | None:
    teams = words.some("services", 4)
    counts = dict(zip(teams, words.rng.sample(range(3, 30), 4), strict=True))
    rows = [
        f"{words.date()} {words.person()}: {team}" for team in teams for _ in range(counts[team])
    ]
    words.rng.shuffle(rows)
    name = f"{words.noun()}-roster.txt"
    first = max(counts, key=lambda team: counts[team])
    return Draft(
        "A file in the home whose name ends in -roster.txt lists shifts, the team after the colon. "
        "Which team has the most shifts? Answer with the team's name alone.",
        (
            "ls",
            "cut -d: -f2 {{1:(\\w+-roster\\.txt)}} | sort | uniq -c | sort -rn | head -n 2",
            r"{{2:(?m)^ *\d+ +(\w+)$}}",
        ),
        answer=first,
        files={name: "\n".join(rows) + "\n"},
    )


FAMILIES = (
    Family("service-errors", _service_errors, "train", "medium", True),
    Family("largest-file", _largest, "train", "easy", True),
    Family("roster", _common_word, "train", "easy", True, 4),
    Family("order-units", _order_state, "dev", "medium", True),
    Family("archive-code", _archive_code, "dev", "medium", True, 4),
    Family("top-client", _top_client, "test", "medium", True),
    Family("best-seller", _best_seller, "test", "hard", True),
)
