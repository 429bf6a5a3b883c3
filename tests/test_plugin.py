"""A domain from somebody else's package: found by its metadata, used like any other."""

import json
import os
import sqlite3
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.trajectory import Trajectory, Turn

EXAMPLE = Path(__file__).parent.parent / "examples" / "worldline-sqlite"
SOURCE = EXAMPLE / "src"


@pytest.fixture(scope="module")
def sqlite_domain():
    sys.path.insert(0, str(SOURCE))
    try:
        import worldline_sqlite

        yield worldline_sqlite.DOMAIN
    finally:
        sys.path.remove(str(SOURCE))


def install(target: Path, point: str) -> None:
    """What an installer leaves behind for entry points: a dist-info directory."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    info = target / f"worldline_sqlite-{project['version']}.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head)
    (info / "entry_points.txt").write_text(f"[worldline.domains]\nsqlite = {point}\n")


def run(target: Path, code: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(target), str(SOURCE)])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_an_installed_plugin_is_found_by_its_entry_point(tmp_path):
    points = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    install(tmp_path, points["worldline.domains"]["sqlite"])
    code = """
import json
from worldline.domains import domain, names
from worldline.trajectory import Trajectory, Turn
found = domain("sqlite")
ledger = found.open(Trajectory(id="x", domain="sqlite", dialect="list"))
ledger = found.track(ledger, Turn(action="CREATE TABLE t (a INTEGER, b);", observation=""), "model")
ledger = found.track(
    ledger, Turn(action="INSERT INTO t VALUES (1, 'x')", observation=""), "model"
)
print(json.dumps([names(), found.known(ledger, "SELECT * FROM t;").observation]))
"""
    done = run(tmp_path, code)
    assert done.returncode == 0, done.stderr
    listed, observation = json.loads(done.stdout)
    assert "sqlite" in listed and observation == "1|x"


def test_a_plugin_that_does_not_load_says_which_and_what_to_do(tmp_path):
    install(tmp_path, "worldline_sqlite:MISSING")
    done = run(
        tmp_path, "from worldline.domains import domain, names; print(names()); domain('sqlite')"
    )
    assert done.returncode == 1 and "sqlite" in done.stdout
    assert "worldline_sqlite:MISSING" in done.stderr and "Reinstall or remove" in done.stderr


def test_the_example_stays_small():
    lines = (SOURCE / "worldline_sqlite" / "__init__.py").read_text().splitlines()
    assert len(lines) < 150


VALUES = st.integers(-(10**9), 10**9) | st.none() | st.text("ab|'\n 1.-", max_size=6)


def literal(value: object) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


STEPS = st.lists(
    st.tuples(st.just("insert"), VALUES, VALUES)
    | st.sampled_from([("delete",), ("update",), ("drop",), ("create",), ("both",)]),
    max_size=8,
)


def sql(step: tuple) -> str:
    if step[0] == "insert":
        return f"INSERT INTO t VALUES ({literal(step[1])}, {literal(step[2])});"
    return {
        "delete": "DELETE FROM t WHERE a = 1;",
        "update": "UPDATE t SET b = 'z';",
        "drop": "DROP TABLE t;",
        "create": "CREATE TABLE t (a INTEGER, b TEXT);",
        "both": "INSERT INTO t VALUES (5, 'x'); SELECT count(*) FROM t;",
    }[step[0]]


def shell(base: sqlite3.Connection, text: str) -> str:
    """The shell's list mode, by Python's own sqlite3."""
    lines = []
    for one in text.split("; "):
        try:
            rows = base.execute(one).fetchall()
        except sqlite3.Error as error:
            return f"Parse error: {error}"
        lines += ["|".join("" if v is None else str(v) for v in row) for row in rows]
    return "\n".join(lines)


@given(STEPS)
def test_what_the_ledger_knows_is_what_sqlite_answers(sqlite_domain, steps):
    base = sqlite3.connect(":memory:")
    ledger = sqlite_domain.open(Trajectory(id="x", domain="sqlite", dialect="list"))
    for step in [("create",), *steps]:
        action = sql(step)
        turn = Turn(action=action, observation=shell(base, action))
        ledger = sqlite_domain.track(ledger, turn, "real")
        for query in ("SELECT * FROM t;", "select count(*) from t"):
            known = sqlite_domain.known(ledger, query)
            assert known is None or known.observation == shell(base, query)
    base.close()


def test_its_five_parts_work(sqlite_domain):
    dialect = sqlite_domain.dialect("list")
    for text in ("1|a\n2|b", "", "Parse error: no such table: t"):
        assert dialect.render_observation(dialect.parse_observation(text)) == text
    session = Trajectory(id="x", domain="sqlite", dialect="list")
    assert "sqlite3" in sqlite_domain.system_text(session, "compact")
    ledger = sqlite_domain.open(session)
    ledger = sqlite_domain.track(ledger, Turn(action="CREATE TABLE t (a)", observation=""), "real")
    assert sqlite_domain.known(ledger, "SELECT count(*) FROM t").observation == "0"
    facts = sqlite_domain.facts(ledger, "SELECT a FROM t", 500)
    assert "table t" in sqlite_domain.user_text("SELECT a FROM t", "list", facts)
    wrong = sqlite_domain.checks(ledger, "SELECT * FROM t", "7")
    assert [v.rule for v in wrong] == ["read_back"]
