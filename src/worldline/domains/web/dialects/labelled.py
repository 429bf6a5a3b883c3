"""The dialect ``labelled``: what can be clicked, numbered, as WebVoyager shows it.

    [0]: <button> "Menu";	[2]: "Log in", "Log in or sign up";

``[label]: <tag> "text", "aria-label";`` with tabs between; elements without text have a number but
no entry. Labels follow from the place, so a node keeps only how many were left out before it
(`skip`): what is new near the top renumbers the rest by itself. Actions are ``Click [6]``,
``Type [3]; text``, ``Scroll [WINDOW]; down``, ``Wait``, ``GoBack``, ``Google``, ``ANSWER; text``.
"""

import re

from worldline.domains.base import ActionError
from worldline.domains.web.actions import Act, Deed
from worldline.domains.web.observations import text_of
from worldline.trees import Node, Tree

ITEM = "item"
"""The kind of an element whose tag is not shown."""
ORDER = ("name", "aria", "skip")
FAILED = (
    "The action you have chosen cannot be exected. Please double-check if you have selected the "
    "wrong Numerical Label or Action or Action format. Then provide the revised Thought and Action."
)
"""What WebVoyager answers when an action cannot be carried out, its misspelling included."""

_START = re.compile(r"(?:^|;\t)\[(\d{1,6})\]: ")
_TAG = re.compile(r"<([a-z][a-z0-9-]{0,40})> ")
_ACT = re.compile(
    r"(?P<before>\s*+(?:Action:\s*+)?)(?P<verb>Click|Type|Scroll|Wait|GoBack|Google|ANSWER)"
    r"(?:(?P<opening> \[?)(?P<label>\d{1,6}|WINDOW)(?P<closing>\]?))?"
)
_MARK = re.compile(r"[; ]++")
_VERBS = {"Click": "click", "Type": "fill", "Scroll": "scroll", "Wait": "noop"} | {
    "GoBack": "go_back",
    "Google": "goto",
    "ANSWER": "send_msg_to_user",
}
_LABELLED = frozenset({"Click", "Type", "Scroll"})
_WITH_CONTENT = frozenset({"Type", "Scroll", "ANSWER"})


def parse(text: str) -> Tree | None:
    """The elements; `None` for a text that is no list of them."""
    starts = list(_START.finditer(text))
    if not starts or starts[0].start() or not text.endswith(";"):
        return None
    ends = [match.start() for match in starts[1:]] + [len(text) - 1]
    nodes: list[Node] = []
    expected = 0
    for match, end in zip(starts, ends, strict=True):
        label = int(match[1])
        node = _node(text[match.end() : end], label - expected)
        if node is None or str(label) != match[1]:
            return None
        nodes.append(node)
        expected = label + 1
    tree = Tree(tuple(nodes))
    return tree if render(tree) == text else None


def render(tree: Tree) -> str:
    """The text of the elements, exactly."""
    return "\t".join(
        f"[{label}]: {_body(node)};" for label, node in zip(labels(tree), tree.nodes, strict=True)
    )


def labels(tree: Tree) -> tuple[str, ...]:
    """The number of each element."""
    found: list[str] = []
    label = 0
    for node in tree.nodes:
        skip = node.get("skip", 0)
        label += skip if isinstance(skip, int) else 0
        found.append(str(label))
        label += 1
    return tuple(found)


def handles(tree: Tree) -> tuple[str, ...]:
    """The labels; a label that stands twice is marked."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for label in labels(tree):
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label}+{seen[label] - 1}")
    return tuple(found)


def key(node: Node) -> tuple[str, str, str]:
    """An element is the same if it says the same."""
    return node.kind, text_of(node), text_of(node, "aria")


def target(action: str, tree: Tree) -> int | None:
    """The element an action names."""
    try:
        label = parse_action(action).label
    except ActionError:
        return None
    found = labels(tree)
    return found.index(label) if label in found else None


def parse_action(text: str) -> Act:
    """An action.

    Raises:
        ActionError: it is none of the seven.
    """
    found = _ACT.match(text)
    if found is None:
        raise ActionError("expected Click, Type, Scroll, Wait, GoBack, Google or ANSWER")
    verb, label = found["verb"], found["label"]
    if verb in _LABELLED and label is None:
        raise ActionError(f"{verb} needs a label, as '{verb} [3]'")
    if verb not in _LABELLED and label is not None:
        raise ActionError(f"{verb} takes no label")
    mark, content, after = "; ", None, text[found.end() :]
    if verb in _WITH_CONTENT:
        sign = _MARK.match(after)
        if sign is None:
            raise ActionError(f"{verb} needs a text behind a semicolon")
        mark, content, after = sign[0], after[sign.end() :], ""
    if verb not in _WITH_CONTENT and after.strip():
        raise ActionError(f"{after.strip()[:40]!r} stands behind {verb}")
    return Act(
        verb,
        label,
        content,
        before=found["before"],
        opening=" [" if label is None else found["opening"],
        closing="]" if label is None else found["closing"],
        mark=mark,
        after=after,
    )


def render_action(act: Act) -> str:
    """The inverse of `parse_action`."""
    label = "" if act.label is None else f"{act.opening}{act.label}{act.closing}"
    content = "" if act.content is None else f"{act.mark}{act.content}"
    return f"{act.before}{act.verb}{label}{content}{act.after}"


def deeds(text: str) -> tuple[Deed, ...]:
    """What an action does.

    Raises:
        ActionError: it is none.
    """
    act = parse_action(text)
    url = "https://www.google.com/" if act.verb == "Google" else None
    label = None if act.label == "WINDOW" else act.label
    return (Deed(_VERBS[act.verb], ref=label, text=act.content, url=url),)


def _node(body: str, skip: int) -> Node | None:
    tag = _TAG.match(body)
    quoted = body[tag.end() :] if tag else body
    if len(quoted) < 2 or quoted[0] != '"' or quoted[-1] != '"':
        return None
    name, comma, aria = quoted[1:-1].partition('", "')
    attrs: list[tuple[str, str | int]] = [("name", name)]
    if comma:
        attrs.append(("aria", aria))
    if skip:
        attrs.append(("skip", skip))
    return Node(tag[1] if tag else ITEM, tuple(attrs))


def _body(node: Node) -> str:
    tag = "" if node.kind == ITEM else f"<{node.kind}> "
    aria = f', "{text_of(node, "aria")}"' if node.has("aria") else ""
    return f'{tag}"{text_of(node)}"{aria}'
