"""What a command line and its outcome teach."""

import re

from worldline.domains.terminal.foresee import plain_words
from worldline.domains.terminal.harness import (
    BROKEN,
    MALFORMED,
    Wrapped,
    missing_commands,
    syntax_only,
)
from worldline.domains.terminal.listing import learn_reads
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.session import Followed, Seen, Session, parsed, readable
from worldline.domains.terminal.shell import footprint as footprints
from worldline.domains.terminal.shell.bounds import ANYTHING, PURE, Footprint
from worldline.domains.terminal.shell.grammar import (
    MAX_TEXT,
    Command,
    Pipeline,
    Script,
    literal,
)
from worldline.domains.terminal.shell.lexer import lex
from worldline.domains.terminal.shell.tokens import Glob, Lit
from worldline.facts import FactOrigin

_USAGE = re.compile(
    r"invalid option -- |unrecognized option |missing argument to |unknown predicate "
    r"|paths must precede expression|option requires an argument|invalid date format"
)
_NOT_STARTED = re.compile(
    r"\S{1,40}: can't open file '[^'\n]{1,300}': \[Errno 2\] No such file or directory\n?"
)
"""An interpreter did not find its script."""
_NOT_COMPILED = re.compile(r"(?:SyntaxError|IndentationError|TabError): [^\n]*\n?\Z")
_NUMBERED = re.compile(r"(?m)^-?[\w./-]{0,80}sh: line \d+: ")
"""A message of the shell that counts lines, which a lasting shell goes on counting."""
_SHELL_LINE = re.compile(r"-?[\w./-]*sh: ")


def observe(session: Session, text: str, result: Result, origin: FactOrigin) -> None:
    """Take in a command line that was run, and what came of it (``output`` may be unknown)."""
    session.unsettled = False
    output = result.output
    if len(text) > MAX_TEXT or not readable(text):
        session.apply(ANYTHING, origin)
    elif output is None:
        _unshown(session, text, origin)
    elif output.strip() == MALFORMED:
        if Wrapped(None, False) in session.harness.wraps(text):
            session.harness = session.harness.narrowed("double")
        session.seen[text] = Seen(result, origin, lasting=True)
    elif BROKEN.match(output):
        if "executable file not found" not in output:
            _unshown(session, text, origin)
        session.unsettled = not output.startswith("Command timed out")
    else:
        session.harness = session.harness.heard(output, session.turn, origin)
        if not _nothing_ran(session, text, result, origin):
            _happened(session, text, result, origin)


def _unshown(session: Session, text: str, origin: FactOrigin) -> None:
    """The outcome is not seen: the bounds of what may have happened are all there is."""
    for wrapped in session.harness.wraps(text):
        bound = _bound(session, wrapped)
        session.apply(bound, origin)
        session.busy = session.busy or bound.everything


def _happened(session: Session, text: str, result: Result, origin: FactOrigin) -> None:
    wraps = session.harness.wraps(text)
    bound = PURE
    for wrapped in wraps:
        bound += _bound(session, wrapped)
    followed = _settle(session, wraps, result, bound)
    if followed is not None:
        makes, before = session.only_makes(followed), session.rewritten
        session.adopt(followed, "action")
        if bound.writes:
            session.note_write()
        session.rewritten = before if makes else session.rewritten
    else:
        session.apply(bound, origin)
    learn_reads(session, text, result, origin)
    scripts = [parsed(wrapped.text or "") for wrapped in wraps]
    numbered = _NUMBERED.search(result.output or "") and not session.harness.settled_name
    steady = all(one is not None and _steady(one, result) for one in scripts)
    settled = not bound.settling or not session.written
    if bound.repeatable and steady and settled and not numbered:
        session.seen[text] = Seen(result, origin)


def _bound(session: Session, wrapped: Wrapped) -> Footprint:
    """The footprint of one alternative; commands that are certainly missing do nothing."""
    script = None if wrapped.text is None else parsed(wrapped.text)
    if script is None:
        return PURE if wrapped.text is None else ANYTHING
    kept = [
        Pipeline(
            tuple(one for one in pipeline.commands if not _missing(session, one)) or (Command(),),
            pipeline.joint,
        )
        for pipeline in script.pipelines
    ]
    cwd = str(session.cwd.value) if session.cwd else None
    return footprints.of_script(Script(tuple(kept), script.plain), cwd)


def _missing(session: Session, command: Command) -> bool:
    """Whether a command is not there, and nothing else happens in its line."""
    name = literal(command.words[0]) if command.words else None
    return (
        name in session.missing
        and not command.redirects
        and all(isinstance(part, Lit | Glob) for word in command.words for part in word)
    )


def _nothing_ran(session: Session, text: str, result: Result, origin: FactOrigin) -> bool:
    """The shell could not read the line, does not know its one command, or that command refused
    its arguments; so nothing was done, and it will be the same again."""
    output = result.output or ""
    if "\n" in text.strip():
        return False
    if syntax_only(output):
        session.seen[text] = Seen(result, origin, lasting=True)
        _learn_syntax(session, text, result, origin)
        return True
    for name in missing_commands(output) if "PATH" not in text else ():  # not with another one
        session.missing[name] = origin
    scripts = [parsed(wrapped.text or "(") for wrapped in session.harness.wraps(text)]
    lone = [_lone(script) for script in scripts]
    if any(command is None for command in lone):
        return False
    if all(_missing(session, command) for command in lone if command):
        return output.count("\n") <= 1
    if _refused(output, {literal(command.words[0]) for command in lone if command}):
        fixed = all(_fixed(command) for command in lone if command)
        session.seen[text] = Seen(result, origin, lasting=fixed and not _python_refused(output))
        return True
    return False


def _lone(script: Script | None) -> Command | None:
    """The one command of a script that is a single command without redirections."""
    commands = [] if script is None or not script.plain else list(script.commands())
    if len(commands) != 1 or not commands[0].words or commands[0].redirects or commands[0].assigns:
        return None
    parts = [part for word in commands[0].words for part in word]
    return commands[0] if all(isinstance(part, Lit | Glob) for part in parts) else None


def _fixed(command: Command) -> bool:
    """Whether nothing in the words hangs on which files there are."""
    return all(literal(word) is not None for word in command.words)


def _refused(output: str, names: set[str | None]) -> bool:
    """Whether a program did not start on its work: bad arguments, no script, a script that does
    not compile."""
    name = next(iter(names)) if len(names) == 1 else None
    if not name or not output:
        return False
    if _python_refused(output):
        return bool(re.fullmatch(r"python[\d.]*", name))
    one_voice = all(line.startswith((f"{name}: ", "Try '")) for line in output.splitlines())
    return one_voice and bool(_USAGE.search(output))


def _python_refused(output: str) -> bool:
    """Whether Python says that it found no script, or one that does not compile."""
    compiled = not (output.startswith('  File "') and _NOT_COMPILED.search(output))
    return bool(_NOT_STARTED.fullmatch(output)) or not compiled


def _learn_syntax(session: Session, text: str, result: Result, origin: FactOrigin) -> None:
    for wrapped in session.harness.wraps(text):
        lexed = lex(wrapped.text or "")
        if lexed.open and not wrapped.named and plain_words(lexed):
            session.syntax[lexed.open] = Seen(result, origin)


def _settle(
    session: Session, wraps: list[Wrapped], result: Result, bound: Footprint
) -> Followed | None:
    """The way of following the line that agrees with what was seen, if it is the only one.

    Silence proves a write only where errors would have been seen.
    """
    found = [None if one.text is None else session.follow(one, assume=True) for one in wraps]
    agree = [_agrees(one, result) for one in found]
    if len(wraps) == 2:
        if wraps[1].text is None:
            session.harness = session.harness.narrowed("verbatim")
        elif None in found or agree[0] == agree[1]:
            return None
        else:
            session.harness = session.harness.narrowed("verbatim" if agree[0] else "double")
    chosen = next((one for one, agrees in zip(found, agree, strict=True) if agrees), None)
    proven = result.code == 0 or session.harness.shows_errors or not bound.writes
    return chosen if proven else None


def _agrees(followed: Followed | None, result: Result) -> bool:
    if followed is None or (result.output or "").rstrip() != followed.said.text.rstrip():
        return False
    return result.code is None or (result.code == 0) == (followed.said.code == 0)


def _steady(script: Script, result: Result) -> bool:
    """Whether the output does not hang on how buffers of several streams are emptied."""
    names = {
        text
        for command in script.commands()
        for word in command.words
        if (text := literal(word)) is not None
    }
    lines = (result.output or "").splitlines()
    errors = [line for line in lines if _complains(line, names)]
    if errors and len(errors) < len(lines):
        return False
    voices = {line.partition(": ")[0] for line in errors}
    return len(voices) <= 1 or len(list(script.commands())) == 1


def _complains(line: str, names: set[str]) -> bool:
    name, mark, _ = line.partition(": ")
    if mark and name in names:
        return True
    return line.startswith(("Try '", "Usage: ")) or bool(_SHELL_LINE.match(line))
