"""The ledger: what a session has established, and the observations that follow from it.

`open` takes in what is given, `track` what a turn shows, `known` says what must come next. Nothing
is ever run.
"""

from collections.abc import Sequence

import msgspec

from worldline.domains.base import ActionError, Known, Ledger
from worldline.domains.terminal import editor, filetools
from worldline.domains.terminal.actions import Call, Deed, Run
from worldline.domains.terminal.dialects import FORMS
from worldline.domains.terminal.dialects.jsontext import Json, render_json
from worldline.domains.terminal.dialects.terminus2 import PROMPT
from worldline.domains.terminal.dialects.tools import USUAL
from worldline.domains.terminal.foresee import Foreseen, foresee
from worldline.domains.terminal.given import well_formed
from worldline.domains.terminal.harness import start
from worldline.domains.terminal.observations import CUT_BYTES, Look, Result
from worldline.domains.terminal.observe import observe
from worldline.domains.terminal.session import Memo, Session
from worldline.domains.terminal.shell.bounds import ANYTHING, EVERYTHING
from worldline.facts import Fact, FactOrigin, fact
from worldline.trajectory import Trajectory, Turn

UNFINISHED = ("timeout", "awaiting_input", "capture_failed")
"""What a recording says of a turn whose commands did not all run to their end."""


def open(trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
    """The ledger before the first turn. Given facts: files by absolute path, the current
    directory, variables, and entities such as ``user`` and ``home``; what does not have the shape
    of its kind is not taken in."""
    form = FORMS[trajectory.dialect]
    json = form.id == "json"
    harness = start(trajectory, form.persistent, direct=form.id != "command", strips=json)
    look = Look(keys=USUAL) if harness.ours else Look()
    given = [
        fact("cwd", "cwd", one.value, origin=one.origin, turn=one.turn)
        if one.kind == "cwd"
        else one
        for one in facts
        if well_formed(one)
    ]
    memo = Memo(harness=harness, look=look, rewritten=0)
    ledger = Ledger(dialect=trajectory.dialect, tools=trajectory.tools, memo=memo)
    ledger = ledger.with_facts(*given)
    if not form.tty:
        return ledger
    session = Session(ledger)
    state = trajectory.system.initial_state or ""
    session.look = form.look(look, "", state)
    if session.look.prompt is None and harness.ours and session.cwd is not None:
        prompt = _first_prompt(session)
        shell = prompt.partition(":")[0]
        session.look = msgspec.structs.replace(session.look, prompt=prompt, shell=shell)
    session.look = msgspec.structs.replace(session.look, title=None, upset=not harness.ours)
    _prompted(session, "given")
    return msgspec.structs.replace(session.ledger(), turn=0)


def _first_prompt(session: Session) -> str:
    """The prompt of a session of ours whose start does not show one."""
    user, host, home = (
        str(session.people[name].value) if name in session.people else default
        for name, default in (("user", "root"), ("hostname", "localhost"), ("home", "/root"))
    )
    path = str(session.cwd.value) if session.cwd else "/"
    session.people.setdefault("home", fact("entity", "home", home, origin="given"))
    return f"{user}@{host}:{_shown(path, home)}{'#' if user == 'root' else '$'}"


def protocol(ledger: Ledger, action: str) -> Known | None:
    """The answer to an action that no shell ever sees, where the protocol is ours to know: text
    that is no action of the dialect, a tool that is not offered."""
    form, memo = FORMS[ledger.dialect], ledger.memo
    if not memo.harness.ours:
        return None
    try:
        deeds = form.deeds(action)
    except ActionError as error:
        return _rejected(ledger, f"Not an action: {error}.")
    names = {tool.get("function", tool).get("name") for tool in ledger.tools or ()}
    if form.id != "json" or ledger.tools is None or not isinstance(deeds[0], Call | Run):
        return None
    name = form.parse_action(action).name
    return None if name in names else _rejected(ledger, f"There is no tool {name!r}.")


def _rejected(ledger: Ledger, message: str) -> Known:
    text = message
    if ledger.dialect == "json":
        value = {"output": "", "exit_code": 1, "error": message}
        text = render_json(Json(value, ledger.memo.look.spaced, ledger.memo.look.ascii))
    return Known(observation=text, rule="terminal.protocol", origin="protocol")


def track(ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
    """The ledger after a turn whose observation is of this origin."""
    try:
        return _tracked(Session(ledger), turn, origin)
    except Exception:  # whatever an action holds, it must not end the session
        session = Session(ledger)
        session.apply(ANYTHING, origin)
        session.unsettled = True
        return session.ledger()


def _tracked(session: Session, turn: Turn, origin: FactOrigin) -> Ledger:
    form = session.form
    try:
        deeds = form.deeds(turn.action)
        results = form.results(session.look, turn.action, turn.observation)
    except ActionError:
        deeds, results = [], []
    if turn.info.get("status") in UNFINISHED:
        results = [Result(None)] * len(deeds)
    for deed, result in zip(deeds, results, strict=True):
        _happened(session, deed, result, origin)
    if turn.info.get("recovered") == "restarted":
        session.apply(ANYTHING, origin)
        session.new_shell()
    if deeds:
        session.look = form.look(session.look, turn.action, turn.observation)
    if form.tty:
        _prompted(session, origin)
    return session.ledger()


def known(ledger: Ledger, action: str) -> Known | None:
    """The observation, where it follows with certainty from what is established."""
    try:
        return _known(Session(ledger), action)
    except Exception:  # nothing is claimed about what we cannot even read
        return None


def _known(session: Session, action: str) -> Known | None:
    ledger = session.before
    try:
        deeds = session.form.deeds(action)
    except ActionError:
        return None
    found: list[Foreseen] = []
    for deed in deeds:
        one = _foreseen(session, deed)
        if one is None:
            return None
        prompt = next_prompt(session) if session.form.tty else None
        found.append(msgspec.structs.replace(one, result=_with_prompt(one.result, prompt)))
    results = [one.result for one in found]
    text = session.form.wrap(session.look, action, results) if found else None
    if text is None or (session.harness.cuts and len(text.encode("utf-8")) > CUT_BYTES):
        return None
    because = dict.fromkeys(id for one in found for id in one.because)
    return Known(
        observation=text,
        rule=found[-1].rule,
        because=tuple(id for id in because if id in ledger.facts),
        consistent_only=any(one.hearsay for one in found),
    )


def _with_prompt(result: Result, prompt: str | None) -> Result:
    return msgspec.structs.replace(result, prompt=prompt)


def next_prompt(session: Session) -> str | None:
    """The prompt that will wait in the current directory, if it is certain."""
    match = PROMPT.fullmatch(session.look.prompt or "")
    if match is None or session.look.prompt is None:
        return None
    if session.cwd is None or match["path"] is None:
        return session.look.prompt if session.cwd == session.before.get("cwd", "cwd") else None
    path, user = str(session.cwd.value), session.look.prompt.partition("@")[0]
    home = session.people.get("home")
    if home is None and user != "root" and session.cwd is not session.before.get("cwd", "cwd"):
        return None
    start, end = match.span("path")
    shown = _shown(path, str(home.value) if home else "/root")
    return session.look.prompt[:start] + shown + session.look.prompt[end:]


def _shown(path: str, home: str) -> str:
    """A directory as a prompt shows it."""
    inside = path == home or path.startswith(f"{home}/")
    return f"~{path[len(home) :]}" if inside else path


def _happened(session: Session, deed: Deed, result: Result, origin: FactOrigin) -> None:
    if isinstance(deed, Run):
        observe(session, deed.text, result, origin)
    elif isinstance(deed, Call) and session.form.id == "aci":
        editor.observe(session, deed, result, origin)
    elif isinstance(deed, Call):
        filetools.observe(session, deed, result, origin)
    else:
        session.apply(EVERYTHING, origin)
        session.busy = True


def _foreseen(session: Session, deed: Deed) -> Foreseen | None:
    if isinstance(deed, Run):
        return foresee(session, deed.text)
    if isinstance(deed, Call):
        return (editor if session.form.id == "aci" else filetools).foresee(session, deed)
    return None


def _prompted(session: Session, origin: FactOrigin) -> None:
    """The waiting prompt names the current directory and the user."""
    match = PROMPT.fullmatch(session.look.prompt or "")
    path = match["path"] if match else None
    if path is None:
        return
    if path.startswith("~"):
        home = session.people.get("home")
        path = None if home is None else str(home.value) + path[1:]
    if path != (session.cwd.value if session.cwd else None):
        session.forget_answers()
        if session.cwd is None and path is not None and session.turn <= 1:
            session.files.settle_here(path)
        session.files.forget_here()
        session.cwd = session.place(path, origin) if path else None
    user = (session.look.prompt or "").rpartition(") ")[2].partition("@")[0]
    if "user" in session.people and session.people["user"].value != user:
        session.new_shell()
    for key, value in (("user", user), ("prompt", session.look.prompt)):
        before = session.people.get(key)
        if before is None or before.value != value:
            turn = 0 if origin == "given" else session.turn
            session.people[key] = fact("entity", key, value, origin=origin, turn=turn)
