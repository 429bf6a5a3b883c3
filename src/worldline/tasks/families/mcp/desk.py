"""Sheets, letters, tables of facts, a shell of few commands, a clock."""

import csv
import io
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from worldline.tasks.families.mcp.files import one
from worldline.tasks.families.mcp.making import (
    BREAK,
    HOME,
    LINE,
    Draft,
    Family,
    Seeded,
    call,
    finds,
    reads,
    seen,
)

ZONES = ("Asia/Tokyo", "Asia/Kolkata", "Asia/Kathmandu", "Africa/Nairobi", "America/Bogota")
"""Without summer time, so that the day does not matter."""


class _Sheet:
    """A sheet of a seed's workbooks, and calls about it."""

    def __init__(self, of: Seeded) -> None:
        books = of.truth("workbooks")
        book = of.rng.choice(sorted(books))
        self.name = of.rng.choice(sorted(books[book]))
        self.path = f"{HOME}/{book}"
        self.rows = books[book][self.name][1:]

    def read(self, **cells: str) -> str:
        """Cells of the sheet, as an action."""
        return call("read_data_from_excel", filepath=self.path, sheet_name=self.name, **cells)

    def most(self) -> int | None:
        """The index of the row with the highest quantity, if one alone has it."""
        counts = [row[2] for row in self.rows]
        return counts.index(max(counts)) if counts.count(max(counts)) == 1 else None


def _cell(of: Seeded) -> Draft | None:
    sheet = _Sheet(of)
    at = of.rng.randrange(len(sheet.rows))
    item, _, quantity = sheet.rows[at][:3]
    if sum(row[0] == item for row in sheet.rows) > 1:
        return None
    return Draft(
        f"The sheet {sheet.name} of {sheet.path} has a row for the item '{item}'. What quantity "
        "does it give? Answer with the number.",
        (sheet.read(), seen(1, rf'"address": "C{at + 2}",{BREAK}"value": (\d+)')),
        answer=str(quantity),
    )


def _marked(of: Seeded) -> Draft | None:
    sheet = _Sheet(of)
    at = sheet.most()
    if at is None:
        return None
    status = f"{of.words.one('verb')} first"
    quantity = sheet.rows[at][2]
    cell = "E" + seen(1, rf'"address": "C(\d+)",{BREAK}"value": {quantity},')
    last = f"E{len(sheet.rows) + 1}"
    return Draft(
        f"In the sheet {sheet.name} of {sheet.path}, set the status of the row with the highest "
        f"quantity to '{status}'. Change nothing else.",
        (
            sheet.read(),
            call(
                "write_data_to_excel",
                filepath=sheet.path,
                sheet_name=sheet.name,
                data=[[status]],
                start_cell=cell,
            ),
        ),
        probes=(
            finds(
                sheet.read(start_cell="E1", end_cell=last),
                (f"$.cells[?@.address=='E{at + 2}'].value", status, 1),
                (f"$.cells[?@.value=='{status}']", None, 1),
            ),
        ),
    )


def _struck(of: Seeded) -> Draft | None:
    letters = of.truth("letters")
    name = of.rng.choice(sorted(letters))
    texts: list[str] = letters[name]
    at = of.rng.randrange(1, len(texts))
    words = sorted(set(re.findall(r"\b[a-z]{5,}\b", texts[at])))
    sole = [word for word in words if " ".join(texts).lower().count(word) == 1]
    if not sole:
        return None
    word, path = of.rng.choice(sole), f"{HOME}/{name}"
    index = seen(1, r'"paragraph_index": (\d+)')
    left = [text for number, text in enumerate(texts) if number != at]
    return Draft(
        f"One paragraph of the letter {path} has the word '{word}' in it. Delete that paragraph "
        "and leave the others as they are.",
        (
            call("find_text_in_document", filename=path, text_to_find=word),
            f'{{"name": "delete_paragraph", "arguments": {{"filename": "{path}", '
            f'"paragraph_index": {index}}}}}',
        ),
        probes=(reads(of.dialect, call("get_document_text", filename=path), "\n".join(left)),),
    )


def _open_item(of: Seeded) -> Draft | None:
    chosen = one(of, ".txt", "todo-")
    found = re.search(r"(?m)^- \[ \] (.+)$", chosen[1]) if chosen else None
    if chosen is None or found is None or chosen[1].startswith("- [ ]"):
        return None
    return Draft(
        f"{HOME}/{chosen[0]} is a list of things to do; those that are done have an x in their "
        "brackets. Which is the first that is still open? Answer with its words.",
        (call("run_command", command=f"cat {chosen[0]}"), seen(1, rf"- \[ \] ({LINE}+)")),
        answer=found[1],
    )


def _facts(of: Seeded) -> Draft | None:
    files: dict[str, str] = of.truth("tables")["files"]
    name = of.rng.choice(sorted(files))
    column = "item" if of.seed % 2 else "city"
    totals: dict[str, int] = {}
    for row in csv.DictReader(io.StringIO(files[name])):
        totals[row[column]] = totals.get(row[column], 0) + int(row["amount"])
    best = max(totals, key=lambda key: totals[key])
    if list(totals.values()).count(totals[best]) > 1:
        return None
    query = (
        f"SELECT {column}, SUM(amount) AS total FROM read_csv_auto('{HOME}/{name}') "
        f"GROUP BY {column} ORDER BY total DESC LIMIT 1"
    )
    return Draft(
        f"In the table {HOME}/{name}, add up the amounts by {column}. Which {column} has the "
        "largest total? Answer with its name.",
        (call("query", query=query), seen(1, r"\('([^']+)'")),
        answer=best,
    )


def _clock(of: Seeded) -> Draft:
    """Whoever knows the time zones can tell without the server: not unseen."""
    here, there = of.rng.sample(ZONES, 2)
    hour, minute = of.rng.randrange(24), of.rng.randrange(60)
    now = datetime(2025, 6, 1, hour, minute, tzinfo=ZoneInfo(here)).astimezone(UTC)
    then = now.astimezone(ZoneInfo(there)).strftime("%H:%M")
    time = f"{hour:02}:{minute:02}"
    convert = call("convert_time", source_timezone=here, time=time, target_timezone=there)
    return Draft(
        f"It is {time} in the time zone {here}. What time is it in {there}? Answer as HH:MM.",
        (convert, seen(1, r'(?s)"target".*?T(\d\d:\d\d)')),
        answer=then,
    )


FAMILIES = (
    Family("cell-ask", _cell, ("excel",), "train", "easy", size=2),
    Family("cell-mark", _marked, ("excel",), "dev", "medium", size=2),
    Family("letter-strike", _struck, ("word",), "test", "medium", size=2),
    Family("list-ask", _open_item, ("cli",), "test", "easy", size=2),
    Family("facts-ask", _facts, ("duckdb",), "test", "medium", size=2),
    Family("clock-ask", _clock, ("time",), "train", "easy", unseen=False, size=2),
)
