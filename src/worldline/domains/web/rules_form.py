"""Rules of form: what no page of a dialect can look like, whatever came before."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from worldline.domains.web import pages
from worldline.domains.web.case import Case, Rule, line_with, short
from worldline.domains.web.dialects import axline, browsergym, errorlog
from worldline.domains.web.observations import LINE, text_of
from worldline.domains.web.parts import broken_lines
from worldline.prediction import Violation
from worldline.trees import Node

_LETTERS = re.compile(r"[A-Za-z]*")
_PLAYWRIGHT_REF = re.compile(r"(f\d{1,4})?e\d")
_LABEL = re.compile(r"(?:^|;\t)(\[(\d{1,6})\]): ")


def id_twice(case: Case) -> Iterator[Violation]:
    """An id belongs to one element."""
    times = Counter(node.ref for node in case.tree.nodes if node.ref is not None)
    twice = [ref for ref, count in times.items() if count > 1]
    if twice:
        message = f"ids stand on several elements: {', '.join(twice[:8])}"
        yield case.broken("id_twice", message, case.where(twice[0]))


def active_tab(case: Case) -> Iterator[Violation]:
    """One tab is active, and tabs are numbered from 0."""
    tabs = case.page.tabs
    active = sum(tab.active for tab in tabs)
    span = line_with(case.text, browsergym.TABS)
    if tabs and active != 1:
        message = f"{active} of {len(tabs)} tabs are active; one must be"
        yield case.broken("active_tab", message, span)
    wrong = [n for n in case.tree.nodes if n.kind == axline.TAB and n.has("number")]
    if wrong:
        message = f"tabs are numbered from 0 on, one each; here stands {wrong[0].get('number')}"
        span = line_with(case.text, f"- Tab {wrong[0].get('number')} ")
        yield case.broken("tab_numbers", message, span)


def lines(case: Case) -> Iterator[Violation]:
    """Each line of a tree is a node, at most one level below the line above it."""
    inside = False
    for node in case.tree.nodes:
        if node.kind != LINE:
            inside = inside or node.kind == "RootWebArea"
            continue
        line = text_of(node)
        bare = line.lstrip("\t")
        if inside and bare != line and axline.parse(bare, 0) is not None:
            message = f"stands too deep below the line above it: {short(bare)}"
            yield case.broken("levels", message, line_with(case.text, line))
    for start, end in broken_lines(case.dialect, case.text):
        message = f"no line of a page looks like this: {short(case.text[start:end])}"
        yield case.broken("odd_line", message, (start, end))
        return


def headings(case: Case) -> Iterator[Violation]:
    """A page with tabs has all its headings; nothing stands above them."""
    text = case.text.lstrip("\n")
    first, _, _ = text.partition("\n")
    if browsergym.TABS in text:
        if first not in (browsergym.TABS, errorlog.HEADING):
            message = f"stands above the tabs: {short(text)}"
            yield case.broken("stray_line", message, line_with(case.text, first))
        elif f"\n{browsergym.TREE}\n" not in text:
            message = f"the tree has lost its heading {browsergym.TREE!r}"
            yield case.broken("no_heading", message, line_with(case.text, browsergym.ROOT))
    elif case.memo.page.tabs and not case.failed:
        message = "pages of this session show their tabs, this one does not"
        yield case.broken("no_tabs", message, (0, len(first)))


def roots(case: Case) -> Iterator[Violation]:
    """A page has one root; another one stands only in a frame."""
    alone = inside = 0
    above: list[Node] = []
    for node in case.tree.nodes:
        while above and above[-1].depth >= node.depth:
            above.pop()
        if node.kind == "RootWebArea":
            alone += not above
            inside += bool(above) and not above[-1].kind.startswith("Iframe")
        if node.kind not in axline.RESERVED:
            above.append(node)
    if alone != 1 or inside:
        message = f"a page has one root; here are {alone}, and {inside} inside of it"
        yield case.broken("roots", message, line_with(case.text, browsergym.ROOT))


def frame_ids(case: Case) -> Iterator[Violation]:
    """Ids of what is inside a frame begin with the frame's letters, and no others do."""
    stack: list[tuple[int, str]] = []
    for node in case.tree.nodes:
        while stack and stack[-1][0] >= node.depth:
            stack.pop()
        if node.ref is None:
            continue
        letters = _LETTERS.match(node.ref)
        begins, frame = letters[0] if letters else "", stack[-1][1] if stack else ""
        if node.kind.startswith("Iframe") and begins == node.ref:
            fits = begins.startswith(frame)
            stack.append((node.depth, begins))
        else:
            fits = begins == frame
        if not fits:
            inside = f"in the frame [{frame}]" if frame else "in no frame"
            yield case.broken("frame_ids", f"[{node.ref}] stands {inside}", case.where(node.ref))
            return


def frame_refs(case: Case) -> Iterator[Violation]:
    """Refs inside a frame are f1e2, those outside e2."""
    frames: list[int] = []
    for node in case.tree.nodes:
        while frames and frames[-1] >= node.depth:
            frames.pop()
        found = _PLAYWRIGHT_REF.match(node.ref or "")
        if node.ref and found is not None and bool(found[1]) != bool(frames):
            inside = "in a frame" if frames else "in no frame"
            yield case.broken("frame_ids", f"{node.ref} stands {inside}", case.where(node.ref))
            return
        if node.kind == "iframe":
            frames.append(node.depth)


def focus(case: Case) -> Iterator[Violation]:
    """One element of a document has the focus."""
    name = "active" if case.dialect == "playwright" else "focused"
    seen: dict[str, Node] = {}
    for node in case.tree.nodes:
        if not node.has(name) or node.kind in ("RootWebArea", axline.TAB) or node.ref is None:
            continue
        if node.kind.lower().startswith("iframe"):
            continue
        frame = _frame_of(node.ref)
        if frame in seen:
            message = f"{seen[frame].ref} and {node.ref} both have the focus"
            yield case.broken("two_focused", message, case.where(node.ref))
            return
        seen[frame] = node


def _frame_of(ref: str) -> str:
    """What ids in the same frame begin with: letters, or f1 of f1e2."""
    found = _PLAYWRIGHT_REF.match(ref)
    if found is not None:
        return found[1] or ""
    letters = _LETTERS.match(ref)
    return letters[0] if letters else ""


def combobox(case: Case) -> Iterator[Violation]:
    """A list to choose from shows the option that is selected in it."""
    for at, node in enumerate(case.tree.nodes):
        if node.kind != "combobox" or node.get("hasPopup") != "menu" or node.ref is None:
            continue
        chosen = [
            text_of(one)
            for one in pages.below(case.tree, at)
            if one.kind == "option" and one.get("selected") is True
        ]
        if len(chosen) == 1 and node.has("value") and str(node.get("value")) != chosen[0]:
            message = f"{node.ref} shows {short(node.get('value'))}, selected is {short(chosen[0])}"
            yield case.broken("combobox_value", message, case.where(node.ref))


def root_and_tab(case: Case) -> Iterator[Violation]:
    """The root's title and address are those of the active tab."""
    nodes = case.tree.nodes
    tab = next((n for n in nodes if n.kind == axline.TAB and n.has("active")), None)
    root = next((n for n in nodes if n.kind == "RootWebArea"), None)
    if tab is None or root is None:
        return
    for name in ("name", "url"):  # what is the same is not kept on the root
        if root.has(name) and root.get(name) != axline.UNSAID:
            message = f"the root's {name} is {short(text_of(root, name))}, its tab's "
            span = line_with(case.text, browsergym.ROOT)
            told = message + short(text_of(tab, name))
            yield case.broken("root_and_tab", told, span, "warning")


def label_order(case: Case) -> Iterator[Violation]:
    """Labels count upwards."""
    last = -1
    for found in _LABEL.finditer(case.text):
        if int(found[2]) <= last:
            yield case.broken("label_order", f"{found[2]} stands behind {last}", found.span(1))
            return
        last = int(found[2])


def sections(case: Case) -> Iterator[Violation]:
    """A result begins with a heading, and what a fence opens another one closes."""
    text = case.text
    if not text.lstrip("\n").startswith(("### ", "- ")):
        message = f"stands above the first heading: {short(text)}"
        yield case.broken("stray_line", message, (0, text.find("\n") % (len(text) + 1)))
    opened = text.rfind("\n```yaml\n")
    tail = text.rpartition("\n```")[2].strip("\n")
    if opened >= 0 and text.rfind("\n```") == opened:
        message = "the snapshot is opened and not closed"
        yield case.broken("cut_off", message, (opened + 1, opened + 8))
    elif opened >= 0 and tail and "### " not in tail:
        message = f"stands in no section: {short(tail)}"
        yield case.broken("stray_line", message, line_with(text, tail.split("\n")[0]))


RULES: Mapping[str, tuple[Rule, ...]] = {
    "browsergym": (
        *(id_twice, active_tab, lines, headings, roots, frame_ids, focus, combobox, root_and_tab),
    ),
    "labelled": (label_order,),
    "playwright": (id_twice, frame_refs, focus, sections),
}
