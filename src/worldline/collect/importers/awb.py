"""Format ``awb``: rows of AgentWorldBench, one evaluated turn each, with its whole history.

`prompt[0..turn_idx-1]` are the actions as sent, `response[...]` the true observations,
`current_prompt` is the last prompt without its instructions (`awb_prompts` has the grammar). The
official data are read as they are: fields and their order are kept, nothing is normalised.

A session's trajectory keeps what a row has beside the eight fields in ``meta.rows``, one entry a
row that has more: ``{turn_idx, row: {its other fields}}``; a `task` with a slash as ``meta.task``.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.collect.importers import OnBad, convert_lines
from worldline.collect.importers.awb_prompts import bare_observation, parse_prompt, same_action
from worldline.domains import domain as find_domain
from worldline.errors import DataError, UsageError
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn, validation_error


class _Fields(msgspec.Struct, kw_only=True):
    task: str
    id: int | str
    prompt: list[str]
    response: list[str]
    current_prompt: str
    system_str: str
    turn_idx: int
    total_turns: int


_NAMES = dict.fromkeys(_Fields.__struct_fields__).keys()


class BenchRow(msgspec.Struct, frozen=True):
    """One row, exactly as it came: `row` holds every field in its order."""

    row: dict[str, Any]

    @property
    def domain(self) -> str:
        """The part of `task` after its slash, if it has one."""
        return str(self.row["task"]).rpartition("/")[2]

    @property
    def turn(self) -> int:
        """The evaluated turn, from 1."""
        return self.row["turn_idx"]

    @property
    def history(self) -> list[tuple[str, str]]:
        """(prompt, response) of each turn before the evaluated one, as sent."""
        before = self.turn - 1
        return list(zip(self.row["prompt"][:before], self.row["response"][:before], strict=True))

    @property
    def prompt(self) -> str:
        """What is sent for the evaluated turn."""
        return self.row["prompt"][self.turn - 1]

    @property
    def truth(self) -> str:
        """The true observation of the evaluated turn, as the row has it."""
        return self.row["response"][self.turn - 1]

    @property
    def more(self) -> dict[str, Any]:
        """The fields beside the eight that every row has."""
        return {name: value for name, value in self.row.items() if name not in _NAMES}

    @property
    def session(self) -> str:
        """Which recorded session the row is from, as ``id/hash``.

        Ids repeat in the wild, so the first turn counts; the number 7 and the text "7" differ.
        """
        first = self.row["current_prompt"] if self.turn == 1 else self.row["prompt"][0]
        key = [self.row["task"], self.row["id"], first.rstrip(), self.row["response"][0]]
        return f"{self.row['id']}/{hashlib.sha256(jsonl.dumps(key)).hexdigest()[:16]}"


def bench_row(value: Any, file: object = None, line: int | None = None) -> BenchRow:
    """Check a row and keep it as it is.

    Raises:
        DataError: a field is missing or has the wrong type, a list is shorter than `turn_idx`, or
            `current_prompt` and `prompt[turn_idx-1]` are about different actions (both are named).
    """
    try:
        fields = jsonl.convert(value, _Fields)
    except msgspec.ValidationError as error:
        wrong = validation_error(error, file=file, line=line)
        raise DataError(
            wrong.message,
            file=file,
            line=line,
            field=wrong.field,
            remedy=f"An AgentWorldBench row has: {', '.join(_NAMES)} (docs/formats.md).",
        ) from error
    _check(fields, file, line)
    return BenchRow(value)


def looks_like_row(value: object) -> bool:
    """Whether a value is meant as a row, be it broken: it has most of the fields and no turns."""
    return isinstance(value, dict) and "turns" not in value and len(_NAMES & value.keys()) >= 4


def _check(row: _Fields, file: object, line: int | None) -> None:
    if row.turn_idx < 1:
        raise DataError(
            f"is {row.turn_idx}; turns count from 1",
            file=file,
            line=line,
            field="turn_idx",
            remedy="Correct the row.",
        )
    for name in ("prompt", "response"):
        have = len(getattr(row, name))
        if have < row.turn_idx:
            raise DataError(
                f"has {have} entries, and turn_idx is {row.turn_idx}",
                file=file,
                line=line,
                field=name,
                remedy="It must hold every turn up to the evaluated one.",
            )
    sent = row.prompt[row.turn_idx - 1]
    if not same_action(sent, row.current_prompt):
        a, b = _around_difference(sent, row.current_prompt)
        raise DataError(
            f"{a!r} and current_prompt {b!r} are about different actions",
            file=file,
            line=line,
            field=f"prompt[{row.turn_idx - 1}]",
            remedy="The model would answer one and be graded on the other: correct the row.",
        )


def _around_difference(a: str, b: str, width: int = 80) -> tuple[str, str]:
    at = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    start = max(0, at - width // 2)
    return a[start : start + width], b[start : start + width]


def as_trajectory(row: BenchRow) -> Trajectory:
    """The session up to and including the evaluated turn, its actions and observations bare."""
    return _trajectory(row, _more(row))


def _more(row: BenchRow) -> list[dict[str, Any]]:
    return [{"turn_idx": row.turn, "row": row.more}] if row.more else []


def _trajectory(row: BenchRow, more: list[dict[str, Any]]) -> Trajectory:
    last = parse_prompt(row.row["current_prompt"])
    prompts = [*(parse_prompt(prompt) for prompt, _ in row.history), last]
    turns: list[Turn] = []
    for prompt, response in zip(prompts, row.row["response"], strict=False):
        seen = turns[-1].observation if turns else prompt.state
        moved = prompt.state is not None and prompt.state != seen
        turns.append(
            Turn(
                action=prompt.action,
                observation=bare_observation(response),
                state_before=prompt.state if moved else None,
            )
        )
    id, task = row.row["id"], prompts[0].task
    made = Trajectory(
        id=str(id),
        domain=row.domain,
        dialect="text",
        system=SystemPrompt(initial_state=prompts[0].state, verbatim=row.row["system_str"] or None),
        task=task,
        turns=tuple(turns),
        source=Source(kind="benchmark", name="AgentWorldBench"),
        meta={"total_turns": row.row["total_turns"]}
        | ({"source_id": id} if isinstance(id, int) else {})
        | ({"task": row.row["task"]} if row.row["task"] != row.domain else {})
        | ({"rows": more} if more else {}),
    )
    try:
        return msgspec.structs.replace(made, dialect=find_domain(row.domain).detect(made))
    except UsageError:  # a domain that is not installed: its text is kept as it is
        return made


def read(path: str | Path, bad: OnBad | None = None) -> Iterator[Trajectory]:
    """Stream the sessions of a benchmark file, each once, as far as its rows go.

    What rows have beside the eight fields is kept in memory until their session's turn comes.

    Raises:
        DataError: a row cannot be read and there is no `bad` to hand it to.
    """
    longest: dict[str, tuple[int, int]] = {}
    more: dict[str, list[dict[str, Any]]] = {}
    for number, raw in jsonl.raw_lines(path):
        try:
            row = bench_row(jsonl.parse_line(raw, path, number), path, number)
        except DataError:
            continue  # the second pass stops at it or hands it over
        if row.turn > longest.get(row.session, (0, 0))[0]:
            longest[row.session] = (row.turn, number)
        if row.more:
            more.setdefault(row.session, []).extend(_more(row))
    wanted = {number for _, number in longest.values()}

    def convert(value: Any, file: Path, line: int) -> Trajectory | None:
        row = bench_row(value, file, line)
        return _trajectory(row, more.pop(row.session, [])) if line in wanted else None

    for made in convert_lines(path, convert, bad):
        if made is not None:
            yield made
