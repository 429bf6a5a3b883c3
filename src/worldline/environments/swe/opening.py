"""What a swe session starts with, and what it is at any time, as records."""

import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from worldline import __version__
from worldline.environments.base import Opening
from worldline.environments.swe.harness import Harness
from worldline.environments.swe.masks import MASKS
from worldline.environments.swe.options import Options
from worldline.environments.swe.workspace import Workspace
from worldline.environments.terminal.state import contents, entries, file_facts
from worldline.facts import Fact, fact
from worldline.fit import CHARS_PER_TOKEN, estimate
from worldline.scenarios.snapshot import Snapshot
from worldline.scenarios.terminal import state_text
from worldline.trajectory import SystemPrompt

LISTED = 120
"""Files that the state at the start names."""
TEXT_TOKENS = 1_200


def opening(space: Workspace, harness: Harness, options: Options) -> Opening:
    """The record a session starts with."""
    texts, start = _texts(), space.start
    log, files, names = _listed(space)
    told = {"name": start.repo.name, "version": start.repo.version, "home": space.home}
    system = SystemPrompt(
        task_description=texts["task"].strip().format(**told, python=_python(space)),
        action_space=texts["actions"][harness.id].strip(),
        initial_state=texts["state"].strip().format(log=log, files=_some(files)),
    )
    here = {"type": "dir", "entries": sorted(names), "writable": True}
    place = fact("file", space.home, here, origin="given")
    bug = start.mutant
    return Opening(
        domain="swe",
        dialect=harness.id,
        system=system,
        tools=harness.tools,
        meta={
            "versions": _versions(space),
            "options": msgspec.to_builtins(options),
            "repo": start.repo.name,
            "licence": start.repo.licence,
            "bug": bug.id if bug else None,
            "facts": msgspec.to_builtins([*_people("given"), _cwd(space.home, "given"), place]),
            "masks": [name for name, _ in MASKS],
        },
    )


def _listed(space: Workspace) -> tuple[str, list[str], list[str]]:
    """The last commits, the files under git, and the names in the repository's folder."""
    command = "git log --oneline -n 5; echo; git ls-files; echo; ls -A1"
    done = space.box.run(["bash", "-c", command], cwd=space.home)
    parts = done.stdout.decode("utf-8", "replace").split("\n\n")
    log, files, names = (part.strip("\n") for part in parts[:3])
    return log, files.split("\n"), names.split("\n")


def _some(files: list[str]) -> str:
    more = [f"... ({len(files) - LISTED} more)"] if len(files) > LISTED else []
    return "\n".join([*files[:LISTED], *more])


def snapshot(space: Workspace, harness: Harness) -> dict[str, Any]:
    """The state now: files of the repository and of /tmp, and the current directory."""
    found = entries(space.box, (space.home, "/tmp"))
    files, omitted, redacted = file_facts(found, contents(space.box, found), "real")
    text = "\n".join(state_text(harness.cwd, files, TEXT_TOKENS * CHARS_PER_TOKEN))
    shot = Snapshot(
        domain="swe",
        dialect=harness.id,
        text=text,
        tokens=estimate(text),
        facts=(*_people("real"), _cwd(harness.cwd, "real"), *files),
        omitted=tuple(omitted),
        redacted=redacted,
        taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    changes = [{"path": one.path, "kind": one.kind} for one in space.box.changes()]
    return {**msgspec.to_builtins(shot), "changes": changes}


def _people(origin: Any) -> Sequence[Fact]:
    known = {"user": "user", "home": "/home/user", "hostname": "box", "locale": "C.UTF-8"}
    return [fact("entity", name, value, origin=origin) for name, value in known.items()]


def _cwd(path: str, origin: Any) -> Fact:
    return fact("cwd", "cwd", path, origin=origin)


def _python(space: Workspace) -> str:
    return space.store.versions["python"]


def _versions(space: Workspace) -> dict[str, str]:
    found, repo = space.store.versions, space.start.repo
    return {
        repo.name: repo.version,
        "python": found["python"],
        "pytest": found["pytest"],
        "debian": space.store.root.version,
        "store": space.store.sha,
        "worldline": __version__,
    }


@cache
def _texts() -> dict[str, Any]:
    text = resources.files("worldline.environments.swe").joinpath("texts.toml").read_text("utf-8")
    return tomllib.loads(text)
