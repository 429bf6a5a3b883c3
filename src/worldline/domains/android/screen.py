"""A screen as ledger and checks read it: elements with their numbers, the app, the keyboard."""

from collections.abc import Hashable, Iterator
from functools import cached_property
from typing import NamedTuple

from worldline.domains.android.deeds import Box, Deed
from worldline.domains.android.nodes import (
    ACTIVITY,
    APP,
    box_of,
    class_of,
    flags_of,
    full_id,
    joined,
    numbers,
    text_of,
)
from worldline.domains.android.states import package_in
from worldline.trees import Node, Tree

SYSTEM = ("com.android.systemui", "android")
"""Packages that show something on every screen and are never the app in front."""
KEYBOARD = ".inputmethod."


class Element(NamedTuple):
    """One element: its number, its node's place in the tree, and what it shows."""

    number: int
    at: int
    kind: str
    text: str | None
    desc: str | None
    id: str | None
    package: str | None
    box: Box | None
    flags: frozenset[str]

    @property
    def editable(self) -> bool:
        """Whether one can type into it."""
        return "editable" in self.flags or self.kind.endswith("EditText")

    @property
    def says(self) -> str:
        """What it says, in small letters."""
        return (self.text or self.desc or "").lower()

    @property
    def shown(self) -> Hashable:
        """What it is and where, its id apart."""
        return self.kind, self.text, self.desc, self.box


class Screen:
    """What a tree shows."""

    def __init__(self, tree: Tree, first: int = 0) -> None:
        self.tree = tree
        self.elements = list(_elements(tree, first))

    @cached_property
    def heads(self) -> list[str]:
        """Every line that names an activity or an app in front."""
        return [
            text_of(node) or "" for node in self.tree.nodes if node.kind in (ACTIVITY, "Activity:")
        ]

    @cached_property
    def package(self) -> str | None:
        """The package of the app in front: as a line says, else that of the most elements."""
        for node in self.tree.nodes:
            if node.kind == ACTIVITY:
                return (text_of(node) or "").partition("/")[0] or None
            if node.kind == "App:" and (named := package_in(text_of(node) or "")):
                return named
        names = [one.package for one in self.elements if one.package]
        shown = [name for name in names if name not in SYSTEM and KEYBOARD not in name]
        return max(shown or names, key=(shown or names).count, default=None)

    @cached_property
    def state(self) -> tuple[str, str, str] | None:
        """The id of the state, the views below it, and their classes and ids alone; `None` where
        no line gives one."""
        nodes = self.tree.nodes
        for at, node in enumerate(nodes):
            if node.kind == "State ID:":
                views = [(one.kind, one.depth, one.attrs) for one in nodes[at + 1 :]]
                form = [(one.kind, one.depth, one.get("id")) for one in nodes[at + 1 :]]
                return text_of(node) or "", repr([*self.heads, *views]), repr(form)
        return None

    @cached_property
    def place(self) -> str:
        """Which screen this is, in a word: the activity, else the app and the ids it shows."""
        if self.heads:
            return self.heads[0]
        ids = sorted({one.id for one in self.elements if one.id and one.package == self.package})
        return f"{self.package}#{' '.join(ids)}"

    @cached_property
    def keyboard(self) -> bool:
        """Whether the on-screen keyboard is shown."""
        for node in self.tree.nodes:
            if node.kind == "Keyboard:":
                return text_of(node) != "Hidden"
        return any(KEYBOARD in (one.package or "") for one in self.elements)

    @cached_property
    def size(self) -> tuple[int, int]:
        """The least width and height, in pixels, that hold every element."""
        boxes = [one.box for one in self.elements if one.box]
        return max((box[2] for box in boxes), default=0), max((box[3] for box in boxes), default=0)

    def aimed_at(self, deed: Deed) -> Element | None:
        """The element that a deed names, if it is here."""
        if deed.index is not None:
            return next((one for one in self.elements if one.number == deed.index), None)
        if deed.box is not None:
            same = [one for one in self.elements if one.box == deed.box]
            return next((one for one in same if _fits(one, deed)), None)
        return self.at(deed.point) if deed.point else None

    def at(self, point: tuple[int, int]) -> Element | None:
        """The smallest element at a point; of equal ones the last, which is drawn on top."""
        x, y = point
        found, area = None, 0
        for one in self.elements:
            if one.box and one.box[0] <= x < one.box[2] and one.box[1] <= y < one.box[3]:
                size = (one.box[2] - one.box[0]) * (one.box[3] - one.box[1])
                if found is None or size <= area:
                    found, area = one, size
        return found


def _fits(one: Element, deed: Deed) -> bool:
    wanted = deed.view
    kind, text = wanted.get("class"), wanted.get("text")
    return (kind is None or kind == one.kind) and (text is None or text in (one.text, one.desc))


def _elements(tree: Tree, first: int) -> Iterator[Element]:
    package: str | None = None
    shown = numbers(tree, first)
    for at, node in joined(tree.nodes):
        if node.kind == APP:
            package = text_of(node)
        elif node.kind == ACTIVITY:
            package = (text_of(node) or "").partition("/")[0] or None
        elif node.kind == "App:":
            package = package_in(text_of(node) or "") or package
        if (number := shown[at]) is not None:
            yield _element(node, number, at, package)


def _element(node: Node, number: int, at: int, package: str | None) -> Element:
    text, told, name = (text_of(node, one) for one in ("text", "desc", "id"))
    name = None if name is None else full_id(name, package)
    return Element(
        number=number,
        at=at,
        kind=class_of(node),
        text=text,
        desc=text if told is None and node.has("desc") else told,
        id=name,
        package=package,
        box=box_of(node),
        flags=frozenset(flags_of(node)),
    )
