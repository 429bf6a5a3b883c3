"""What a model is told: the system prompt, and the facts block of a turn.

The system prompt of a session never changes, so that its prefix stays in the cache. It lists every
tool with one line; the ``full`` style adds the schemas as far as they fit. The full shape of a tool
travels as a fact in the turn that first uses it, together with what the session has already seen of
the entities that the call names.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from worldline.domains.base import Ledger, Style
from worldline.domains.common import block, clip, load_prompt, system_prompt
from worldline.domains.mcp.actions import CallError, parse_call
from worldline.domains.mcp.ledger import row_key
from worldline.domains.mcp.memo import RESULT_FORM, memo_of
from worldline.domains.mcp.shapes import resolve, shape, signature
from worldline.domains.mcp.tools import Target, Tool, Toolbox, toolbox
from worldline.facts import Fact, fact
from worldline.trajectory import Trajectory

PACKAGE = "worldline.domains.mcp"
LIST_CHARS = {"full": 24_000, "compact": 3_000}
"""What the tool list may take of a system prompt, in characters."""
RECORD_CHARS = 1_000
TOOL_CHARS = 1_300


def system_text(trajectory: Trajectory, style: Style) -> str:
    """The system prompt, from the trajectory's five parts and its tools."""
    form = "result" if trajectory.dialect == RESULT_FORM else "plain"
    return system_prompt(
        PACKAGE,
        style,
        trajectory,
        form=load_prompt(PACKAGE, f"form-{form}"),
        tools=tool_list(toolbox(trajectory.tools), style),
    )


def tool_list(box: Toolbox, style: Style) -> str:
    """One line a tool (its whole shape in ``full`` while they all fit), within bounds."""
    tools = [*box.offered.values(), *box.catalogue.values()]
    limit = LIST_CHARS[style]
    if style == "full":
        whole = "\n\n".join(describe(tool) for tool in tools)
        if len(whole) <= limit:
            return whole
    return "\n".join(_within([one_line(tool) for tool in tools], limit))


def one_line(tool: Tool) -> str:
    """A tool's name, its arguments' names, and the first sentence about it."""
    needed = (tool.input_schema or {}).get("required")
    needed = needed if isinstance(needed, list) else []
    names = [name if name in needed else f"{name}?" for name in list(tool.properties)[:12]]
    about = _flat(tool.description)
    stop = about.find(". ")
    about = about[:stop] if 0 <= stop < 100 else about[:100]
    return _flat(f"- {tool.label}({', '.join(names)})" + (f": {about}" if about else ""))


def describe(tool: Tool) -> str:
    """A tool in full: its resolved signature, what it does, what its arguments mean."""
    lines = [_flat(f"{tool.label}{signature(tool.input_schema)}")]
    about = _flat(tool.description)
    if about:
        lines.append(_short(about, 500))
    for name, inner in tool.properties.items():
        inner = resolve(tool.input_schema, inner)
        note = inner.get("description") if isinstance(inner, dict) else None
        if isinstance(note, str) and note.strip():
            lines.append(f"  {_flat(name)}: {_short(_flat(note), 160)}")
    if tool.output_schema is not None:
        lines.append(f"  returns {_flat(shape(tool.output_schema))}")
    return clip("\n".join(lines), TOOL_CHARS)


def reset_text(initial_state: str | None, box: Toolbox) -> str:
    """What an agent sees before its first call: the state, if given, and the tools it may call."""
    tools = list(box.offered.values())
    if not tools:
        return initial_state or ""
    servers = sorted({tool.server for tool in tools if tool.server})
    where = ", ".join(servers) or "an MCP server"
    noun = "tool" if len(tools) == 1 else "tools"
    lines = [f"Connected to {where}: {len(tools)} {noun}."]
    lines += _within([one_line(tool) for tool in tools], 6_000)
    return "\n".join(([initial_state, ""] if initial_state else []) + lines)


def facts_for(ledger: Ledger, action: str, budget: int) -> list[Fact]:
    """What bears on this call, most telling first: its tool, then what is known of its entities."""
    try:
        call = parse_call(action)
    except CallError:
        return []
    box = memo_of(ledger).box
    target = box.target(call)
    chosen: list[Fact] = []
    for one in _candidates(ledger, target, target.tool or box.offered.get(call.name)):
        size = len(line(one)) + 1
        if size <= budget:
            chosen.append(one)
            budget -= size
    return chosen


def facts_text(facts: Sequence[Fact]) -> str:
    """The facts block."""
    return block(line(one) for one in facts)


def line(one: Fact) -> str:
    """One fact as the model reads it."""
    when = "at the start" if one.turn == 0 else f"at turn {one.turn}"
    if not one.complete:
        when += " (things may have changed since)"
    if one.kind == "tool":
        return f"Tool {one.value}"
    if one.kind == "file":
        return f"File {_flat(one.key)}, written {when}:\n{clip(str(one.value), RECORD_CHARS)}"
    if one.kind == "row" and isinstance(one.value, dict):
        shown = clip(str(one.value.get("observation")), RECORD_CHARS)
        return f"This same call returned {when}:\n{shown}"
    return f"{_flat(one.key)}, as seen {when}: {clip(_json(one.value), RECORD_CHARS)}"


def _candidates(ledger: Ledger, target: Target, tool: Tool | None) -> Iterator[Fact]:
    if tool is not None:
        yield fact("tool", tool.label, describe(tool), origin="given")
    row = ledger.get("row", row_key(target))
    if row is not None:
        yield row
    named = set(_scalars(target.arguments))
    seen = [f for f in ledger.facts.values() if f.kind in ("entity", "file") and _names(f) & named]
    seen.sort(key=lambda f: -f.turn)
    # what the previous turn showed stands right above; it need not be said again
    yield from (f for f in seen if f.turn < ledger.turn or f.origin == "given")


def _names(one: Fact) -> set[str]:
    return {one.key, one.key.partition("=")[2]}


def _scalars(value: Any) -> Iterable[str]:
    """Texts and whole numbers in the arguments, in order."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict | list):
            todo.extend(one.values() if isinstance(one, dict) else one)
        elif isinstance(one, str | int) and not isinstance(one, bool):
            yield str(one)


def _flat(text: str) -> str:
    """One line: a foreign name or description cannot start a section of the prompt."""
    return " ".join(text.split())


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _within(lines: list[str], limit: int) -> list[str]:
    """Lines as long as they fit, and how many did not."""
    kept: list[str] = []
    for at, one in enumerate(lines):
        limit -= len(one) + 1
        if limit < 0:
            return [*kept, f"... and {len(lines) - at} more tools"]
        kept.append(one)
    return kept
