"""What an answer about files cannot be, given what the session has written."""

import re
from collections.abc import Iterator

from worldline.domains.mcp.checks_echo import plainly
from worldline.domains.mcp.checks_sql import Finding
from worldline.domains.mcp.kinds import words
from worldline.domains.mcp.observations import Body, Plain
from worldline.domains.mcp.reading import leaf
from worldline.domains.mcp.tools import Target
from worldline.domains.mcp.world import World, file_of

_PART = re.compile(r"\bmore\b|truncat|\.\.\.|…|hidden|ignored", re.IGNORECASE)


def listed(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """A directory's listing lacks a file that was written, or holds one that was deleted."""
    found = words(target.name)
    folder = target.arguments.get("path")
    if found not in (["list", "directory"], ["list", "files"]) or len(target.arguments) != 1:
        return
    end = leaf(body)
    if not isinstance(folder, str) or not isinstance(end, Plain) or _PART.search(end.text):
        return
    names = {line.split("] ", 1)[-1].strip() for line in end.text.split("\n")}
    for path, there in world.files.items():
        parent, slash, name = path.rpartition("/")
        if not slash or name.startswith(".") or parent.rstrip("/") != folder.rstrip("/"):
            continue  # hidden, or below a folder that only the server knows
        if there and name not in end.text:
            yield Finding("listing", f"{path[:120]} was written and is not listed")
        elif not there and name in names:
            yield Finding("listing", f"{path[:120]} was deleted and is listed", name)


def added(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """A document's whole text lacks what was added to it."""
    path, end = file_of(target), leaf(body)
    found = set(words(target.name))
    whole = found & {"get", "read"} and found & {"text", "content"} and len(target.arguments) == 1
    if path is None or not whole or not isinstance(end, Plain) or _PART.search(end.text):
        return
    shown = plainly(end.text)
    for text in world.added.get(path, ()):
        if plainly(text) not in shown:
            yield Finding("added", f"{text[:80]!r} was added to {path[:80]}, and is not there")
