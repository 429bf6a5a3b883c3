"""What harnesses share: an action in, an observation out."""

import json
import time
from abc import ABC, abstractmethod
from functools import cache
from importlib import resources
from typing import Any, ClassVar

import jsonschema

from worldline.domains.base import ActionError
from worldline.domains.swe.actions import parse_call
from worldline.environments.base import Observed
from worldline.environments.swe.files import Files, FileTrouble
from worldline.environments.swe.shell import FreshShell, LastingShell, Printed
from worldline.environments.swe.workspace import Workspace
from worldline.environments.terminal.text import kept_raw


class Harness(ABC):
    """One session's tools."""

    id: ClassVar[str]
    lasting: ClassVar[bool] = True

    def __init__(self, space: Workspace, options: dict[str, Any]) -> None:
        self.space = space
        self.options = options
        self.shell = LastingShell(space) if self.lasting else FreshShell(space)
        self.files = Files(space)

    @property
    def tools(self) -> tuple[dict[str, Any], ...] | None:
        """What the agent is offered, as JSON Schema; `None` where it just writes commands."""
        return None

    @property
    def cwd(self) -> str:
        """Where commands run."""
        return self.shell.cwd if isinstance(self.shell, LastingShell) else self.space.home

    @abstractmethod
    def act(self, action: str, limit_s: float) -> Observed:
        """Carry out one action of the dialect."""

    def close(self) -> None:
        """End its processes."""
        self.shell.close()
        self.files.close()


def ran(printed: Printed, text: str) -> Observed:
    """The record of a command; `text` is how the dialect shows it."""
    info: dict[str, Any] = {}
    if printed.code is not None:
        info["exit_code"] = printed.code
    raw = kept_raw(printed.raw, printed.output)
    if printed.code is None or printed.over:
        info["recovered"] = "restarted"
    status = "timeout" if printed.code is None else "ok"
    return Observed(observation=text, status=status, info={**info, **raw})


class Refused(Exception):
    """A tool does not do what it is asked. The text is what the agent is told."""


class ToolHarness(Harness):
    """A harness whose agent calls tools, one of them a shell."""

    shell_tool: ClassVar[str]

    @property
    def tools(self) -> tuple[dict[str, Any], ...]:
        """The tools of ``tools/ID.json``."""
        return _offered(self.id)

    def act(self, action: str, limit_s: float) -> Observed:
        """A tool call; what is none, and a tool that is not offered, are refused."""
        try:
            call = parse_call(action)
        except ActionError as error:
            return Observed(observation=f"Not an action: {error}.")
        schemas = {one["function"]["name"]: one["function"]["parameters"] for one in self.tools}
        if call.name not in schemas:
            return Observed(observation=f"There is no tool {call.name!r}.")
        trouble = _wrong(schemas[call.name], call.arguments)
        if trouble is not None:
            return Observed(observation=self.failed(trouble))
        self.files.until = time.monotonic() + limit_s
        if call.name == self.shell_tool:
            wanted = call.arguments.get("timeout")
            asked = min(wanted / self.per_second, limit_s) if wanted else limit_s
            return self.ran(self.shell.run(call.arguments["command"], asked), asked)
        try:
            return Observed(observation=self.call(call.name, call.arguments))
        except Refused as refused:
            return Observed(observation=self.failed(str(refused)))
        except FileTrouble as trouble:
            return Observed(observation=self.failed(trouble.reason))

    per_second: ClassVar[float] = 1.0
    """Units of the shell tool's ``timeout`` in a second."""

    @abstractmethod
    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """What a tool other than the shell answers.

        Raises:
            Refused, FileTrouble: it does not work.
        """

    @abstractmethod
    def ran(self, printed: Printed, limit_s: float) -> Observed:
        """How a command's outcome is shown."""

    @abstractmethod
    def failed(self, reason: str) -> str:
        """How a tool's failure is shown."""


@cache
def _offered(id: str) -> tuple[dict[str, Any], ...]:
    text = resources.files("worldline.environments.swe").joinpath(f"tools/{id}.json").read_text()
    return tuple({"type": "function", "function": one} for one in json.loads(text))


def _wrong(schema: dict[str, Any], arguments: dict[str, Any]) -> str | None:
    """What is wrong with the arguments."""
    errors = sorted(jsonschema.Draft202012Validator(schema).iter_errors(arguments), key=str)
    if not errors:
        return None
    field = ".".join(str(part) for part in errors[0].path)
    return f"InvalidArguments: {f'{field}: ' if field else ''}{errors[0].message}"
