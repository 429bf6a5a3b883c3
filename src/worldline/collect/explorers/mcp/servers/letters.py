"""Goals at the Word server."""

import re

from worldline.collect.explorers.mcp.hand import Goal, Hand

_TOLD = re.compile(r"^/home/user/(\S+\.docx) \(", re.MULTILINE)
READS = (
    "get_document_text",
    "get_document_outline",
    "get_document_info",
    "get_paragraph_text_from_document",
)


def _books(hand: Hand) -> list[str]:
    if "filename" not in hand.pool:
        hand.pool["filename"] = _TOLD.findall(hand.initial) or ["letter.docx"]
    return hand.pool["filename"]


def _one(hand: Hand) -> str:
    return hand.rng.choice(_books(hand))


def look(hand: Hand) -> Goal:
    """What documents there are, and what one says."""
    if hand.chance(0.4):
        yield hand.call("list_available_documents", "list", directory=".")
    yield from _read(hand, _one(hand))


def _read(hand: Hand, file: str) -> Goal:
    tool = hand.rng.choice(READS)
    more = {"paragraph_index": hand.rng.randint(0, 7)} if tool == READS[3] else {}
    yield hand.call(tool, "read", filename=file, **more)


def write(hand: Hand) -> Goal:
    """A new document: headings, paragraphs, a table, a list."""
    file = f"{hand.words.slug('-')}.docx"
    got = yield hand.call(
        "create_document",
        "create",
        filename=file,
        title=hand.words.title(),
        author=hand.words.person(),
    )
    if got.failed:
        return
    _books(hand)
    hand.keep("filename", file)
    for _ in range(hand.rng.randint(2, 5)):
        yield from _add(hand, file)
    yield hand.call("get_document_text", "read back", filename=file)


def _add(hand: Hand, file: str) -> Goal:
    draw = hand.rng.random()
    if draw < 0.35:
        level = hand.rng.choice((1, 2, 3, 9, 12))
        yield hand.call("add_heading", "write", filename=file, text=hand.words.title(), level=level)
    elif draw < 0.7:
        more = (
            {"style": hand.rng.choice(("List Bullet", "Quote", "NoSuchStyle"))}
            if hand.chance(0.3)
            else {}
        )
        yield hand.call("add_paragraph", "write", filename=file, text=hand.text(), **more)
    elif draw < 0.9:
        rows, columns = hand.rng.randint(1, 5), hand.rng.randint(1, 4)
        data = [[hand.words.one("thing") for _ in range(columns)] for _ in range(rows)]
        yield hand.call("add_table", "write", filename=file, rows=rows, cols=columns, data=data)
    else:
        yield hand.call("add_page_break", "write", filename=file)


def change(hand: Hand) -> Goal:
    """Replace, delete, insert, format; then a look."""
    file, draw = _one(hand), hand.rng.random()
    index = hand.rng.randint(0, 9)
    word = hand.rng.choice((hand.words.one("thing"), "the", hand.words.one("city"), "and"))
    if draw < 0.3:
        new = {"find_text": word, "replace_text": hand.words.one("quality")}
        yield hand.call("search_and_replace", "change", filename=file, **new)
    elif draw < 0.5:
        yield hand.call("delete_paragraph", "delete", filename=file, paragraph_index=index)
    elif draw < 0.7:
        args = {"line_text": hand.text(), "position": hand.rng.choice(("before", "after"))}
        args |= {"target_text": word} if hand.chance(0.5) else {"target_paragraph_index": index}
        yield hand.call("insert_line_or_paragraph_near_text", "change", filename=file, **args)
    elif draw < 0.85:
        start = hand.rng.randint(0, 20)
        args = {
            "paragraph_index": index,
            "start_pos": start,
            "end_pos": start + hand.rng.randint(1, 15),
        }
        yield hand.call("format_text", "format", filename=file, **args, bold=True)
    else:
        args = {"header_text": hand.words.title(), "new_paragraphs": [hand.words.sentence()]}
        yield hand.call("replace_paragraph_block_below_header", "change", filename=file, **args)
    yield from _read(hand, file)


def find(hand: Hand) -> Goal:
    """Text in a document."""
    word = hand.rng.choice(
        (hand.words.one("thing"), "the", hand.words.one("city"), hand.words.one("verb"))
    )
    args = {"text_to_find": word, "match_case": hand.chance(0.5), "whole_word": hand.chance(0.5)}
    yield hand.call("find_text_in_document", "search", filename=_one(hand), **args)


def notes(hand: Hand) -> Goal:
    """Footnotes and comments."""
    file, index = _one(hand), hand.rng.randint(0, 5)
    args = {"paragraph_index": index, "footnote_text": hand.words.sentence()}
    yield hand.call("add_footnote_robust", "write", filename=file, **args)
    yield hand.call(
        hand.rng.choice(("get_all_comments", "validate_document_footnotes")), "read", filename=file
    )


def copies(hand: Hand) -> Goal:
    """A copy, protected and opened again."""
    file, copy = _one(hand), f"{hand.words.slug('-')}.docx"
    got = yield hand.call("copy_document", "copy", source_filename=file, destination_filename=copy)
    if not got.failed:
        hand.keep("filename", copy)
        yield from _read(hand, copy)


GOALS = ((2.0, look), (2.0, write), (2.0, change), (1.0, find), (0.6, notes), (0.7, copies))
