"""The ledger of a coding session: what it has established, and what follows from it."""

import re
from collections.abc import Sequence

import msgspec

from worldline import jsonl
from worldline.domains.base import ActionError, Known, Ledger
from worldline.domains.swe import shell, tools, views
from worldline.domains.swe.dialects import FORMS
from worldline.domains.swe.dialects.aci import state, with_state
from worldline.domains.swe.dialects.bash_returncode import BashReturncode, head_lines
from worldline.domains.swe.dialects.form import Tools
from worldline.domains.swe.past import Past, ran, viewed
from worldline.domains.swe.session import Memo, Session, led
from worldline.domains.terminal import editor
from worldline.domains.terminal.actions import Call, Deed, Run
from worldline.domains.terminal.dialects.tools import USUAL
from worldline.domains.terminal.foresee import Foreseen
from worldline.domains.terminal.given import well_formed
from worldline.domains.terminal.harness import start
from worldline.domains.terminal.ledger import UNFINISHED
from worldline.domains.terminal.observations import Look, Result
from worldline.domains.terminal.shell.bounds import ANYTHING
from worldline.facts import Fact, FactOrigin, fact
from worldline.trajectory import Trajectory, Turn


def open(trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
    """The ledger before the first turn. Given facts: files by absolute path, the current directory,
    variables, entities such as ``user``; what does not have the shape of its kind is left out."""
    form = FORMS[trajectory.dialect]
    harness = start(trajectory, form.persistent, direct=True, strips=form.id == "hermes")
    if form.persistent is False:
        harness = msgspec.structs.replace(harness, persistent=False)
    if isinstance(form, Tools) and form.trims:
        harness = msgspec.structs.replace(harness, keeps_ends=False)
    look = Look(keys=USUAL) if harness.ours else Look()
    given = [
        fact("cwd", "cwd", one.value, origin=one.origin, turn=one.turn)
        if one.kind == "cwd"
        else _told(one)
        for one in (*recorded(trajectory), *facts)
        if well_formed(one)
    ]
    return Ledger(
        dialect=trajectory.dialect,
        tools=trajectory.tools,
        memo=Memo(harness=harness, look=look),
    ).with_facts(*given)


def recorded(trajectory: Trajectory) -> list[Fact]:
    """The facts of its start that a recording of ours holds."""
    if trajectory.source.kind != "collected":
        return []
    try:
        return jsonl.convert(trajectory.meta.get("facts", []), list[Fact])
    except msgspec.ValidationError:
        return []


def _told(one: Fact) -> Fact:
    """A given file is one that tools read as it is."""
    if one.kind != "file" or one.value.get("content") is None:
        return one
    return msgspec.structs.replace(one, value={**one.value, "tool": True})


def track(ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
    """The ledger after a turn whose observation is of this origin."""
    try:
        session = Session(ledger)
        _tracked(session, turn, origin)
        return session.ledger()
    except Exception:  # whatever an action holds, it must not end the session
        session = Session(ledger)
        session.apply(ANYTHING, origin)
        session.unsettled = True
        return session.ledger()


def _tracked(session: Session, turn: Turn, origin: FactOrigin) -> None:
    form = session.form
    try:
        deeds = form.deeds(turn.action)
    except ActionError:
        return  # it never reached a tool
    results = form.results(session.look, turn.action, turn.observation)
    if turn.info.get("status") in UNFINISHED:
        results = [Result(None)] * len(deeds)
    for deed, result in zip(deeds, results, strict=True):
        _happened(session, deed, result, turn, origin)
    if turn.info.get("recovered") == "restarted" and session.harness.persistent is not False:
        session.apply(ANYTHING, origin)
        session.new_shell()
    session.look = form.look(session.look, turn.action, turn.observation)
    place = state(turn.observation) if form.id == "aci" else None
    if place is not None and (session.cwd is None or session.cwd.value != place):
        session.move(place, origin)


def _happened(session: Session, deed: Deed, result: Result, turn: Turn, origin: FactOrigin) -> None:
    form = session.form
    if isinstance(deed, Run):
        cut = isinstance(form, BashReturncode) and result.output is None
        shell.observe(
            session, deed.text, result, origin, head_lines(turn.observation) if cut else ()
        )
        _ran(session, deed.text, result, origin)
    elif isinstance(deed, Call) and isinstance(form, Tools) and deed.name != "shell":
        tools.observe(session, form, deed, turn.observation, origin)
    elif isinstance(deed, Call) and form.id == "aci":
        editor.observe(session, deed, result, origin)
        if deed.name not in editor.LOOKING:
            session.past = Past(commit=session.past.commit, place=session.past.place)
        if origin != "model":
            session.past = viewed(session.past, result.output or "")
        views.observe(session, deed, result.output or "", origin)
    else:
        session.apply(ANYTHING, origin)
        session.past = Past()


def _ran(session: Session, text: str, result: Result, origin: FactOrigin) -> None:
    """What git and pytest said; what only a model said is no evidence."""
    found = led(text)
    here = session.before.get("cwd", "cwd")
    place = found[1] if found else str(here.value) if here else ""
    line = text[len(found[0]) :] if found else text
    output = "" if origin == "model" or result.output is None else result.output
    session.past = ran(session.past, place, line, output)


def known(ledger: Ledger, action: str) -> Known | None:
    """The observation, where it follows with certainty from what is established."""
    try:
        return _known(Session(ledger), action)
    except Exception:  # nothing is claimed about what we cannot even read
        return None


def _known(session: Session, action: str) -> Known | None:
    form = session.form
    try:
        deeds = form.deeds(action)
    except ActionError:
        return None
    found = foreseen(session, deeds[0]) if len(deeds) == 1 else None
    text = form.wrap(session.look, action, [found.result]) if found is not None else None
    shown = session.look.upset and session.harness.ours and isinstance(deeds[0], Run)
    if found is not None and shown:
        text = _with_state(session, found, action)
    if found is None or text is None:
        return None
    return Known(
        observation=text,
        rule=found.rule.replace("terminal.", "swe."),
        because=tuple(id for id in found.because if id in session.before.facts),
        consistent_only=found.hearsay,
    )


_STAYS = ("swe.part", "terminal.readback", "terminal.literal", "terminal.repeat")
"""Rules of commands that certainly stay where they are, if nothing in them says otherwise."""
_MOVES = re.compile(r"\b(?:cd|pushd|popd)\b")


def _with_state(session: Session, found: Foreseen, action: str) -> str | None:
    """The answer of an editor of ours that ends every answer with its state."""
    place, output = session.cwd, found.result.output
    if session.form.id != "aci" or output is None or place is None:
        return None
    if found.rule not in _STAYS or _MOVES.search(action):
        return None
    return with_state(session.look, output, str(place.value))


def foreseen(session: Session, deed: Deed) -> Foreseen | None:
    """The outcome of a deed, where it is certain."""
    if isinstance(deed, Run):
        return shell.foresee(session, deed.text)
    if isinstance(deed, Call) and isinstance(session.form, Tools):
        return tools.foresee(session, session.form, deed)
    if isinstance(deed, Call) and session.form.id == "aci":
        return editor.foresee(session, deed)
    return None


def protocol(ledger: Ledger, action: str) -> Known | None:
    """The answer to an action that no tool ever sees, in a world of ours: text that is no call, a
    tool that is not offered. How other harnesses say so is not known."""
    form = FORMS[ledger.dialect]
    if not ledger.memo.harness.ours or not isinstance(form, Tools):
        return None
    try:
        call = form.parse_action(action)
    except ActionError as error:
        return _rejected(f"Not an action: {error}.")
    names = {tool.get("function", tool).get("name") for tool in ledger.tools or ()}
    if ledger.tools is None or call.name in names:
        return None
    return _rejected(f"There is no tool {call.name!r}.")


def _rejected(message: str) -> Known:
    return Known(observation=message, rule="swe.protocol", origin="protocol")
