"""Pages as lines, a node each, in whatever dialect."""

import re
from typing import NamedTuple

_STARTS = {"browsergym": "Accessibility tree:\n", "playwright": "```yaml\n"}
_END = {"browsergym": re.compile(r"\n?\Z"), "playwright": re.compile(r"\n```")}


class Lines(NamedTuple):
    """A page as its nodes' lines (the root's is left out), and what stands around them."""

    head: str
    nodes: list[str]
    tail: str
    between: str = "\n"

    def text(self, nodes: list[str]) -> str:
        """The page with other nodes."""
        return self.head + self.between.join(nodes) + self.tail


def lines_of(dialect: str, text: str) -> Lines | None:
    """The lines; `None` if the text is no page or has fewer than three nodes."""
    if dialect == "labelled":
        found = Lines("", text.rstrip().removesuffix(";").split(";\t"), ";", ";\t")
        return found if text.startswith("[") and len(found.nodes) > 2 else None
    start = text.find(_STARTS[dialect])
    at = text.find("\n", start + len(_STARTS[dialect])) + 1 if start >= 0 else 0
    end = _END[dialect].search(text, at)
    if not at or end is None:
        return None
    nodes = text[at : end.start()].split("\n")
    return Lines(text[:at], nodes, text[end.start() :]) if len(nodes) > 2 else None


def leaves(page: Lines) -> list[int]:
    """Nodes that hold no others."""
    depths = [indent(line) for line in page.nodes]
    return [i for i in range(len(depths)) if i + 1 == len(depths) or depths[i + 1] <= depths[i]]


def indent(line: str) -> int:
    """Characters that a line is indented by."""
    return len(line) - len(line.lstrip("\t "))
