"""A domain from somebody else's package: found by its metadata, used like any other."""

import json
import os
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.domains import registry
from worldline.domains.base import Dialect, Domain, Style, text_dialect
from worldline.errors import UsageError
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


class Whole(Domain):
    """All that a domain must say of itself."""

    id = "whole"
    title = "whole"
    dialects: ClassVar[Mapping[str, Dialect]] = {"text": text_dialect()}
    default_dialect = "text"

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        return "You are it."


class Point:
    """An entry point that loads to what it is given."""

    value = "somebody:DOMAIN"

    def __init__(self, found: object) -> None:
        self.load = lambda: found


@pytest.fixture
def plugged(monkeypatch):
    def find(found: object) -> Domain:
        monkeypatch.setattr(registry, "_plugins", lambda: {"whole": Point(found)})
        return registry.domain.__wrapped__("whole")

    return find


@pytest.mark.parametrize("part", ["id", "title", "dialects", "default_dialect", "system_text"])
def test_a_plugin_that_lacks_a_part_is_told_which(plugged, part):
    body = {k: v for k, v in vars(Whole).items() if k != part and not k.startswith("__")}
    with pytest.raises(UsageError) as caught:
        plugged(type("Lacking", (Domain,), body)())
    assert f"`{part}`" in str(caught.value) and "docs/domains.md" in str(caught.value)
    assert isinstance(plugged(Whole()), Whole)


@pytest.mark.parametrize(
    ("part", "value"),
    [("dialects", {}), ("dialects", {"text": "text"}), ("default_dialect", "other"), ("id", 3)],
)
def test_a_part_of_the_wrong_kind_is_named_too(plugged, part, value):
    with pytest.raises(UsageError, match=f"`{part}"):
        plugged(type("Wrong", (Whole,), {part: value})())


def test_a_plugin_that_is_a_class_or_something_else_is_refused(plugged):
    for found in (Whole, {"id": "whole"}):
        with pytest.raises(UsageError, match="not a Domain object"):
            plugged(found)


def test_the_smallest_plugin_of_the_documentation_works_as_written(tmp_path):
    text = (EXAMPLE.parent.parent / "docs" / "domains.md").read_text("utf-8")
    project = tomllib.loads(text.split("```toml\n")[1].split("```")[0])["project"]
    ((name, point),) = project["entry-points"]["worldline.domains"].items()
    package = tmp_path / point.partition(":")[0]
    package.mkdir()
    (package / "__init__.py").write_text(text.split("```python\n")[1].split("```")[0], "utf-8")
    info = tmp_path / "worldline_counter-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: worldline-counter\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(f"[worldline.domains]\n{name} = {point}\n")
    steps = tmp_path / "steps.txt"
    steps.write_text("add 2\nadd 3\nreset\nadd 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "worldline", "sim", name, "-m", "copy", "--json", "--script", steps],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    found = [(one["origin"], one["observation"]) for one in steps if one.get("seq")]
    assert found[:2] == [("known", "2"), ("known", "5")], done.stderr
    assert [origin for origin, _ in found[2:]] == ["model", "model"]
