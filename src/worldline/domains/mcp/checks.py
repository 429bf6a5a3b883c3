"""Rules that need no truth: what an observation cannot be, given the call and the session.

Errors are claims of impossibility: a call the protocol rejects that "succeeds", an answer other
than the one that follows from what the session has written (or, where nobody else acts on the same
things, has read), structured content that the tool's own output schema forbids (clients refuse it),
an answer that contradicts its own call. Everything less is a warning: live systems change between
two reads, and lenient servers convert what they are given.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from worldline.domains.base import Known, Ledger
from worldline.domains.common import leaks, shortened
from worldline.domains.mcp import commands
from worldline.domains.mcp import ledger as rules
from worldline.domains.mcp.actions import CallError, parse_call
from worldline.domains.mcp.checks_call import call_findings
from worldline.domains.mcp.checks_form import form_findings
from worldline.domains.mcp.checks_sql import Finding, findings
from worldline.domains.mcp.kinds import words
from worldline.domains.mcp.memo import Memo, memo_of, parse_observation
from worldline.domains.mcp.observations import Body, Json
from worldline.domains.mcp.protocol import lacking, lenient, reject
from worldline.domains.mcp.reading import is_error, leaf, structured_of
from worldline.domains.mcp.records import is_id
from worldline.domains.mcp.schema import check, undeclared
from worldline.domains.mcp.tools import Target
from worldline.domains.mcp.values import NOTHING, data
from worldline.domains.mcp.world import refused
from worldline.prediction import Violation

UNDECLARED = "undeclared_argument"
"""The rule that blames the call and not its answer."""


def violations(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the answer to this call at this point."""
    body = parse_observation(ledger.dialect, observation).body
    found = leaks(observation, action)
    found += _protocol(ledger, action, body)
    memo = memo_of(ledger)
    found += _contradiction(memo, rules.known(ledger, action), observation)
    try:
        call = parse_call(action)
    except CallError:
        return found
    target = memo.box.target(call)
    found += _output_schema(ledger, target, body)
    found += _undeclared(target)
    found += _unchanged(ledger, target, data(body))
    found += form_findings(ledger, target, body, observation)
    found += _told(_claims(memo, target, body), observation)
    text = commands.command(target)
    if text is not None and memo.world.shell is not None:
        found += commands.impossible(memo.world.shell, text, body)
    return found


def _claims(memo: Memo, target: Target, body: Body) -> Iterator[Finding]:
    value = data(body)
    rows = None if value is NOTHING else value
    failed, closed = refused(body), memo.closed
    yield from findings(memo.world.tables, target, rows, failed=failed, closed=closed)
    yield from call_findings(memo.world, target, body, closed=closed)


def _told(found: Iterable[Finding], observation: str) -> Iterator[Violation]:
    for one in found:
        at = observation.find(one.piece) if one.piece else -1
        yield Violation(
            rule=one.rule,
            severity="error" if one.sure else "warning",
            message=one.message,
            span=None if at < 0 else (at, at + len(one.piece)),
        )


def _protocol(ledger: Ledger, action: str, body: Body) -> Iterator[Violation]:
    rejected = reject(ledger, action)
    reason = rejected.observation if rejected is not None else lacking(ledger, action)
    if reason is not None and not is_error(body):
        sure = rejected is None or memo_of(ledger).closed or not lenient(ledger, action)
        yield Violation(
            rule="succeeds_against_protocol",
            severity="error" if sure else "warning",
            message=f"the call must fail: {shortened(reason)}",
        )


def _contradiction(memo: Memo, known: Known | None, observation: str) -> Iterator[Violation]:
    if known is not None and known.observation.rstrip() != observation.rstrip():
        settled = shortened(known.observation)
        moved = known.rule in rules.SEEN and not memo.closed
        yield Violation(
            rule="contradicts_session",
            severity="warning" if known.consistent_only or moved else "error",
            message=f"{known.rule}: the session settles this answer: {settled}",
            because=known.because,
        )


def _output_schema(ledger: Ledger, target: Target, body: Body) -> Iterator[Violation]:
    """Structured content must fit; the JSON beside it, or instead of it, should be the same."""
    schema = target.tool.output_schema if target.tool is not None else None
    if schema is None or is_error(body):
        return
    value, severity = structured_of(body), "error"
    if value is None:
        end = leaf(body)
        if not isinstance(end, Json):
            return
        value = end.value
        fields = list(schema.get("properties") or {})
        alone = len(fields) == 1 and check(schema, {fields[0]: value}).message is None
        severity = "warning" if alone else "error"
    breach = check(schema, value)
    if breach.message is not None:
        where = f"{breach.field}: " if breach.field else ""
        yield Violation(
            rule="output_schema",
            severity="error" if severity == "error" else "warning",
            message=f"breaks the tool's output schema: {where}{shortened(breach.message)}",
        )


def _unchanged(ledger: Ledger, target: Target, value: Any) -> Iterator[Violation]:
    """An update is answered with the record as it was before, which careless servers do."""
    if not isinstance(value, dict) or "update" not in words(target.name):
        return
    keys = [k for k in target.arguments if is_id(k) and value.get(k) == target.arguments[k]]
    before = ledger.get("entity", f"{keys[0]}={value[keys[0]]}") if len(keys) == 1 else None
    if before is None or not isinstance(before.value, dict):
        return
    for name, wanted in target.arguments.items():
        plain = isinstance(wanted, str | int | float) and name in before.value and name in value
        if plain and wanted != value[name] == before.value[name]:
            yield Violation(
                rule="unchanged",
                severity="warning",
                message=f"{name} was set to {str(wanted)[:80]!r}, and is what it was before",
                because=(before.id,),
            )


def _undeclared(target: Target) -> Iterator[Violation]:
    schema = target.tool.input_schema if target.tool is not None else None
    surplus = undeclared(schema, target.arguments)
    if surplus and check(schema, target.arguments).message is not None:
        return
    for name in surplus:
        yield Violation(
            rule=UNDECLARED,
            severity="warning",
            message=f"{target.label} does not declare the argument {name[:80]!r}; the call passes",
        )
