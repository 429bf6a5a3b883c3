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
from worldline.domains.terminal.dialects import jsontext
from worldline.domains.terminal.observations import Result
from worldline.prediction import Violation

HOOKED = ("claude-code", "opencode")
"""Dialects whose harnesses run formatters after a change, where a user sets them up."""
SHOWN = ("swe.known", "swe.lines", "swe.edit", "swe.size")
UNCHANGED = "File unchanged since last read"
"""What a harness may say instead of the lines that it showed before."""
REFUSED = (-1, 124, 126, 130)
"""Exit codes with which a harness says that it did not run a command, or stopped it."""


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
    found += _known(session, action, observation, found)
    return [_softened(session, one, action) for one in found]


def _softened(session: Session, one: Violation, action: str) -> Violation:
    """A hook may have laid out a file anew after a tool changed it, until a read shows it again:
    what is then only another text of that file is a warning."""
    if session.form.id not in HOOKED or one.rule not in SHOWN or not session.edited:
        return one
    paths = [path for path in session.edited if session.files.kind(path) != "absent"]
    about = any(f"file:{path}" in one.because for path in paths)
    if not about and not any(path.rpartition("/")[2] in action for path in paths):
        return one
    return msgspec.structs.replace(one, severity="warning")


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


def _agree(session: Session, known: str, observation: str) -> bool:
    """Whether an observation says what is known; a JSON answer may have further fields."""
    if bare(known) == bare(observation):
        return True
    if session.form.id == "claude-code" and observation.startswith(UNCHANGED):
        return True
    wanted, given = jsontext.fields(known), jsontext.fields(observation)
    if session.form.id != "hermes" or wanted is None or given is None:
        return False
    refused = given.get("error") and given.get("exit_code") in REFUSED
    same = all(name in given and _same(one, given[name]) for name, one in wanted.items())
    return bool(refused) or same


def _same(one: object, other: object) -> bool:
    both = isinstance(one, str) and isinstance(other, str)
    return bare(one) == bare(other) if both else one == other  # type: ignore[arg-type]


def _known(
    session: Session, action: str, observation: str, found: list[Violation]
) -> list[Violation]:
    """The observation is known, and it is another one."""
    if any(one.rule == "swe.known" for one in found):
        return []
    known = ledgers.known(session.before, action)
    if known is None or known.consistent_only or _agree(session, known.observation, observation):
        return []
    wanted = shortened(known.observation, 120)
    return [broken("known", f"contradicts what is established: {wanted!r}", known.because)]
