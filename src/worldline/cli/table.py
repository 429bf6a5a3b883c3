"""Steps in words and in a table: where each came from, what it rests on, what it cost.

Everything here is safe to print.
"""

import sys
from collections.abc import Sequence

import msgspec

from worldline.cli.common import say
from worldline.facts import Fact
from worldline.prediction import StepResult
from worldline.visible import first_line, visible
from worldline.world import World


def origin_note(result: StepResult) -> str:
    """Where a step came from; an answer that rests on the model's word says so."""
    hearsay = result.prediction is not None and result.prediction.consistent_only
    return f"{result.origin}, on the model's word" if hearsay else result.origin


def usage_note(result: StepResult) -> str:
    """Tokens of a step in words: evaluated, reused, written."""
    used = result.usage
    if used.prompt is None:
        return "no call" if result.origin != "model" else ""
    cached = used.cached or 0
    return f"{used.prompt - cached} tokens in, {cached} reused, {used.completion or 0} out"


def fact_line(one: Fact) -> str:
    """A fact in one safe line: kind, key, value, whether complete, origin and turn."""
    value = one.value if isinstance(one.value, str) else str(msgspec.to_builtins(one.value))
    partial = "" if one.complete else " (incomplete)"
    return (
        f"{one.kind} {visible(one.key)} = {first_line(value, 60)}{partial}"
        f"   [{one.origin}, turn {one.turn}]"
    )


def why(world: World, result: StepResult) -> list[str]:
    """Everything that is known about how a step came to be, in safe lines."""
    made = result.prediction
    assert made is not None
    lines = [f"origin: {made.origin}" + (f" ({made.reason})" if made.reason else "")]
    if made.outcome != "ok":
        lines.append(f"no observation: {made.outcome}")
    if made.consistent_only:
        lines.append("it rests on something only the model said: consistent, not known to be true")
    known = world.state.ledger.facts
    lines += [f"because: {fact_line(known[id])}" for id in made.because if id in known]
    lines += [f"breaks {v.rule} ({v.severity}): {visible(v.message)}" for v in made.violations]
    if made.origin == "model":
        lines.append(f"model: {made.model}, seed {made.seed}, attempts {made.attempts}")
        used = ", ".join(filter(None, (usage_note(result), f"{made.latency_s:.2f} s")))
        lines.append(f"cost: {used}")
        if made.fit.form == "patch" and made.outcome == "ok":
            lines.append("it predicted an edit of the state before; code carried it out")
        elif made.fit.form == "patch":
            lines.append("it was asked for an edit of the state before, and gave none that works")
        if made.fit.clipped:
            lines.append(f"{made.fit.clipped} nodes of that state were not shown: no room")
        if made.fit.dropped_turns:
            lines.append(f"the oldest {made.fit.dropped_turns} turns did not fit its context")
    if made.reasoning:
        lines.append(f"reasoning: {first_line(made.reasoning, 200)}")
    return lines


def table(steps: Sequence[tuple[str, StepResult, str]]) -> None:
    """The steps of a session, a row each: done, came back, from where, at what cost."""
    from rich.console import Console as RichConsole
    from rich.table import Table
    from rich.text import Text

    out = Table(title="Session", title_justify="left")
    for name in ("step", "action", "what came", "origin"):
        out.add_column(name, overflow="fold")
    for name in ("tokens evaluated", "reused", "seconds", "violations"):
        out.add_column(name, justify="right")
    for action, result, came in steps:
        used = result.usage
        cached = used.cached or 0
        said = came if result.outcome == "ok" else result.outcome
        cells = (
            str(result.seq) if result.outcome == "ok" else "-",
            first_line(action, 44),
            said,
            origin_note(result),
            str(used.prompt - cached) if used.prompt is not None else "-",
            str(cached) if used.prompt is not None else "-",
            f"{result.latency_s:.2f}",
            str(len(result.violations)),
        )
        out.add_row(*(Text(cell) for cell in cells))
    RichConsole(width=None if sys.stdout.isatty() else 140).print(out)
    say("Everything above is simulated: `known` follows from facts, `model` is a prediction.")
