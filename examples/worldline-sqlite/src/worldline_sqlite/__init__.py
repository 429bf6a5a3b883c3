"""A Worldline domain for the SQLite shell: SQL in, list-mode text out.

The ledger follows tables that the session created with plain columns and filled with literal rows;
for those, ``SELECT *`` and ``SELECT count(*)`` are known exactly. Any statement it does not fully
understand makes it forget what that statement may have touched.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from worldline.domains.base import Dialect, Domain, Known, Ledger, Style
from worldline.domains.common import block, fill, leaks, load_prompt
from worldline.facts import Fact, FactOrigin, fact
from worldline.prediction import Violation
from worldline.trajectory import Trajectory, Turn

NAME = r"([A-Za-z_]\w{0,60})"
CREATE = re.compile(rf"CREATE TABLE {NAME} ?\(([\w ,]{{1,500}})\)", re.IGNORECASE)
INSERT = re.compile(rf"INSERT INTO {NAME} VALUES ?\((.{{1,2000}})\)", re.IGNORECASE)
SELECT = re.compile(rf"SELECT (\*|count\(\*\)) FROM {NAME}", re.IGNORECASE)
LITERAL = re.compile(r"\s{0,9}(?:(-?\d{1,15})|'((?:[^']|'')*)'|(NULL))\s{0,9}(,|$)", re.IGNORECASE)
NUMERIC = re.compile(r"\s*[-+.]?\s*[\d.]|\s*[-+]?(?:inf|nan)", re.IGNORECASE)
FAILED = re.compile(r"(?:Parse |Runtime )?Error\b", re.IGNORECASE)
COLUMN = re.compile(rf"{NAME}(?: (?:INT|INTEGER|TEXT))?", re.IGNORECASE)


class Statement(msgspec.Struct, frozen=True):
    """One action: its text, and what kind of statement the ledger takes it for."""

    text: str
    kind: str = "other"
    table: str = ""
    columns: tuple[str, ...] = ()
    values: tuple[str, ...] | None = None


def parse_statement(text: str) -> Statement:
    body = text.strip().removesuffix(";").rstrip()
    if match := CREATE.fullmatch(body):
        columns = tuple(part.strip() for part in match[2].split(","))
        if all(COLUMN.fullmatch(column) for column in columns):
            return Statement(text, "create", match[1].lower(), columns)
    if match := INSERT.fullmatch(body):
        return Statement(text, "insert", match[1].lower(), values=parse_row(match[2]))
    if match := SELECT.fullmatch(body):
        return Statement(text, "rows" if match[1] == "*" else "count", match[2].lower())
    reads = body.upper().startswith("SELECT ") and ";" not in body
    return Statement(text, "read" if reads else "other")


def parse_row(text: str) -> tuple[str, ...] | None:
    """Literal values as the shell prints them; `None` where a column type could change one."""
    values, at, more = [], 0, ","
    while more == ",":
        match = LITERAL.match(text, at)
        if match is None or (match[2] is not None and NUMERIC.match(match[2])):
            return None
        values.append(str(int(match[1])) if match[1] else (match[2] or "").replace("''", "'"))
        at, more = match.end(), match[4]
    return tuple(values)


class Rows(msgspec.Struct, frozen=True):
    """Lines of values; an error is one line of one value."""

    rows: tuple[tuple[str, ...], ...]


def parse_rows(text: str) -> Rows:
    return Rows(tuple(tuple(line.split("|")) for line in text.split("\n")))


SHELL = Dialect(
    id="list",
    action=Statement,
    parse_action=parse_statement,
    render_action=lambda statement: statement.text,
    observation=Rows,
    parse_observation=parse_rows,
    render_observation=lambda parsed: "\n".join("|".join(row) for row in parsed.rows),
    detect=lambda trajectory: 0.5,
    recorded=False,
)


class Sqlite(Domain):
    """The SQLite shell."""

    id = "sqlite"
    title = "SQLite shell"
    dialects: ClassVar[Mapping[str, Dialect]] = {"list": SHELL}
    default_dialect = "list"

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        own = trajectory.system
        parts = {"task": own.task_description, "initial_state": own.initial_state}
        parts["instruction"] = own.simulation_instruction
        return fill(load_prompt(__name__, style), parts)

    def track(self, ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
        ledger = super().track(ledger, turn, origin)
        done = parse_statement(turn.action)
        known, rows = ledger.get("row", done.table), done.values
        failed = FAILED.match(turn.observation) is not None
        if done.kind in ("rows", "count", "read") or (failed and done.kind != "other"):
            return ledger
        if done.kind == "create":
            table = {"columns": list(done.columns), "rows": []}
        elif known is not None and rows is not None and len(rows) == len(known.value["columns"]):
            table = {**known.value, "rows": [*known.value["rows"], list(rows)]}
        else:
            gone = [f"row:{done.table}"] if done.kind == "insert" else list(ledger.facts)
            return ledger.with_facts(without=gone)
        return ledger.with_facts(fact("row", done.table, table, origin="action", turn=ledger.turn))

    def known(self, ledger: Ledger, action: str) -> Known | None:
        asked = parse_statement(action)
        table = ledger.get("row", asked.table)
        if table is None or asked.kind not in ("rows", "count"):
            return None
        rows: list[list[str]] = table.value["rows"]
        text = str(len(rows)) if asked.kind == "count" else "\n".join("|".join(r) for r in rows)
        return Known(observation=text, rule=f"sqlite.{asked.kind}", because=(table.id,))

    def facts(self, ledger: Ledger, action: str, budget: int) -> list[Fact]:
        found = [f for f in ledger.facts.values() if f.key and f.key in action.lower()]
        return [f for f in found if len(self.facts_text([f])) <= budget][:3]

    def facts_text(self, facts: Sequence[Fact]) -> str:
        return block(f"table {f.key} ({f.value['columns']}): {f.value['rows']}" for f in facts)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        answer, found = self.known(ledger, action), leaks(observation, action)
        if answer is not None and answer.observation != observation.rstrip("\n"):
            message = f"the session's own rows say {answer.observation[:200]!r}"
            found.append(Violation(rule="read_back", severity="error", message=message))
        return found


DOMAIN = Sqlite()
