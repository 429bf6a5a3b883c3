"""Hermes: tools that answer in JSON; ``read_file`` numbers lines (``    12|``)."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from worldline import jsonl
from worldline.domains.swe.actions import Edit, Names, Read, ToolCall, Write
from worldline.domains.swe.dialects.form import Shown, Tools
from worldline.domains.swe.observations import Numbered, Pieces, pieces, render
from worldline.domains.terminal.dialects.jsontext import Json, parse_json, render_json
from worldline.domains.terminal.dialects.tools import ToolForm
from worldline.domains.terminal.observations import Look, Result
from worldline.trajectory import Trajectory

NAMES = Names(
    read="read_file",
    write="write_file",
    edit=("patch",),
    path=("path",),
    old="old_string",
    new="new_string",
    all="replace_all",
    inspects=frozenset(
        {"search_files", "todo", "clarify", "skills_list", "skill_view", "session_search"}
    ),
)
_SHELL = ToolForm()
_MORE = {"truncated": False, "is_binary": False, "is_image": False}
CHARS = 500


class Field(msgspec.Struct, frozen=True):
    """One field of a JSON answer: a text in pieces, or another value."""

    name: str
    pieces: Pieces | None = None
    value: Any = None


class Answer(msgspec.Struct, frozen=True):
    """A JSON object by its fields and the style it was written in, or plain text."""

    fields: tuple[Field, ...] | None
    style: Json | None = None
    text: Pieces = ()


class Hermes(Tools):
    """The dialect ``hermes``."""

    id = "hermes"
    action = ToolCall
    observation = Answer
    shell = "terminal"
    names = NAMES

    def parse_observation(self, text: str) -> Answer:
        """The fields of a JSON object, their texts in pieces."""
        found = parse_json(text)
        if found is None or not isinstance(found.value, dict):
            return Answer(None, None, pieces(text))
        fields = tuple(_field(name, value) for name, value in found.value.items())
        return Answer(fields, msgspec.structs.replace(found, value=None))

    def render_observation(self, observation: Answer) -> str:
        """The text again."""
        if observation.fields is None or observation.style is None:
            return render(observation.text)
        value = {
            one.name: one.value if one.pieces is None else render(one.pieces)
            for one in observation.fields
        }
        return render_json(msgspec.structs.replace(observation.style, value=value))

    def detect(self, trajectory: Trajectory) -> float:
        """Its tools, and answers in JSON."""
        turns = trajectory.turns[:12]
        told = [parse_json(turn.observation) is not None for turn in turns]
        if not turns:
            return 0.0
        return super().detect(trajectory) * (0.3 + 0.7 * sum(told) / len(turns))

    def printed(self, observation: str) -> Result:
        """Output and exit code of the shell."""
        call = '{"name": "terminal", "arguments": {"command": ""}}'
        return _SHELL.results(Look(), call, observation)[0]

    def print(self, result: Result) -> str | None:
        """See `wrap`."""
        return None

    def look(self, look: Look, action: str, observation: str) -> Look:
        """Which fields results of the shell have, and how they are written."""
        return _SHELL.look(look, action, observation)

    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """The fields filled in, where their form has been seen."""
        return _SHELL.wrap(look, action, results)

    def shown(self, read: Read, observation: str) -> Shown | None:
        """The numbered lines of a file that is no image."""
        value = _object(observation)
        text = value.get("content") if value else None
        if value is None or not isinstance(text, str) or value.get("is_binary") is not False:
            return None
        found = pieces(text, marks=("|",))
        block = found[0] if len(found) == 1 else None
        if not isinstance(block, Numbered) or any(len(line) >= CHARS for line in block.lines):
            return None
        total = value.get("total_lines")
        ends = not block.lines[-1] and block.last == (total or 0) + 1
        lines = block.lines[:-1] if ends else block.lines
        whole = isinstance(total, int) and ends and value.get("truncated") is False
        return Shown(block.first, lines, total if whole else None, True if whole else None)

    def show(self, read: Read, content: str) -> str | None:
        """The fields of a whole read."""
        rows = content.split("\n")
        if rows[-1] or len(rows) < 2 or len(rows) > 400 or not content.isascii():
            return None
        if any(len(line) >= CHARS or not line.isprintable() for line in rows):
            return None
        told = render((Numbered(1, "|", 6, tuple(rows)),))
        size = len(content)
        return json.dumps(
            {"content": told, "total_lines": len(rows) - 1, "file_size": size, **_MORE}
        )

    def confirmed(self, deed: Write | Edit, observation: str) -> bool | None:
        """By its fields."""
        value = _object(observation)
        if value is None:
            return None
        if isinstance(deed, Write):
            done = "bytes_written" in value and not value.get("error")
        else:
            done = value.get("success") is True
        return True if done else None


def _object(observation: str) -> dict[str, Any] | None:
    try:
        value = jsonl.loads(observation)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _field(name: str, value: Any) -> Field:
    if not isinstance(value, str):
        return Field(name, None, value)
    return Field(name, pieces(value, marks=("|",) if name == "content" else ()))
