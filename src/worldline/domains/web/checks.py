"""Rules that need no truth: what a browser cannot show, given the action and the page before.

Errors claim that a state is impossible: an id twice, a tree whose levels jump, no active tab or
two, text that is neither a page nor an error, a rejected call that went through. The rest is odd at
most: pages do as they like.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from worldline.domains.base import Known, Ledger
from worldline.domains.common import leaks
from worldline.domains.web import pages
from worldline.domains.web.actions import FILLS, Deed
from worldline.domains.web.dialects import axline, browsergym
from worldline.domains.web.ledger import doings
from worldline.domains.web.memo import form_of, memo_of
from worldline.domains.web.observations import LINE, text_of
from worldline.domains.web.protocol import reject
from worldline.domains.web.sentences import sentence
from worldline.prediction import Violation
from worldline.trees import Tree

SHORT = 60


def violations(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the answer to this action at this point."""
    memo = memo_of(ledger)
    found = leaks(observation, f"{action}\n{memo.text or ''}")
    rejected = reject(ledger, action)
    deeds = doings(ledger, action)
    tree = form_of(ledger).tree.parse(observation)
    found += _against_protocol(rejected, tree, observation)
    if tree is None:
        found += _no_page(ledger, action, observation)
        return found
    page = pages.page_of(tree)
    found += _twice(tree)
    found += _tabs(page)
    found += _levels(tree)
    found += _root(tree)
    if not browsergym.failed(tree):
        found += _filled(tree, deeds)
        if not memo.restless:
            found += _moved(memo.page, page, deeds)
    return found


def _against_protocol(rejected: Known | None, tree: Tree | None, text: str) -> Iterator[Violation]:
    failed = browsergym.failed(tree) if tree is not None else True
    if rejected is not None and not failed:
        said = rejected.observation.split("\n\n")[0][-200:]
        yield Violation(
            rule="succeeds_against_protocol",
            severity="error",
            message=f"the action must fail: {said}",
        )


def _no_page(ledger: Ledger, action: str, text: str) -> Iterator[Violation]:
    if not sentence(ledger, action, text):
        yield Violation(
            rule="no_page",
            severity="error",
            message=f"neither a page nor an error: {text[:SHORT]!r}",
        )


def _twice(tree: Tree) -> Iterator[Violation]:
    times = Counter(node.ref for node in tree.nodes if node.ref is not None)
    twice = [ref for ref, count in times.items() if count > 1]
    if twice:
        yield Violation(
            rule="id_twice",
            severity="error",
            message=f"ids stand on several elements: {', '.join(twice[:8])}",
        )


def _tabs(page: pages.Page) -> Iterator[Violation]:
    active = sum(tab.active for tab in page.tabs)
    if page.tabs and active != 1:
        yield Violation(
            rule="active_tab",
            severity="error",
            message=f"{active} of {len(page.tabs)} tabs are active; one must be",
        )


def _levels(tree: Tree) -> Iterator[Violation]:
    """Lines of the tree that are no node, or stand more than one level below the line above."""
    inside = False
    odd: list[str] = []
    for node in tree.nodes:
        if node.kind != LINE:
            inside = inside or node.kind == "RootWebArea"
            continue
        line = text_of(node)
        bare = line.lstrip("\t")
        if inside and bare != line and axline.parse(bare, 0) is not None:
            yield Violation(
                rule="levels",
                severity="error",
                message=f"stands too deep below the line above it: {bare[:SHORT]!r}",
            )
        elif inside and bare.strip():
            odd.append(bare)
    if odd:
        yield Violation(
            rule="odd_line",
            severity="warning",
            message=f"{len(odd)} lines are no nodes of the tree, as {odd[0][:SHORT]!r}",
        )


def _root(tree: Tree) -> Iterator[Violation]:
    """The root's title and address against those of the active tab."""
    tab = next((n for n in tree.nodes if n.kind == axline.TAB and n.has("active")), None)
    root = next((n for n in tree.nodes if n.kind == "RootWebArea"), None)
    if tab is None or root is None:
        return
    for name in ("name", "url"):  # what is the same is not kept on the root
        if root.has(name) and root.get(name) != axline.UNSAID:
            yield Violation(
                rule="root_and_tab",
                severity="warning",
                message=f"the root's {name} is {text_of(root, name)[:SHORT]!r}, "
                f"its tab's {text_of(tab, name)[:SHORT]!r}",
            )


def _filled(tree: Tree, deeds: Sequence[Deed]) -> Iterator[Violation]:
    deed = deeds[-1] if deeds else None
    if deed is None or deed.verb not in FILLS or deed.ref is None or not deed.text:
        return
    at = pages.find(tree, deed.ref)
    if at is None or tree.nodes[at].kind not in pages.FIELDS:
        return
    held = [pages.value_of(tree, at) or "", text_of(tree.nodes[at])]
    held += [text_of(node) for node in pages.below(tree, at)]
    if not any(_same(deed.text, one) for one in held):
        yield Violation(
            rule="filled_value",
            severity="warning",
            message=f"{deed.ref} got {deed.text[:SHORT]!r} and shows {held[0][:SHORT]!r}",
        )


def _same(wanted: str, held: str) -> bool:
    return " ".join(wanted.split()) in " ".join(held.split())


def _moved(before: pages.Page, after: pages.Page, deeds: Sequence[Deed]) -> Iterator[Violation]:
    known = before.url and after.url and deeds
    if known and before.url != after.url and not any(deed.may_navigate for deed in deeds):
        yield Violation(
            rule="moved_without_cause",
            severity="warning",
            message=f"{deeds[0].verb} led from {before.url} to {after.url}"[:300],
        )
