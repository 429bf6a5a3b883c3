"""A page in parts, as measures compare them: read line by line, without building its tree.

One node is two parts: its place (indentation and id, which the session carries on from page to
page) and what it says. So an element with another id costs consistency, one that says something
else factuality, one that is missing quality. A line that is no node is a broken frame.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from worldline.domains.base import Ledger
from worldline.domains.parts import STATUS, Part, line_parts
from worldline.domains.web.dialects import browsergym, errorlog
from worldline.domains.web.measures import status
from worldline.domains.web.sentences import sentence

_STRING = r"(?:'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\")"
_VALUE = rf"(?:{_STRING}|-?\d{{1,18}}(?:\.\d{{1,20}})?+(?:e[+-]\d{{1,3}})?+|True|False)"
_NODE = (
    rf"(?:generic\b(?! ['\"])|[A-Za-z][A-Za-z-]{{0,40}} {_STRING})"
    rf"(?: value={_VALUE})?+(?:, [A-Za-z][\w-]{{0,60}}+(?:={_VALUE})?+)*+"
)
_AX_LINE = re.compile(rf"(?m)^(?:(\t*+(?:\[[A-Za-z0-9]{{1,40}}\](?= ))?+)( ?{_NODE})|(.*+))$")
_TITLE, _URL = "  - Title: ", "  - URL: "
_HEADINGS = frozenset({browsergym.TABS, browsergym.TREE, ""})
_TAB = re.compile(r"- Tab \d{1,6} (?:\(active\))?")
_LOCATOR = "get_by_test_id("
_ITEM = re.compile(r"(?:^|;\t)\[(\d{1,6})\]: ")
_TAGGED = re.compile(r"<[a-z][a-z0-9-]{0,40}> \"(?=.)", re.DOTALL)
_SKIPS = [Part(f"+{count}", "state") for count in range(20)]
_PW_LINE = re.compile(
    r" *+- (?:'.*+|/?[a-z][a-z-]{0,40}+(?: \"(?:[^\"\\\n]|\\.)*+\")?+"
    r"(?: \[[^\]\n]{1,120}\])*+ ?(?:: (?:\"(?:[^\"\\\n]|\\.)*+\"|[^\"\n].*+)|:)?+)"
)
_PAGE_URL, _PAGE_TITLE = "- Page URL: ", "- Page Title: "
FENCE = "```"


def parts(ledger: Ledger, action: str, observation: str) -> list[Part] | None:
    """The observation in parts; `None` for text that is neither a page nor a known sentence."""
    found = _read(ledger.dialect, observation)
    if found is None and not sentence(ledger, action, observation):
        return None
    went = Part("+" if status(ledger.dialect, observation) == "ok" else "-", "content", STATUS)
    return [went, *(line_parts(observation) if found is None else found)]


def broken_lines(dialect: str, text: str) -> Iterator[tuple[int, int]]:
    """The spans of lines in a tree that fit nothing in it, in ``browsergym`` alone."""
    if dialect == "browsergym":
        for part in _read(dialect, text) or ():
            heading = part.text in (browsergym.TABS, browsergym.TREE, "")
            if part.kind == "frame" and not heading and part.text.strip() and part.span:
                yield part.span


@lru_cache(maxsize=4)
def _read(dialect: str, text: str) -> tuple[Part, ...] | None:
    """A page in parts, in whatever order they stand; `None` if it is no page."""
    found = _READERS[dialect](text)
    return None if found is None else tuple(found)


def _browsergym(text: str) -> list[Part] | None:
    tree = text.find(f"{browsergym.TREE}\n")
    at_root = text.startswith(browsergym.ROOT)
    if tree < 0 and not at_root and f"\n{browsergym.ROOT}" not in text:
        return None
    body = 0 if at_root else text.find(browsergym.ROOT) if tree < 0 else text.find("\n", tree) + 1
    found = list(_heads(text[:body])) if body else []
    found += _ax_nodes(text, body)
    return found


def _heads(text: str) -> Iterator[Part]:
    """What stands above the tree: an error, the tabs, headings."""
    at, failed, told = 0, False, False
    for line in text.split("\n")[:-1]:
        start, kind = at, "content"
        at += len(line) + 1
        if line.startswith(_TITLE):
            yield Part(line[len(_TITLE) :], "content", "", start + len(_TITLE))
            continue
        if line.startswith(_URL):
            yield Part(line[len(_URL) :], "state", "", start + len(_URL))
            continue
        if (line == errorlog.HEADING and not told) or (failed and not line):
            failed = told = True  # the part of the status tells it, once
            continue
        if line == errorlog.HEADING:
            kind = "frame"
        elif line in _HEADINGS:
            failed, kind = False, "frame"
        elif _TAB.fullmatch(line) or (failed and _LOCATOR in line):
            kind = "state"
        yield Part(line, kind, "", start)


def _ax_nodes(text: str, body: int) -> list[Part]:
    found: list[Part] = []
    add = found.append
    end = len(text.rstrip())
    for match in _AX_LINE.finditer(text, body, end):
        node = match[2]
        if node is None:
            add(Part(match[0], "frame", "", match.start()))
        elif node[0] == " ":
            add(Part(match[1], "state", "", match.start()))
            add(Part(node[1:], "content", "", match.start(2) + 1))
        else:
            add(Part(match[0], "content", "", match.start()))
    return found


def _labelled(text: str) -> list[Part] | None:
    text = text.rstrip()
    items = list(_ITEM.finditer(text))
    if not items or items[0].start():
        return None
    whole = text.endswith(";")
    ends = [one.start() for one in items[1:]] + [len(text) - whole]
    found: list[Part] = []
    add, expected = found.append, 0
    for item, end in zip(items, ends, strict=True):
        label, at = item[1], item.end()
        body = text[at:end]
        # What is new near the top renumbers the rest: a number is told by what was left out.
        skip = int(label) - expected
        add(_SKIPS[skip] if 0 <= skip < len(_SKIPS) else Part(f"{skip:+}", "state"))
        quoted = body[-1:] == '"' and (body[0] == '"' or _TAGGED.match(body) is not None)
        add(Part(body, "content" if quoted and len(body) > 1 else "frame", "", at))
        expected += skip + 1
    if not whole:
        found[-1] = Part(found[-1].text, "frame", "", found[-1].start)
    return found


def _playwright(text: str) -> list[Part] | None:
    bare = text.startswith("- ") and "[ref=" in text
    if not bare and _PAGE_URL not in text:
        return None
    found: list[Part] = []
    inside, echo, at, told = bare, False, 0, False
    for line in text.rstrip().split("\n"):
        start = at
        at += len(line) + 1
        if line == "### Error" and not told:  # the part of the status tells it, once
            told = True
            continue
        if line.startswith((FENCE, "### ")):
            inside, echo = line == f"{FENCE}yaml", line == f"{FENCE}js"
            found.append(Part(line, "frame", "", start))
        elif inside:
            _snapshot_line(line, start, found.append)
        elif line.startswith(_PAGE_URL):
            found.append(Part(line[len(_PAGE_URL) :], "state", "", start + len(_PAGE_URL)))
        elif line.startswith(_PAGE_TITLE):
            found.append(Part(line[len(_PAGE_TITLE) :], "content", "", start + len(_PAGE_TITLE)))
        else:
            found.append(Part(line, "state" if echo else "content", "", start))
    return found


def _snapshot_line(line: str, start: int, add: Callable[[Part], None]) -> None:
    """The parts of one line: what the element is, its ref, what it holds."""
    at = line.find("[ref=")
    end = line.find("]", at) + 1 if at >= 0 else 0
    head = line[:at] if end else line
    kind = "content" if _PW_LINE.fullmatch(head) else "frame"
    add(Part(head.removesuffix(" ") if end else line.removesuffix(":"), kind, "", start))
    if end:
        add(Part(line[at:end], "state", "", start + at))
        add(Part(line[end:].removesuffix(":"), "content", "", start + end))


_READERS: Mapping[str, Callable[[str], list[Part] | None]] = {
    "browsergym": _browsergym,
    "labelled": _labelled,
    "playwright": _playwright,
}
