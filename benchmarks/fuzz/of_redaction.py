"""Redaction of any text and value: twice is once, JSON stays JSON, nothing else is touched."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from benchmarks.fuzz.seeds import ours
from benchmarks.fuzz.targets import Broken, Target, same
from worldline import jsonl
from worldline.collect.scrub import preview, redact_trajectory, redact_value
from worldline.redact import redact, replaced, secrets
from worldline.redact.people import Finder, meet
from worldline.trajectory import SystemPrompt, Trajectory, Turn

SALT = "s"


def targets() -> Iterator[Target]:
    """Texts, who they name, values, trajectories."""

    def rows() -> tuple[str, ...]:
        return (*ours("secrets"), *(json.dumps({"a": [one]}) for one in ours("secrets")))

    yield Target("redact text", text_, rows)
    yield Target("redact people", people, rows)
    yield Target("scrub values", value, rows)
    yield Target("scrub trajectories", session, lambda: ours("secrets"))


def text_(text: str) -> None:
    """Twice is once; what was JSON is JSON of the same shape; findings are in order."""
    clean, counts = redact(text)
    same(clean, redact(clean)[0], "redacted twice")
    if (clean != text) != bool(counts):
        raise Broken("what is replaced is not counted")
    stays_json(text, clean)
    found = secrets(text)
    if any(a.end > b.start for a, b in pairwise(found)):
        raise Broken("findings overlap")
    same(text, replaced(text, found, lambda hit: text[hit.start : hit.end]), "replaced by itself")


def people(text: str) -> None:
    """Who is named in a text is found in it, in order."""
    found = Finder(meet([text]))(text)
    if any(a.end > b.start for a, b in pairwise(found)):
        raise Broken("findings overlap")


def value(text: str) -> None:
    """A text, and the JSON it may be, as values: twice is once, shapes stay."""
    clean = cleaned(text)
    stays_json(text, clean)
    given = parsed(text)
    if given is not None:
        cleaned(given)


def cleaned(given: Any) -> Any:
    """A value redacted; twice must be once."""
    clean, _ = redact_value(given, salt=SALT, scope="x")
    again, _ = redact_value(clean, salt=SALT, scope="x")
    same(line(clean), line(again), "a value redacted twice")
    if shape(clean) != shape(given):
        raise Broken("the value has another shape")
    return clean


def session(text: str) -> None:
    """A trajectory: twice is once, and what would change is what changes."""
    turns = (Turn(action=text[:200], observation=text), Turn(action="ls", observation=text[::-1]))
    system = SystemPrompt(initial_state=text[:50])
    one = Trajectory(id="f", domain="generic", dialect="text", system=system, turns=turns)
    clean, counts = redact_trajectory(one, salt=SALT)
    again, _ = redact_trajectory(clean, salt=SALT)
    same(line(clean.record()), line(again.record()), "a trajectory redacted twice")
    changes = preview(one, salt=SALT)
    if bool(changes) != (clean != one) or bool(changes) != bool(counts):
        raise Broken(f"{len(changes)} changes are told, {sum(counts.values())} counted")


def stays_json(before: str, after: str) -> None:
    """What was JSON is JSON."""
    was = parsed(before)
    if was is not None and before != after:
        now = parsed(after)
        if shape(now) != shape(was):
            raise Broken(f"JSON became {after[:80]!r}")


def parsed(text: str) -> Any:
    """The JSON object or array that a text is."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return jsonl.loads(text)
    except (ValueError, RecursionError):
        return None


def shape(value: Any) -> Any:
    """A value without its texts and names."""
    if isinstance(value, dict):
        return [shape(one) for one in value.values()]
    if isinstance(value, list | tuple):
        return [shape(one) for one in value]
    return "" if isinstance(value, str) else value


def line(value: Any) -> str:
    """As JSON."""
    return jsonl.dumps(value).decode()
