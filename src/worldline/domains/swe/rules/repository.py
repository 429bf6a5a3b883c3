"""The repository and its tests: what git and pytest said before, and sums that must come out."""

import re
from collections.abc import Iterator

from worldline.domains.swe import past as pasts
from worldline.domains.swe.rules.base import broken, spot
from worldline.domains.swe.session import Session
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.session import only_command
from worldline.prediction import Violation

_COLLECTED = re.compile(r"(?m)^(?:collecting \.\.\. )?collected (\d{1,6}) items?(.{0,200})$")
_LEFT_OUT = re.compile(r"(\d{1,6}) deselected")


def of_command(
    session: Session, place: str, text: str, result: Result, observation: str
) -> Iterator[Violation]:
    """What an answer of pytest or git cannot be.

    Args:
        place: the directory it ran in.
    """
    output = result.output or ""
    yield from _tests(session, place, text, result, observation)
    if place != session.past.place:
        return
    words = only_command(text) or []
    yield from _changes(session, words, output)
    yield from _newest(session, words, output, observation)


def _tests(
    session: Session, place: str, text: str, result: Result, observation: str
) -> Iterator[Violation]:
    target = pasts.targets(text)
    output = result.output or ""
    found, line = pasts.total(output), pasts.summary(output)
    if target is None or found is None or line is None:
        return
    where = spot(observation, line)
    before = session.past.tests.get(f"{place}\0{target}")
    if before is not None and before != found:
        said = f"{found} tests ran, but the same files held {before} and nothing was written since"
        yield broken("tests", said, span=where, severity="warning")  # tests may make their cases
    collected = _COLLECTED.search(output)
    if collected is not None:
        left = _LEFT_OUT.search(collected[2])
        wanted = int(collected[1]) - (int(left[1]) if left else 0)
        if found != wanted:
            yield broken("tests", f"{wanted} tests were collected, {found} counted", span=where)
    if "|" not in text:
        yield from _sums(result, line, found, where)


def _sums(
    result: Result, line: str, found: int, where: tuple[int, int] | None
) -> Iterator[Violation]:
    """What a whole run of tests shows adds up to its summary, and its exit code says the same."""
    output = result.output or ""
    shown = pasts.progress(output) if "subtest" not in line else None
    if shown is not None and shown != found:
        yield broken("tests", f"{shown} tests are shown, {found} counted", span=where)
    named, failed = pasts.failures(output), pasts.counted(line, "failed")
    if named and named != failed and "subtest" not in line:
        yield broken("tests", f"{named} failed tests are named, {failed} counted", span=where)
    if result.code == 0 and failed:
        yield broken("tests", "tests failed, yet the exit code is 0", span=where)


def _changes(session: Session, words: list[str], output: str) -> Iterator[Violation]:
    """Files that are changed and not staged stay so while nothing is written."""
    if not pasts.asks_changes(words) or "fatal: " in output:
        return
    for path in sorted(session.past.changed):
        if path.rpartition("/")[2] not in output:
            said = f"git named {path} as changed, and nothing was written or staged since"
            yield broken("git", said)
            return


def _newest(
    session: Session, words: list[str], output: str, observation: str
) -> Iterator[Violation]:
    """The newest commit is the one that was made last."""
    listed = next(pasts.commits(words, output), None)
    newest = session.past.commit
    if listed is None or newest is None:
        return
    short = min(len(listed[0]), len(newest[0]))
    if listed[0][:short] != newest[0][:short]:
        said = f"the newest commit is {newest[0]} ({newest[1][:60]})"
        yield broken("commit", said, span=spot(observation, listed[0]))
