"""Format ``common``: one recorded trajectory a line, as published collections are brought together.

    {domain, id, source{repo, commit, path, licence}, task, tools, initial_state,
     turns[{action, observation, state_before}], notes}

Nothing is lost: what has no field of its own in a trajectory goes to `meta` (`notes`, `path`, and
unknown fields under `row` and `source`), unknown fields of a turn to its `info`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.collect.importers import OnBad, convert_lines
from worldline.domains import domain as find_domain
from worldline.errors import DataError, UsageError
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn, validation_error

FAMILIES = (
    ("terminal", "princeton-nlp/intercode", "command"),
    ("terminal", "anyterminal_agent", "json"),
    ("terminal", "biomnibench_da", "terminus2"),
    ("terminal", "SWE-agent/SWE-agent", "aci"),
    ("mcp", "icip-cas/LiveMCPBench", "call-tool-result"),
    ("mcp", "sierra-research/tau-bench", "json"),
    ("mcp", "NVIDIA-NeMo/Gym", "json"),
    ("swe", "mini-swe-agent", "bash-returncode"),
    ("swe", "mini_swe_agent", "bash-returncode"),
    ("swe", "SWE-agent/SWE-agent", "aci"),
    ("swe", "rollouts_hermes", "hermes"),
    ("swe", "rollouts_claude_code", "claude-code"),
    ("swe", "rollouts_opencode", "opencode"),
    ("swe", "rollouts_pi", "pi"),
    ("search", "noahshinn/reflexion", "react"),
    ("search", "NVIDIA-NeMo/Gym", "json"),
    ("web", "ServiceNow/BrowserGym", "browsergym"),
    ("web", "MinorJerry/WebVoyager", "labelled"),
    ("os", "neuroagents-lab/ROGUE", "a11y-tsv"),
    ("android", "android_world_agents", "ui-elements"),
    ("android", "droidbot", "droidbot"),
    ("android", "drme/gui-test", "droidbot"),
    ("android", "KeaProject", "droidbot"),
)
"""(domain, part of ``repo/path``, dialect): the first that fits says how the text is written."""


NEEDS = (
    "A row needs domain, id, source {repo} and turns [{action, observation}]; the rest may be "
    "null or left out (docs/formats.md)."
)


class _Turn(msgspec.Struct, kw_only=True):
    action: str
    observation: str
    state_before: str | None = None


class _Source(msgspec.Struct, kw_only=True):
    repo: str
    commit: str | None = None
    path: str | None = None
    licence: str | None = None


class _Row(msgspec.Struct, kw_only=True):
    domain: str
    id: str | int
    source: _Source
    task: str | None = None
    tools: tuple[dict[str, Any], ...] | None = None
    initial_state: str | None = None
    turns: tuple[_Turn, ...]
    notes: Any = None


def read(path: str | Path, bad: OnBad | None = None) -> Iterator[Trajectory]:
    """Stream the trajectories of a file in this format (``.gz`` too).

    Raises:
        DataError: a line cannot be read and there is no `bad` to hand it to.
    """
    return convert_lines(path, convert, bad)


read_common = read


def convert(value: Any, file: object = None, line: int | None = None) -> Trajectory:
    """One row as a trajectory; `DataError` names file, line and field."""
    try:
        row = jsonl.convert(value, _Row)
    except msgspec.ValidationError as error:
        raise _explained(value, error, file, line) from error
    source = row.source
    meta = {
        "source_id": row.id if isinstance(row.id, int) else None,
        "notes": row.notes,
        "path": source.path,
        "cluster": _cluster(row),
        "source": _unknown(value["source"], _Source),
        "row": _unknown(value, _Row),
    }
    made = Trajectory(
        id=str(row.id),
        domain=row.domain,
        dialect="text",
        system=SystemPrompt(
            task_description=f"The agent's task: {row.task}" if row.task else "",
            initial_state=row.initial_state,
        ),
        tools=row.tools,
        task=row.task,
        turns=tuple(
            Turn(
                action=turn.action,
                observation=turn.observation,
                state_before=turn.state_before,
                info=_unknown(raw, _Turn),
            )
            for turn, raw in zip(row.turns, value["turns"], strict=True)
        ),
        source=Source(
            kind="recorded",
            name=source.repo,
            version=source.commit,
            licence=source.licence or "unknown",
        ),
        meta={key: kept for key, kept in meta.items() if kept not in (None, {})},
    )
    return msgspec.structs.replace(made, dialect=_dialect(row, made))


def _unknown(raw: dict[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key not in kind.__struct_fields__}


def _cluster(row: _Row) -> str | None:
    """Desktop recordings are cut into windows of one run: those are one unit, not many."""
    if row.domain != "os" or row.source.path is None:
        return None
    return f"{row.source.repo}:{row.source.path}"


def _dialect(row: _Row, made: Trajectory) -> str:
    where = f"{row.source.repo}/{row.source.path or ''}"
    for domain, part, dialect in FAMILIES:
        if domain == row.domain and part in where:
            return dialect
    try:
        return find_domain(row.domain).detect(made)
    except UsageError:  # a domain that is not installed: its text is kept as it is
        return "text"


def _explained(
    value: Any, error: msgspec.ValidationError, file: object, line: int | None
) -> DataError:
    if isinstance(value, dict) and str(value.get("schema", "")).startswith("worldline."):
        return DataError(
            f"is already a {value['schema']!r} record",
            file=file,
            line=line,
            field="schema",
            remedy="Use the file as it is.",
        )
    wrong = validation_error(error, file=file, line=line)
    return DataError(wrong.message, file=file, line=line, field=wrong.field, remedy=NEEDS)
