"""Observations of coding tools in parts, as measures compare them with the truth's.

What a harness puts around an answer is frame; the lines of a file or a program are content; what
the call already fixed is state: the path that was asked for, the number a read begins with, the
directory. How a command went is a content part of its own, even where only silence tells it.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from worldline.domains.base import ActionError
from worldline.domains.parts import STATUS, Kind, Part, line_parts
from worldline.domains.swe.actions import Edit, Operation, Read, Write
from worldline.domains.swe.dialects import FORMS
from worldline.domains.swe.dialects.bash_returncode import envelope
from worldline.domains.swe.dialects.form import Tools
from worldline.domains.swe.dialects.qwen_cli import parted
from worldline.domains.swe.layouts import confirmed, numbered, tag_row, tagged, went
from worldline.domains.terminal.actions import Call, Run
from worldline.domains.terminal.dialects.jsontext import fields

Doing = Run | Operation | None
"""What an action comes to: a command line, a deed of a tool, or nothing that we read."""
CONFIRMATIONS = ("updated", "updated_well", "updated_now", "created", "replaced")
_LABELS: dict[str, Kind] = {
    "Command": "state",
    "Directory": "state",
    "Process Group PGID": "runtime",
}
_EXIT = re.compile(r"Exit code (\d{1,3})(?:\n|\Z)")
_EXITED = re.compile(r"(?:\n\n|\A)Command exited with code (\d{1,3})\s{0,4}\Z")
_HEAD = re.compile(r"(\[File: )?(/[^\n]{1,4000}) \((\d{1,9}) lines total\)\]?")
_AROUND = ("(Open file: ", "(Current directory: ")
RUNTIME_FIELDS = frozenset({"duration_seconds", "pid", "session_id"})


def parts(dialect: str, action: str, observation: str) -> list[Part] | None:
    """The observation in parts; `None` if the dialect cannot read it.

    Args:
        dialect: a dialect of this domain.
    """
    found = _parts(dialect, action, observation)
    return None if found is None else list(found)


@lru_cache(maxsize=16)
def _parts(dialect: str, action: str, observation: str) -> tuple[Part, ...] | None:
    """Kept for a moment: measures ask for the same parts more than once."""
    found = _READERS[dialect](doing(dialect, action), observation)
    return None if found is None else tuple(found)


@lru_cache(maxsize=256)
def doing(dialect: str, action: str) -> Doing:
    """What an action comes to."""
    form = FORMS[dialect]
    try:
        deed = form.deeds(action)[0]
    except ActionError:
        return None
    if isinstance(deed, Run):
        return deed
    if isinstance(form, Tools) and isinstance(deed, Call) and deed.name != "shell":
        return form.operation(deed)
    return None


def status(dialect: str, action: str, observation: str) -> str | None:
    """How a command or a call went, where the observation tells: an exit code, ``ok``,
    ``error``."""
    found = _parts(dialect, action, observation) or ()
    told = next((one.text for one in found if one.key == STATUS), None)
    form, deed = FORMS[dialect], doing(dialect, action)
    if told is not None or not isinstance(form, Tools) or not isinstance(deed, Edit | Write):
        return told
    done = form.confirmed(deed, observation)
    return "ok" if done else "error" if done is False else None


def _body(deed: Doing, text: str, start: int) -> list[Part]:
    """What a shell printed; a directory that was asked for is the session's own."""
    alone = isinstance(deed, Run) and deed.text.strip() == "pwd"
    return line_parts(text, "state" if alone else "content", start)


# dialects


def _returned(deed: Doing, text: str) -> list[Part] | None:
    found = envelope(text)
    if found is None:
        return None
    made = []
    for kind, start, end in found:
        if kind == "code":
            made.append(went(text[start:end], start))
        elif kind == "output":
            made += _body(deed, text[start:end], start)
        else:
            made += line_parts(text[start:end], "frame" if kind == "frame" else "content", start)
    return made


def _claude(deed: Doing, text: str) -> list[Part]:
    if isinstance(deed, Run) and not text.startswith("<tool_use_error>"):
        match = _EXIT.match(text)
        told = went("0") if match is None else went(match[1], match.start(1))
        start = 0 if match is None else match.end()
        return [told, *_body(deed, text[start:], start)]
    if isinstance(deed, Read):
        return list(numbered("claude-code", text, 0))
    return tagged(text) if text.startswith("<tool_use_error>") else confirmed(text, CONFIRMATIONS)


def _opencode(deed: Doing, text: str) -> list[Part]:
    if not isinstance(deed, Read):
        return _body(deed, text, 0)
    made: list[Part] = []
    at, loose = 0, 0
    for line in text.split("\n"):
        row = list(tag_row(line, at))
        if row:
            made += numbered("opencode", text[loose:at], loose) if text[loose:at].strip() else ()
            made += row
            loose = at + len(line) + 1
        at += len(line) + 1
    rest = text[loose:]
    return made + (list(numbered("opencode", rest, loose)) if rest.strip() else [])


def _pi(deed: Doing, text: str) -> list[Part]:
    if isinstance(deed, Run):
        match = _EXITED.search(text, max(len(text) - 60, 0))
        told = went("0") if match is None else went(match[1], match.start(1))
        return [told, *_body(deed, text[: match.start()] if match else text, 0)]
    return confirmed(text, ("replaced",)) if isinstance(deed, Edit) else line_parts(text)


def _aci(deed: Doing, text: str) -> list[Part]:
    """Views have a head, and their lines numbers; some versions put the state below."""
    made: list[Part] = []
    at = loose = 0
    viewing = False

    def flush(end: int) -> None:
        piece = text[loose:end]
        if not piece.strip():
            return
        made.extend(numbered("aci", piece, loose) if viewing else _body(deed, piece, loose))

    for line in text.split("\n"):
        head = _HEAD.match(line) if line.startswith(("[File: ", "/")) else None
        if head is not None or line.startswith(_AROUND) or line.rstrip() == "bash-$":
            flush(at)
            if head is None:
                made.append(Part(line.rstrip(), "frame" if line[0] == "b" else "state", "", at))
                viewing = False
            else:
                made += [Part(head[1], "frame", "", at)] if head[1] else []
                made.append(Part(head[2], "state", "", at + head.start(2)))
                made.append(Part(head[3], "content", "", at + head.start(3)))
                viewing = True
            loose = at + len(line) + 1
        at += len(line) + 1
    flush(len(text))
    return made


def _hermes(deed: Doing, text: str) -> list[Part] | None:
    value = fields(text)
    if value is None:
        return None
    made: list[Part] = []
    for name, one in value.items():
        made.append(Part(name, "frame", f"field {name}"))
        made += _field(deed, name, one)
    return made


def _field(deed: Doing, name: str, value: Any) -> list[Part]:
    """The value of a field: lines of a text, or one value."""
    if name == "exit_code":
        return [went(str(value))]
    if isinstance(value, str) and name == "content":
        return [_nowhere(one) for one in numbered("hermes", value, 0)]
    if isinstance(value, str):
        return [_nowhere(one) for one in _body(deed, value, 0)]
    kind: Kind = "runtime" if name in RUNTIME_FIELDS else "content"
    return [Part(json.dumps(value, ensure_ascii=False), kind, f"value {name}")]


def _nowhere(part: Part) -> Part:
    """A part of a text that stands in the observation in JSON's spelling only."""
    return Part(part.text, part.kind, part.key)


def _qwen(deed: Doing, text: str) -> list[Part]:
    labels = parted(text)
    if not labels:
        return confirmed(text, ("overwrote", "made", "modified"))
    made: list[Part] = []
    at = 0
    for name, told in labels:
        made.append(Part(f"{name}:", "frame", f"label {name}", at))
        value = told.strip()
        start = at + len(name) + 1 + len(told) - len(told.lstrip())
        if name in ("Output", "Error"):
            made += _body(deed, value, start)
        else:
            key = STATUS if name == "Exit Code" else f"value {name}"
            made.append(Part(value, _LABELS.get(name, "content"), key, start))
        at += len(name) + 2 + len(told)
    return made


_READERS: dict[str, Callable[[Doing, str], list[Part] | None]] = {
    "bash-returncode": _returned,
    "claude-code": _claude,
    "opencode": _opencode,
    "pi": _pi,
    "aci": _aci,
    "hermes": _hermes,
    "qwen-cli": _qwen,
}
