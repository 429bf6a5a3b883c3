"""How a server refuses calls, learned from its own examples.

Servers word a refusal each in their own way, but for one kind of mistake (no such tool, a missing
field, a number where a text belongs) always alike: the words stay, and the names in them change.
One example gives a text with holes for the tool, the field, the value and the schema's title; the
next mistake of the same kind fills them. Mistakes whose fate depends on the value (a text that may
read as a number) are left alone, and so are examples that quote anything else of the call.
"""

import json
import re
from typing import Any

import msgspec

from worldline.domains.mcp import styles
from worldline.domains.mcp.memo import Memo, Refusal, Style
from worldline.domains.mcp.observations import Body, Plain, render_body
from worldline.domains.mcp.reading import leaf, with_leaf
from worldline.domains.mcp.schema import Breach, sole_breach
from worldline.domains.mcp.tools import Target

LONGEST_VALUE = 20
"""Longer values may be shortened by the server."""
_BY_VALUE = frozenset({("boolean", "integer"), ("integer", "number"), ("integer", "boolean")})
"""(wanted, given) that some servers convert."""
_HOLE = re.compile("[\ue000-\ue003]")
_TITLE, _TOOL, _FIELD, _VALUE = "\ue000\ue001\ue002\ue003"


def learn(memo: Memo, target: Target, body: Body) -> Memo:
    """The memo after this refusal; a second example that does not fit the first spoils the kind."""
    end = leaf(body)
    if not isinstance(end, Plain):
        return memo
    memo = _learn_style(memo, target, body, end.text)
    kind = _kind(memo, target)
    if kind is None:
        return memo
    before = memo.refusals.get(kind)
    if before is not None:
        if before.text is None or _said(before, target) == render_body(body):
            return memo
        learned = Refusal(body, None)
    else:
        learned = Refusal(body, _with_holes(target, end.text))
    return msgspec.structs.replace(memo, refusals={**memo.refusals, kind: learned})


def known(memo: Memo, target: Target) -> str | None:
    """The server's answer to a mistake of a kind that it has shown."""
    styled = _styled(memo, target)
    if styled is not None:
        return styled
    kind = _kind(memo, target)
    shown = memo.refusals.get(kind) if kind is not None else None
    return None if shown is None else _said(shown, target)


def _learn_style(memo: Memo, target: Target, body: Body, text: str) -> Memo:
    if target.tool is None:
        return memo
    server = target.speaker
    before = memo.styles.get(server)
    if before is None:
        name = styles.recognised(target.tool, target.arguments, text)
        if name is None:
            return memo
        learned = Style(name, styles.version_of(text), body)
    else:
        claimed = _styled(memo, target)
        if claimed is None or claimed == render_body(body):
            return memo
        learned = Style("", "", body)
    return msgspec.structs.replace(memo, styles={**memo.styles, server: learned})


def _styled(memo: Memo, target: Target) -> str | None:
    style = memo.styles.get(target.speaker)
    if target.tool is None or style is None or not style.name:
        return None
    text = styles.write(style.name, target.tool, target.arguments, style.version)
    written = None if text is None else with_leaf(style.body, text)
    return None if written is None else render_body(written)


def _kind(memo: Memo, target: Target) -> str | None:
    if target.tool is None:
        if target.server is not None or memo.box.odd:
            return None
        return "no such tool" + ("" if target.arguments else ", no arguments")
    found = sole_breach(target.tool.input_schema, target.arguments)
    if found is None or (found.rule == "type" and not _always_wrong(found)):
        return None
    return f"{target.speaker}: {found.rule}: {found.wanted}, {found.given}"


def _always_wrong(found: Breach) -> bool:
    if found.given == "string" or (found.wanted, found.given) in _BY_VALUE:
        return False
    return (found.wanted, found.given) != ("number", "boolean")


def _fillings(target: Target) -> dict[str, str]:
    """What stands in the holes, the longest names first."""
    fills = {_TOOL: target.name}
    tool = target.tool
    if tool is None:
        return fills
    found = sole_breach(tool.input_schema, target.arguments)
    title = (tool.input_schema or {}).get("title")
    if isinstance(title, str) and title:
        fills[_TITLE] = title
    if found is not None:
        fills[_FIELD] = found.field
        if found.rule == "type" and len(repr(found.value)) <= LONGEST_VALUE:
            fills[_VALUE] = repr(found.value)
    return fills


def _with_holes(target: Target, text: str) -> str | None:
    """The text with its names taken out, or `None` where it says more of the call than they do."""
    if _HOLE.search(text):
        return None
    fills = _fillings(target)
    for hole in sorted(fills, key=lambda one: -len(fills[one])):
        word = re.escape(fills[hole])
        text = re.sub(rf"(?<![\w.-]){word}(?![\w-])", hole, text)
    rest = _HOLE.sub(" ", text)
    return None if any(quoted in rest for quoted in _quotes(target)) else text


def _quotes(target: Target) -> set[str]:
    """Pieces of the call that a general wording does not hold."""
    found = {repr(target.arguments), target.name}
    for name, value in target.arguments.items():
        found |= {name, repr(value)}
        if value is not None and not isinstance(value, bool):
            found |= {str(value)[:LONGEST_VALUE], json.dumps(value)[:LONGEST_VALUE]}
    breach = _fillings(target).get(_FIELD)
    if breach is not None:
        found.discard(breach)
    return {one for one in found if one}


def _said(shown: Refusal, target: Target) -> str | None:
    if shown.text is None:
        return None
    fills: dict[str, Any] = _fillings(target)
    if not set(_HOLE.findall(shown.text)) <= fills.keys():
        return None
    text = _HOLE.sub(lambda hole: fills[hole[0]], shown.text)
    body = with_leaf(shown.body, text)
    return None if body is None else render_body(body)
