"""What a screen cannot be after this one and this action, terminals apart."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from worldline.domains.base import Ledger
from worldline.domains.desktop import screen, shell
from worldline.domains.desktop.actions import Call
from worldline.domains.desktop.lines import TERMINAL
from worldline.domains.desktop.memo import memo_of
from worldline.domains.desktop.places import Breach, names, placed, same, says, where
from worldline.trees import TEXT, Node, Tree

FIELDS = ("entry", "text", "password-text", "spin-button", "paragraph")
"""Kinds of elements that take what is typed."""
TOLD = ("label", "static")
"""Kinds of elements whose text is their name said again."""
BAR = 4
"""Buttons of a bar of launchers, at least."""
LEAST = 2
"""Characters of typed text that must be seen."""
_UNSEEN = re.compile(r"[\s\u00ad\u200b-\u200f\u2060\ufeff]+")


def breaches(before: Tree, tree: Tree, made: Sequence[Call], ledger: Ledger) -> Iterator[Breach]:
    """Everything that this screen breaks as the one after `before`."""
    dialect = ledger.dialect
    yield from _frame(before, tree, dialect, made)
    known = frozenset(before.nodes)
    fresh = [node for node in tree.nodes if node not in known]
    yield from _spelling(before, fresh, dialect)
    yield from _text(before, fresh, dialect)
    if fresh:
        yield from _kind(before, tree, known, dialect)
    yield from _dock(before, tree, dialect)
    yield from _typed(before, tree, made, dialect)
    if shell.idle(made):
        yield from _kept(before, tree, dialect, memo_of(ledger).typed)
        yield from _gone(before, tree)


def _frame(before: Tree, tree: Tree, dialect: str, made: Sequence[Call]) -> Iterator[Breach]:
    """The screen keeps its size while nobody sets another one."""
    old, new = _root(before), _root(tree)
    sets = any("xrandr" in str(call.args) or "resolution" in str(call.args) for call in made)
    if old is None or new is None or sets or (screen.app_in_front(before) or "") == "Settings":
        return
    if screen.box(old) != screen.box(new) and screen.box(old) and screen.box(new):
        said = f"the screen was {screen.box(old)} and is {screen.box(new)}"
        yield Breach("frame", said, "<desktop-frame")


def _root(tree: Tree) -> Node | None:
    return next((node for node in tree.nodes if node.kind == "desktop-frame"), None)


def _spelling(before: Tree, fresh: Sequence[Node], dialect: str) -> Iterator[Breach]:
    """A name does not come to be written with other blanks or signs that nobody sees."""
    kinds = {node.kind for node in fresh}
    there = [node for node in before.nodes if node.kind in kinds]
    written: dict[Hashable, str] = {
        (node.kind, box): name
        for node in there
        if isinstance(name := node.get("name"), str) and (box := screen.box(node))
    }
    still = {_key(node) for node in there}
    for node in fresh:
        name, was = node.get("name"), written.get((node.kind, screen.box(node)))
        if was is None or not isinstance(name, str) or name == was or _key(node) in still:
            continue
        if _UNSEEN.sub("", name) == _UNSEEN.sub("", was):
            said = f"{was!r} is written {name!r} now"
            yield Breach("spelling", said, where(dialect, node))
            return


def _text(before: Tree, fresh: Sequence[Node], dialect: str) -> Iterator[Breach]:
    """A label whose text was its name goes on saying it as long as it has the name."""
    if not any(node.kind in TOLD for node in fresh):
        return
    said = {_key(node): says(node) for node in before.nodes if node.kind in TOLD}
    for node in fresh:
        name = node.get("name")
        if node.kind not in TOLD or not name or said.get(_key(node)) != name:
            continue
        if says(node) != name and not node.has("raw"):
            told = f"{node.kind} {name!r} says {says(node)[:60]!r} now"
            yield Breach("text", told, where(dialect, node))
            return


def _kind(before: Tree, tree: Tree, known: frozenset[Node], dialect: str) -> Iterator[Breach]:
    """What keeps its name and its place keeps its kind."""
    fresh = [
        (name, box, node)
        for name, node in zip(names(tree.nodes), tree.nodes, strict=True)
        if name and node not in known and (box := screen.box(node))
    ]
    sought = {name for name, _, _ in fresh}
    kinds: dict[Hashable, set[str]] = {}
    for name, node in zip(names(before.nodes), before.nodes, strict=True):
        if name in sought:
            kinds.setdefault((name, screen.box(node)), set()).add(node.kind)
    for name, box, node in fresh:
        was = kinds.get((name, box))
        if was and node.kind not in was:
            yield Breach(
                "kind", f"{name!r} was a {min(was)} and is a {node.kind}", where(dialect, node)
            )
            return


def _dock(before: Tree, tree: Tree, dialect: str) -> Iterator[Breach]:
    """A bar of launchers along the left side is not cut off above its last element."""
    old, new = _bar(before), _bar(tree)
    if len(old) < BAR or len(new) < 2:
        return
    last = max(old, key=lambda node: screen.box(node) or (0,))
    if last.kind == "toggle-button" and not any(same(node, last) for node in new):
        said = f"the bar on the left ends above {last.get('name')!r}"
        yield Breach("cut", said, where(dialect, new[-1]))


def _bar(tree: Tree) -> list[Node]:
    """Buttons that stand one below the other at the left side of the screen."""
    found = [
        (node, box)
        for node in tree.nodes
        if node.kind in ("push-button", "toggle-button") and (box := screen.box(node))
    ]
    return [node for node, box in found if box[0] == 0 and box[2] > 0]


def _key(node: Node) -> Hashable:
    return node.kind, node.get("name"), screen.box(node)


def _typed(before: Tree, tree: Tree, made: Sequence[Call], dialect: str) -> Iterator[Breach]:
    """What was typed last into a field or a terminal, and not sent off, is to be seen in it."""
    last = max((i for i, call in enumerate(made) if shell.typed_into(call)), default=None)
    if last is None:
        return
    text = shell.typed_into(made[last]) or ""
    after = all(call.name in shell.WAITS for call in made[last + 1 :])
    clicks = [point for call in made[:last] for point in screen.points([call])]
    aimed = screen.element_at(before, clicks[-1]) if clicks else None
    if not after or aimed is None or len(text) < LEAST or "\n" in text or made[last].maybe:
        return
    field = before.nodes[aimed]
    if field.kind not in (*FIELDS, TERMINAL) or "pass" in screen.named(before, aimed).lower():
        return
    wanted = _UNSEEN.sub("", text)
    here = next((i for i, node in enumerate(tree.nodes) if same(node, field)), None)
    shown = _all(tree) if here is None else _told_at(tree, here)
    if wanted in _UNSEEN.sub("", shown):
        return
    at = where(dialect, tree.nodes[here]) if here is not None else ""
    certain = here is not None or not _else(before, tree)
    said = f"{text[:80]!r} was typed and is not to be seen"
    yield Breach("typed", said, at, "error" if certain else "warning")


def _else(before: Tree, tree: Tree) -> bool:
    """Whether a screen shows anything that was not on the one before: another page has come."""
    old = {_key(node) for node in before.nodes}
    return any(_key(node) not in old for node in tree.nodes)


def _told_at(tree: Tree, i: int) -> str:
    """What an element says, with the lines below it."""
    lines = [says(tree.nodes[i])]
    for node in tree.nodes[i + 1 :]:
        if node.kind != TEXT:
            break
        lines.append(str(node.get("name") or ""))
    return "\n".join(lines)


def _all(tree: Tree) -> str:
    return "\n".join(says(node) for node in tree.nodes)


def _kept(before: Tree, tree: Tree, dialect: str, typed: Sequence[str]) -> Iterator[Breach]:
    """What the agent typed into a field stays there while it only waits."""
    for old in before.nodes:
        said = says(old)
        if old.kind not in FIELDS or not any(text in said for text in typed if len(text) >= LEAST):
            continue
        new = next((node for node in tree.nodes if same(node, old)), None)
        if new is not None and says(new) != said and says(new):
            told = f"{said[:60]!r} was typed here, and {says(new)[:60]!r} stands in its place"
            yield Breach("kept", told, where(dialect, new), because=("entity:typed",))
            return


def _gone(before: Tree, tree: Tree) -> Iterator[Breach]:
    """No field disappears while the agent only waits and nothing else changes."""
    old, new = Counter(map(_whole, before.nodes)), Counter(map(_whole, tree.nodes))
    lost = old - new
    if not lost or new - old:
        return
    for node in before.nodes:
        if lost[_whole(node)] and node.kind in FIELDS:
            rest = next((one for one in tree.nodes if placed(one, node)), None)
            if rest is None:
                said = f"the {node.kind} {node.get('name')!r} is gone, and nothing else changed"
                yield Breach("gone", said)
                return


def _whole(node: Node) -> Hashable:
    return node.kind, node.attrs
