"""Rules against the page before: what no quiet action can have changed."""

from collections.abc import Iterator, Mapping

from worldline.domains.web import pages
from worldline.domains.web.case import Case, Rule, line_with, short
from worldline.domains.web.observations import text_of
from worldline.prediction import Violation
from worldline.trees import Node

NATIVE = frozenset(
    {"button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "option"}
    | {"heading", "list", "listitem", "table", "row", "cell", "image", "form", "navigation"}
    | {"Iframe", "slider", "spinbutton", "paragraph", "listbox"}
)
"""Roles that an element has for good."""
TEXTS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
LEAST = 10
"""Elements of a page that cannot all be gone at once."""


def kinds(case: Case) -> Iterator[Violation]:
    """An element keeps its role while its page stays."""
    if not case.stays or case.before is None:
        return
    old = {node.ref: node.kind for node in case.before.nodes if node.ref is not None}
    for node in case.tree.nodes:
        was = old.get(node.ref or "")
        if was is not None and was != node.kind and {was, node.kind} <= NATIVE:
            message = f"[{node.ref}] is a {node.kind}, it was a {was}"
            yield case.broken("other_role", message, case.where(node.ref or ""))
            return


def names(case: Case) -> Iterator[Violation]:
    """A ref stands for one role and one name while its page stays: another name, another ref."""
    if not case.stays or case.before is None:
        return
    old = {node.ref: node for node in case.before.nodes if node.ref is not None}
    for node in case.tree.nodes:
        was = old.get(node.ref or "")
        if was is not None and _called(was) != _called(node):
            message = f"{node.ref} is {_called(node)}, it was {_called(was)}"
            yield case.broken("ref_renamed", message, case.where(node.ref or ""))
            return


def _called(node: Node) -> str:
    return f"{node.kind} {short(text_of(node))}"


def forgotten(case: Case) -> Iterator[Violation]:
    """A field keeps what the agent wrote into it while nobody writes."""
    if not case.stays or not (case.quiet or case.failed) or case.before is None:
        return
    for ref in case.memo.filled:
        was, now = case.value(ref, case.before), case.value(ref)
        at = pages.find(case.tree, ref)
        field = at is not None and case.tree.nodes[at].kind in TEXTS
        if field and was and now and was not in now and now not in was:
            message = f"{ref} held {short(was)} and now holds {short(now)}"
            where = case.where(ref)
            # What a page makes of a text, as a list to complete it from, may take its time.
            waits = any(deed.verb == "noop" for deed in case.deeds)
            severity = "warning" if waits or ref not in case.memo.stood else "error"
            yield case.broken("forgotten_field", message, where, severity, ("entity:filled",))


def emptied(case: Case) -> Iterator[Violation]:
    """A page does not lose all that stands on it while nothing happens."""
    if not case.stays or case.before is None:
        return
    had = sum(node.ref is not None for node in case.before.nodes)
    if had >= LEAST and not any(node.ref is not None for node in case.tree.nodes):
        message = f"all {had} elements are gone after nothing that could remove them"
        yield case.broken("page_gone", message, (0, len(case.text)))


def untouched(case: Case) -> Iterator[Violation]:
    """What nothing was done to stays as it is; pages that tick are rare, so it is odd at least."""
    if not case.stays or not case.quiet or case.before is None:
        return
    now = {node.ref: node for node in case.tree.nodes if node.ref is not None}
    held = [node for node in case.before.nodes if node.ref is not None]
    gone = [str(node.ref) for node in held if node.ref not in now]
    other = [
        str(node.ref)
        for node in held
        if node.ref in now and _called(now[node.ref]) != _called(node)
    ]
    if gone or other:
        message = f"nothing was done, and {len(gone)} elements are gone, {len(other)} changed"
        where = case.where(other[0]) if other else None
        yield case.broken("changed_untouched", message, where, "warning", ("page:current",))


def moved(case: Case) -> Iterator[Violation]:
    """Some actions lead nowhere."""
    before, after, deeds = case.memo.page, case.page, case.deeds
    if case.failed or case.memo.restless or not (before.url and after.url and deeds):
        return
    if before.url != after.url and not any(deed.may_navigate for deed in deeds):
        message = f"{deeds[0].verb} led from {before.url} to {after.url}"[:300]
        span = line_with(case.text, f"URL: {after.url}")
        yield case.broken("moved_without_cause", message, span, "warning", ("page:current",))


def gained(case: Case) -> Iterator[Violation]:
    """A box to tick gets no text while its page stays."""
    if not case.stays:
        return
    for node in case.tree.nodes:
        boxed = node.kind in ("checkbox", "radio") and node.ref is not None
        if boxed and isinstance(node.get("value"), str) and not _had_value(case, node.ref or ""):
            message = f"a {node.kind} holds no text, {node.ref} {short(node.get('value'))}"
            yield case.broken("value_of_no_field", message, case.where(node.ref or ""))
            return


def _had_value(case: Case, ref: str) -> bool:
    at = pages.find(case.before, ref) if case.before is not None else None
    return at is not None and case.before is not None and case.before.nodes[at].has("value")


RULES: Mapping[str, tuple[Rule, ...]] = {
    "browsergym": (kinds, forgotten, emptied, untouched, moved, gained),
    "labelled": (),
    "playwright": (names, forgotten, moved),
}
