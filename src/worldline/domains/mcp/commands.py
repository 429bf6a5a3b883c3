"""Tools that run a command: the terminal's ledger, kept beside the session's own.

A server that runs commands says at the end how one ended. What follows from files that were shown
or written, and what a command cannot print, is worked out by the terminal's rules.
"""

import re

from worldline.domains.base import Ledger
from worldline.domains.mcp.kinds import words
from worldline.domains.mcp.observations import Body, Plain, ToolResult
from worldline.domains.mcp.tools import Target
from worldline.domains.terminal import ledger as terminal
from worldline.domains.terminal.checks import outcome
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.observe import observe
from worldline.domains.terminal.session import Session
from worldline.facts import FactOrigin, fact
from worldline.prediction import Violation
from worldline.trajectory import SystemPrompt, Trajectory

_END = re.compile(r"\n?Command completed with return code: (\d{1,3})\s{0,3}$")
_WHERE = re.compile(r"(?:in|directory:) (/[\w./-]{0,200}\w)")
_HOLD = frozenset(f"terminal.{name}" for name in ("known", "silent", "exit", "exit_code"))
"""Rules of the terminal that hold although a server may resolve the paths of a command first."""
_RUNS = frozenset(["command", "bash", "shell", "terminal"])


def command(target: Target) -> str | None:
    """The command line that a call hands to a shell, if that is all it does."""
    text = target.arguments.get("command")
    if len(target.arguments) != 1 or not isinstance(text, str) or target.tool is None:
        return None
    return text if _RUNS & set(words(target.name)) else None


def result(body: Body) -> Result | None:
    """What a command printed and how it ended; `None` where the answer does not say."""
    if isinstance(body, ToolResult):
        texts = [block.body.text for block in body.blocks if isinstance(block.body, Plain)]
        if len(texts) != len(body.blocks):
            return None
        text = "\n".join(texts)
    else:
        text = body.text if isinstance(body, Plain) else ""
    end = _END.search(text[-80:])
    if end is None:
        return None
    shown = text[: len(text) - len(text[-80:]) + end.start()]
    return Result(shown.removesuffix("\n") if shown.endswith("\n\n") else shown, int(end[1]))


def started(target: Target) -> Ledger:
    """A shell about which nothing is known but where it runs, if the tool says so."""
    found = _WHERE.search(target.tool.description[:2000]) if target.tool is not None else None
    facts = (fact("cwd", "cwd", found[1], origin="given"),) if found else ()
    empty = Trajectory(id="shell", domain="terminal", dialect="command", system=SystemPrompt())
    return terminal.open(empty, facts)


def observed(shell: Ledger, text: str, body: Body, origin: FactOrigin) -> Ledger:
    """The shell after a command."""
    found, session = result(body), Session(shell)
    if found is None:
        return shell  # refused before it ran
    observe(session, text, found, origin)
    return session.ledger()


def impossible(shell: Ledger, text: str, body: Body) -> list[Violation]:
    """What a command cannot have printed."""
    found = result(body)
    if found is None:
        return []
    return [one for one in outcome(Session(shell), text, found) if one.rule in _HOLD]
