"""A session from nothing but a tool list: ``worldline sim mcp --tools FILE``.

The file is what a server answers to ``tools/list`` (with or without its JSON-RPC envelope), a bare
list of tools, or a list of OpenAI functions. The entries go into the trajectory unchanged.
"""

from pathlib import Path
from typing import Any

from worldline import jsonl
from worldline.domains.mcp.tools import read_tool
from worldline.errors import DataError
from worldline.trajectory import Source, SystemPrompt, Trajectory

SHAPE = 'Give a tools/list result ({"tools": [...]}), a list of tools, or of OpenAI functions.'


def trajectory_from_tools(
    source: str | Path | dict[str, Any] | list[Any],
    *,
    id: str = "mcp",
    dialect: str = "json",
    task_description: str = "",
    initial_state: str | None = None,
    task: str | None = None,
) -> Trajectory:
    """An empty session with the tools of a list.

    Args:
        source: a path, or the parsed JSON itself.

    Raises:
        DataError: not readable, not such a list, a tool without a name or with a broken schema, a
            name twice, or one page of several; names file, field and remedy.
    """
    file = str(source) if isinstance(source, str | Path) else None
    tools = _tools(_load(Path(source)) if isinstance(source, str | Path) else source, file)
    names: set[str] = set()
    for index, entry in enumerate(tools):
        name = _checked(entry, index, file)
        if name in names:
            raise DataError(
                f"{name!r} is listed twice",
                file=file,
                field=f"tools[{index}].name",
                remedy="Remove or rename one of them.",
            )
        names.add(name)
    return Trajectory(
        id=id,
        domain="mcp",
        dialect=dialect,
        system=SystemPrompt(task_description=task_description, initial_state=initial_state),
        tools=tuple(tools),
        task=task,
        source=Source(kind="tools", name=Path(file).name if file else "tools"),
    )


def _load(path: Path) -> Any:
    try:
        return jsonl.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror or error})",
            file=path,
            remedy="Check the path; it must be a JSON file.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not JSON ({error})", file=path, remedy=SHAPE) from error


def _tools(value: Any, file: str | None) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value = value["result"]
    if isinstance(value, dict) and value.get("nextCursor"):
        raise DataError(
            "this is one page of several",
            file=file,
            field="nextCursor",
            remedy="Ask tools/list with each cursor and put all tools into one list.",
        )
    tools = value.get("tools") if isinstance(value, dict) else value
    if not isinstance(tools, list) or not tools:
        found = "an empty list" if tools == [] else type(tools).__name__
        raise DataError(
            f"expected a list of tools, got {found}", file=file, field="tools", remedy=SHAPE
        )
    return tools


def _checked(entry: Any, index: int, file: str | None) -> str:
    """The tool's label; `DataError` when the entry cannot be used as it is."""
    try:
        tool = read_tool(entry)
    except ValueError as error:
        field, _, problem = str(error).rpartition(": ")
        raise DataError(
            problem,
            file=file,
            field=f"tools[{index}].{field}".rstrip("."),
            remedy="Each tool needs a name, and should have a description and an inputSchema.",
        ) from error
    for key in ("inputSchema", "input_schema", "parameters", "outputSchema"):
        inner = entry["function"] if isinstance(entry.get("function"), dict) else entry
        if key in inner and inner[key] is not None and not isinstance(inner[key], dict):
            raise DataError(
                f"expected a JSON Schema object, got {type(inner[key]).__name__}",
                file=file,
                field=f"tools[{index}].{key}",
                remedy='Write the schema as an object, as {"type": "object"}.',
            )
    return tool.label
