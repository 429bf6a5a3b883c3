"""The form of an answer: its wrapping and its JSON."""

from collections.abc import Iterator

from worldline.domains.base import Ledger
from worldline.domains.mcp.memo import RESULT_FORM, memo_of
from worldline.domains.mcp.observations import Body, Cut, Json, Plain, ToolResult
from worldline.domains.mcp.parts import torn
from worldline.domains.mcp.reading import is_error, leaf
from worldline.domains.mcp.tools import Target
from worldline.domains.mcp.values import NOTHING, data
from worldline.domains.mcp.world import World, classes, printed_as
from worldline.prediction import Violation

OFTEN = 2
"""Answers that show how a tool prints its data."""


def form_findings(
    ledger: Ledger, target: Target, body: Body, observation: str
) -> Iterator[Violation]:
    """What is wrong with the form of an answer to this call."""
    memo = memo_of(ledger)
    if torn(ledger.dialect, observation, body):
        # A recorder's cut is understood before this.
        yield Violation(
            rule="torn_result",
            severity="error",
            message="starts as a tool result but cannot be read as one",
            span=(0, len(observation)),
        )
        return
    yield from _wrapping(ledger.dialect, memo.world, target, body)
    yield from _printed(memo.world, target, body)
    yield from _broken_json(memo.structured.get(target.label, 0), memo.world, body, observation)


def _wrapping(dialect: str, world: World, target: Target, body: Body) -> Iterator[Violation]:
    """The answers of this session are wrapped in one way, and this one is not."""
    if dialect != RESULT_FORM or world.wrapped < 1 or target.tool is None:
        return
    message = ""
    if isinstance(body, Plain | Json) and not is_error(body):  # a harness speaks for itself
        message = "all answers so far were tool results; this is not wrapped"
    elif isinstance(body, ToolResult):
        for name, fields in classes(body):
            missing = sorted(world.fields.get(name, fields) - fields)
            if missing:
                message = f"{name} has had {', '.join(missing)} each time"
    if message:
        yield Violation(rule="wrapping", severity="error", message=message)


def _printed(world: World, target: Target, body: Body) -> Iterator[Violation]:
    """A program prints its data in one way; a model tires of it."""
    way, count = world.printed.get(target.label, ("", 0))
    now = None if is_error(body) else printed_as(leaf(body), data(body))
    if now is not None and count >= OFTEN and now != way:
        yield Violation(
            rule="printed",
            severity="error",
            message=f"the tool has printed its data with {way} {count} times; now with {now}",
        )


def _broken_json(
    answered_in_json: int, world: World, body: Body, observation: str
) -> Iterator[Violation]:
    end = None if _is_cut(body) else leaf(body)
    broken = isinstance(end, Plain) and end.text.lstrip()[:1] in ("{", "[")
    if answered_in_json > 0 and broken and data(body) is NOTHING:
        # A text no longer than one that was shown whole has not been cut by whoever recorded it.
        whole = len(observation) < world.longest
        yield Violation(
            rule="broken_json",
            severity="error" if whole else "warning",
            message="the tool has answered in JSON so far; this starts as JSON and is none",
        )


def _is_cut(body: Body) -> bool:
    """Whether a recorder cut the text at some level."""
    if isinstance(body, ToolResult):
        return any(block.body is not None and _is_cut(block.body) for block in body.blocks)
    return isinstance(body, Cut)
