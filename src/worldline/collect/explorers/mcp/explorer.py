"""`McpExplorer`: goals one after another, with second looks and broken calls between."""

import random
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from worldline.collect.explorers.base import Explorer, Family, Move
from worldline.collect.explorers.mcp.breaking import broken
from worldline.collect.explorers.mcp.hand import Goal, Hand, Seen, seen
from worldline.collect.explorers.mcp.servers import goals
from worldline.collect.explorers.mcp.values import arguments
from worldline.domains.mcp.actions import CallError, call_text, parse_call
from worldline.domains.mcp.kinds import kind, repeatable
from worldline.domains.mcp.tools import Target
from worldline.environments.base import Opening
from worldline.prediction import StepResult

STEPS = (25, 40)
BROKEN = 0.17
"""How likely a call is preceded by a broken variant of it."""
AGAIN = 0.45
"""How likely an agent looks again at something it has read."""
LIMIT_S = 6.0


class _Group(NamedTuple):
    """The servers of a family."""

    servers: tuple[str, ...]
    weight: float = 1.0
    held_out: bool = False


_GROUPS: Mapping[str, _Group] = {
    "files": _Group(("filesystem",), 1.6),
    "memory": _Group(("memory",), 1.4),
    "git": _Group(("git",), 1.2),
    "code": _Group(("git", "filesystem"), 1.2),
    "shop": _Group(("sqlite",), 1.5),
    "facts": _Group(("duckdb",), 1.0),
    "sheets": _Group(("excel",), 1.0),
    "slides": _Group(("ppt",), 0.8),
    "site": _Group(("fetch",), 0.6),
    "clock": _Group(("time",), 0.4),
    "samples": _Group(("everything",), 0.6),
    "thoughts": _Group(("sequential-thinking",), 0.4),
    "notes": _Group(("memory", "filesystem"), 0.8),
    "letters": _Group(("word",), 0.7, held_out=True),
    "commands": _Group(("cli",), 0.7, held_out=True),
    "records": _Group(("sqlite", "memory"), 0.7, held_out=True),
}


class McpExplorer(Explorer):
    """An agent at one server, or at a few together."""

    domain = "mcp"
    families: ClassVar[Mapping[str, Family]] = {
        name: Family(group.weight, group.held_out) for name, group in _GROUPS.items()
    }

    def __init__(self, family: str, rng: random.Random) -> None:
        super().__init__(family, rng)
        self.servers = _GROUPS[family].servers
        self.dialect = rng.choice(("json", "call-tool-result"))
        self.left = rng.randint(*STEPS)
        self.hand = Hand(rng, ())
        self._work: Goal | None = None
        self._next: Move | None = None
        """What the goal wants to do, put off by a broken call or a second look."""
        self._last: Move | None = None
        self._own = False
        """The last move was the goal's own; what others gave does not reach it."""
        self._given: Seen | None = None
        self._reads: list[str] = []
        """Calls that read, since something was last changed."""

    def options(self) -> dict[str, Any]:
        """The servers and the dialect, half each."""
        return {"server": list(self.servers), "dialect": self.dialect}

    def begin(self, opening: Opening) -> None:
        """The tools on offer, and what the home is told to hold."""
        self.dialect = opening.dialect
        self.hand = Hand(self.rng, opening.tools, opening.system.initial_state or "")
        self._work = self._goals()

    def act(self, last: StepResult | None) -> Move | None:
        """The next call."""
        if self._work is None or self.left <= 0:
            return None
        self.left -= 1
        got = None if last is None else seen(last, self.dialect)
        if got is not None and self._last is not None:
            self._note(self._last, got)
            if self._own:
                self._given = got
        self._last = self._following()
        return self._last._replace(limit_s=LIMIT_S)

    def _following(self) -> Move:
        """What the goal wants next; at times something else comes first."""
        if self._next is not None:
            move, self._next, self._own = self._next, None, True
            return move
        assert self._work is not None
        move = next(self._work) if self._given is None else self._work.send(self._given)
        other: Move | None = None
        if self.hand.chance(BROKEN):
            other = broken(self.hand, move.action)
        elif self._reads and self.hand.chance(AGAIN):
            other = Move(self.rng.choice(self._reads[-6:]), "look again")
        self._own = other is None
        if other is None:
            return move
        self._next = move
        return other

    def _note(self, move: Move, got: Seen) -> None:
        """Keep what was read and what names came up."""
        try:
            call = parse_call(move.action)
        except CallError:
            return
        tool = self.hand.tools.get(call.name)
        target = Target(call.name, call.arguments, None, tool)
        if kind(target).effect != "read":
            self._reads = [] if not got.failed else self._reads
        elif move.intent != "look again" and not got.failed and self._worth(target):
            self._reads.append(move.action)
        if not got.failed and not move.intent.startswith("break"):
            for name, value in call.arguments.items():
                simple = isinstance(value, str | int) and not isinstance(value, bool)
                if simple and len(str(value)) < 120:
                    self.hand.keep(name, value)

    def _worth(self, target: Target) -> bool:
        """Whether one would look at it again: mostly where the answer should be the same."""
        return repeatable(target) or self.hand.chance(0.2)

    def _goals(self) -> Goal:
        """One goal after another, for ever."""
        made = {name: goals(name) for name in self.servers}
        for name in self.servers:
            if made[name] and self.hand.chance(0.7):
                yield from made[name][0][1](self.hand)
        while True:
            server = self.rng.choice(self.servers)
            choices = made[server]
            if not choices or self.hand.chance(0.12):
                yield from self._any_tool()
            else:
                weights = [weight for weight, _ in choices]
                _, maker = self.rng.choices(choices, weights)[0]
                yield from maker(self.hand)

    def _any_tool(self) -> Goal:
        """A valid call of any tool, from its schema alone."""
        names = list(self.hand.tools)
        if not names:
            yield Move(call_text("list_tools", {}), "guess")
            return
        tool = self.hand.tools[self.rng.choice(names)]
        yield Move(call_text(tool.name, arguments(self.hand, tool)), "try a tool")
