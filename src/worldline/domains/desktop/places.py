"""What a rule found on a screen, and where that stands in its text."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from worldline.domains.desktop import screen
from worldline.trees import Node, Value


class Breach(NamedTuple):
    """One thing that cannot be."""

    rule: str
    message: str
    at: str = ""
    """What to look for in the text; the last place where it stands counts."""
    severity: Literal["error", "warning"] = "error"
    because: tuple[str, ...] = ()
    """Ids of the facts that it contradicts."""


def span_of(text: str, at: str) -> tuple[int, int]:
    """``[start, end)`` of what to look for, in characters of the text; all of it if not there."""
    start = text.rfind(at) if at else -1
    return (0, len(text)) if start < 0 else (start, start + len(at))


def where(dialect: str, node: Node) -> str:
    """How the text of an element begins, as far as that is certain."""
    name = node.get("name")
    said = name if isinstance(name, str) else ""
    if dialect == "xml":
        return f'<{node.kind} name="{said}"' if said else f"<{node.kind}"
    return f"{node.kind}\t{said}\t"


def says(node: Node) -> str:
    """What an element shows: its text, else its name."""
    return _says(dict(node.attrs))


def _says(attrs: Mapping[str, Value]) -> str:
    if "empty" in attrs:
        return ""
    text = attrs["text"] if "text" in attrs else attrs.get("name")
    return text if isinstance(text, str) else ""


def names(nodes: Sequence[Node]) -> list[str]:
    """The name of each element, also where it only says that it is that of the one above."""
    found: list[str] = []
    above = ""
    for node in nodes:
        attrs = dict(node.attrs)
        name = above if "same" in attrs else attrs.get("name")
        found.append(name if isinstance(name, str) else "")
        above = _says(attrs) if "same" not in attrs and "text" in attrs else found[-1]
    return found


def same(one: Node, other: Node) -> bool:
    """Whether two elements are of one kind and name in one place."""
    return one.kind == other.kind and one.get("name") == other.get("name") and placed(one, other)


def placed(one: Node, other: Node) -> bool:
    """Whether two elements stand in the same place."""
    box = screen.box(one)
    return box is not None and box == screen.box(other)
