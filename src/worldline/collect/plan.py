"""What a run of collecting is: everything that decides which episodes it plays and how.

Who acts is a *policy*: ``explorer`` (the domain's own), ``explorer:MODULE:CLASS`` (one of yours),
or the spec of a model (docs/models.md).
"""

import hashlib
import importlib
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from worldline.collect.explorers import HOMES, Explorer, Family, explorer
from worldline.collect.seeds import derived, episode_seed, stream
from worldline.errors import UsageError

EXPLORER = "explorer"
LONGEST = 120
"""Actions of an explorer's episode at most; it ends sooner by itself."""
LONGEST_OF_MODEL = 40
"""Actions of a model's episode at most: small ones never say that they are done."""
_SOURCES = (".py", ".toml", ".txt", ".json")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A run of collecting; the same plan gives the same episodes.

    Args:
        domain: name of the environment.
        seed: of the run.
        policy: who acts.
        families: kinds of episode to choose from, in the order of their names.
        limit_s: seconds a step may take where the agent does not say.
        held_out: whether the families are those kept for benchmarks.
        longest: actions of an episode at most.
        code: hash of the explorer's source, so that another version of it is another run.
    """

    domain: str
    seed: int
    policy: str
    families: tuple[str, ...]
    limit_s: float
    held_out: bool = False
    longest: int = LONGEST
    code: str = ""

    @property
    def run(self) -> str:
        """A short name of the plan, part of its trajectories' ids: ids of two plans differ."""
        return f"{derived(*msgspec.structs.astuple(self.public()), bits=32):08x}"

    def public(self) -> "Plan":
        """The plan as records keep it: its policy without addresses and paths."""
        if not is_model(self.policy):
            return self
        from worldline.collect.policy import without_address

        return msgspec.structs.replace(self, policy=without_address(self.policy))

    def id(self, number: int) -> str:
        """The id of an episode's trajectory. Ids sort as episodes count."""
        return f"{self.domain}-{self.run}-{number:06d}"

    def number(self, id: str) -> int | None:
        """Which episode an id is of; `None` if it is of another run."""
        number = id.rpartition("-")[2]
        mine = number.isascii() and number.isdecimal() and self.id(int(number)) == id
        return int(number) if mine else None

    def episode_seed(self, number: int) -> int:
        """The seed of one episode."""
        return episode_seed(self.seed, self.domain, number)

    def family(self, number: int) -> str:
        """The kind of episode this is, chosen by weight."""
        known = families(self.domain, self.policy)
        weights = [known[name].weight for name in self.families]
        choices = stream(self.episode_seed(number), "family")
        return choices.choices(self.families, weights)[0]


def plan(
    domain: str,
    *,
    seed: int,
    policy: str,
    named: Sequence[str] = (),
    held_out: bool = False,
    limit_s: float,
    longest: int | None = None,
) -> Plan:
    """The plan of a run.

    Args:
        named: families to choose from; all of the wanted side if there are none.

    Raises:
        UsageError: no such policy or family, a family of the other side, or a limit that is none.
    """
    if not 0 < limit_s < math.inf:
        raise UsageError(f"{limit_s:g} is no number of seconds", field="limit_s")
    known = families(domain, policy)
    wanted = {name for name, family in known.items() if family.held_out == held_out}
    for name in named:
        _check_family(name, known, held_out)
    chosen = tuple(sorted(set(named) or wanted))
    if not chosen:
        raise UsageError(
            f"{domain} has no {'held-out ' if held_out else ''}families", field="families"
        )
    return Plan(
        domain=domain,
        seed=seed,
        policy=policy,
        families=chosen,
        limit_s=limit_s,
        held_out=held_out,
        longest=longest or (LONGEST_OF_MODEL if is_model(policy) else LONGEST),
        code=_code(explorer_of(domain, policy)),
    )


def is_model(policy: str) -> bool:
    """Whether a model acts."""
    return policy != EXPLORER and not policy.startswith(f"{EXPLORER}:")


def explorer_of(domain: str, policy: str) -> type[Explorer] | None:
    """The explorer that acts, or whose episodes (options, families) a model acts in, if any.

    Raises:
        UsageError: there is none by that name.
    """
    if policy == EXPLORER or (is_model(policy) and domain in HOMES):
        return explorer(domain)
    if is_model(policy):
        return None
    module, _, name = policy.removeprefix(f"{EXPLORER}:").partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise UsageError(
            f"cannot be loaded: {error}",
            field=f"policy {policy}",
            remedy="Write explorer:MODULE:CLASS, with MODULE where Python finds it.",
        ) from error
    if not (isinstance(found, type) and issubclass(found, Explorer)):
        raise UsageError("is no Explorer (docs/collecting.md)", field=f"policy {policy}")
    return found


def families(domain: str, policy: str) -> dict[str, Family]:
    """The kinds of episode there are."""
    found = explorer_of(domain, policy)
    return dict(found.families) if found is not None else {"free": Family()}


def _check_family(name: str, known: dict[str, Family], held_out: bool) -> None:
    if name not in known:
        raise UsageError(
            f"there is no family {name!r}",
            field="families",
            remedy=f"There are: {', '.join(sorted(known))}.",
        )
    if known[name].held_out == held_out:
        return
    if held_out:
        raise UsageError(f"{name!r} is not held out", field="families", remedy="Drop --held-out.")
    raise UsageError(
        f"{name!r} is kept for benchmarks",
        field="families",
        remedy="Collect it with --held-out, and never train on it.",
    )


def _code(explorer: type[Explorer] | None) -> str:
    """A hash of the files an explorer is made of: its module, or all of its package."""
    file = explorer and sys.modules[explorer.__module__].__file__
    if not file:
        return ""
    home = Path(file)
    shared = home.parent.name == "explorers" or not (home.parent / "__init__.py").exists()
    files = [home] if shared else sorted(home.parent.rglob("*"))
    digest = hashlib.sha256()
    for one in files:
        if one.suffix in _SOURCES:
            digest.update(one.name.encode() + b"\0" + one.read_bytes())
    return digest.hexdigest()[:16]
