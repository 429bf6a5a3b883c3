"""A tool's answer in parts: the wrapping, the values of its JSON, the lines of its text.

Values stand under their JSON path; objects of an array under their id or name where all of them
have one, so that a missing one does not move the others. Items without a name are compared in their
order, and so are the lines of a text, within JSON too.

* ``frame``: the fields of the wrapping, the way in which JSON is printed, the name of each field
  whose values are compared in their order (once, however many objects have it).
* ``state``: what repeats an argument of the call, and ids that the session has shown before.
* ``runtime``: values that are nothing but a time, under a name that says when something was done.
* ``content``: everything else, the mark of failure (``isError``) included.
"""

import re
from functools import lru_cache
from typing import Any

from worldline.domains.base import Ledger
from worldline.domains.mcp.memo import RESULT_FORM, parse_observation
from worldline.domains.mcp.observations import Block, Body, Cut, Json, Plain, ToolResult
from worldline.domains.mcp.pieces import PIECE, TELLS, names_in, said_in, shown
from worldline.domains.mcp.records import is_id, own_key
from worldline.domains.mcp.values import NOTHING, literal
from worldline.domains.parts import Kind, Part

STARTS = ("meta=None content=[", "content=[", '{"content":', '{"content" :')
SHORT = 400
"""Characters of a line whose names and numbers are parts of their own."""
FIRST = 12
"""Lines of a text that fall into such parts; of a longer one the rest are parts as a whole."""
TELLING = 4
"""Characters of a value that is not found elsewhere by chance."""
CODE = 40
"""Characters at the end of a line in which a program's exit code stands."""
_CODE = re.compile(r"\bcode:? \d{1,3}$")
_AS_JSON = re.compile(r"\s{0,9}(?:\{\s{0,99}[\"}]|\[\s{0,99}[\[{\"\]])")
_TIME = re.compile(
    r"\d{4}-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?"
    r"(?:Z| ?[+-][01]\d:?[0-5]\d)?"
)
_WHEN = re.compile(
    r"(?:^|_)(?:created|modified|updated|accessed|timestamp|generated|fetched|retrieved|finished"
    r"|started|time|now)(?:_at|_on|_time)?$"
)
_FORM = ("$class", "$args", "type", "annotations", "_meta", "meta", "mimeType")
"""Fields of a block that belong to the wrapping."""


def parts(ledger: Ledger, action: str, observation: str) -> list[Part] | None:
    """The observation in parts; `None` where it starts as a tool result or as JSON and is none."""
    found = _read(_Asked(ledger, action, observation.rstrip()))
    return None if found is None else list(found)


class _Asked:
    """An observation at a moment as a cache key: the ledger is the very same object."""

    def __init__(self, ledger: Ledger, action: str, observation: str) -> None:
        self.ledger = ledger
        self.said = action, observation

    def __hash__(self) -> int:
        return hash((id(self.ledger), self.said))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.ledger is other.ledger and self.said == other.said


@lru_cache(maxsize=8)
def _read(asked: _Asked) -> tuple[Part, ...] | None:
    """The parts; the last ones are kept, for the truth's are asked for again and again."""
    ledger, (action, observation) = asked.ledger, asked.said
    body = parse_observation(ledger.dialect, observation).body
    if torn(ledger.dialect, observation, body):
        return None
    reader = _Reader(ledger, said_in(action), observation)
    reader.body(body, "")
    return None if reader.broken else tuple(reader.ordered())


def torn(dialect: str, observation: str, body: Body) -> bool:
    """Whether a text starts as a wrapped result and cannot be read as one."""
    wrapped = dialect == RESULT_FORM and observation.startswith(STARTS)
    return wrapped and isinstance(body, Plain | Json)


class _Reader:
    """One observation being read; `at` is how far, in characters."""

    def __init__(self, ledger: Ledger, said: dict[str, str], text: str) -> None:
        self.ledger = ledger
        self.said = said
        self.echoes = names_in(tuple(said.values()))
        self.text = text
        self.at = 0
        self.parts: list[Part] = []
        self.groups: list[str] = []
        """Of each part, where it stands: without a key, only a group's own parts are in order."""
        self.group = ""
        self.named: set[str] = set()
        """Fields that are parts of the frame already: paths without what stands in brackets."""
        self.broken = self.cut = False

    def ordered(self) -> list[Part]:
        """The parts, groups by their names: the order of an object's fields says nothing."""
        if len(set(self.groups)) < 2:
            return self.parts
        order = sorted(range(len(self.parts)), key=self.groups.__getitem__)
        return [self.parts[i] for i in order]

    def body(self, body: Body, path: str) -> None:
        if isinstance(body, Json):
            style = body.style
            form = f"{style.indent!r} {style.item!r} {style.key!r}"
            self.frame(f"{type(body.value).__name__} {form}", f"{path}$")
            self.value(body.value, f"{path}$", "")
        elif isinstance(body, ToolResult):
            self.result(body, path)
        elif isinstance(body, Cut):
            self.frame(body.head, f"{path}cut")
            self.cut = True
            self.body(body.body, path)
        else:
            self.plain(body.text, path)

    def plain(self, text: str, path: str) -> None:
        value = literal(text)
        self.group = path
        if value is NOTHING and not self.cut and _AS_JSON.match(text):
            self.broken = True
        elif value is not NOTHING:
            self.frame(f"{type(value).__name__} python", f"{path}$")
            self.value(value, f"{path}$", "")
        else:
            self.text_lines(text)

    def text_lines(self, text: str) -> None:
        """A text of its own: its first lines fall into pieces, for they answer the call."""
        count = 0
        for line in text.split("\n"):
            if line.strip() and count < FIRST and len(line) <= SHORT:
                count += 1
                self.pieces(line)
            elif line.strip():
                self.lines(line, self.group)

    def result(self, result: ToolResult, path: str) -> None:
        for name, value in result.fields.items():
            if name == "content":
                alone = len(result.blocks) == 1
                for i, block in enumerate(result.blocks):
                    self.block(block, f"{path}content[{i}]", path if alone else f"{path}{i}.")
            elif name in ("isError", "is_error"):
                self.put(shown(value), "content", path + name)
            elif value is None or isinstance(value, str | bool | int | float):
                self.frame(f"{name} {value}", path + name)
            else:
                self.value(value, path + name, "")
        if result.style is not None:
            self.frame(f"{result.style.indent!r} {result.style.key!r}", f"{path}style")

    def block(self, block: Block, path: str, within: str) -> None:
        """A content block; `within`: where its text stands (an only one as if not wrapped)."""
        fields = block.fields
        self.frame(" ".join(f"{k}={v}" if k in _FORM else k for k, v in fields.items()), path)
        if block.body is not None:
            self.body(block.body, within)
        for name, value in fields.items():
            if name not in _FORM and not (name == "text" and block.body is not None):
                self.value(value, f"{path}.{name}", name)

    def value(self, value: Any, path: str, name: str, field: str = "") -> None:
        """A value; `field`: its path without indices, where that is another one."""
        field = field or path
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                self.skip(key)
                self.value(inner, f"{path}.{key}", key, f"{field}.{key}")
        elif isinstance(value, list) and value:
            self.items(value, path, name, field)
        elif isinstance(value, str) and "\n" in value:
            self.name(field)
            self.lines(value, path)
        else:
            text = shown(value)
            kind = self.kind(text, name, value)
            self.put(str(value) if kind == "runtime" else text, kind, path)

    def items(self, items: list[Any], path: str, name: str, field: str) -> None:
        keys = own_key(items)
        self.group = path
        field = f"{field}[]"
        for i, item in enumerate(items):
            if keys is not None:
                self.value(item, f"{path}[{keys[i]}]", name, field)
            elif isinstance(item, dict | list) and item:
                self.nameless(item, field)
            elif isinstance(item, str) and "\n" in item:
                self.name(field)
                self.lines(item, path)
            else:
                self.name(field)
                self.put(shown(item), "content", "")

    def name(self, field: str) -> None:
        """A field of which values without a key of their own follow: its name is a part, once."""
        if field not in self.named:
            self.named.add(field)
            self.frame(field.rpartition(".")[2], f"field {field}")

    def nameless(self, value: Any, field: str) -> None:
        """Values of an item that has no name: they are compared in their order."""
        start = self.at
        for inner, one in _flat(value, field):
            self.name(inner)
            text = shown(one)
            at = self.text.find(text, start) if len(text) >= TELLING else -1
            self.at = max(self.at, at + len(text))
            self.add(Part(text, "content", "", at))

    def lines(self, text: str, group: str) -> None:
        self.group = group
        for line in text.split("\n"):
            if not line.strip():
                continue
            if _CODE.search(line[-CODE:]):
                self.pieces(line)
            else:
                self.put(line.rstrip(), "content", "")

    def pieces(self, text: str) -> None:
        """A line of a short text: its names and numbers, and what stands between them."""
        at = 0
        for found in PIECE.finditer(text):
            bare = found[0].strip("'\"").removesuffix(".")
            if (
                not found["runtime"]
                and bare == found[0].removesuffix(".")
                and not TELLS.search(bare)
            ):
                continue  # a plain word
            self.words(text[at : found.start()])
            echo = bare in self.echoes or bare.rpartition(".")[0] in self.echoes
            echo = echo and not bare.isdecimal()  # numbers come back by chance
            kind = "runtime" if found["runtime"] else "state" if echo else "content"
            self.put(bare, kind, "")
            at = found.end()
        self.words(text[at:])

    def words(self, text: str) -> None:
        if text.strip():
            self.put(text.strip(), "content", "")

    def kind(self, text: str, name: str, value: Any) -> Kind:
        if not name or value is None or isinstance(value, bool):
            return "content"
        if self.said.get(name) == text:
            return "state"
        if is_id(name) and f"entity:{name}={value}" in self.ledger.facts:
            return "state"
        if isinstance(value, str) and _WHEN.search(name) and _TIME.fullmatch(value):
            return "runtime"
        return "content"

    def frame(self, text: str, key: str) -> None:
        self.add(Part(text, "frame", key))

    def skip(self, key: str) -> None:
        at = self.text.find(key, self.at)
        self.at = self.at if at < 0 else at + len(key)

    def put(self, text: str, kind: Kind, key: str) -> None:
        at = self.text.find(text, self.at) if text else -1
        self.at = self.at if at < 0 else at + len(text)
        self.add(Part(text, kind, key, at))

    def add(self, part: Part) -> None:
        self.parts.append(part)
        self.groups.append(self.group)


def _flat(value: Any, field: str) -> list[tuple[str, Any]]:
    """The plain values in a value, whatever its depth, each with its field; fields by name."""
    found: list[tuple[str, Any]] = []
    todo = [(field, value)]
    while todo:
        path, one = todo.pop()
        if isinstance(one, dict) and one:
            todo += [(f"{path}.{key}", one[key]) for key in sorted(one, reverse=True)]
        elif isinstance(one, list) and one:
            todo += [(f"{path}[]", inner) for inner in reversed(one)]
        else:
            found.append((path, one))
    return found
