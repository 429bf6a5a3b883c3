"""Rules that an observation cannot break, whatever the truth is.

An ``error`` is a claim that the observation is impossible. The rules hold for recorded reality:
none of them speaks up on it.
"""

import re

from worldline.domains.base import ActionError, Ledger
from worldline.domains.common import leaks
from worldline.domains.terminal.actions import Deed, Run
from worldline.domains.terminal.dialects.aci import View, parse_views
from worldline.domains.terminal.dialects.jsontext import parse_json
from worldline.domains.terminal.dialects.terminus2 import PROMPT, WIDTH, parse_screen
from worldline.domains.terminal.foresee import foresee
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.session import Session, only_command
from worldline.domains.terminal.shell import footprint
from worldline.domains.terminal.shell.tables import TABLES
from worldline.prediction import Violation

_SPEAKS = re.compile(r"-\w*[vi]|--|-$")
"""Options that make a silent command speak."""
_SHELL = re.compile(r"-?[\w./-]*sh(?:: line \d+)?: ")
_NOT_FOUND = re.compile(r"-?[\w./-]*sh(?:: line \d+)?: [^:\n]+: command not found\s*")


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
    if session.form.id == "json":
        found += _shape(session, deeds, observation)
    if session.form.id == "aci":
        found += _views(observation)
    if session.form.tty:
        found += _screen(session, deeds, observation)
    for deed, result in zip(deeds, results, strict=True):
        if isinstance(deed, Run) and result.output is not None:
            found += outcome(session, deed.text, result)
            break
    return found


def outcome(session: Session, text: str, result: Result) -> list[Violation]:
    """What a shown outcome of a command line breaks, in the state before it ran."""
    return [
        *_silence(session, text, result),
        *_exit(text, result),
        *_known(session, text, result),
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
    if bare(foreseen.result.output) == bare(result.output or ""):
        return []
    wanted = foreseen.result.output[:120]
    return [_error("known", f"contradicts what is established: {wanted!r}", foreseen.because)]


def _silence(session: Session, text: str, result: Result) -> list[Violation]:
    """A command that only speaks when it fails said something that is no error message."""
    output = (result.output or "").strip()
    commands = [only_command(wrapped.text or "(") for wrapped in session.harness.wraps(text)]
    words = commands[0]
    if not output or words is None or any(other != words for other in commands):
        return []
    spoken = any(_SPEAKS.match(word) for word in words[1:])
    if words[0] not in TABLES["silent"] or session.altered or session.busy or spoken:
        return []
    odd = next((line for line in output.splitlines() if not _complains(line, words[0])), None)
    if odd is None or "timed out" in odd.lower() or odd.startswith("OCI "):
        return []
    said = f"{words[0]} prints nothing unless it fails, but this says {odd[:80]!r}"
    return [_error("silent", said)]


def _complains(line: str, name: str) -> bool:
    return line.startswith((f"{name}: ", "Try '", "Usage: ")) or bool(_SHELL.match(line))


def _exit(text: str, result: Result) -> list[Violation]:
    """A lone command that was not found cannot have succeeded."""
    if result.code == 0 and only_command(text) and _NOT_FOUND.fullmatch(result.output or ""):
        return [_error("exit", "the command was not found, yet the exit code is 0")]
    return []


def _shape(session: Session, deeds: list[Deed], observation: str) -> list[Violation]:
    """The shell tool answers with the fields it has always had."""
    keys = session.look.keys
    if keys is None or not deeds or not isinstance(deeds[0], Run):
        return []
    found = parse_json(observation)
    value = found.value if found is not None else None
    missing = [key for key in keys if not isinstance(value, dict) or key not in value]
    return (
        [_error("shape", f"lacks {', '.join(missing)} of the result's fields")] if missing else []
    )


def _views(observation: str) -> list[Violation]:
    """A view of a file: lines shown and lines out of sight add up to the total."""
    found = []
    for part in parse_views(observation).parts:
        if not isinstance(part, View) or not part.lines:
            continue
        first, last = part.lines[0].number, part.lines[-1].number
        above = first - 1 if part.above is None else part.above
        if last > part.total or (part.above is not None and above != first - 1):
            found.append(_error("view", f"the lines shown do not fit {part.total} lines in total"))
    return found


def _screen(session: Session, deeds: list[Deed], observation: str) -> list[Violation]:
    """What was typed at a waiting prompt is echoed; the prompt names the current directory."""
    before = session.look.prompt
    runs = [deed.text for deed in deeds if isinstance(deed, Run)]
    screen = parse_screen(observation)
    if (
        before is None
        or not runs
        or len(runs) != len(deeds)
        or "Current Terminal Screen:" in screen.titles
    ):
        return []
    found = []
    first = runs[0].split("\n")[0]
    echoed = session.busy or f"{before} {first}".rstrip() in observation
    if len(first) + len(before) < WIDTH and not echoed:  # a job may have come between
        found.append(_error("echo", f"the command {first[:60]!r} is not echoed behind its prompt"))
    cwd = str(session.cwd.value) if session.cwd else None
    moves = any(footprint.of_text(text, cwd).cwd for text in runs)
    last = next((one.prompt for one in reversed(screen.shown) if not one.typed.strip()), None)
    match, old = PROMPT.fullmatch(last or ""), PROMPT.fullmatch(before)
    if not moves and match and old and match["path"] != old["path"]:
        because = (session.cwd.id,) if session.cwd else ()
        found.append(
            _error("cwd", f"nothing changed the directory, but the prompt says {last}", because)
        )
    return found
