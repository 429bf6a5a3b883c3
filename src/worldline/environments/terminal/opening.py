"""What a terminal session starts with, and what it is at any time, as records."""

import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from worldline import __version__
from worldline.domains.terminal import FRESH
from worldline.environments.base import Opening
from worldline.environments.sandbox import Sandbox
from worldline.environments.terminal.masks import MASKS
from worldline.environments.terminal.options import Options
from worldline.environments.terminal.state import HOME, Entry, contents, entries, file_facts
from worldline.facts import Fact, fact
from worldline.fit import CHARS_PER_TOKEN, estimate
from worldline.scenarios.snapshot import Snapshot
from worldline.scenarios.terminal import state_text
from worldline.trajectory import SystemPrompt

LISTED = 200
"""Files that the state at the start names."""
TEXT_TOKENS = 1_200
PROMPT = "user@box:~$"


def opening(box: Sandbox, options: Options, first: str | None) -> Opening:
    """The record a session starts with.

    Args:
        first: what the agent sees before its first action.
    """
    found = entries(box)
    texts = _texts()
    system = SystemPrompt(
        task_description=texts["task"].strip(),
        action_space=texts["actions"][options.dialect].strip(),
        initial_state=_state(found, options),
    )
    files, _, _ = file_facts(found, {}, "given", sizes=False)
    facts = [*_people("given"), fact("cwd", "cwd", HOME, origin="given"), *_writable(files)]
    return Opening(
        domain="terminal",
        dialect=options.dialect,
        system=system,
        observation=first,
        meta={
            "versions": _versions(box),
            "options": {**msgspec.to_builtins(options), "observe": options.observes},
            "facts": msgspec.to_builtins(facts),
            "masks": [name for name, _ in MASKS],
        },
    )


def _writable(facts: Sequence[Fact]) -> list[Fact]:
    """The home is the user's own; what else may be written, a listing of names does not tell."""
    return [
        msgspec.structs.replace(one, value={**one.value, "writable": True})
        if one.key == HOME
        else one
        for one in facts
    ]


def _state(found: Sequence[Entry], options: Options) -> str:
    """The state at the start in words."""
    told = FRESH.text or ""
    below = [one for one in found if one.path != HOME]
    if below:
        names = [
            f"  {one.path.removeprefix(HOME + '/')}{'/' if one.type == 'dir' else ''}"
            for one in below[:LISTED]
        ]
        more = len(below) - len(names)
        names += [f"  ... ({more} more)"] * bool(more)
        told = "\n".join([told.replace("It is empty.", "It holds:"), *names])
    return f"{told}\n{PROMPT}" if options.dialect == "terminus2" else told


def snapshot(
    box: Sandbox, options: Options, cwd: str | None, variables: dict[str, str]
) -> dict[str, Any]:
    """The state now: files of the home and of /tmp, the current directory, exported variables."""
    found = entries(box, (HOME, "/tmp"))
    files, omitted, redacted = file_facts(found, contents(box, found), "real")
    facts = [*_people("real")]
    if cwd is None:
        omitted.append("the current directory: the shell did not tell")
    else:
        facts.append(fact("cwd", "cwd", cwd, origin="real"))
    facts += [fact("env", name, value, origin="real") for name, value in variables.items()]
    text = "\n".join(state_text(cwd or HOME, files, TEXT_TOKENS * CHARS_PER_TOKEN))
    shot = Snapshot(
        domain="terminal",
        dialect=options.dialect,
        text=text,
        tokens=estimate(text),
        facts=(*facts, *files),
        omitted=tuple(omitted),
        redacted=redacted,
        taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    changes = [{"path": one.path, "kind": one.kind} for one in box.changes()]
    return {**msgspec.to_builtins(shot), "changes": changes}


def _people(origin: Any) -> list[Fact]:
    known = {"user": "user", "home": HOME, "hostname": "box", "locale": "C.UTF-8"}
    return [fact("entity", name, value, origin=origin) for name, value in known.items()]


@cache
def _texts() -> dict[str, Any]:
    text = (
        resources.files("worldline.environments.terminal").joinpath("texts.toml").read_text("utf-8")
    )
    return tomllib.loads(text)


_bash: dict[str, str] = {}
"""Version of bash by version of the root."""


def _versions(box: Sandbox) -> dict[str, str]:
    system = box.root.version
    if system not in _bash:
        told = box.run(["bash", "-c", 'echo "$BASH_VERSION"']).stdout.decode("utf-8", "replace")
        _bash[system] = told.strip()
    return {"bash": _bash[system], "debian": system, "worldline": __version__}
