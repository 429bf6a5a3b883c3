"""What a session at a desktop establishes: the screen in front, what was typed, what was printed.

The ledger remembers; it settles nothing. Even a screen on which nothing is done moves by itself
(in recordings windows changed their order, and pages went on loading, while an agent only waited),
and code with a syntax error is reported nowhere on the screen. So `known` never claims an answer
here, and the facts are there to be told to a model.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from worldline.domains.base import Ledger
from worldline.domains.common import clip
from worldline.domains.desktop import screen
from worldline.domains.desktop.actions import Call, calls, dotted
from worldline.domains.desktop.dialects.forms import DIALECTS
from worldline.domains.desktop.memo import KEPT, memo_of
from worldline.domains.desktop.shell import advanced, typed_into
from worldline.facts import Fact, FactOrigin, fact
from worldline.trajectory import Trajectory, Turn
from worldline.trees import Tree
from worldline.trees.node import parsed

MAX_ROWS = 40
"""Outputs of commands that are remembered."""
MAX_CHARS = 4_000
"""Characters of one remembered text."""


def parse(ledger: Ledger, text: str) -> Tree | None:
    """The screen of a text in the session's dialect."""
    dialect = DIALECTS.get(ledger.dialect)
    return parsed(dialect.tree, text) if dialect and dialect.tree else None


def open(trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
    """The ledger before the first turn: what the first screen shows."""
    ledger = Ledger(dialect=trajectory.dialect, tools=trajectory.tools).with_facts(*facts)
    state = trajectory.system.initial_state
    return ledger if state is None else _seen(ledger, state, "given")


def changed(ledger: Ledger, state: str, origin: FactOrigin) -> Ledger:
    """The ledger at a screen that came on its own."""
    return _seen(ledger, state, origin)


def track(ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
    """The ledger after a turn."""
    made, before = calls(turn.action), memo_of(ledger)
    ledger = msgspec.structs.replace(ledger, turn=ledger.turn + 1)
    ledger = _seen(ledger.with_facts(*_done(ledger, made)), turn.observation, origin)
    memo = memo_of(ledger)
    memo = msgspec.structs.replace(
        memo,
        shell=advanced(before.shell, before.tree, memo.tree, made, origin),
        typed=(*before.typed, *(text for call in made if (text := typed_into(call))))[-KEPT:],
    )
    return msgspec.structs.replace(ledger, memo=memo)


def _done(ledger: Ledger, made: Sequence[Call]) -> Iterator[Fact]:
    """What the action itself settles: what was typed, what was put on the clipboard."""
    turn = ledger.turn
    sure = [call for call in made if not call.maybe]
    if typed := "".join(text for text in map(typed_into, sure) if text):
        yield fact("entity", "typed", clip(typed, MAX_CHARS), origin="action", turn=turn)
    for call in sure:
        text = call.value(0, "text")
        if call.name == "pyperclip.copy" and isinstance(text, str):
            value = clip(text, MAX_CHARS)
            yield fact("entity", "clipboard", value, origin="action", turn=turn)
        elif _copies(call):
            yield fact(
                "entity",
                "clipboard",
                "(what was selected)",
                origin="action",
                turn=turn,
                complete=False,
            )


def _copies(call: Call) -> bool:
    return bool(dotted([call], "hotkey")) and tuple(call.args[:2]) in (("ctrl", "c"), ("ctrl", "x"))


def _seen(ledger: Ledger, text: str, origin: FactOrigin) -> Ledger:
    tree = parse(ledger, text)
    memo = msgspec.structs.replace(memo_of(ledger), tree=tree, text=text)
    ledger = msgspec.structs.replace(ledger, memo=memo)
    if tree is None:
        return ledger
    here = ("entity:focus", "cwd:cwd", "page:title", "page:address")
    facts = [
        fact(kind, key, value, origin=origin, turn=ledger.turn, complete=complete)
        for kind, key, value, complete in _shown(tree)
    ]
    return _bounded(ledger.with_facts(*facts, without=here))


def _shown(tree: Tree) -> Iterator[tuple[Any, str, Any, bool]]:
    """(kind, key, value, complete) of what a screen shows."""
    if focus := screen.app_in_front(tree):
        yield "entity", "focus", focus, True
    for i, node in enumerate(tree.nodes):
        name = node.get("name")
        if node.kind == "document-web" and isinstance(name, str):
            yield "page", "title", name, True
        if node.kind == "entry" and screen.is_address_bar(name) and not node.has("empty"):
            yield "page", "address", screen.said(tree.nodes, i), True
    for _, lines in screen.terminals(tree):
        if place := screen.cwd(lines):
            yield "cwd", "cwd", place, True
        for command in screen.commands(lines):
            output = clip("\n".join(command.output), MAX_CHARS)
            yield "row", f"terminal: {clip(command.text, 500)}", output, command.done


def _bounded(ledger: Ledger) -> Ledger:
    """The oldest outputs of our own go when there are too many; given facts stay."""
    rows = [one for one in ledger.facts.values() if one.kind == "row" and one.origin != "given"]
    surplus = len(rows) - MAX_ROWS
    oldest = sorted(rows, key=lambda one: one.turn)[:surplus] if surplus > 0 else []
    return ledger.with_facts(without=[one.id for one in oldest])
