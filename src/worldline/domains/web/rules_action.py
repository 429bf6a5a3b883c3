"""Rules of an action: what it must have done, and what a complaint about it must name."""

import re
from collections.abc import Iterator, Mapping

from worldline.domains.web import pages
from worldline.domains.web.actions import FILLS
from worldline.domains.web.case import Case, Rule, line_with, short
from worldline.domains.web.dialects import browsergym, errorlog
from worldline.domains.web.observations import text_of
from worldline.prediction import Violation

_METHODS: Mapping[str, tuple[str, ...]] = {
    "click": ("click",),
    "dblclick": ("dblclick",),
    "hover": ("hover",),
    "fill": ("fill", "clear", "type"),
    "select_option": ("select_option",),
    "press": ("press",),
    "focus": ("focus",),
    "clear": ("clear", "fill"),
}
"""Playwright's methods that BrowserGym calls for a function."""
_CODE: Mapping[str, tuple[str, ...]] = {
    "click": (".click(", ".dblclick("),
    "hover": (".hover(",),
    "fill": (".fill(", ".pressSequentially(", ".setChecked(", ".selectOption("),
    "select_option": (".selectOption(",),
    "goto": (".goto(",),
    "go_back": (".goBack(",),
    "drag_and_drop": (".dragTo(",),
}
"""What the code that Playwright MCP ran for a deed holds."""
_ERROR_BID = re.compile(r'element with bid "([A-Za-z0-9]{1,40})"')
_LOG_BID = re.compile(r'waiting for .{0,2000}get_by_test_id\("([A-Za-z0-9]{1,40})"\)')
_METHOD = re.compile(r"Locator\.([a-z_]{1,30}):")
_OPENED, _CLOSED = "```js\n", "\n```"
LONGEST = 20_000
"""Characters of an error that are looked at."""
_REF = re.compile(r"(?:f\d{1,4})?e\d{1,7}")
_PLAIN = re.compile(r"[A-Za-z0-9 ]{1,200}")


def complaint(case: Case) -> Iterator[Violation]:
    """A complaint is about the element and the deed of this action."""
    deed = case.deed
    if not case.failed or deed is None or deed.ref is None:
        return
    head = case.text.partition(f"\n\n{browsergym.TABS}")[0][:LONGEST]
    named = [*_ERROR_BID.finditer(head), *_LOG_BID.finditer(head)]
    other = next((one for one in named if one[1] != deed.ref), None)
    if other is not None:
        message = f"the action is aimed at {deed.ref}, the complaint is about {other[1]}"
        yield case.broken("complaint_of_another", message, other.span(1))
    method = _METHOD.search(head)
    known = _METHODS.get(deed.verb)
    if method and known and method[1] in _METHODS and method[1] not in known:
        message = f"the action is {deed.verb}, the complaint is about {method[1]}"
        yield case.broken("complaint_of_another", message, method.span(1))
    missing = _ERROR_BID.search(head)
    trees = (case.before, case.tree)
    if missing and all(tree and pages.find(tree, missing[1]) is not None for tree in trees):
        message = f"{missing[1]} stands on the page before and after"
        span = missing.span()
        yield case.broken("found_after_all", message, span, because=("tree:target",))


def code(case: Case) -> Iterator[Violation]:
    """The code that ran is the action's."""
    deed, start = case.deed, case.text.find(_OPENED) + len(_OPENED)
    end = case.text.find(_CLOSED, start)
    if start < len(_OPENED) or end < 0 or deed is None or case.failed:
        return
    ran = case.text[start:end]
    wanted = _CODE.get(deed.verb)
    if wanted and not any(one in ran for one in wanted):
        message = f"the action is {deed.verb}, the code is {short(ran)}"
        yield case.broken("code_of_another", message, (start, end))
    secret = "process.env" in ran  # a secret is written by its name
    plain = deed.verb == "fill" and not secret and deed.text and _PLAIN.fullmatch(deed.text)
    if plain and f"'{deed.text}'" not in ran and f'"{deed.text}"' not in ran:
        message = f"the action writes {short(deed.text)}, the code is {short(ran)}"
        yield case.broken("code_of_another", message, (start, end))


def ref_unknown(case: Case) -> Iterator[Violation]:
    """An action on a ref that the last snapshot does not have fails."""
    before = case.before
    partly = any(mark in (case.memo.text or "") for mark in ("[unchanged]", "<changed>"))
    if case.failed or before is None or partly:
        return
    refs = {node.ref for node in before.nodes if node.ref}
    for deed in case.deeds:
        if deed.ref and refs and _REF.fullmatch(deed.ref) and deed.ref not in refs:
            message = f"no element of the last snapshot has the ref {deed.ref}; this must fail"
            span = (0, case.text.find("\n") % (len(case.text) + 1))
            yield case.broken("ref_unknown", message, span, because=("tree:target",))


def filled(case: Case) -> Iterator[Violation]:
    """A field shows what was written into it, if its page lets it stand."""
    deed, node = case.deed, case.target()
    if case.failed or deed is None or deed.verb not in FILLS or deed.ref is None or node is None:
        return
    if not deed.text or node.kind not in pages.FIELDS:
        return
    at = pages.find(case.tree, deed.ref) or 0
    held = [case.value(deed.ref) or "", text_of(node)]
    held += [text_of(one) for one in pages.below(case.tree, at)]
    if any(_holds(one, deed.text) for one in held):
        return
    # A page may round, clamp or complete what is written: 101 is 100, usa is United States.
    yield case.broken(
        "filled_value",
        f"{deed.ref} got {short(deed.text)} and shows {short(held[0])}",
        case.where(deed.ref),
        "warning",
    )


def _holds(held: str, wanted: str) -> bool:
    return " ".join(wanted.split()) in " ".join(held.split())


def _same(case: Case) -> bool:
    """Whether the element aimed at is still the one on the same page."""
    was, now = case.target(case.before) if case.before else None, case.target()
    if was is None or now is None or case.memo.page.url != case.page.url:
        return False
    return (was.kind, was.get("name")) == (now.kind, now.get("name"))


def chosen(case: Case) -> Iterator[Violation]:
    """A list shows the option that was chosen, not the one it showed before."""
    deed = case.deed
    if case.failed or deed is None or deed.verb != "select_option" or not deed.ref:
        return
    if case.before is None or not _same(case):
        return
    was, now = _selected(case, before=True), _selected(case)
    options = _options(case)
    if was == now != deed.text and deed.text in options and options.count(deed.text) == 1:
        message = f"{short(deed.text)} was chosen in {deed.ref}, which still shows {short(now)}"
        yield case.broken("choice_ignored", message, case.where(deed.ref), because=("tree:target",))


def _options(case: Case, before: bool = False) -> list[str]:
    return [text_of(one) for one in _offered(case, before)]


def _selected(case: Case, before: bool = False) -> str | None:
    """The only option of the target that is selected."""
    found = [text_of(one) for one in _offered(case, before) if one.get("selected", False) in _YES]
    return found[0] if len(found) == 1 else None


_YES = (True, None)
"""``selected=True``, and ``[selected]`` in snapshots."""


def _offered(case: Case, before: bool):
    tree = case.before if before else case.tree
    at = pages.find(tree, case.deed.ref) if tree and case.deed and case.deed.ref else None
    inside = pages.below(tree, at) if tree is not None and at is not None else ()
    return [one for one in inside if one.kind == "option"]


def ticked(case: Case) -> Iterator[Violation]:
    """A click turns a checkbox to its other state; always, if it did so before."""
    deed, node = case.deed, case.target()
    if case.failed or deed is None or deed.verb != "click" or node is None or not deed.ref:
        return
    if node.kind not in pages.TICKED or case.before is None or not _same(case):
        return
    was, now = case.value(deed.ref, case.before), case.value(deed.ref)
    if was == now:
        turned = deed.ref in case.memo.flips
        message = f"{deed.ref} was clicked and is as before: {short(now)}"
        message += "; a click turned it before" if turned else ""
        severity = "error" if turned else "warning"
        yield case.broken("not_ticked", message, case.where(deed.ref), severity, ("tree:target",))


def tabs(case: Case) -> Iterator[Violation]:
    """Tabs come and go, and are turned to, as the action says."""
    deed, was, now = case.deed, case.memo.page, case.page
    if case.failed or deed is None or not was.tabs or not now.tabs:
        return
    count = len(now.tabs) - len(was.tabs)
    wrong = ""
    if deed.verb == "tab_focus" and deed.tab is not None and 0 <= deed.tab < len(was.tabs):
        wrong = f"tab {now.active} is active" if now.active not in (None, deed.tab) else ""
    elif deed.verb == "new_tab" and count < 1:
        wrong = f"there are {len(now.tabs)} tabs, as before" if not count else "tabs are gone"
    elif deed.verb == "tab_close" and len(was.tabs) > 1 and count >= 0:
        wrong = f"there are {len(now.tabs)} tabs, {len(was.tabs)} were open"
    elif case.quiet and case.memo.settled and count > 0:
        wrong = f"{count} tabs have come"
    if wrong:
        span = line_with(case.text, browsergym.TABS)
        message = f"after {deed.verb} {wrong}"
        yield case.broken("tabs_and_action", message, span, because=("page:current",))


def failure(case: Case) -> Iterator[Violation]:
    """An error stands in the form that all errors have."""
    first, _, rest = case.text.partition("\n")
    if first == errorlog.HEADING and not rest.startswith("Error: "):
        message = f"an error begins with 'Error: ', not {short(rest)}"
        yield case.broken("error_form", message, line_with(case.text, rest.split("\n")[0]))


RULES: Mapping[str, tuple[Rule, ...]] = {
    "browsergym": (failure, complaint, filled, chosen, ticked, tabs),
    "labelled": (),
    "playwright": (code, ref_unknown, filled, chosen, ticked),
}
