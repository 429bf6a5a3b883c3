"""Format ``atif``: the Agent Trajectory Interchange Format of Harbor, versions 1.x.

A step of the agent with what came back is one turn; several calls that were answered one by one are
a turn each. Steps of the user and the system are no actions: the first of the user is the task,
the others stand in the `info` of the turn that follows them, as do the agent's own words. Lists of
token ids and their probabilities are left out; everything else is kept.

A trajectory of a sub-agent inside another one becomes a trajectory of its own.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.collect.importers import OnBad
from worldline.collect.importers.atif_steps import TURNLESS, Agent, Step, turns
from worldline.collect.importers.files import distinct, documents
from worldline.collect.importers.guess import place
from worldline.errors import DataError, SchemaVersionError
from worldline.trajectory import Source, SystemPrompt, Trajectory, validation_error

SUFFIXES = (".json",)
VERSION = re.compile(r"ATIF-v(\d{1,3})\.(\d{1,3})")
DEEPEST = 8
"""So many sub-agents may be inside one another."""


class _Document(msgspec.Struct, kw_only=True):
    schema_version: str
    agent: Agent
    steps: list[Step]
    session_id: str | None = None
    trajectory_id: str | None = None
    notes: str | None = None
    final_metrics: dict[str, Any] | None = None
    continued_trajectory_ref: str | None = None
    extra: dict[str, Any] | None = None
    subagent_trajectories: list[dict[str, Any]] | None = None


def read(path: str | Path, bad: OnBad | None = None) -> Iterator[Trajectory]:
    """Stream the trajectories of a file (``.json``, ``.jsonl``), a folder or a pattern.

    Raises:
        DataError: a document cannot be read and there is no `bad` to hand it to.
    """
    return distinct(documents(path, SUFFIXES, convert, bad))


def convert(value: Any, file: Path, line: int | None = None) -> list[Trajectory]:
    """A document as trajectories, sub-agents after it; `DataError` names file, line and field."""
    try:
        return _converted(value, file, line, "", None, 0)
    except RecursionError as error:
        raise DataError("is nested too deeply", file=file, line=line) from error


def _converted(
    value: Any, file: Path, line: int | None, where: str, parent: str | None, depth: int
) -> list[Trajectory]:
    document = _checked(value, file, line, where)
    _check_order(document, file, line, where)
    name = document.trajectory_id or document.session_id or file.name.partition(".")[0]
    name = f"{parent}/{name}" if parent else name
    made = [_trajectory(document, value, name, file, parent)]
    for at, inner in enumerate(document.subagent_trajectories or ()):
        if depth >= DEEPEST:
            raise DataError("is nested too deeply", file=file, line=line, field=where or None)
        place = f"{where}subagent_trajectories[{at}]."
        made += _converted(inner, file, line, place, name, depth + 1)
    return made


def _checked(value: Any, file: Path, line: int | None, where: str) -> _Document:
    version = value.get("schema_version") if isinstance(value, dict) else None
    match = VERSION.fullmatch(version) if isinstance(version, str) else None
    if match is None:
        raise DataError(
            f"is {version!r}, not a version of ATIF" if version else "is no ATIF document",
            file=file,
            line=line,
            field=f"{where}schema_version",
            remedy='It must begin {"schema_version": "ATIF-v1...", "agent": ..., "steps": ...}.',
        )
    if match[1] != "1":
        raise SchemaVersionError(
            f"is {version!r}; this version reads ATIF-v1",
            file=file,
            line=line,
            field=f"{where}schema_version",
            remedy="Update worldline, or write the file as ATIF-v1.",
        )
    try:
        document = jsonl.convert(value, _Document)
        for step, raw in zip(document.steps, value["steps"], strict=True):
            step.row = {key: kept for key, kept in raw.items() if key not in _STEP}
        return document
    except msgspec.ValidationError as error:
        wrong = validation_error(error, file=file, line=line)
        field = f"{where}{wrong.field}" if wrong.field else where or None
        raise DataError(
            wrong.message, file=file, line=line, field=field, remedy="Correct or leave it out."
        ) from error


def _check_order(document: _Document, file: Path, line: int | None, where: str) -> None:
    """Steps count from 1 and results belong to calls: else something of the session is missing."""
    if not document.steps:
        raise DataError("is empty", file=file, line=line, field=f"{where}steps")
    for at, step in enumerate(document.steps):
        field = f"{where}steps[{at}]"
        if step.step_id != at + 1:
            raise DataError(
                f"expected {at + 1}, got {step.step_id}: a step is missing or twice there",
                file=file,
                line=line,
                field=f"{field}.step_id",
            )
        if wrong := step.wrong():
            raise DataError(wrong, file=file, line=line, field=f"{field}.observation")


def _trajectory(
    document: _Document, value: dict[str, Any], name: str, file: Path, parent: str | None
) -> Trajectory:
    agent = document.agent
    task = next((step.text for step in document.steps if step.source == "user"), None)
    found, left = turns(document.steps)
    meta = {
        "file": file.name,
        "parent": parent,
        "schema_version": document.schema_version,
        "session_id": document.session_id,
        "agent": {"name": agent.name, "version": agent.version, "model": agent.model_name}
        | (agent.extra or {}),
        "agent_prompt": next((s.text for s in document.steps if s.source == "system"), None),
        "notes": document.notes,
        "final_metrics": document.final_metrics,
        "continued": document.continued_trajectory_ref,
        "extra": document.extra,
        TURNLESS: left or None,
        "row": {key: kept for key, kept in value.items() if key not in _FIELDS} or None,
    }
    licence = (document.extra or {}).get("licence") or (document.extra or {}).get("license")
    stamps = (step.timestamp for step in document.steps if step.timestamp)
    made = Trajectory(
        id=name,
        domain="generic",
        dialect="text",
        system=SystemPrompt(task_description=f"The agent's task: {task}" if task else ""),
        tools=tuple(agent.tool_definitions) if agent.tool_definitions else None,
        task=task,
        turns=found,
        source=Source(
            kind="recorded",
            name=agent.name,
            version=agent.version,
            licence=licence if isinstance(licence, str) else "unknown",
            collected_at=next(stamps, None),
        ),
        meta={key: kept for key, kept in meta.items() if kept is not None},
    )
    return place(made)


_FIELDS = frozenset(_Document.__struct_fields__)
_STEP = frozenset(Step.__struct_fields__) - {"row"}
