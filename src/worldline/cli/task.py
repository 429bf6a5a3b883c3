"""`worldline task`: tasks checked, and run in either world."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from worldline.cli.common import Config, Json, ModelSpec, emit, progress, say, verb_app
from worldline.errors import UsageError
from worldline.tasks import SETS
from worldline.visible import visible

if TYPE_CHECKING:
    from worldline.cli.task_check import Checked
    from worldline.models.base import WorldModel
    from worldline.tasks.agents import Agent
    from worldline.tasks.run import TaskResult
    from worldline.tasks.task import Task

app = verb_app("Tasks for agents: list them, check that they are sound, run an agent.")

Sources = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILE|DOMAIN]...", help="Task files or built-in sets; all sets."),
]
SETS_HELP = f"A task file, or a built-in set: {', '.join(SETS)}."


@app.callback()
def _group() -> None:
    """Tasks for agents: list them, check that they are sound, run an agent."""


@app.command("list")
def list_tasks(sources: Sources = None, json: Json = False, config: Config = None) -> None:
    """The tasks there are; every task is read and checked for mistakes."""
    for source, tasks in _read(sources):
        if json:
            for task in tasks:
                emit(msgspec.to_builtins(task))
            continue
        unseen = sum(task.unseen for task in tasks)
        families = {task.family for task in tasks}
        print(visible(f"{source}: {len(tasks)} tasks, {len(families)} families, {unseen} unseen"))
        print(_row("task", "split", "difficulty", "unseen", "instruction"))
        for task in tasks:
            mark = "unseen" if task.unseen else ""
            what = task.instruction.splitlines()[0]
            short = what if len(what) <= 70 else f"{what[:69]}…"
            print(visible(_row(task.id, task.split, task.difficulty, mark, short)))


def _row(id: str, split: str, difficulty: str, unseen: str, instruction: str) -> str:
    return f"  {id:32} {split:5} {difficulty:10} {unseen:6} {instruction}"


@app.command()
def check(
    sources: Sources = None,
    ids: Annotated[list[str] | None, typer.Option("--id", help="Only this task.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Environments at a time; default: one a core.")
    ] = None,
    json: Json = False,
    config: Config = None,
) -> None:
    """Are the tasks sound? In the real environment, doing nothing must fail, the reference must
    succeed, and the reference without eyes must fail where the task says that it needs them.

    Exit 1 when a task is not sound; each is named with why.
    """
    from worldline.cli.task_check import check_tasks

    tasks = _chosen(sources, ids)
    found: list[Checked] = []
    with progress("task check", len(tasks), "tasks") as bar:
        for one in check_tasks(tasks, workers or len(os.sched_getaffinity(0))):
            found.append(one)
            bar.advance()
            for trouble in one.trouble:
                say(f"{one.task}: {trouble}")
    order = {task.id: n for n, task in enumerate(tasks)}
    found.sort(key=lambda one: order[one.task])
    failed = sum(bool(one.trouble) for one in found)
    if json:
        rows = msgspec.to_builtins(found)
        emit({"schema": "worldline.task-check/1", "tasks": rows, "failed": failed})
    else:
        for line in summary(found):
            print(line)
    if failed:
        say(f"{failed} of {len(found)} tasks are not sound.")
        raise typer.Exit(1)


def summary(found: "Sequence[Checked]") -> Iterator[str]:
    """A table: a line a domain, how many tasks each agent solved."""
    from worldline.cli.task_check import rate

    yield f"{'':10}{'tasks':>7}{'unseen':>8}{'null':>10}{'reference':>12}{'blind':>10}"
    for domain in dict.fromkeys(one.domain for one in found):
        some = [one for one in found if one.domain == domain]
        rates = {name: "{}/{}".format(*rate(some, name)) for name in ("null", "reference", "blind")}
        unseen = sum(one.unseen for one in some)
        yield (
            f"{domain:10}{len(some):7}{unseen:8}{rates['null']:>10}{rates['reference']:>12}"
            f"{rates['blind']:>10}"
        )


@app.command()
def run(
    source: Annotated[str, typer.Argument(metavar="FILE|DOMAIN", help=SETS_HELP)],
    world: Annotated[str, typer.Option(help="real, or sim (predicted by --model).")] = "real",
    agent: Annotated[
        str, typer.Option(metavar="NAME|SPEC", help="null, reference, blind, or a model.")
    ] = "reference",
    model: ModelSpec = "embedded",
    ids: Annotated[list[str] | None, typer.Option("--id", help="Only this task.")] = None,
    turns: Annotated[int, typer.Option(min=0, help="Actions an agent may take.")] = 50,
    seconds: Annotated[float, typer.Option(min=0, help="Seconds an agent may take.")] = 1800.0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Results, one a line.")
    ] = None,
    json: Json = False,
    config: Config = None,
) -> None:
    """Let an agent at tasks, in the real environment or in a simulated one.

    A simulated world starts from a snapshot of the real environment. Exit 1 when the success of a
    task could not be decided.
    """
    from worldline import jsonl
    from worldline.tasks.run import Limits
    from worldline.tasks.run import run as play

    if world not in ("real", "sim"):
        raise UsageError(f"there is no world {world!r}", field="--world", remedy="real or sim.")
    tasks = _chosen([source], ids)
    results: list[TaskResult] = []
    with _worlds(world, model) as of, progress("task run", len(tasks), "tasks") as bar:
        for task in tasks:
            limits = Limits(turns=turns, seconds=seconds)
            results.append(play(task, of(task), _agent(agent, task), limits))
            bar.advance()
            _tell(results[-1], json)
    if output is not None:
        jsonl.write(output, map(msgspec.to_builtins, results))
    undecided = sum(one.success is None for one in results)
    solved = sum(one.success is True for one in results)
    say(f"{solved} of {len(results)} solved, {undecided} undecided, by {agent} in {world}.")
    if undecided:
        raise typer.Exit(1)


def _tell(result: "TaskResult", json: bool) -> None:
    if json:
        emit(msgspec.to_builtins(result))
        return
    did = {True: "solved", False: "failed", None: "UNDECIDED"}[result.success]
    why = f"  {result.why}" if result.why else ""
    took = f"{len(result.turns)} turns {result.seconds:.1f} s"
    say(f"{did:10} {result.task:32} {took}{why}")


@contextmanager
def _worlds(world: str, spec: str) -> Iterator[Any]:
    """A function from a task to a world for it."""
    from worldline.cli.task_worlds import Reality, simulation

    real = Reality()
    model = None if world == "real" else _loaded(spec)
    try:
        yield real.of if model is None else lambda task: simulation(task, model, real)
    finally:
        real.close()
        if model is not None:
            from worldline.sync import wait

            wait(model.aclose())


def _loaded(spec: str) -> "WorldModel":
    from worldline.models import load

    return load(spec)


def _agent(name: str, task: "Task") -> "Agent":
    from worldline.tasks.agents import AGENTS

    if name in AGENTS:
        return AGENTS[name]()
    from worldline.cli.task_agent import policy_agent

    return policy_agent(name, task.seed)


def _read(sources: list[str] | None) -> "Iterator[tuple[str, tuple[Task, ...]]]":
    from worldline.tasks.read import read_tasks, set_path

    for source in sources or [name for name in SETS if set_path(name).is_file()]:
        yield source, read_tasks(source)


def _chosen(sources: list[str] | None, ids: list[str] | None) -> "list[Task]":
    """The tasks asked for.

    Raises:
        UsageError: there is none of an id, or none at all, or an id is in two files.
    """
    tasks = [task for _, some in _read(sources) for task in some]
    known = {task.id for task in tasks}
    if len(known) < len(tasks):
        raise UsageError("the same task is in two of these", remedy="Name each source once.")
    for one in ids or ():
        if one not in known:
            raise UsageError(
                f"there is no task {one!r}", field="--id", remedy="`worldline task list` has them."
            )
    chosen = [task for task in tasks if not ids or task.id in ids]
    if not chosen:
        raise UsageError("there are no tasks", remedy="Name a task file.")
    return chosen
