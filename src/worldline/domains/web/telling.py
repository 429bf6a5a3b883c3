"""Which facts a model is told before it predicts, and in what words.

The page itself stands in the conversation, or is cut around the target when it is large. So what
is told is what a cut page may hide: the element aimed at and what holds it, what the fields of the
page hold, where the browser is, and the page that going back or another tab would bring.
"""

from collections.abc import Iterator, Sequence

from worldline.domains.base import Ledger
from worldline.domains.common import block, clip
from worldline.domains.web import pages
from worldline.domains.web.actions import Deed
from worldline.domains.web.ledger import doings
from worldline.domains.web.memo import Memo, Seen, form_of, memo_of
from worldline.facts import Fact, FactKind, fact
from worldline.trees import Tree
from worldline.trees.line import write

MAX_FIELDS = 30
LINE = 240
"""Characters of one line of a fact."""


def chosen(ledger: Ledger, action: str, budget: int) -> list[Fact]:
    """The facts that bear on an action, most telling first, in `budget` characters."""
    kept: list[Fact] = []
    for one in _relevant(ledger, action):
        size = len(one.value) + 1
        if size <= budget:
            kept.append(one)
            budget -= size
    page = _page_that_comes_back(ledger, action)
    if page is not None and budget > 400:
        kept.append(_told(ledger, "page", page.url, _again(page, budget - 100)))
    return kept


def text(facts: Sequence[Fact]) -> str:
    """The facts block; whatever pages hold, they cannot close it."""
    return block(line for one in facts for line in str(one.value).split("\n"))


def _relevant(ledger: Ledger, action: str) -> Iterator[Fact]:
    memo = memo_of(ledger)
    deeds = doings(ledger, action)
    form = form_of(ledger).tree
    tree = form.parse(memo.text) if memo.text else None
    if tree is None:
        return
    at = form.target(action, tree)
    if at is not None:
        yield _told(ledger, "tree", "target", _target(tree, at, form.main))
    elif deeds and deeds[0].ref is not None:
        missing = f"{deeds[0].ref!r} is not among the elements of the page as last shown."
        yield _told(ledger, "tree", "target", missing, complete=False)
    if here := _where(memo):
        yield _told(ledger, "page", "current", here)
    if ways := _ways(memo, deeds):
        yield _told(ledger, "page", "visited", ways)
    if fields := _fields(tree, form.handles(tree), at):
        yield _told(ledger, "tree", "fields", fields)
    if memo.filled:
        lines = [f"{ref} = {_short(value)}" for ref, value in memo.filled.items()]
        wrote = "\n".join(["The agent has filled in:", *lines[-MAX_FIELDS:]])
        yield _told(ledger, "entity", "filled", wrote)


def _told(ledger: Ledger, kind: FactKind, key: str, value: str, complete: bool = True) -> Fact:
    origin = memo_of(ledger).origin
    return fact(kind, key, value, origin=origin, turn=ledger.turn, complete=complete)


def _target(tree: Tree, at: int, main: str) -> str:
    """The element aimed at, below what holds it."""
    lines = ["The action is aimed at the last of these elements (each holds the next):"]
    for depth, place in enumerate([*pages.above(tree, at), at]):
        lines.append("  " * depth + _short(write(tree.nodes[place], main)))
    inside = pages.below(tree, at)
    if inside:
        shown = ", ".join(_short(write(node, main)) for node in inside[:6])
        lines.append(f"It holds: {shown}" + (", ..." if len(inside) > 6 else ""))
    return "\n".join(lines)


def _where(memo: Memo) -> str:
    page = memo.page
    lines = []
    if page.url:
        lines.append(f"Current page: {_short(page.title or '')} at {_short(page.url)}")
    if len(page.tabs) > 1:
        lines.append("Open tabs:")
        for number, tab in enumerate(page.tabs):
            mark = " (active)" if tab.active else ""
            lines.append(f"{number}{mark}: {_short(tab.title)} at {_short(tab.url)}")
    if page.focused:
        lines.append(f"The focus is on {page.focused}.")
    return "\n".join(lines)


def _ways(memo: Memo, deeds: Sequence[Deed]) -> str:
    """Where back and forward lead, if the action goes there."""
    lines = []
    for verb, step, word in (("go_back", -1, "back"), ("go_forward", 1, "forward")):
        if any(deed.verb == verb for deed in deeds):
            url = memo.here.to(step)
            title = next((one.title for one in memo.seen if one.url == url), "")
            lines.append(
                f"One page {word} is {_short(title)} at {_short(url)}"
                if url
                else f"No page {word} has been seen in this tab."
            )
    return "\n".join(lines)


def _fields(tree: Tree, handles: Sequence[str], at: int | None) -> str:
    """What the fields of the page hold, those nearest to the target first."""
    center = 0 if at is None else at
    places = [i for i, node in enumerate(tree.nodes) if node.kind in pages.FIELDS]
    places = sorted(sorted(places, key=lambda i: abs(i - center))[:MAX_FIELDS])
    lines = []
    for i in places:
        node, value = tree.nodes[i], pages.value_of(tree, i)
        name = pages.text_of(node) or pages.text_of(node, "aria")
        if name or value is not None:
            what = f"{handles[i]} {node.kind} {_short(name)}".rstrip()
            lines.append(what if value is None else f"{what}: {_short(value)}")
    return "\n".join(["Fields of the page:", *lines]) if lines else ""


def _page_that_comes_back(ledger: Ledger, action: str) -> Seen | None:
    """A page seen before to which the action leads."""
    memo = memo_of(ledger)
    for deed in doings(ledger, action):
        url = deed.url
        if deed.verb in ("go_back", "go_forward"):
            url = memo.here.to(-1 if deed.verb == "go_back" else 1)
        elif (
            deed.verb == "tab_focus"
            and deed.tab is not None
            and 0 <= deed.tab < len(memo.page.tabs)
        ):
            url = memo.page.tabs[deed.tab].url
        if url and url != memo.page.url:
            return next((one for one in memo.seen if one.url == url), None)
    return None


def _again(page: Seen, room: int) -> str:
    when = "at the start" if page.turn == 0 else f"after turn {page.turn}"
    return f"{_short(page.url)} looked like this {when}:\n{clip(page.text, room)}"


def _short(value: str) -> str:
    flat = " ".join(value.split())
    return flat if len(flat) <= LINE else f"{flat[: LINE - 3]}..."
