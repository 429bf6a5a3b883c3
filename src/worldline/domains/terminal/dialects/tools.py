"""JSON: an action is a tool call ``{"name", "arguments"}``, an observation a JSON result.

The shell is one of the tools (``terminal``, ``bash``, ...) and answers with
``{"output", "exit_code", "error"}``, its output without the line end at the end.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from worldline.domains.base import ActionError
from worldline.domains.terminal.actions import Call, Deed, Run
from worldline.domains.terminal.dialects.command import Output, parse_output, render_output
from worldline.domains.terminal.dialects.form import Form, parses, sample
from worldline.domains.terminal.dialects.jsontext import Json, parse_json, render_json
from worldline.domains.terminal.observations import Look, Result
from worldline.trajectory import Trajectory

SHELLS = ("terminal", "bash", "shell", "run_command", "execute_command", "run_shell_command")
USUAL = ("output", "exit_code", "error")


class ToolCall(msgspec.Struct, frozen=True):
    """A tool call as written."""

    json: Json

    @property
    def name(self) -> str:
        """Name of the tool."""
        return self.json.value["name"]

    @property
    def arguments(self) -> dict[str, Any]:
        """Its arguments."""
        return self.json.value.get("arguments") or {}


class ToolResult(msgspec.Struct, frozen=True):
    """What the tool gave back: a JSON value, or plain output."""

    json: Json | None
    output: Output | None = None


class ToolForm(Form):
    """The dialect ``json``."""

    id = "json"
    action = ToolCall
    observation = ToolResult

    def parse_action(self, text: str) -> ToolCall:
        """A JSON object with a name and arguments."""
        found = parse_json(text)
        if found is None or not isinstance(found.value, dict):
            raise ActionError('expected a JSON object {"name": ..., "arguments": {...}}')
        if not isinstance(found.value.get("name"), str):
            raise ActionError('expected a field "name" that names a tool')
        if not isinstance(found.value.get("arguments", {}), dict | None):
            raise ActionError('expected a field "arguments" that holds an object')
        return ToolCall(found)

    def render_action(self, action: ToolCall) -> str:
        """The text again."""
        return render_json(action.json)

    def parse_observation(self, text: str) -> ToolResult:
        """A JSON value, else lines."""
        found = parse_json(text)
        return ToolResult(None, parse_output(text)) if found is None else ToolResult(found)

    def render_observation(self, observation: ToolResult) -> str:
        """The text again."""
        if observation.json is not None:
            return render_json(observation.json)
        return render_output(observation.output) if observation.output else ""

    def detect(self, trajectory: Trajectory) -> float:
        """Actions are tool calls that are no keystrokes."""
        return 0.9 * sample(
            trajectory, lambda text: parses(self.parse_action, text) and "keystrokes" not in text
        )

    def deeds(self, action: str) -> list[Deed]:
        """One command line, or one call of another tool."""
        call = self.parse_action(action)
        command = call.arguments.get("command")
        if call.name in SHELLS and isinstance(command, str):
            plain = set(call.arguments) <= {"command", "timeout"}
            return [Run(command)] if plain else [Call("shell", call.arguments)]
        return [Call(call.name, call.arguments)]

    def results(self, look: Look, action: str, observation: str) -> list[Result]:
        """Output and exit code of the shell; of other tools the whole answer."""
        fields = self._fields(observation)
        if fields is None or not isinstance(fields.get("output"), str):
            return [Result(observation if fields is None else json.dumps(fields))]
        code = fields.get("exit_code")
        return [Result(fields["output"], code if isinstance(code, int) else None)]

    def _fields(self, observation: str) -> dict[str, Any] | None:
        found = parse_json(observation)
        return found.value if found is not None and isinstance(found.value, dict) else None

    def look(self, look: Look, action: str, observation: str) -> Look:
        """Which fields results of the shell have, and how they are written."""
        found = parse_json(observation)
        if found is None or not isinstance(found.value, dict):
            return look
        if not isinstance(self.deeds(action)[0], Run):
            extra = any(key.startswith("_") for key in found.value)
            return msgspec.structs.replace(look, spaced=found.spaced, upset=look.upset or extra)
        keys = tuple(found.value)
        if keys != USUAL:
            return msgspec.structs.replace(look, upset=True)
        plain = observation.isascii() and "\\u" not in observation
        ascii = look.ascii if plain else found.ascii
        return msgspec.structs.replace(look, keys=keys, spaced=found.spaced, ascii=ascii)

    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """The fields filled in; only where their form has been seen and nothing was added to it."""
        result = results[0]
        if isinstance(self.deeds(action)[0], Call) and not look.upset and result.output:
            return render_json(Json(json.loads(result.output), look.spaced, look.ascii))
        if look.upset or look.keys != USUAL or result.output is None or result.code is None:
            return None
        output = result.output.rstrip("\n")
        if not output.isascii() or output != output.strip():
            return None
        value = {"output": output, "exit_code": result.code, "error": None}
        return render_json(Json(value, look.spaced, look.ascii))
