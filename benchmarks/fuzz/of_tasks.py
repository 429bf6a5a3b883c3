"""Tasks from files and what they are checked on: neither can make a check run away or raise."""

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from benchmarks.fuzz.of_files import file
from benchmarks.fuzz.of_trees import SPLIT, STATE
from benchmarks.fuzz.seeds import ours
from benchmarks.fuzz.targets import Broken, Target
from worldline import jsonl
from worldline.errors import DataError
from worldline.tasks.args import argument
from worldline.tasks.checks import evaluate
from worldline.tasks.patterns import TooMuch, json_in
from worldline.tasks.read import read_tasks
from worldline.tasks.task import Check
from worldline.tasks.template import NoMatch, emptied, filled, templates
from worldline.tasks.texts import Texts

PLACES = (("terminal", "command"), ("swe", "aci"), ("mcp", "json"), ("web", "playwright"))
ACTION = 'cat hay; echo "exit=$?"'


def targets() -> Iterator[Target]:
    """Files of tasks, checks, templates, JSON in a text."""

    def pairs() -> tuple[str, ...]:
        seen = (*ours("observed"), STATE)
        return tuple(c + SPLIT + o for c in ours("checks") for o in seen)

    yield Target("tasks.read", file("tasks.jsonl", read_tasks), lambda: ours("tasks"))
    yield Target("tasks.checks", check, pairs)
    yield Target("tasks.observations", observed, lambda: (*ours("observed"), STATE))
    actions = ('grep "{{1:(\\S+\\.py)}}" x {{0:[^}]+}}', '{"a": "{{2:n=(\\\\d+)}}"}', "{{1:a{2}}}")
    pairs_of = tuple(a + SPLIT + o for a in actions for o in ours("observed"))
    yield Target("tasks.templates", template, lambda: pairs_of)
    yield Target("tasks.json", found, lambda: ours("observed"))


def check(text: str) -> None:
    """A check is wrong, which says so beforehand, or it decides on any text."""
    asked, _, seen = text.partition(SPLIT)
    try:
        one = jsonl.convert(jsonl.loads(asked), Check)
        argument(one)
    except (ValueError, RecursionError, msgspec.ValidationError, DataError):
        return
    decide(one, seen)


def observed(text: str) -> None:
    """Every check of ours decides on any text."""
    for row in ours("checks"):
        decide(jsonl.convert(jsonl.loads(row), Check), text)


def decide(one: Check, seen: str) -> None:
    """A verdict in every domain."""
    for domain, dialect in PLACES:
        texts = Texts(
            observation=seen,
            state=seen,
            answer=seen,
            domain=domain,
            dialect=dialect,
            action=ACTION if domain == "terminal" else "a",
        )
        verdict = evaluate(one, texts)
        if verdict.ok not in (True, False, None) or not verdict.why:
            raise Broken(f"{verdict} is no verdict")


def template(text: str) -> None:
    """An action has templates that can be filled and emptied, or is refused."""
    action, _, seen = text.partition(SPLIT)
    try:
        there = templates(action)
    except DataError:
        return
    plain = emptied(action)
    if not there and plain != action:
        raise Broken("an action without templates is changed")
    with suppress(NoMatch):
        filled(action, lambda turn: seen if turn % 2 else None)
        filled(action, lambda _: seen)


def found(text: str) -> None:
    """A text has a JSON value, none, or too much."""
    with suppress(LookupError, TooMuch):
        json_in(text)
