"""Rules that an observation of a coding tool cannot break, whatever the truth is.

An ``error`` is a claim that the observation is impossible; what only this version of a harness, or
nearly every one, does is a ``warning``. None of them speaks up on recorded reality.
"""

from typing import Literal

from worldline.domains.base import ActionError, Ledger
from worldline.domains.common import leaks
from worldline.domains.swe import ledger as ledgers
from worldline.domains.swe.actions import Edit, Read, Write
from worldline.domains.swe.dialects.bash_returncode import Unwrapped, parse_returned
from worldline.domains.swe.dialects.form import Observed, Tools
from worldline.domains.swe.dialects.hermes import Answer
from worldline.domains.swe.dialects.qwen_cli import LABELS, Answered
from worldline.domains.swe.observations import Numbered, Pieces, first_row
from worldline.domains.swe.rows import Row
from worldline.domains.swe.session import Session, led
from worldline.domains.terminal.actions import Call, Deed, Run
from worldline.domains.terminal.checks import bare, outcome
from worldline.domains.terminal.observations import Result
from worldline.prediction import Violation

NUMBERED = ("claude-code", "opencode")
"""Dialects whose reads number every line."""
SHELL_LABELS = tuple(name for name in LABELS if name != "Result")


def checks(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything the observation breaks, before it is tracked."""
    session = Session(ledger)
    files = [one.value for one in ledger.facts.values() if one.kind == "file"]
    told = [str(value.get("content") or "") for value in files]
    lines = ["\n".join(part.lines.values()) for part in session.parts.values()]
    found = leaks(observation, "\n".join([action, *told, *lines]))
    try:
        deeds = session.form.deeds(action)
    except ActionError:
        return found
    found += _envelope(session, deeds[0], observation)
    if isinstance(deeds[0], Call):
        found += _call(session, deeds[0], observation)
    for deed, result in zip(
        deeds, session.form.results(session.look, action, observation), strict=True
    ):
        if isinstance(deed, Run) and result.output is not None:
            found += _line(session, deed.text, result)
            break
    return found + _known(ledger, action, observation, found)


def _broken(
    rule: str,
    message: str,
    because: tuple[str, ...] = (),
    severity: Literal["error", "warning"] = "error",
) -> Violation:
    return Violation(rule=f"swe.{rule}", severity=severity, message=message, because=because)


def _line(session: Session, text: str, result: Result) -> list[Violation]:
    """What the terminal's rules say of a command line, in the directory that it goes to."""
    found = led(text)
    if found is None or not session.enters(found[1]):
        said = outcome(session, text, result)
    else:
        with session.at(found[0], session.placed(found[1])):
            said = outcome(session, text[len(found[0]) :], result)
    return [
        _broken(one.rule.removeprefix("terminal."), one.message, one.because, one.severity)
        for one in said
    ]


def _known(
    ledger: Ledger, action: str, observation: str, found: list[Violation]
) -> list[Violation]:
    """The observation is known, and it is another one."""
    if any(one.rule == "swe.known" for one in found):
        return []
    known = ledgers.known(ledger, action)
    if known is None or known.consistent_only or bare(known.observation) == bare(observation):
        return []
    wanted = known.observation[:120]
    return [_broken("known", f"contradicts what is established: {wanted!r}", known.because)]


def _envelope(session: Session, deed: Deed, observation: str) -> list[Violation]:
    """The frame that the harness puts around what a shell printed."""
    form = session.form
    if form.id == "bash-returncode" and isinstance(parse_returned(observation), Unwrapped):
        return [_broken("envelope", "lacks <returncode>N</returncode> and <output>...</output>")]
    if not isinstance(deed, Run):
        return []
    if form.id == "hermes":
        keys = session.look.keys or ()
        answer: Answer = form.parse_observation(observation)
        have = {one.name for one in answer.fields or ()}
        missing = [key for key in keys if key not in have]
        told = f"lacks {', '.join(missing)} of the result's fields"
        return [_broken("shape", told)] if missing else []
    if form.id == "qwen-cli":
        answered: Answered = form.parse_observation(observation)
        names = {one.name for one in answered.labels}
        missing = [name for name in SHELL_LABELS if name not in names]
        told = f"lacks the labels {', '.join(missing)}"
        return [_broken("envelope", told, severity="warning")] if missing else []
    return []


def _call(session: Session, deed: Call, observation: str) -> list[Violation]:
    """What a tool that reads or changes a file shows."""
    form = session.form
    if not isinstance(form, Tools):
        return _views(form.parse_observation(observation).pieces)
    doing = form.operation(deed)
    if isinstance(doing, Read) and form.id in NUMBERED:
        seen: Observed = form.parse_observation(observation)
        return _numbers(doing, seen.pieces)
    if isinstance(doing, Edit | Write):
        return _edited(session, form, doing, observation)
    return []


def _numbers(read: Read, found: Pieces) -> list[Violation]:
    """Numbers of a read begin where it was asked to begin, and follow on one another."""
    blocks = [one for one in found if isinstance(one, Numbered)]
    if not blocks:
        return []
    said = []
    if len(blocks) > 1:
        where = f"{blocks[0].last} is followed by {blocks[1].first}"
        said.append(_broken("numbers", f"line numbers do not follow on one another: {where}"))
    wanted = read.first or 1
    if blocks[0].first != max(wanted, 1) and not (read.first == 0 and blocks[0].first == 0):
        said.append(_broken("numbers", f"begins at line {blocks[0].first}, not at {wanted}"))
    total = first_row(found, "total")
    if total is not None and total.number is not None and blocks[-1].last > total.number:
        said.append(_broken("numbers", f"shows more lines than the {total.number} in total"))
    return said


def _edited(
    session: Session, form: Tools, doing: Edit | Write, observation: str
) -> list[Violation]:
    """A confirmed change names the file that was to be changed, and can have been made."""
    if form.confirmed(doing, observation) is not True:
        return []
    parsed = form.parse_observation(observation)
    pieces: Pieces = parsed.pieces if isinstance(parsed, Observed | Answered) else ()
    said = []
    named = next((one.path for one in pieces[:1] if isinstance(one, Row) and one.path), None)
    if named is not None and named.rpartition("/")[2] != doing.path.rpartition("/")[2]:
        said.append(_broken("file", f"confirms a change of {named!r}, not of {doing.path!r}"))
    path = session.locate(doing.path)
    content = session.files.content(path) if path is not None else None
    fact = session.files.get(path) if path is not None else None
    if content is None or fact is None or not isinstance(doing, Edit) or fact.origin == "model":
        return said
    if fact.value.get("tool") and form.refuse(doing, content[0]) is not None:
        said.append(_broken("edit", "confirms an edit of text that is not there", (fact.id,)))
    return said


def _views(found: Pieces) -> list[Violation]:
    """A view of a file: the lines shown, and those out of sight, add up to its total."""
    said = []
    for place, head in enumerate(found):
        if not isinstance(head, Row) or head.kind != "file" or head.number is None:
            continue
        rest = found[place + 1 : place + 4]
        block = next((one for one in rest if isinstance(one, Numbered)), None)
        above = first_row(rest[:1], "above")
        if block is None:
            continue
        hidden = above.number if above is not None else None
        if block.last > head.number or (hidden is not None and block.first != hidden + 1):
            said.append(_broken("view", f"the lines shown do not fit {head.number} in total"))
    return said
