"""Real environments: steps a second against what people drive them with today.

Every contender carries out the same actions: those of the explorers' own episodes, in a sandbox of
its own with the same files. They take turns, episode by episode.

* *tmux*, as the harness of terminal-bench drives it: ``send-keys``, a pause as long as the action
  asks, ``capture-pane``. Its helper runs beside the pane, so a call costs no container.
* *pexpect*: `pexpect.replwrap`, the way its own documentation drives a shell, with the pause of
  50 ms that pexpect makes before it sends; and without.
* the client of the MCP SDK, called directly.

It needs what `make system` installs.
"""

import asyncio
import contextlib
import json
import os
import statistics
import sys
import termios
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.measure import Row, compare
from benchmarks.show.terminal_pane import Pane
from worldline import jsonl
from worldline.collect.plan import plan
from worldline.collect.worker import Worker
from worldline.environments.process import Environment
from worldline.environments.sandbox import Sandbox, debian_root
from worldline.environments.terminal import fixtures
from worldline.environments.terminal.driver import ENV, FIXED
from worldline.trajectory import Trajectory, trajectory

SEED = 31
EPISODES = 3


class Took(NamedTuple):
    """Steps of an episode and the seconds they took each contender."""

    steps: int
    ours: float
    theirs: dict[str, float]


def measure() -> list[Row]:
    """Three episodes of each kind, which take turns."""
    typed, plain, called = keystrokes(EPISODES), commands(EPISODES), calls(EPISODES)
    return [
        _row("keystrokes and screens", typed, "tmux as terminal-bench drives it", "tmux"),
        _row("plain commands", plain, "pexpect.replwrap", "pexpect"),
        _row("plain commands", plain, "pexpect.replwrap without its pause", "pexpect, no pause"),
        _row("calls of MCP tools", called, "the SDK's client alone", "plain client"),
    ]


def _row(what: str, took: list[Took], told: str, name: str) -> Row:
    return compare("environments", what, rate(took), "steps/s", told, rate(took, name))


def episodes(domain: str, dialect: str, count: int) -> Iterator[Trajectory]:
    """So many episodes of the explorer in a dialect; steps that did not just end are left out."""
    worker = Worker(
        plan(domain, seed=SEED, policy="explorer", named=[], held_out=False, limit_s=20)
    )
    number = 0
    try:
        while count:
            _, line = worker.answer(number)
            number += 1
            if line:
                found = trajectory(jsonl.loads(line))
                calm = all(turn.info.get("status", "ok") == "ok" for turn in found.turns)
                if found.dialect == dialect and calm:
                    count -= 1
                    yield found
    finally:
        worker.close()


def keystrokes(count: int) -> list[Took]:
    """Episodes as keystrokes: ours against tmux."""
    return [_against(one, {"tmux": _tmux}) for one in episodes("terminal", "terminus2", count)]


def commands(count: int) -> list[Took]:
    """Episodes as plain commands: ours against pexpect."""
    return [
        _against(one, {"pexpect": _pexpect(0.05), "pexpect, no pause": _pexpect(0)})
        for one in episodes("terminal", "command", count)
    ]


def rate(took: list[Took], name: str | None = None) -> float:
    """Steps a second over all episodes, of ours or of the contender of that name."""
    seconds = sum(one.ours if name is None else one.theirs[name] for one in took)
    return sum(one.steps for one in took) / seconds


def spread(took: list[Took], name: str) -> tuple[float, float]:
    """The middle half of the episodes' ratios to a contender."""
    ratios = sorted(one.theirs[name] / one.ours for one in took)
    quarters = statistics.quantiles(ratios, n=4)
    return quarters[0], quarters[2]


def _against(one: Trajectory, others: dict[str, Any]) -> Took:
    actions = [turn.action for turn in one.turns]
    theirs = {name: way(one, actions) for name, way in others.items()}
    with Environment("terminal", one.meta["options"]) as real:
        real.reset(one.meta["reset_seed"])
        start = time.perf_counter()
        for action in actions:
            real.step(action)
        return Took(len(actions), time.perf_counter() - start, theirs)


def _furnish(box: Sandbox, one: Trajectory) -> None:
    """The same home as the episode's."""
    name, seed = one.meta["options"]["fixture"] or "empty", one.meta["reset_seed"]
    box.put(dict(fixtures.make(name, seed)))
    setup = fixtures.setup(name, seed)
    if setup:
        dated = f"find . -exec touch -h -d '{FIXED}' {{}} +"
        script = "\n".join([*(f"( {line}\n)" for line in setup), dated])
        box.run(["bash", "-c", script], timeout=60)


def _tmux(one: Trajectory, actions: list[str]) -> float:
    options = one.meta["options"]
    with Pane(options["width"], options["height"], typed=True) as pane:
        _furnish(pane.box, one)
        start = time.perf_counter()
        for action in actions:
            for keys, pause in _typed(action):
                pane.send(keys)
                time.sleep(pause)
            pane.screen()
        return time.perf_counter() - start


def _typed(action: str) -> Iterator[tuple[str, float]]:
    value = json.loads(action)
    for command in value["commands"] if isinstance(value, dict) else value:
        yield command["keystrokes"], float(command.get("duration", 1.0))


def _pexpect(pause: float) -> Any:
    import pexpect
    from pexpect.fdpexpect import fdspawn
    from pexpect.replwrap import REPLWrapper

    class Paused(fdspawn):
        def send(self, s: str | bytes) -> int:
            time.sleep(pause)
            return super().send(s)

        def kill(self, sig: int) -> None:
            super().send("\x03")  # what the wrapper means by it: there is no process of its own

    def way(one: Trajectory, actions: list[str]) -> float:
        with Sandbox(debian_root(), env=ENV) as box, contextlib.ExitStack() as stack:
            _furnish(box, one)
            child: Any = Paused(_shell(box), encoding="utf-8", codec_errors="replace", timeout=20)
            child.echo = False
            stack.callback(child.close)
            prompt = "PS1='{0}' PS2='{1}' PROMPT_COMMAND=''"
            shell = REPLWrapper(child, r"\$ ", prompt, extra_init_cmd="export PAGER=cat")
            start = time.perf_counter()
            for action in actions:
                with contextlib.suppress(pexpect.ExceptionPexpect, ValueError):
                    shell.run_command(action, timeout=20)
            return time.perf_counter() - start

    return way


def _shell(box: Sandbox) -> int:
    """A bash on a terminal without echo; our end of it."""
    ours, theirs = os.openpty()
    state = termios.tcgetattr(theirs)
    state[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, state)
    argv = ["bash", "--norc", "--noprofile", "-i"]
    box.popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, tty=True)
    os.close(theirs)
    return ours


def calls(count: int) -> list[Took]:
    """Episodes of one MCP server each: ours against the SDK's own client."""
    found: list[Took] = []
    for one in episodes("mcp", "json", 10 * count):
        names = one.meta["options"]["server"]
        names = [names] if isinstance(names, str) else names
        if len(names) == 1 and len(found) < count:
            found.append(_called(one, names[0]))
    return found


def _called(one: Trajectory, name: str) -> Took:
    made: list[tuple[str, dict[str, Any]]] = []
    for turn in one.turns:
        with contextlib.suppress(ValueError):
            value = json.loads(turn.action)
            if isinstance(value, dict) and isinstance(value.get("arguments"), dict):
                made.append((str(value.get("name")), value["arguments"]))
    seed = one.meta["reset_seed"]
    theirs = asyncio.run(_plain_client(name, seed, made))
    with Environment("mcp", one.meta["options"]) as real:
        real.reset(seed)
        start = time.perf_counter()
        for tool, arguments in made:
            real.step(json.dumps({"name": tool, "arguments": arguments}))
        return Took(len(made), time.perf_counter() - start, {"plain client": theirs})


async def _plain_client(name: str, seed: int, made: list[tuple[str, dict[str, Any]]]) -> float:
    from mcp import ClientSession, MCPError, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "benchmarks.boxed", name, str(seed)],
        env=dict(os.environ),
    )
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        async with (
            stdio_client(command, errlog=nowhere) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            await session.list_tools()
            start = time.perf_counter()
            for tool, arguments in made:
                with contextlib.suppress(MCPError):
                    await session.call_tool(tool, arguments)
            return time.perf_counter() - start
