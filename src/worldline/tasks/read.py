"""Tasks from a file or a built-in set, with all that is wrong found by reading.

    read_tasks("terminal")       a set that comes along
    read_tasks("mine.jsonl")     JSON Lines, one task a line

Wrong is: a field's type, an unknown op, a bad pattern or path, an action that is none of its
dialect, a template that names a turn that does not exist yet, an id twice, a family in two splits.
"""

from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, cast

import msgspec

from worldline import jsonl
from worldline.domains import domain as find_domain
from worldline.domains.base import ActionError, Dialect
from worldline.errors import DataError, UsageError, WorldlineError
from worldline.paths import is_file
from worldline.tasks import SETS
from worldline.tasks.args import argument
from worldline.tasks.task import TASK_SCHEMA, Check, Task
from worldline.tasks.template import fill, templates
from worldline.trajectory import check_schema, validation_error


def set_path(name: str) -> Path:
    """The file of a built-in set."""
    return Path(str(resources.files("worldline.tasks") / "sets" / f"{name}.jsonl"))


def read_tasks(source: str | Path) -> tuple[Task, ...]:
    """The tasks of a built-in set (``terminal``, ``swe``, ``mcp``, ``search``) or of a file.

    Raises:
        UsageError: there is no such set or file.
        DataError: a task is wrong; names file, line, field and remedy.
    """
    path = set_path(str(source)) if str(source) in SETS else Path(source)
    if not is_file(path):
        raise UsageError(
            f"there is no task file or set {str(source)!r}",
            remedy=f"Name a .jsonl file or one of: {', '.join(SETS)}.",
        )
    read = jsonl.read(path)
    tasks = [(line.number, task(line.value, file=path, line=line.number)) for line in read]
    if not tasks:
        raise DataError("holds no task", file=path, remedy="Write one task a line.")
    together(tasks, file=path)
    return tuple(one for _, one in tasks)


def task(row: Any, *, file: object = None, line: int | None = None) -> Task:
    """Read one task record. Unknown fields are left out.

    Raises:
        SchemaVersionError: another major version.
        DataError: it is wrong; names file, line and field.
    """
    fields = cast(dict[str, Any], row if isinstance(row, dict) else {})
    check_schema(fields.get("schema"), TASK_SCHEMA, file=file, line=line)
    try:
        made = jsonl.convert(fields, Task)
    except msgspec.ValidationError as error:
        found = validation_error(error)
        raise DataError(
            found.message,
            file=file,
            line=line,
            field=found.field,
            remedy="docs/tasks.md has the shape.",
        ) from error
    for error in problems(made):
        where = {"field": error.field, "remedy": error.remedy}
        raise DataError(error.message, file=file, line=line, **where)
    return _located(made, file, line)


def together(tasks: Iterable[tuple[int | None, Task]], *, file: object = None) -> None:
    """Refuse ids that repeat and families that stand in two splits; `tasks` come with their lines.

    Raises:
        DataError: names the second of the two.
    """
    seen: dict[str, int | None] = {}
    splits: dict[str, Task] = {}
    for line, one in tasks:
        if one.id in seen:
            raise DataError(
                f"{one.id!r} is the id of an earlier task{_on(seen[one.id])}",
                file=file,
                line=line,
                field="id",
                remedy="Ids are used once.",
            )
        seen[one.id] = line
        first = splits.setdefault(one.family or one.id, one)
        if first.split != one.split:
            raise DataError(
                f"{one.split!r}, but the family {one.family!r} is in {first.split!r} ({first.id})",
                file=file,
                line=line,
                field="split",
                remedy="A family belongs to one split.",
            )


def _on(line: int | None) -> str:
    return "" if line is None else f" (line {line})"


def problems(task: Task) -> Iterator[DataError]:
    """What is wrong with a task that has the right types; each error names its field."""
    for field, error in _problems(task):
        where = ".".join(part for part in (field, error.field) if part)
        yield DataError(error.message, field=where, remedy=error.remedy)


def _problems(task: Task) -> Iterator[tuple[str, WorldlineError]]:
    if not task.id.strip() or not task.id.isprintable():
        yield "id", DataError(f"{task.id!r} is no id", remedy="Write a printable text.")
    try:
        dialect = find_domain(task.domain).dialect(task.dialect)
    except UsageError as error:
        yield "", error
        return
    if not any(probe.checks for probe in task.probes):
        yield "probes", DataError("nothing is checked", remedy="Add a probe with a check.")
    yield from _probes(task, dialect)
    yield from _reference(task, dialect)


def _probes(task: Task, dialect: Dialect) -> Iterator[tuple[str, WorldlineError]]:
    on_answer = False
    for n, probe in enumerate(task.probes):
        if probe.action is not None and (error := _action(dialect, probe.action)):
            yield f"probes[{n}].action", error
        for m, check in enumerate(probe.checks):
            on_answer |= check.of == "answer"
            field = f"probes[{n}].checks[{m}]"
            if check.of == "observation" and probe.action is None:
                why = "is on an observation, but the probe has no action"
                yield f"{field}.of", DataError(why, remedy="Add one, or check the answer.")
            yield from ((f"{field}", error) for error in _check(check, dialect))
    if task.kind == "answer" and not on_answer:
        yield "probes", DataError("no check is on the answer", remedy='Write "of": "answer".')


def _check(check: Check, dialect: Dialect) -> Iterator[WorldlineError]:
    if not 0 < check.weight < float("inf"):
        yield DataError(f"{check.weight:g} is no weight", field="weight", remedy="Above 0.")
    if check.op == "exit" and check.of != "observation":
        yield DataError("an exit code is of an observation", field="of", remedy="Leave `of` out.")
    if check.op == "tree" and (dialect.tree is None or check.of == "answer"):
        why = f"states of {dialect.id!r} are no trees" if check.of != "answer" else "is no tree"
        yield DataError(why, field="op", remedy="Check the text, by contains or regex.")
    try:
        argument(check)
    except DataError as error:
        yield error


def _reference(task: Task, dialect: Dialect) -> Iterator[tuple[str, WorldlineError]]:
    filled = False
    for n, action in enumerate(task.reference):
        field = f"reference[{n}]"
        try:
            found = templates(action)
        except DataError as error:
            yield field, error
            continue
        filled |= bool(found)
        for one in found:
            if one.turn > n:
                why = f"{{{{{one.turn}:...}}}} names a turn that does not exist yet"
                yield field, DataError(why, remedy=f"Before it there are turns 0 to {n}.")
        if task.kind == "answer" and n == len(task.reference) - 1:
            continue
        if error := _action(dialect, fill(action, lambda _: "0")):
            yield field, error
    if task.unseen and not filled:
        why = "is unseen, but no action has a template {{N:PATTERN}}"
        yield "reference", DataError(why, remedy="Take what must be seen from an observation.")


def _action(dialect: Dialect, action: str) -> DataError | None:
    try:
        dialect.parse_action(action)
    except ActionError as error:
        return DataError(f"is no action of {dialect.id!r} ({error})", remedy="See docs/domains.md.")
    return None


def _located(task: Task, file: object, line: int | None) -> Task:
    """The task with the path of its snapshot, a file in the folder of the task's own or below."""
    if task.snapshot is None:
        return task
    named = Path(task.snapshot)
    path = (Path(str(file)).parent if file is not None else Path()) / named
    if named.is_absolute() or ".." in named.parts or not is_file(path):
        raise DataError(
            f"{task.snapshot!r} is no file below the task's own folder",
            file=file,
            line=line,
            field="snapshot",
            remedy="Put it beside the task file and give its relative path.",
        )
    return msgspec.structs.replace(task, snapshot=str(path))
