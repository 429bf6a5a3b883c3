"""Which facts a model is told before it predicts, and in what words."""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from worldline.domains.base import ActionError, Ledger
from worldline.domains.common import block, clip
from worldline.domains.terminal.actions import Call, Run
from worldline.domains.terminal.session import Session, parsed
from worldline.domains.terminal.shell.filefacts import HERE, join, parent
from worldline.domains.terminal.shell.grammar import Command, literal
from worldline.domains.terminal.shell.tokens import Var
from worldline.facts import Fact

SHARE = 0.6
"""Part of the room that one file may take."""
WORDS = 200
"""Words of an action that are looked up."""


def chosen(ledger: Ledger, action: str, budget: int) -> list[Fact]:
    """The facts that bear on an action, most telling first, in `budget` characters.

    A fact that may have changed since says ``stale`` in its value; long contents are clipped.
    """
    return fitted(relevant(Session(ledger), action), budget)


def relevant(session: Session, action: str) -> Iterator[Fact]:
    """The facts that bear on an action, most telling first; what may have changed says so."""
    return (doubted(session, one) for one in _relevant(session, action))


def doubted(session: Session, one: Fact) -> Fact:
    """A fact that says whether it may have changed since."""
    if one.id not in session.files.stale:
        return one
    return msgspec.structs.replace(one, value={**_fields(one), "stale": True})


def fitted(facts: Iterable[Fact], budget: int) -> list[Fact]:
    """The first of these facts, each once, in `budget` characters; long contents are clipped."""
    found: dict[str, Fact] = {}
    for one in facts:
        found.setdefault(one.id, one)
    kept: list[Fact] = []
    room = budget
    for one in found.values():
        short = _shortened(one, int(budget * SHARE))
        size = sum(len(line) + 1 for line in lines(short))
        if size <= room:
            kept.append(short)
            room -= size
    return kept


def text(facts: Sequence[Fact]) -> str:
    """The facts block; whatever the facts hold, they cannot close it."""
    return block(line for one in facts for line in lines(one))


def _fields(one: Fact) -> dict[str, object]:
    return one.value if isinstance(one.value, dict) else {"value": one.value}


def _shortened(one: Fact, limit: int) -> Fact:
    content = _fields(one).get("content")
    if one.kind != "file" or not isinstance(content, str) or len(content) <= limit:
        return one
    value = {**_fields(one), "content": clip(content, limit), "clipped": True}
    return msgspec.structs.replace(one, value=value, complete=False)


def _relevant(session: Session, action: str) -> Iterator[Fact]:
    if session.cwd is not None:
        yield session.cwd
    prompt = session.people.get("prompt")
    if prompt is not None:
        yield prompt
    names, variables = _mentioned(session, action)
    cwd = str(session.cwd.value) if session.cwd else None
    paths = list(dict.fromkeys(path for name in names if (path := join(cwd, name)) is not None))
    facts = session.files.facts
    for path in paths:
        if one := facts.get(f"file:{path}"):
            yield one
    for path in [*map(parent, paths), cwd or HERE]:
        if one := facts.get(f"file:{path}"):
            yield one
    for name in variables:
        if one := session.env.get(name) or session.people.get(name.lower()):
            yield one


def _mentioned(session: Session, action: str) -> tuple[list[str], list[str]]:
    """Words that may name files, and variables, of everything an action does."""
    try:
        deeds = session.form.deeds(action)
    except ActionError:
        return [], []
    names: list[str] = []
    variables: list[str] = []
    for deed in deeds:
        if isinstance(deed, Run) and (script := parsed(deed.text)) is not None:
            for command in script.commands():
                names += _names(command)
                variables += _variables(command)
        elif isinstance(deed, Call):
            values = [*deed.arguments.values(), *(deed.arguments.get("words") or [])]
            names += [value for value in values if isinstance(value, str) and len(value) < 300]
    return names[:WORDS], variables[:WORDS]


def mentioned(line: str) -> list[str]:
    """Words of a command line that may name files."""
    script = parsed(line)
    found = [name for command in script.commands() for name in _names(command)] if script else []
    return found[:WORDS]


def _names(command: Command) -> list[str]:
    words = [*command.words[1:], *(redirect.target for redirect in command.redirects)]
    texts = [found for word in words if (found := literal(word))]
    return [found for found in texts if not found.startswith("-") and len(found) < 300]


def _variables(command: Command) -> list[str]:
    return [part.name for word in command.words for part in word if isinstance(part, Var)]


def lines(one: Fact) -> Iterable[str]:
    """One fact in words."""
    if one.kind == "cwd":
        return [f"current directory: {one.value}"]
    if one.kind == "env":
        return [f"variable {one.key}={_line(str(one.value))}"]
    if one.kind != "file":
        return [f"{one.key}: {_line(str(one.value))}"]
    return _file(one)


def _line(value: str) -> str:
    return re.sub(r"[\r\n]+", " ", value)[:500]


def _file(one: Fact) -> list[str]:
    value = _fields(one)
    doubt = " (as of earlier; may have changed)" if value.get("stale") else ""
    kind, path = value.get("type"), _line(one.key)
    if kind == "absent":
        return [f"{path} does not exist{doubt}"]
    entries, content = value.get("entries"), value.get("content")
    if isinstance(entries, list):
        partial = not one.complete or value.get("dots") is False
        names = ", ".join(_line(str(name)) for name in entries[:60]) or "nothing"
        more = f" and {len(entries) - 60} more" if len(entries) > 60 else ""
        unlisted = " (hidden names, or others, may be missing here)" if partial else ""
        return [f"directory {path} holds: {names}{more}{unlisted}{doubt}"]
    if not isinstance(content, str):
        return [f"{kind or 'file'} {path}{doubt}"]
    note = " (in part)" if not one.complete else ""
    return [f"content of {path}{note}{doubt}:", *(f"| {row}" for row in content.split("\n"))]
