"""Goals at the Excel server."""

import re

from worldline.collect.explorers.mcp.hand import Goal, Hand

HOME = "/home/user"
_TOLD = re.compile(r"^(/home/user/\S+\.xlsx) \(", re.MULTILINE)
_LIST = re.compile(r"\[([^\]]*)\]")


def _books(hand: Hand) -> list[str]:
    if "filepath" not in hand.pool:
        hand.pool["filepath"] = _TOLD.findall(hand.initial) or [f"{HOME}/new.xlsx"]
    return hand.pool["filepath"]


def _place(hand: Hand) -> dict[str, str]:
    """A sheet of a book, as arguments."""
    book = hand.rng.choice(_books(hand))
    sheets = hand.pool.get(f"sheets of {book}") or ["Sheet1"]
    return {"filepath": book, "sheet_name": hand.rng.choice(sheets)}


def _range(hand: Hand) -> tuple[str, str]:
    column, row = hand.rng.randint(0, 4), hand.rng.randint(1, 9)
    end = f"{'ABCDEFGH'[column + hand.rng.randint(0, 3)]}{row + hand.rng.randint(0, 8)}"
    return f"{'ABCDEFGH'[column]}{row}", end


def look(hand: Hand) -> Goal:
    """What sheets a workbook has, and what is in one."""
    book = hand.rng.choice(_books(hand))
    ranges = {"include_ranges": True} if hand.chance(0.4) else {}
    got = yield hand.call("get_workbook_metadata", "inspect", filepath=book, **ranges)
    named = _LIST.search(got.text)
    for name in re.findall(r"['\"]([^'\"]+)['\"]", named[1]) if named else []:
        hand.keep(f"sheets of {book}", name)
    place = _place(hand)
    more = {"start_cell": f"A{hand.rng.randint(1, 12)}"} if hand.chance(0.5) else {}
    if hand.chance(0.5):
        more["end_cell"] = f"{hand.rng.choice('BCDE')}{hand.rng.randint(2, 16)}"
    yield hand.call("read_data_from_excel", "read", **place, **more)


def make(hand: Hand) -> Goal:
    """A workbook of its own with a sheet, data, sums."""
    book = f"{HOME}/{hand.words.slug('-')}.xlsx"
    got = yield hand.call("create_workbook", "create", filepath=book)
    if got.failed:
        return
    _books(hand)
    hand.keep("filepath", book)
    sheet = hand.words.one("topic").capitalize()
    yield hand.call("create_worksheet", "create", filepath=book, sheet_name=sheet)
    hand.keep(f"sheets of {book}", sheet)
    yield from _fill(hand, {"filepath": book, "sheet_name": sheet})


def _fill(hand: Hand, place: dict[str, str]) -> Goal:
    many = hand.rng.randint(2, 9)
    heads = [word.capitalize() for word in hand.words.some("thing", 3)]
    rows = [
        [hand.words.one("city"), hand.rng.randint(1, 90), hand.words.price()] for _ in range(many)
    ]
    start = hand.rng.choice(("A1", "A1", "B3", "D2"))
    data = [heads, *rows]
    yield hand.call("write_data_to_excel", "write", **place, data=data, start_cell=start)
    yield hand.call("read_data_from_excel", "read back", **place, start_cell=start)
    column = hand.rng.choice("BC")
    formula = hand.rng.choice(
        (f"=SUM({column}2:{column}{many + 1})", f"=AVERAGE({column}2:{column}{many + 1})",
         f"=MAX({column}2:{column}9)*{hand.rng.randint(2, 9)}", f"=IF({column}2>40,1,0)",
         f"=SUM({column}2:{column}", f"=NOSUCH({column}2)", f"=VLOOKUP({column}2,A1:C9,2,FALSE)")
    )  # fmt: skip
    cell = f"{hand.rng.choice('BCEF')}{many + hand.rng.randint(2, 5)}"
    if hand.chance(0.4):
        yield hand.call("validate_formula_syntax", "check", **place, cell=cell, formula=formula)
    yield hand.call("apply_formula", "formula", **place, cell=cell, formula=formula)


def sheets(hand: Hand) -> Goal:
    """Copy, rename and delete sheets; touch the deleted one."""
    place = _place(hand)
    book, sheet = place["filepath"], place["sheet_name"]
    new = hand.words.one("unit").capitalize()
    key = f"sheets of {book}"
    draw = hand.rng.random()
    if draw < 0.4:
        args = {"source_sheet": sheet, "target_sheet": new}
        got = yield hand.call("copy_worksheet", "copy", filepath=book, **args)
    elif draw < 0.7:
        got = yield hand.call(
            "rename_worksheet", "rename", filepath=book, old_name=sheet, new_name=new
        )
        hand.drop(key, sheet)
    else:
        got = yield hand.call("delete_worksheet", "delete", **place)
        hand.drop(key, sheet)
        yield hand.call("read_data_from_excel", "touch the deleted", **place)
        return
    if not got.failed:
        hand.keep(key, new)
    yield hand.call("get_workbook_metadata", "read back", filepath=book)


def shape(hand: Hand) -> Goal:
    """Formats, merged cells, tables."""
    place = _place(hand)
    start, end = _range(hand)
    more = {
        "bold": hand.chance(0.5),
        "font_size": hand.rng.randint(8, 24),
        "bg_color": hand.rng.choice(("FFFF00", "C0C0C0", "notacolour", "00FF7F")),
        "number_format": hand.rng.choice(("0.00", "#,##0", "0%", "yyyy-mm-dd")),
    }
    chosen = {name: more[name] for name in hand.rng.sample(sorted(more), hand.rng.randint(1, 3))}
    yield hand.call("format_range", "format", **place, start_cell=start, end_cell=end, **chosen)
    if hand.chance(0.5):
        yield hand.call("merge_cells", "merge", **place, start_cell=start, end_cell=end)
        yield hand.call("get_merged_cells", "read back", **place)
        if hand.chance(0.5):
            yield hand.call("unmerge_cells", "unmerge", **place, start_cell=start, end_cell=end)
    if hand.chance(0.4):
        table = {"data_range": f"{start}:{end}", "table_name": hand.words.slug()}
        yield hand.call("create_table", "create", **place, **table)


def move(hand: Hand) -> Goal:
    """Rows and columns in and out, ranges copied and deleted, then a look."""
    place, many = _place(hand), hand.rng.randint(1, 4)
    start, end = _range(hand)
    at = hand.rng.randint(1, 12)
    draw = hand.rng.random()
    if draw < 0.25:
        yield hand.call("insert_rows", "insert", **place, start_row=at, count=many)
    elif draw < 0.4:
        yield hand.call("insert_columns", "insert", **place, start_col=min(at, 5), count=many)
    elif draw < 0.6:
        yield hand.call("delete_sheet_rows", "delete", **place, start_row=at, count=many)
    elif draw < 0.7:
        yield hand.call("delete_sheet_columns", "delete", **place, start_col=min(at, 5), count=1)
    elif draw < 0.85:
        goal = f"{hand.rng.choice('EFGH')}{at}"
        args = {"source_start": start, "source_end": end, "target_start": goal}
        yield hand.call("copy_range", "copy", **place, **args)
    else:
        way = hand.rng.choice(("up", "left", "sideways"))
        args = {"start_cell": start, "end_cell": end, "shift_direction": way}
        yield hand.call("delete_range", "delete", **place, **args)
    yield hand.call(
        "read_data_from_excel", "read back", **place, end_cell=f"H{hand.rng.randint(6, 14)}"
    )


def draw(hand: Hand) -> Goal:
    """Charts and pivot tables over what is there."""
    place, rows = _place(hand), hand.rng.randint(4, 14)
    if hand.chance(0.6):
        kind = hand.rng.choice(("line", "bar", "pie", "scatter", "area", "bubble"))
        args = {"data_range": f"A1:D{rows}", "chart_type": kind, "target_cell": f"G{rows}"}
        yield hand.call("create_chart", "chart", **place, **args, title=hand.words.title())
        return
    names = ["Item", "City", "Status", "Quantity", "Price", hand.words.one("thing")]
    group, value = hand.rng.choice(names[:3]), hand.rng.choice(names[3:])
    how = hand.rng.choice(("sum", "average", "count", "max", "mode"))
    args = {"data_range": f"A1:E{rows}", "rows": [group], "values": [value], "agg_func": how}
    yield hand.call("create_pivot_table", "pivot", **place, **args)


def check(hand: Hand) -> Goal:
    """Ranges and rules, checked; books and sheets that are not there."""
    place, (start, end) = _place(hand), _range(hand)
    if hand.chance(0.5):
        yield hand.call("validate_excel_range", "check", **place, start_cell=start, end_cell=end)
    if hand.chance(0.3):
        yield hand.call("get_data_validation_info", "check", **place)
    if hand.chance(0.5):
        lost = {"filepath": f"{HOME}/{hand.words.slug('-')}.xlsx"}
        if hand.chance(0.5):
            lost = {"sheet_name": hand.words.one("city")}
        yield hand.call("read_data_from_excel", "out of reach", **{**place, **lost})


GOALS = (
    (2.0, look),
    (2.0, make),
    (1.3, sheets),
    (1.0, shape),
    (1.5, move),
    (0.8, draw),
    (0.8, check),
)
