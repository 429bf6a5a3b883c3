"""Rules that need no truth: what an observation cannot be, given the call and the session.

Errors are claims of impossibility: a call the protocol rejects that "succeeds", an answer other
than the one that follows from what the environment itself has shown, structured content that the
tool's own output schema forbids (clients refuse it). Everything less is a warning.
"""

from collections.abc import Iterator
from typing import Any

from worldline.domains.base import Known, Ledger
from worldline.domains.common import leaks
from worldline.domains.mcp import ledger as rules
from worldline.domains.mcp.actions import CallError, parse_call
from worldline.domains.mcp.kinds import kind
from worldline.domains.mcp.memo import RESULT_FORM, memo_of, parse_observation
from worldline.domains.mcp.observations import Body, Cut, Json, Plain, ToolResult
from worldline.domains.mcp.protocol import reject
from worldline.domains.mcp.reading import is_error, leaf, structured_of
from worldline.domains.mcp.records import only_id
from worldline.domains.mcp.schema import check, undeclared
from worldline.domains.mcp.tools import Target
from worldline.prediction import Violation

STARTS = ("meta=None content=[", '{"content":', '{"content" :')


def violations(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the answer to this call at this point."""
    body = parse_observation(ledger.dialect, observation).body
    found = leaks(observation, action)
    found += _protocol(reject(ledger, action), body)
    found += _contradiction(rules.known(ledger, action), observation)
    found += _torn(ledger, observation, body)
    try:
        call = parse_call(action)
    except CallError:
        return found
    memo = memo_of(ledger)
    target = memo.box.target(call)
    found += _output_schema(target, body)
    found += _broken_json(memo.structured.get(target.label, 0), body)
    found += _other_entity(target, body)
    found += _undeclared(target)
    return found


def _protocol(rejected: Known | None, body: Body) -> Iterator[Violation]:
    if rejected is not None and not is_error(body):
        yield Violation(
            rule="succeeds_against_protocol",
            severity="error",
            message=f"the call must fail: {rejected.observation[:200]}",
        )


def _contradiction(known: Known | None, observation: str) -> Iterator[Violation]:
    if known is not None and known.observation.rstrip() != observation.rstrip():
        yield Violation(
            rule="contradicts_session",
            severity="warning" if known.consistent_only else "error",
            message=f"{known.rule}: the session settles this answer: {known.observation[:200]}",
            because=known.because,
        )


def _torn(ledger: Ledger, observation: str, body: Body) -> Iterator[Violation]:
    """It starts as a wrapped result and is none (a recorder's cut is understood before this)."""
    wrapped = ledger.dialect == RESULT_FORM and observation.startswith(STARTS)
    if wrapped and isinstance(body, Plain | Json):
        yield Violation(
            rule="torn_result",
            severity="warning",
            message="starts as a tool result but cannot be read as one",
        )


def _output_schema(target: Target, body: Body) -> Iterator[Violation]:
    schema = target.tool.output_schema if target.tool is not None else None
    if schema is None or is_error(body):
        return
    value, severity = structured_of(body), "error"
    if value is None:
        end = leaf(body)
        if not isinstance(end, Json):
            return
        value, severity = end.value, "warning"
    breach = check(schema, value)
    if breach.message is not None:
        yield Violation(
            rule="output_schema",
            severity="error" if severity == "error" else "warning",
            message=f"breaks the tool's output schema: {breach.field}: {breach.message[:200]}",
        )


def _broken_json(answered_in_json: int, body: Body) -> Iterator[Violation]:
    end = None if _is_cut(body) else leaf(body)
    if answered_in_json > 0 and isinstance(end, Plain) and end.text.lstrip()[:1] in ("{", "["):
        yield Violation(
            rule="broken_json",
            severity="warning",
            message="the tool has answered in JSON so far; this starts as JSON and is none",
        )


def _is_cut(body: Body) -> bool:
    """Whether a recorder cut the text at some level."""
    if isinstance(body, ToolResult):
        return any(block.body is not None and _is_cut(block.body) for block in body.blocks)
    return isinstance(body, Cut)


def _other_entity(target: Target, body: Body) -> Iterator[Violation]:
    name = only_id(target.arguments)
    end = leaf(body)
    if name is None or kind(target).effect != "read" or not isinstance(end, Json):
        return
    asked, given = target.arguments[name], _own(end.value, name)
    if given is not None and str(given).strip().lower() != str(asked).strip().lower():
        yield Violation(
            rule="other_entity",
            severity="warning",
            message=f"asked for {name} {str(asked)[:80]!r}, answered for {str(given)[:80]!r}",
        )


def _own(value: Any, name: str) -> Any:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str | int) else None


def _undeclared(target: Target) -> Iterator[Violation]:
    schema = target.tool.input_schema if target.tool is not None else None
    surplus = undeclared(schema, target.arguments)
    if surplus and check(schema, target.arguments).message is not None:
        return
    for name in surplus:
        yield Violation(
            rule="undeclared_argument",
            severity="warning",
            message=f"{target.label} does not declare the argument {name[:80]!r}; the call passes",
        )
