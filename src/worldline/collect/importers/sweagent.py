"""Format ``sweagent``: trajectories of SWE-agent (``.traj``), with its steps or only its history.

A step is a turn: its action and observation as recorded. What the agent thought, the state the
harness asked for and the time it took stand in `info`. The prompts that each step was sent with
repeat the history and are left out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.collect.importers import OnBad
from worldline.collect.importers.files import distinct, documents
from worldline.collect.importers.guess import place
from worldline.domains import domain as find_domain
from worldline.errors import DataError
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn, validation_error

SUFFIXES = (".traj",)
CONTEST = ("capture the flag", "ctf challenge", "ctf player")
"""Prompts of its security tasks: those are played in a terminal."""

_LEFT_OUT = ("messages", "query")


class _Step(msgspec.Struct, kw_only=True):
    action: str | None = None
    observation: str | None = None
    response: str | None = None
    thought: str | None = None
    state: Any = None
    execution_time: float | None = None


class _Text(msgspec.Struct, kw_only=True):
    text: str = ""


class _Message(msgspec.Struct, kw_only=True):
    role: str
    content: str | list[_Text] | None = None
    action: str | None = None
    thought: str | None = None
    is_demo: bool = False
    message_type: str | None = None

    @property
    def text(self) -> str:
        """The text of its content."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class _Document(msgspec.Struct, kw_only=True):
    trajectory: list[_Step] | None = None
    history: list[_Message] | None = None
    info: dict[str, Any] | None = None
    environment: str | None = None
    replay_config: Any = None


def read(path: str | Path, bad: OnBad | None = None) -> Iterator[Trajectory]:
    """Stream the trajectories of a file, a folder of ``.traj`` files or a pattern.

    Raises:
        DataError: a file cannot be read and there is no `bad` to hand it to.
    """
    return distinct(documents(path, SUFFIXES, convert, bad))


def convert(value: Any, file: Path, line: int | None = None) -> list[Trajectory]:
    """A file's value as one trajectory; `DataError` names file and field."""
    if not isinstance(value, dict) or not {"trajectory", "history"} & value.keys():
        raise DataError(
            "is no trajectory of SWE-agent",
            file=file,
            line=line,
            remedy="It must hold an object with trajectory [{action, observation}] or history.",
        )
    try:
        document = jsonl.convert(value, _Document)
    except msgspec.ValidationError as error:
        wrong = validation_error(error, file=file, line=line)
        raise DataError(
            wrong.message, file=file, line=line, field=wrong.field, remedy="Correct the file."
        ) from error
    steps, raw = _steps(document), value.get("trajectory")
    if not steps:
        raise DataError("has no steps", file=file, line=line, field="trajectory")
    return [_trajectory(document, steps, raw if isinstance(raw, list) else [], file, line)]


def _steps(document: _Document) -> list[_Step]:
    """The steps; of a history alone, each action with the message that follows it."""
    if document.trajectory is not None:
        return document.trajectory
    made: list[_Step] = []
    history = [one for one in document.history or () if not one.is_demo]
    for at, message in enumerate(history):
        if message.role != "assistant":
            continue
        after = history[at + 1] if at + 1 < len(history) else None
        answered = after is not None and after.role in ("user", "tool")
        made.append(
            _Step(
                action=message.action,
                observation=after.text if after and answered else None,
                response=message.text,
                thought=message.thought,
            )
        )
    return made


def _trajectory(
    document: _Document, steps: list[_Step], raw: list[Any], file: Path, line: int | None
) -> Trajectory:
    turns: list[Turn] = []
    left: list[dict[str, Any]] = []
    for at, step in enumerate(steps):
        more = _unknown(raw[at]) if at < len(raw) else {}
        action = (step.action or step.response or "").removesuffix("\n")
        if step.observation is None or not action:
            left.append({"step": at + 1, **msgspec.to_builtins(step)})
        else:
            info = {"step": at + 1, **_info(step), **more}
            turns.append(Turn(action=action, observation=step.observation, info=info))
    told = [one for one in document.history or () if not one.is_demo]
    demos = [one.text for one in document.history or () if one.is_demo]
    task = next((one.text for one in told if one.role == "user"), None)
    prompt = next((one.text for one in told if one.role == "system"), None)
    info = document.info or {}
    meta = {
        "file": file.name,
        "line": line,
        "environment": document.environment,
        "agent_prompt": prompt,
        "agent_demonstrations": demos or None,
        "info": info or None,
        "replay_config": document.replay_config,
        "unanswered": left or None,
    }
    version = info.get("swe_agent_version")
    made = Trajectory(
        id=file.name.removesuffix(".gz").removesuffix(".traj") + (f"/{line}" if line else ""),
        domain="swe",
        dialect="aci",
        system=SystemPrompt(task_description=f"The agent's task: {task}" if task else ""),
        task=task,
        turns=tuple(turns),
        source=Source(
            kind="recorded",
            name="SWE-agent",
            version=version if isinstance(version, str) else None,
        ),
        meta={key: kept for key, kept in meta.items() if kept is not None},
    )
    return _placed(made, f"{prompt}\n{task}")


def _placed(made: Trajectory, told: str) -> Trajectory:
    """Tool calls are guessed at; editor commands belong to a repository or a contest."""
    called = place(msgspec.structs.replace(made, domain="generic", dialect="text"))
    if called.domain not in ("generic", "swe"):
        return called
    domain = "terminal" if any(word in told.lower() for word in CONTEST) else "swe"
    made = msgspec.structs.replace(made, domain=domain)
    return msgspec.structs.replace(made, dialect=find_domain(domain).detect(made))


def _info(step: _Step) -> dict[str, Any]:
    given = {
        "said": step.response if step.action else None,
        "thought": step.thought,
        "state": _state(step.state),
        "duration_s": step.execution_time,
    }
    return {key: kept for key, kept in given.items() if kept not in (None, "")}


def _state(state: Any) -> Any:
    """The state as a value; older files hold it as JSON text."""
    if not isinstance(state, str):
        return state
    try:
        return jsonl.loads(state)
    except (ValueError, RecursionError):
        return state


def _unknown(raw: Any) -> dict[str, Any]:
    known = {*_Step.__struct_fields__, *_LEFT_OUT}
    return {key: kept for key, kept in raw.items() if key not in known}
