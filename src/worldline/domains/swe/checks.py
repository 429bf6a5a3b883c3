"""Rules that an observation of a coding tool cannot break, whatever the truth is.

An ``error`` is a claim that the observation is impossible; what only this version of a harness, or
nearly every one, does is a ``warning``. None of them speaks up on recorded reality. The rules of
command lines are the terminal's; `rules` holds those of coding tools.
"""

from collections.abc import Iterator

import msgspec

from worldline.domains.base import ActionError, Ledger
from worldline.domains.common import leaks, shortened
from worldline.domains.swe import ledger as ledgers
from worldline.domains.swe.rules import answers, lines, repository
from worldline.domains.swe.rules.base import broken
from worldline.domains.swe.session import Session, led
from worldline.domains.terminal.actions import Call, Run
from worldline.domains.terminal.checks import bare, outcome
from worldline.domains.terminal.observations import Result
from worldline.prediction import Violation


def checks(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything the observation breaks, before it is tracked."""
    session = Session(ledger)
    files = [one.value for one in ledger.facts.values() if one.kind == "file"]
    told = [str(value.get("content") or "") for value in files]
    shown = ["\n".join(part.lines.values()) for part in session.parts.values()]
    found = leaks(observation, "\n".join([action, *told, *shown]))
    try:
        deeds = session.form.deeds(action)
    except ActionError:
        return found
    found += answers.envelope(session, deeds[0], observation)
    if isinstance(deeds[0], Call):
        found += answers.of_call(session, deeds[0], observation)
        found += lines.of_call(session, deeds[0], observation)
    results = session.form.results(session.look, action, observation)
    for deed, result in zip(deeds, results, strict=True):
        if isinstance(deed, Run) and result.output is not None:
            found += _line(session, deed.text, result, observation)
            break
    return found + _known(ledger, action, observation, found)


def _line(session: Session, text: str, result: Result, observation: str) -> list[Violation]:
    """What the rules say of a command line, in the directory that it goes to."""
    found = led(text)
    if found is None:
        place = str(session.cwd.value) if session.cwd else ""
        return list(_outcome(session, place, text, result, observation))
    rest = text[len(found[0]) :]
    if session.enters(found[1]):
        with session.at(found[0], session.placed(found[1])):
            return list(_outcome(session, found[1], rest, result, observation))
    said = [*_terminal(session, text, result, observation)]
    return [*said, *repository.of_command(session, found[1], rest, result, observation)]


def _outcome(
    session: Session, place: str, text: str, result: Result, observation: str
) -> Iterator[Violation]:
    yield from _terminal(session, text, result, observation)
    output = result.output or ""
    yield from repository.of_command(session, place, text, result, observation)
    yield from lines.of_command(session, text, output, observation)
    yield from lines.of_listing(session, text, output, observation)
    yield from lines.of_failure(text, result.code, output, observation)
    yield from lines.of_script(text, output, observation)


def _terminal(session: Session, text: str, result: Result, observation: str) -> Iterator[Violation]:
    for one in outcome(session, text, result, observation):
        rule = one.rule.removeprefix("terminal.")
        yield msgspec.structs.replace(one, rule=f"swe.{rule}")


def _known(
    ledger: Ledger, action: str, observation: str, found: list[Violation]
) -> list[Violation]:
    """The observation is known, and it is another one."""
    if any(one.rule == "swe.known" for one in found):
        return []
    known = ledgers.known(ledger, action)
    if known is None or known.consistent_only or bare(known.observation) == bare(observation):
        return []
    wanted = shortened(known.observation, 120)
    return [broken("known", f"contradicts what is established: {wanted!r}", known.because)]
