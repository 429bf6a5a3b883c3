"""The tools of a session, whatever shape they were listed in.

Lists come as MCP gives them (``{name, description, inputSchema}``, some with the server's name), as
OpenAI functions (``{type, function: {name, description, parameters}}``) and as flat functions
(``{name, description, parameters, strict, type}``). The list itself is never changed; `toolbox`
reads it into `Tool`s and reports the entries it could not read.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from worldline import jsonl
from worldline.domains.mcp.actions import Call


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool. `input_schema` is `None` when the list gave none that can be checked."""

    name: str
    description: str = ""
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    server: str | None = None
    annotations: dict[str, Any] = {}

    @property
    def label(self) -> str:
        """Its name, after its server's where several share one list."""
        return self.name if self.server is None else f"{self.server}/{self.name}"

    @property
    def properties(self) -> dict[str, Any]:
        """The declared arguments."""
        found = (self.input_schema or {}).get("properties")
        return found if isinstance(found, dict) else {}


class Target(msgspec.Struct, frozen=True):
    """What a call really reaches: behind a gateway tool, another server's tool."""

    name: str
    arguments: dict[str, Any]
    server: str | None = None
    tool: Tool | None = None

    @property
    def label(self) -> str:
        """As `Tool.label`."""
        return self.name if self.server is None else f"{self.server}/{self.name}"

    @property
    def speaker(self) -> str:
        """Who words a refusal of its arguments: its server, as far as that can be told.

        One list may hold the tools of several servers; their schemas tell what made them apart.
        """
        schema = (self.tool.input_schema if self.tool is not None else None) or {}
        made = "zod" if "$schema" in schema else "pydantic" if "title" in schema else ""
        return f"{self.server or ''}|{made}"


class Toolbox(msgspec.Struct, frozen=True):
    """The tools of one session.

    `offered` can be called directly. `catalogue` holds what is reached only through a gateway among
    them: a tool that takes the name of a server and of a tool (LiveMCPBench's ``execute-tool``).
    """

    offered: Mapping[str, Tool]
    catalogue: Mapping[tuple[str, str], Tool]
    gateways: frozenset[str]
    odd: tuple[str, ...]
    """One sentence for each entry that could not be read."""

    def target(self, call: Call) -> Target:
        """Where a call ends up."""
        arguments = call.arguments
        if call.name in self.gateways:
            server, name = arguments.get("server_name"), arguments.get("tool_name")
            inner = arguments.get("params", arguments.get("arguments"))
            if isinstance(server, str) and isinstance(name, str):
                inner = inner if isinstance(inner, dict) else {}
                return Target(name, inner, server, self.catalogue.get((server, name)))
        return Target(call.name, arguments, None, self.offered.get(call.name))


EMPTY = Toolbox({}, {}, frozenset(), ())


def toolbox(tools: Sequence[Any] | None) -> Toolbox:
    """Read a tool list. Never raises: what cannot be read is reported in `odd`."""
    if tools is None:
        return EMPTY
    try:
        return _cached(_Listed(tuple(tools)))
    except (TypeError, ValueError, RecursionError):  # holds something that is not JSON
        return _read(tuple(tools))


def read_tool(entry: Any) -> Tool:
    """One entry of a tool list.

    Raises:
        ValueError: it has no name; the message starts with the field.
    """
    if not isinstance(entry, dict):
        raise ValueError(f"expected an object, got {type(entry).__name__}")
    inner = entry["function"] if isinstance(entry.get("function"), dict) else entry
    name = inner.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValueError("name: expected the tool's name as a string")
    schemas = (inner.get(key) for key in ("inputSchema", "input_schema", "parameters"))
    server = entry.get("server_name", entry.get("server"))
    outputs = (inner.get(key) for key in ("outputSchema", "output_schema"))
    return Tool(
        name=name,
        description=_text(inner.get("description")),
        input_schema=next((s for s in schemas if isinstance(s, dict)), None),
        output_schema=next((s for s in outputs if isinstance(s, dict)), None),
        server=server if isinstance(server, str) and server else None,
        annotations=inner["annotations"] if isinstance(inner.get("annotations"), dict) else {},
    )


class _Listed:
    """A tool list as a cache key: sessions of one trajectory share the parse."""

    def __init__(self, tools: tuple[Any, ...]) -> None:
        self.tools = tools
        self._sha = jsonl.sha(tools)

    def __hash__(self) -> int:
        return hash(self._sha)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Listed) and self._sha == other._sha


@lru_cache(maxsize=64)
def _cached(listed: _Listed) -> Toolbox:
    return _read(listed.tools)


def _read(tools: tuple[Any, ...]) -> Toolbox:
    read: list[Tool] = []
    odd: list[str] = []
    for index, entry in enumerate(tools):
        try:
            tool = read_tool(entry)
        except ValueError as error:
            odd.append(f"tools[{index}]: {error}")
            continue
        if any(tool.label == one.label for one in read):
            odd.append(f"tools[{index}]: name: {tool.label!r} is listed twice; the first counts")
        else:
            read.append(tool)
    gateways = {t.name for t in read if t.server is None and _is_gateway(t)}
    direct = [t for t in read if t.server is None or not gateways]
    behind = [t for t in read if t.server is not None and gateways]
    return Toolbox(
        offered={tool.name: tool for tool in direct},
        catalogue={(tool.server or "", tool.name): tool for tool in behind},
        gateways=frozenset(gateways),
        odd=tuple(odd),
    )


def _is_gateway(tool: Tool) -> bool:
    return {"server_name", "tool_name"} <= tool.properties.keys()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
