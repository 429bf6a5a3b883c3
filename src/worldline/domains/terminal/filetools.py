"""Tools that read and write files as JSON: ``read_file``, ``write_file``, ``patch``.

What they do to a file is followed by the names of their arguments; what they answer is certain only
for a whole read in the form that an earlier whole read of this session had.
"""

import json
from typing import Any

import msgspec

from worldline import jsonl
from worldline.domains.terminal.actions import Call
from worldline.domains.terminal.foresee import Foreseen
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.session import Session
from worldline.domains.terminal.shell.bounds import EVERYTHING, Footprint
from worldline.domains.terminal.shell.filefacts import join
from worldline.facts import FactOrigin

READS = (
    "read_file",
    "view_file",
    "search_files",
    "list_files",
    "list_directory",
    "todo",
    "clarify",
)
_WHOLE = {"truncated": False, "is_binary": False, "is_image": False}
_FIELDS = ("content", "total_lines", "file_size", *_WHOLE)


def observe(session: Session, deed: Call, result: Result, origin: FactOrigin) -> None:
    """Take in a call of a tool that is not the shell."""
    session.unsettled = False
    answer = _answer(result)
    path = _path(session, deed)
    if deed.name in READS:
        if path is not None and set(deed.arguments) == {"path"}:
            _read(session, path, answer, origin)
        return
    if path is None:
        session.apply(EVERYTHING, origin)
        return
    before = session.files.content(path)
    session.apply(Footprint(paths=(path,), repeatable=False), origin)
    failed = answer is None or answer.get("error") or answer.get("success") is False
    if not failed:
        content = _written(deed.arguments, before)
        if content is not None:
            session.files.write(path, content, "action")


def _answer(result: Result) -> dict[str, Any] | None:
    try:
        value = jsonl.loads(result.output or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _path(session: Session, deed: Call) -> str | None:
    name = deed.arguments.get("path", deed.arguments.get("file_path"))
    if not isinstance(name, str):
        return None
    path = join(str(session.cwd.value) if session.cwd else None, name)
    return None if path is None or session.files.crosses_link(path) else path


def _written(arguments: dict[str, Any], before: tuple[str, bool] | None) -> str | None:
    """The file's text after a write or an exact replacement, if that is certain."""
    content = arguments.get("content", arguments.get("file_text"))
    if isinstance(content, str):
        return content
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str) or before is None or not before[1]:
        return None
    return before[0].replace(old, new) if old and before[0].count(old) == 1 else None


def _numbered(text: str) -> str:
    return "\n".join(f"{n:6}|{row}" for n, row in enumerate(text.split("\n"), 1))


def _fields(text: str) -> dict[str, Any]:
    """The answer to a whole read of `text`, which ends with a line end."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return {
        "content": _numbered(text),
        "total_lines": text.count("\n"),
        "file_size": size,
        **_WHOLE,
    }


def _read(session: Session, path: str, answer: dict[str, Any] | None, origin: FactOrigin) -> None:
    """A file shown from its first line to its last; then the form of such answers is known too."""
    if answer is None or tuple(answer) != _FIELDS or not isinstance(answer["content"], str):
        return
    text = "\n".join(row.partition("|")[2] for row in answer["content"].split("\n"))
    if text.endswith("\n") and _fields(text) == answer:
        session.files.put(path, {"type": "file", "content": text}, origin)
        lines = max(session.look.window, text.count("\n"))
        session.look = msgspec.structs.replace(session.look, window=lines)


def foresee(session: Session, deed: Call) -> Foreseen | None:
    """``read_file`` of a file known in full and no longer than one that was read whole before."""
    path = _path(session, deed)
    if deed.name != "read_file" or set(deed.arguments) != {"path"} or path is None:
        return None
    found, content = session.files.get(path), session.files.content(path)
    if session.unsettled or session.busy or found is None or content is None or not content[1]:
        return None
    text = content[0]
    if not text.endswith("\n") or text.count("\n") > session.look.window or not text.isascii():
        return None
    if any(len(row) > 500 or not row.isprintable() for row in text.split("\n")):
        return None
    hearsay = found.origin == "model"
    return Foreseen(Result(json.dumps(_fields(text))), "terminal.readback", (found.id,), hearsay)
