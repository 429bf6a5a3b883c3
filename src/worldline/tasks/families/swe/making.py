"""What all families share: tasks from few fields, commands and checks."""

import json
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from worldline.environments.swe.mutants import Mutant, mutants
from worldline.environments.swe.repos import repo
from worldline.tasks.task import Check, Place, Probe, Task

NOUNS = (
    "anchor",
    "basket",
    "beacon",
    "bridge",
    "bucket",
    "cable",
    "canvas",
    "cellar",
    "column",
    "crate",
    "depot",
    "fence",
)
MORE = (
    "garden",
    "gauge",
    "harbor",
    "ladder",
    "lantern",
    "ledger",
    "meadow",
    "mirror",
    "orchard",
    "parcel",
    "quarry",
    "ribbon",
)


@cache
def _texts() -> dict[str, str]:
    text = resources.files("worldline.tasks.families.swe").joinpath("texts.toml").read_text("utf-8")
    return tomllib.loads(text)


def told(name: str, /, **places: object) -> str:
    """An instruction with its places filled."""
    return _texts()[name].strip().format(**places)


def task(
    family: str,
    number: int,
    split: Any,
    instruction: str,
    reference: list[str],
    probes: list[Probe],
    *,
    dialect: str = "bash-returncode",
    options: dict[str, Any],
    kind: Any = "effect",
    unseen: bool = True,
    difficulty: Any = "medium",
) -> Task:
    """A task of a family."""
    return Task(
        id=f"swe-{family}-{number:02}",
        kind=kind,
        domain="swe",
        dialect=dialect,
        instruction=instruction,
        environment=Place(name="swe", options={"dialect": dialect, **options}),
        seed=number,
        probes=tuple(probes),
        reference=tuple(reference),
        split=split,
        family=f"swe-{family}",
        difficulty=difficulty,
        unseen=unseen,
    )


def bugs(*names: str, held_out: bool | None = None) -> list[Mutant]:
    """The bugs of some repositories (all without names), repository by repository in turn."""
    some = [one for one in mutants().values() if not names or one.repo in names]
    if held_out is not None:
        some = [one for one in some if repo(one.repo).held_out == held_out]
    rows: dict[str, list[Mutant]] = {}
    for one in some:
        rows.setdefault(one.repo, []).append(one)
    most = max(map(len, rows.values()), default=0)
    return [row[n] for n in range(most) for row in rows.values() if n < len(row)]


def command(dialect: str, line: str) -> str:
    """A command line as an action."""
    if dialect == "claude-code":
        return json.dumps({"name": "Bash", "arguments": {"command": line}}, ensure_ascii=False)
    return line


def succeeds(dialect: str, line: str) -> Probe:
    """The command exits with 0."""
    marked = f'{{ {line}; }} > /tmp/probe 2>&1; echo "exit=$?"'
    return Probe(action=command(dialect, marked), checks=(Check(op="exit", arg={"code": 0}),))


def fails(dialect: str, line: str) -> Probe:
    """The command exits with another code than 0."""
    marked = f'{{ {line}; }} > /tmp/probe 2>&1; echo "exit=$?"'
    return Probe(action=command(dialect, marked), checks=(Check(op="exit", arg={"unless": 0}),))


def answers(pattern: str) -> Probe:
    """The answer matches."""
    return Probe(checks=(Check(op="regex", of="answer", arg={"value": pattern}),))


def untouched(dialect: str, paths: str) -> Probe:
    """Files are as they were when the session began."""
    first = "$(git rev-list -n 1 --grep='^Tests of' HEAD)"
    return succeeds(dialect, f"git diff --quiet {first} -- {paths}")
