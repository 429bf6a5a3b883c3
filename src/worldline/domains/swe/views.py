"""Lines that an editor's window showed of a file: what `sed -n` and the like then print of it."""

from worldline.domains.swe.parts import merged
from worldline.domains.swe.session import Session
from worldline.domains.terminal.actions import Call
from worldline.domains.terminal.dialects.aci import View, parse_views
from worldline.domains.terminal.editor import LOOKING
from worldline.facts import FactOrigin


def observe(session: Session, deed: Call, output: str, origin: FactOrigin) -> None:
    """Take in the one view that an editor command left; an edit that was made comes before it."""
    views = [part for part in parse_views(output).parts if isinstance(part, View)]
    if len(views) != 1 or not output.startswith("[File: /"):
        return
    view = views[0]
    if deed.name not in LOOKING:
        session.note_write()
        session.parts.pop(view.path, None)
    if not view.lines or session.files.crosses_link(view.path):
        return
    rows = [line.text for line in view.lines]
    if any("\ufffd" in row or "\r" in row for row in rows):
        return
    known = session.parts.get(view.path)
    session.keep(view.path, merged(known, view.lines[0].number, rows, session.turn), origin)
