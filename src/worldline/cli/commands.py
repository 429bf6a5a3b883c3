"""The `:commands` of a session: moving between branches, and asking what is known and why."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from worldline.branch import told
from worldline.cli.outline import outline
from worldline.cli.table import fact_line, why
from worldline.errors import UsageError
from worldline.trees import parsed
from worldline.visible import first_line, visible
from worldline.world import World

if TYPE_CHECKING:
    from worldline.cli.console import Console


class Command(NamedTuple):
    """A `:command`: how it is written, what it does, and the function that does it."""

    usage: str
    help: str
    run: "Callable[[Console, str], None]"


def run(console: "Console", line: str) -> None:
    """Run the command a line names; `UsageError` if there is none of that name."""
    name, *rest = line.strip().split(maxsplit=1)
    if name not in COMMANDS:
        raise UsageError(f"there is no command {name!r}", remedy=":help lists what there is.")
    COMMANDS[name].run(console, rest[0] if rest else "")


def _help(console: "Console", _: str) -> None:
    for command in COMMANDS.values():
        console.put(f"  {command.usage:<16} {command.help}\n")
    if console.tree is not None:
        console.put("In an outline: + new, ~ changed, # the same under another id, > moved.\n")


def _go(console: "Console", world: World) -> None:
    console.go(world)
    console.note(f"on branch {world.branch} after step {world.seq}")


def _fork(console: "Console", step: str) -> None:
    _go(console, console.world.fork(_number(step)))


def _back(console: "Console", steps: str) -> None:
    count = _number(steps)
    _go(console, console.world.back(1 if count is None else count))


def _switch(console: "Console", branch: str) -> None:
    branches = console.world.branches
    if branch not in branches:
        raise UsageError(
            f"there is no branch {branch!r}" if branch else "it needs a branch",
            remedy=f"There are: {', '.join(branches)}.",
        )
    _go(console, branches[branch])


def _branches(console: "Console", _: str) -> None:
    for name, world in console.world.branches.items():
        mark = "*" if world is console.world else " "
        last = first_line(world.state.turns[-1].action, 50) if world.state.turns else ""
        console.put(f"{mark} {name:<8} step {world.seq:<4} {last}\n")


def _state(console: "Console", _: str) -> None:
    facts = console.world.state.ledger.facts.values()
    for one in sorted(facts, key=lambda fact: (fact.kind, fact.key)):
        console.put(f"  {fact_line(one)}\n")
    if not facts:
        console.note("no facts established yet")
    text = told(console.world.domain, console.world.state)
    if text:
        console.note("told to the model about the last action:")
        console.put("".join(f"  {visible(line)}\n" for line in text.split("\n")))


def _why(console: "Console", _: str) -> None:
    if console.last is None or console.last.prediction is None:
        console.note("nothing has happened on this branch yet")
        return
    for text in why(console.world, console.last):
        console.put(f"  {text}\n")


def _screen(console: "Console", _: str) -> None:
    now, tree = console.world.now or "", console.tree
    if tree is None or parsed(tree, now) is None:
        console.show_text(now)
    else:
        console.show_text(outline(tree, now, lines=None))


def _text(console: "Console", _: str) -> None:
    console.show_text(console.world.now or "")


def _tools(console: "Console", _: str) -> None:
    tools = console.world.session.head.trajectory.tools or ()
    for tool in tools:
        inner = tool.get("function")
        named = inner if isinstance(inner, dict) else tool
        text = first_line(str(named.get("description") or ""), 70)
        console.put(f"  {visible(str(named.get('name')))}: {text}\n")
    if not tools:
        console.note("this session has no tool list")


def _save(console: "Console", file: str) -> None:
    if not file:
        raise UsageError("it needs a file", field=":save", remedy="As in :save session.jsonl")
    console.world.save(Path(file).expanduser())
    console.note(f"kept in {visible(file)}; every further step too")


def _number(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"{text!r} is not a number of steps", remedy="As in :back 2")
    return int(text)


COMMANDS = {
    ":help": Command(":help", "this list", _help),
    ":fork": Command(":fork [STEP]", "a new branch from here, or from a step", _fork),
    ":branches": Command(":branches", "all branches and where they stand", _branches),
    ":switch": Command(":switch BRANCH", "go to another branch", _switch),
    ":back": Command(":back [N]", "N steps back (1), on a new branch; nothing is lost", _back),
    ":state": Command(":state", "the facts established, and where each came from", _state),
    ":screen": Command(":screen", "the newest state, whole, with the ids to act on", _screen),
    ":text": Command(":text", "the newest observation as the agent gets it", _text),
    ":why": Command(":why", "where the last answer came from, and what it cost", _why),
    ":tools": Command(":tools", "the tools of this session, where there are any", _tools),
    ":save": Command(":save FILE", "keep the session in FILE, now and from now on", _save),
    ":quit": Command(":quit", "leave (also Ctrl-D)", _help),
}
