"""Commands of a file editor: what they show of a file, and when that is certain."""

from worldline.domains.terminal.actions import Call
from worldline.domains.terminal.dialects.aci import (
    View,
    parse_views,
    render_view,
    whole,
    whole_view,
)
from worldline.domains.terminal.foresee import Foreseen
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.session import Session
from worldline.domains.terminal.shell.filefacts import join
from worldline.facts import FactOrigin

LOOKING = {"open", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "find_file"}


def observe(session: Session, deed: Call, result: Result, origin: FactOrigin) -> None:
    """Take in an editor command and the view it left."""
    session.unsettled = False
    output = result.output or ""
    views = [part for part in parse_views(output).parts if isinstance(part, View)]
    refused = len(views) != 1 or not output.startswith("[File: ")
    if deed.name not in LOOKING and not refused:
        session.forget_answers()
        session.rewrite()
        session.files.touch(views[0].path)
        for path in _alias(session, views[0].path):
            session.files.touch(path)
    if refused:
        return
    _learn(session, views[0], _argument(session, deed), origin)


def _argument(session: Session, deed: Call) -> str | None:
    """The path that the command named, as the ledger calls it."""
    words = deed.arguments.get("words")
    if deed.name not in ("open", "create") or not words:
        return None
    return join(str(session.cwd.value) if session.cwd else None, words[0])


def _alias(session: Session, path: str) -> list[str]:
    """Other names under which the file at `path` is known."""
    facts = {**session.files.facts, **session.files.changed}
    return [
        one.key for one in facts.values() if one.kind == "file" and one.value.get("view") == path
    ]


def _learn(session: Session, view: View, named: str | None, origin: FactOrigin) -> None:
    if not whole(view):
        return
    names = {view.path, *_alias(session, view.path), *([named] if named else [])}
    content = "".join(f"{line.text}\n" for line in view.lines)
    value = {"type": "file", "content": content, "ragged": True, "view": view.path, "own": False}
    for name in names:
        session.files.put(name, value, origin)


def foresee(session: Session, deed: Call) -> Foreseen | None:
    """``open FILE`` of a short file that is known in full and was viewed before."""
    words = deed.arguments.get("words") or []
    if deed.name != "open" or len(words) != 1 or session.unsettled or session.busy:
        return None
    path = _argument(session, deed)
    found = None if path is None else session.files.get(path)
    if found is None or not found.complete or not found.value.get("view"):
        return None
    view = whole_view(found.value["view"], found.value["content"])
    if view.total > session.look.window:
        return None
    text = render_view(view)
    return Foreseen(Result(text), "terminal.view", (found.id,), hearsay=found.origin == "model")
