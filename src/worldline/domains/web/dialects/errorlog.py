"""The error of the action before, as it stands above a page in the ``browsergym`` dialect.

    Error from previous action:
    Error: TimeoutError: Locator.click: Timeout 500ms exceeded.
    Call log:
    waiting for get_by_test_id("12")
      -   locator resolved to <a bid="12">...</a>
      - attempting click action
      ...

and a blank line. Playwright (1.44) tries an action on a covered element six times, with the same
lines each time and fixed pauses between; such a log is three nodes: which action, on what
element, and what covers it. Any other log is a node a line.
"""

import re
from collections.abc import Iterator, Sequence

from worldline.domains.web.dialects import htmltag
from worldline.domains.web.dialects.axline import CALLS, COVER, ELEMENT, FAILURE, TRACE
from worldline.domains.web.observations import text_of
from worldline.trees import Node

HEADING = "Error from previous action:"
_ERROR = "Error: "
_LOG = "Call log:"
_RESOLVED = "  -   locator resolved to "
_COVERS = " intercepts pointer events"
_LOCATOR = re.compile(r'waiting for .{0,2000}get_by_test_id\("([A-Za-z0-9]{1,40})"\)')
_ACTION = re.compile(r"  - attempting ([a-z ]{1,40}) action")
LONGEST = 40
"""Characters of a bid, at most, here and in `_LOCATOR`."""
LOGS = 10
"""Logs in one error, at most: each is three short nodes and some fifty lines."""
_PAUSES = (0, 0, 20, 100, 100, 500)
"""Milliseconds before each try; the last pause outlives the limit of 500 ms."""
_READY = (
    "  -   waiting for element to be visible, enabled and stable",
    "  -   element is visible, enabled and stable",
    "  -   scrolling into view if needed",
    "  -   done scrolling",
)


def parse(lines: Sequence[str]) -> list[Node]:
    """The nodes of an error's lines, its heading first and a blank line last."""
    if len(lines) < 3 or lines[-1] or not lines[1].startswith(_ERROR):
        return []
    head = Node(FAILURE, (("name", lines[1].removeprefix(_ERROR)),))
    return [head, *_log(lines[2:-1])]


def render(nodes: Sequence[Node]) -> list[str]:
    """The lines of an error, heading and blank line included; none without nodes.

    Raises:
        ValueError: one error tells of more actions than a page's error does.
    """
    if not nodes:
        return []
    if sum(node.kind == CALLS for node in nodes) > LOGS:
        raise ValueError(f"over {LOGS} logs of an action in one error")
    return [HEADING, *_log_lines(nodes), ""]


def _log_lines(nodes: Sequence[Node]) -> Iterator[str]:
    for at, node in enumerate(nodes):
        if node.kind == CALLS:
            below = {one.kind: htmltag.render(one) for one in nodes[at + 1 : at + 3]}
            yield from _tries(node, below.get(ELEMENT, ""), below.get(COVER, ""))
        elif node.kind not in (ELEMENT, COVER):
            yield (_ERROR if node.kind == FAILURE else "") + text_of(node)


def _log(lines: Sequence[str]) -> list[Node]:
    """One node for the log of a covered element, else a node a line."""
    calls = _covered(lines)
    if calls is not None and list(_log_lines(calls)) == lines:
        return calls
    return [Node(TRACE, (("name", line),), 1) for line in lines]


def _covered(lines: Sequence[str]) -> list[Node] | None:
    if len(lines) < 9 or lines[0] != _LOG or not lines[2].startswith(_RESOLVED):
        return None
    locator, action = _LOCATOR.fullmatch(lines[1]), _ACTION.fullmatch(lines[3])
    if not (locator and action and lines[8].endswith(_COVERS)):
        return None
    calls = Node(CALLS, (("name", action[1]), ("bid", locator[1])), 1)
    covering = lines[8].removeprefix("  -   ").removesuffix(_COVERS)
    element = htmltag.parse(ELEMENT, lines[2].removeprefix(_RESOLVED), 2)
    return [calls, element, htmltag.parse(COVER, covering, 2)]


def _tries(calls: Node, element: str, cover: str) -> Iterator[str]:
    """The log of an action that was tried until time was up."""
    yield _LOG
    yield f"waiting for {locator(text_of(calls, 'bid'))}"
    yield _RESOLVED + element
    action = text_of(calls)
    for number, pause in enumerate(_PAUSES):
        if number == 0:
            yield f"  - attempting {action} action"
        else:
            yield f"  - retrying {action} action, attempt #{number}"
        if pause:
            yield f"  -   waiting {pause}ms"
        if number < len(_PAUSES) - 1:
            yield from _READY
            yield f"  -   {cover}{_COVERS}"


def locator(bid: str) -> str:
    """How BrowserGym looks for a bid: through each frame its letters name (``abA12``: a, bA)."""
    found: list[str] = []
    at = 0
    bid = bid[:LONGEST]  # an edit may have put anything here, and each letter names all before it
    while bid[at:] and not bid[at:].isnumeric():
        at += 1
        while bid[at : at + 1].isalpha() and bid[at].isupper():
            at += 1
        found.append(f'get_by_test_id("{bid[:at]}").frame_locator(":scope")')
    return ".".join([*found, f'get_by_test_id("{bid}")'])
