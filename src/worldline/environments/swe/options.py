"""What a swe session can be asked for."""

import random
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from worldline import jsonl
from worldline.environments.swe.mutants import Mutant, mutant, of_repo
from worldline.environments.swe.repos import repo, repos
from worldline.environments.swe.workspace import Start
from worldline.errors import UsageError

Dialect = Literal["bash-returncode", "claude-code", "aci", "opencode", "pi"]
SEEDED = "seeded"
NONE = "none"


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of the driver.

    Args:
        dialect: whose tools they are.
        repo: a name of ``repos.toml``; `None`: the bug's, or one that the seed chooses.
        bug: id of a seeded bug (``mutants.jsonl``), ``seeded`` (one that the seed chooses) or
            ``none``.
        history: the bug came with a commit of its own, which ``git show`` shows.
        files: more files, by path in the repository; they are committed.
        state: ``aci`` only: every answer ends with the open file, the directory and a prompt.
    """

    dialect: Dialect = "bash-returncode"
    repo: str | None = None
    bug: str = SEEDED
    history: bool = False
    files: dict[str, str] = {}
    state: bool = False

    def start(self, seed: int) -> Start:
        """The repository and bug of a session.

        Raises:
            UsageError: there is no such repository or bug.
        """
        rng = random.Random(f"swe:{seed}")
        found: Mutant | None = None
        if self.bug not in (SEEDED, NONE):
            found = mutant(self.bug)
        name = self.repo or (found.repo if found else rng.choice(sorted(repos())))
        if found is not None and found.repo != name:
            raise UsageError(f"the bug {found.id} is not one of {name}")
        if self.bug == SEEDED:
            some = of_repo(repo(name).name)
            found = rng.choice(some) if some else None
        return Start(repo(name), found, self.history, self.files)


def read_options(values: Mapping[str, Any]) -> Options:
    """Options from JSON values.

    Raises:
        UsageError: one is not known, or its value is none it can have.
    """
    try:
        found = jsonl.convert(dict(values), Options)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"option of the swe environment: {str(error).replace('`', '')}",
            remedy=f"There are: {', '.join(Options.__struct_fields__)}.",
        ) from error
    found.start(0)
    return found
