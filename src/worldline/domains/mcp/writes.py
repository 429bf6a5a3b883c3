"""Files an agent writes through a tool, and the tools that read them back whole.

By their contract only: a write of a path and its whole content, and on the same server a read that
says it returns the contents of a file. A reader with paging, or one that says nothing of the kind,
may decorate what it returns and is left to the model.
"""

import re
from collections.abc import Iterator
from typing import Any

from worldline.domains.mcp.kinds import words
from worldline.domains.mcp.tools import Target, Tool, Toolbox

_PATH = frozenset({"path", "file_path", "filepath", "filename", "file"})
_CONTENT = frozenset({"content", "contents", "text", "data", "file_text"})
_WHOLE = re.compile(r"\b(?:complete|full|entire|whole) (?:text |file )?contents?\b", re.IGNORECASE)
_CONTENTS = re.compile(r"\bcontents? of (?:a|the|one|any)\b[\w ]{0,20}\bfile\b", re.IGNORECASE)


def written(target: Target) -> tuple[str, str] | None:
    """Path and content of a whole-file write; `None` for anything else."""
    found = words(target.name)
    if "file" not in found or not {"write", "create", "save"} & set(found) or "append" in found:
        return None
    path = _one(target.arguments, _PATH)
    content = _one(target.arguments, _CONTENT)
    if len(target.arguments) != 2 or path is None or content is None:
        return None
    return path, content


def read_back(box: Toolbox, target: Target, path: str) -> Iterator[Target]:
    """The calls that now return what `target` wrote to `path`."""
    server = target.server
    tools = box.offered.values() if server is None else box.catalogue.values()
    for tool in tools:
        if tool.server == server or server is None:
            name = _reads_whole_file(tool)
            if name is not None:
                yield Target(tool.name, {name: path}, server, tool)


def _reads_whole_file(tool: Tool) -> str | None:
    """The name of the path argument of a tool that returns a file's content and nothing else."""
    found = words(tool.name)
    if not {"read", "get"} & set(found[:1]) or "file" not in found:
        return None
    names = [name for name in tool.properties if name in _PATH]
    alone = len(tool.properties) == 1 and _CONTENTS.search(tool.description)
    if len(names) != 1 or not (alone or _WHOLE.search(tool.description)):
        return None
    return names[0]


def _one(arguments: dict[str, Any], names: frozenset[str]) -> str | None:
    found = [v for k, v in arguments.items() if k in names and isinstance(v, str)]
    return found[0] if len(found) == 1 else None
