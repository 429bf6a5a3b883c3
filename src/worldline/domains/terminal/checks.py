"""Rules that an observation cannot break, whatever the truth is.

An ``error`` is a claim that the observation is impossible. The rules hold for recorded reality:
none of them speaks up on it.
"""

import re
from collections.abc import Iterable, Iterator

import msgspec

from worldline.domains.base import ActionError, Ledger
from worldline.domains.common import leaks, shortened
from worldline.domains.terminal.actions import Run
from worldline.domains.terminal.foresee import foresee
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.rules.answers import answers, codes, hunks
from worldline.domains.terminal.rules.asked import Asked, Claim, asked, complains
from worldline.domains.terminal.rules.counting import counts, mute
from worldline.domains.terminal.rules.places import places
from worldline.domains.terminal.rules.programs import shapes
from worldline.domains.terminal.rules.screen import place, screen
from worldline.domains.terminal.rules.selection import invented
from worldline.domains.terminal.rules.views import views
from worldline.domains.terminal.session import Session, only_command, parsed
from worldline.domains.terminal.shell.grammar import Command, literal
from worldline.domains.terminal.shell.tables import TABLES
from worldline.prediction import Violation

_SPEAKS = re.compile(r"-\w*[vciI]|--|-$")
"""Options that make a silent command speak."""
_NOT_FOUND = re.compile(r"-?[\w./-]{0,80}sh(?:: line \d+)?: [^:\n]+: command not found\s*")
_DIALECTS = {"json": answers, "aci": views, "terminus2": screen}
_REDIRECTED = {"echo", "printf", "cat", "sort", "head", "tail", "grep", "cut", "seq", "sed", "awk"}


def checks(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything the observation breaks, before it is tracked."""
    session = Session(ledger)
    files = [one.value for one in ledger.facts.values() if one.kind == "file"]
    told = [str(value.get("content") or "") for value in files]
    found = leaks(observation, "\n".join([action, *told]))
    try:
        deeds = session.form.deeds(action)
        results = session.form.results(session.look, action, observation)
    except ActionError:
        return found
    rules = _DIALECTS.get(session.form.id)
    if rules is not None:
        found += _errors(rules(session, deeds, observation), observation)
    for deed, result in zip(deeds, results, strict=True):
        if isinstance(deed, Run) and result.output is not None:
            found += outcome(session, deed.text, result, observation)
            break
    return found


def outcome(
    session: Session, text: str, result: Result, observation: str | None = None
) -> list[Violation]:
    """What a shown outcome of a command line breaks, in the state before it ran.

    Args:
        observation: what the outcome stands in, so that violations can say where.
    """
    claims = [*_silence(session, text, result), *_exit(session, text, result)]
    known = _known(session, text, result)
    question = None if known else asked(session, text, result)
    if question is not None:
        claims += _impossible(session, question)
    return [*_errors(claims, observation), *known]


def _impossible(session: Session, question: Asked) -> Iterator[Claim]:
    yield from shapes(question)
    yield from counts(session, question)
    yield from mute(session, question)
    if not session.unsettled:
        yield from invented(session, question)
        yield from places(session, question)
    if len(question.commands) == 1 and question.commands[0][0] in ("diff", "git"):
        yield from hunks("\n".join(question.lines))


def _errors(claims: Iterable[Claim], observation: str | None) -> list[Violation]:
    return [
        msgspec.structs.replace(
            _error(claim.rule, claim.message, claim.because),
            severity=claim.severity,
            span=None if observation is None else place(observation, claim.line),
        )
        for claim in claims
    ]


def _error(rule: str, message: str, because: tuple[str, ...] = ()) -> Violation:
    return Violation(rule=f"terminal.{rule}", severity="error", message=message, because=because)


def bare(text: str) -> str:
    """A text without blanks at its ends of lines, as a screen might show it."""
    rows = (line.expandtabs().rstrip(" \r") for line in text.split("\n"))
    return "\n".join(rows).strip("\n")


def _known(session: Session, text: str, result: Result) -> list[Violation]:
    """The outcome is known, and it is another one."""
    before = dict(session.env)
    foreseen = foresee(session, text)
    session.env = before
    if foreseen is None or foreseen.result.output is None or foreseen.hearsay:
        return []
    if session.form.tty and foreseen.result.output[-1:] not in ("", "\n"):
        return []  # it stands before the next prompt, in the same line
    if bare(foreseen.result.output) == bare(result.output or ""):
        return []
    wanted = shortened(foreseen.result.output, 120)
    return [_error("known", f"contradicts what is established: {wanted!r}", foreseen.because)]


def _silence(session: Session, text: str, result: Result) -> Iterator[Claim]:
    """Commands that only speak when they fail said something that is no error message."""
    output = (result.output or "").strip()
    if not output or session.altered or session.busy:
        return
    found = [_silent(wrapped.text or "(") for wrapped in session.harness.wraps(text)]
    names = found[0]
    if not names or any(other != names for other in found):
        return
    voices = tuple(f"{name}: " for name in names)
    odd = next((line for line in output.splitlines() if not complains(line, voices)), None)
    if odd is None or "timed out" in odd.lower() or odd.startswith(("OCI ", "{", ">")):
        return
    said = f"{names[-1]} prints nothing here unless it fails, but this says {odd[:80]!r}"
    yield Claim("silent", said, odd)


def _silent(text: str) -> list[str] | None:
    """The programs of a line, if none of them prints anything unless it fails."""
    script = parsed(text)
    if script is None or not script.plain:
        return None
    names = []
    for pipeline in script.pipelines:
        name = _mute(pipeline.commands[0])
        if len(pipeline.commands) > 1 or pipeline.joint == "&" or name is None:
            return None
        names.append(name)
    return names


def _mute(command: Command) -> str | None:
    words = [literal(word) for word in command.words]
    name = words[0] if words else None
    if name is None or command.assigns:
        return None
    away = any(one.op in (">", ">>", ">|") and one.fd in (None, 1) for one in command.redirects)
    if away and name in _REDIRECTED and not any(one.op == "<<<" for one in command.redirects):
        return name if all(one.fd != 2 for one in command.redirects) else None
    spoken = any(word is None or _SPEAKS.match(word) for word in words[1:])
    return name if name in TABLES["silent"] and not spoken and not command.redirects else None


def _exit(session: Session, text: str, result: Result) -> Iterator[Claim]:
    """The exit code of one command fits what it printed."""
    output = result.output or ""
    if result.code == 0 and only_command(text) and _NOT_FOUND.fullmatch(output):
        yield Claim("exit", "the command was not found, yet the exit code is 0", output.strip())
    else:
        yield from codes(text, output, result.code, heard=session.harness.shows_errors)
