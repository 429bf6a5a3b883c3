"""What a session opens with, and what its state is: as text and as facts."""

import io
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import msgspec

from worldline.environments.base import Opening
from worldline.environments.mcp.connection import Connection
from worldline.environments.mcp.masks import MASKS
from worldline.environments.mcp.options import Options
from worldline.environments.mcp.place import Place
from worldline.facts import Fact, fact
from worldline.trajectory import SystemPrompt

HOME = "/home/user"
ACTIONS = 'One tool call as JSON: {"name": TOOL, "arguments": {...}}.'
MAX_TEXT = 20_000
"""Files longer than this are listed in a snapshot, not quoted."""

MAX_HOME = 64 << 20
"""Bytes of the home that a snapshot looks at."""


def opening(
    options: Options,
    place: Place,
    connections: Mapping[str, Connection],
    tools: tuple[dict[str, Any], ...],
) -> Opening:
    """Everything a trajectory needs but its turns."""
    return Opening(
        domain="mcp",
        dialect=options.dialect,
        system=SystemPrompt(
            task_description=_about(connections),
            action_space=ACTIONS,
            initial_state=_listing(place),
        ),
        tools=tools,
        meta={
            "versions": _versions(place, connections),
            "options": msgspec.to_builtins(options),
            "masks": [name for name, _ in MASKS],
        },
    )


def _about(connections: Mapping[str, Connection]) -> str:
    lines = []
    for connection in connections.values():
        about = connection.about
        if about is None:
            continue
        server = about.server_info
        lines.append(f"MCP server {server.name} {server.version}.")
        if about.instructions:
            lines.append(about.instructions.strip())
    return "\n".join(lines)


def _versions(place: Place, connections: Mapping[str, Connection]) -> dict[str, str]:
    found = {"mcp": version("mcp")}
    if place.box is not None:
        found["sandbox"] = place.box.root.version
    for name, connection in connections.items():
        if connection.about is not None:
            server = connection.about.server_info
            found[name] = f"{server.name} {server.version}"
            found[f"{name} protocol"] = connection.about.protocol_version
    return found


def _listing(place: Place) -> str | None:
    """Names and sizes of what the home holds: what an agent's user would tell it."""
    if place.box is None:
        return None
    files = {**place.fixture.files, **place.options.files}
    lines = [f"{HOME}/{name} ({_size(files[name])} bytes)" for name in sorted(files)]
    lines += place.fixture.notes
    return "\n".join(lines) or f"{HOME} is empty."


def _size(content: bytes | str) -> int:
    return len(content if isinstance(content, bytes) else content.encode())


def snapshot(options: Options, place: Place, tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A ``worldline.snapshot/1`` record of the sandbox's home."""
    text, facts, omitted = [f"{len(tools)} tools."], list[Fact](), list[str]()
    for name, data in _files(place).items():
        quoted = _quoted(data)
        if quoted is None:
            omitted.append(f"{name}: {len(data)} bytes, not text or too long")
            text.append(f"{name} ({len(data)} bytes)")
        else:
            facts.append(fact("file", name, quoted, origin="real", turn=0))
            text.append(f"{name}:\n{quoted}")
    whole = "\n".join(text)
    return {
        "schema": "worldline.snapshot/1",
        "domain": "mcp",
        "dialect": options.dialect,
        "text": whole,
        "tokens": len(whole) // 4,
        "facts": [msgspec.to_builtins(one) for one in facts],
        "omitted": omitted,
        "redacted": {},
        "taken_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _files(place: Place) -> dict[str, bytes]:
    """Regular files of the home by path, as many as fit `MAX_HOME`."""
    if place.box is None:
        return {}
    packed = place.box.run(["sh", "-c", f"tar -cf - . | head -c {MAX_HOME}"]).stdout
    found: dict[str, bytes] = {}
    with suppress(tarfile.ReadError), tarfile.open(fileobj=io.BytesIO(packed), mode="r|") as tar:
        for member in tar:
            data = tar.extractfile(member) if member.isreg() else None
            if data is not None:
                found[f"{HOME}/{member.name.removeprefix('./')}"] = data.read()
    return dict(sorted(found.items()))


def _quoted(data: bytes) -> str | None:
    if len(data) > MAX_TEXT or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
