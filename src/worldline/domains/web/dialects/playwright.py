"""The dialect ``playwright``: results of Playwright MCP's browser tools. *From reference.*

Written from the sources of ``@playwright/mcp`` 0.0.79 (``playwright-core`` 1.63, ``response.ts``
and ``ariaSnapshotRenderer.ts``); no recorded row has it. A result has sections::

    ### Page
    - Page URL: http://shop.example/
    - Page Title: Shop
    ### Snapshot
    ```yaml
    - generic [active] [ref=e1]:
      - button "Save" [ref=e3] [cursor=pointer]
      - textbox "Name" [ref=e4]: Ada
      - link "Home" [ref=e5]:
        - /url: /home
    ```

(older ones say ``### Page state`` and ``- Page Snapshot:``, and call a target ``ref``). Each line
of the snapshot is a node, the section's lines are nodes too; elements in frames have refs as f1e2.
"""

import json
import re

from worldline.domains.mcp.actions import Call, parse_call, render_call
from worldline.domains.web.actions import Deed
from worldline.domains.web.dialects import yamltext
from worldline.domains.web.observations import LINE, line_node, text_of
from worldline.trees import Node, Tree, Value

parse_action, render_action, Action = parse_call, render_call, Call
URL, TITLE = "pageurl", "pagetitle"
RESERVED = frozenset({LINE, URL, TITLE})
ORDER = (
    *("name", "checked", "disabled", "expanded", "active", "invalid", "level", "pressed"),
    *("selected", "aria-hidden", "cursor", "box", "text"),
)
_LINES = {URL: "- Page URL: ", TITLE: "- Page Title: "}
_FENCE, _END = "```yaml", "```"
_HEAD = re.compile(r"(?:/)?[a-z][a-z-]{0,40}")
_NAME = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"')
_ATTR = re.compile(r" \[([a-z-]{1,30})(?:=([^\]\s]{0,80}))?\]")
_INT = re.compile(r"-?(?:0|[1-9]\d{0,8})")
_BOX = re.compile(r"-?\d{1,8}(?:,-?\d{1,8}){3}")
_TARGETS = ("ref", "target", "startRef", "startTarget")
_VERBS = {
    "browser_click": "click",
    "browser_hover": "hover",
    "browser_type": "fill",
    "browser_fill_form": "fill",
    "browser_select_option": "select_option",
    "browser_press_key": "keyboard_press",
    "browser_press_sequentially": "keyboard_type",
    "browser_drag": "drag_and_drop",
    "browser_navigate": "goto",
    "browser_navigate_back": "go_back",
    "browser_navigate_forward": "go_forward",
    "browser_wait_for": "noop",
    "browser_snapshot": "noop",
    "browser_close": "tab_close",
    "browser_file_upload": "upload_file",
}
_TABS = {"new": "new_tab", "close": "tab_close", "select": "tab_focus", "list": "noop"}


def parse(text: str) -> Tree | None:
    """The nodes of a result that shows a page; `None` for any other."""
    lines = text.split("\n")
    bare = text.startswith("- ") and "[ref=" in text
    if not bare and not any(line.startswith(_LINES[URL]) for line in lines):
        return None
    tree = Tree(tuple(_nodes(lines, inside=bare)))
    return tree if render(tree) == text else Tree(tuple(_section_line(line) for line in lines))


def render(tree: Tree) -> str:
    """The text of a page, exactly."""
    nodes = tree.nodes
    lines = []
    for node, after in zip(nodes, [*nodes[1:], None], strict=True):
        lines.append(_line(node, parent=after is not None and after.depth > node.depth))
    return "\n".join(lines)


def key(node: Node) -> tuple[str, str]:
    """The ref; without one the role and the name."""
    return ("ref", node.ref) if node.ref else (node.kind, text_of(node))


def deeds(text: str) -> tuple[Deed, ...]:
    """What a tool call does.

    Raises:
        ActionError: it is no tool call.
    """
    call = parse_call(text)
    given = call.arguments
    fields = given.get("fields")
    if call.name == "browser_fill_form" and isinstance(fields, list):
        return tuple(
            Deed("fill", ref=_ref(field), text=_text(field.get("value")))
            for field in fields
            if isinstance(field, dict)
        )
    verb = _VERBS.get(call.name, call.name)
    if call.name == "browser_tabs":
        verb = _TABS.get(str(given.get("action")), verb)
    said = next((given[name] for name in ("text", "values", "key") if name in given), None)
    index = given.get("index")
    return (
        Deed(
            verb,
            ref=_ref(given),
            text=_text(said),
            url=_text(given.get("url")),
            tab=index if isinstance(index, int) else None,
        ),
    )


def _nodes(lines: list[str], *, inside: bool) -> list[Node]:
    nodes: list[Node] = []
    deepest = -1
    for line in lines:
        if not inside:
            nodes.append(_section_line(line))
            inside, deepest = line == _FENCE, -1
            continue
        bare = line.lstrip(" ")
        depth, odd = divmod(len(line) - len(bare), 2)
        node = _node(bare, depth) if not odd and depth <= deepest + 1 else None
        inside = line != _END
        if node is None:  # below what it is indented under, so that this keeps its colon
            below = depth if depth <= deepest + 1 else max(deepest, 0)
            node = line_node(line, below if inside else 0)
        nodes.append(node)
        deepest = node.depth
    return nodes


def _section_line(line: str) -> Node:
    """A line outside of the snapshot."""
    for kind, start in _LINES.items():
        if line.startswith(start):
            return Node(kind, (("name", line.removeprefix(start)),))
    return line_node(line, 0)


def _node(line: str, depth: int) -> Node | None:
    """The node of a snapshot line without its indentation, its colon left out."""
    if not line.startswith("- "):
        return None
    key, value = _split(line[2:])
    attrs: list[tuple[str, Value]] = []
    head = _HEAD.match(key)
    if head is None or head[0] in RESERVED:
        return None
    at, ref = head.end(), None
    if key.startswith(' "', at) and (name := _NAME.match(key, at + 1)):
        try:
            attrs.append(("name", json.loads(name[0], strict=False)))
        except ValueError:
            return None
        at = name.end()
    while found := _ATTR.match(key, at):
        if found[1] == "ref" and found[2]:
            ref = found[2]
        else:
            attrs.append((found[1], _typed(found[2])))
        at = found.end()
    if at != len(key) or len(dict(attrs)) < len(attrs):
        return None
    if value is not None:
        text = yamltext.read_value(value)
        name = "name" if head[0] == "text" or head[0].startswith("/") else "text"
        if text is None or name in dict(attrs):
            return None
        attrs.append((name, text))
    return Node(head[0], tuple(attrs), depth, ref)


def _split(item: str) -> tuple[str, str | None]:
    """Key and value of a list item; a colon at the end says only that there are children."""
    if item.startswith("'"):
        end = re.match(r"'(?:[^']|'')*+'", item)
        if end is None:
            return item, None
        key, rest = end[0][1:-1].replace("''", "'"), item[end.end() :]
    else:
        head = _HEAD.match(item)
        at = head.end() if head else 0
        if item.startswith(' "', at) and (name := _NAME.match(item, at + 1)):
            at = name.end()
        colon = item.find(":", at)
        key, rest = (item, "") if colon < 0 else (item[:colon], item[colon:])
    return key, rest[2:] if rest.startswith(": ") else None


def _line(node: Node, *, parent: bool) -> str:
    if node.kind == LINE:
        return text_of(node)
    if node.kind in _LINES:
        return _LINES[node.kind] + text_of(node)
    indent = "  " * node.depth
    if node.kind == "text" or node.kind.startswith("/"):
        return f"{indent}- {node.kind}: {yamltext.write_value(text_of(node))}"
    parts = [node.kind]
    if node.has("name"):
        parts.append(f" {json.dumps(text_of(node), ensure_ascii=False)}")
    for name, value in node.attrs:
        if name not in ("name", "text", "cursor", "box"):
            parts.append(_attribute(name, value))
    if node.ref is not None:
        parts.append(f" [ref={node.ref}]")
    parts += [_attribute(name, node.get(name)) for name in ("cursor", "box") if node.has(name)]
    line = f"{indent}- {yamltext.write_key(''.join(parts))}"
    if node.has("text"):
        return f"{line}: {yamltext.write_value(text_of(node, 'text'))}"
    return f"{line}:" if parent else line


def _attribute(name: str, value: Value) -> str:
    if isinstance(value, tuple):
        value = ",".join(str(number) for number in value)
    return f" [{name}]" if value is None else f" [{name}={value}]"


def _typed(source: str | None) -> Value:
    if source is None:
        return None
    if _BOX.fullmatch(source):
        return tuple(int(number) for number in source.split(","))
    return int(source) if _INT.fullmatch(source) else source


def _ref(given: dict[str, object]) -> str | None:
    return next((ref for name in _TARGETS if isinstance(ref := given.get(name), str)), None)


def _text(value: object) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, str) else None
