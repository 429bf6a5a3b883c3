"""`SweDriver`: a coding agent's tools on a real repository, as an environment."""

from typing import Any

from worldline.environments.base import Driver, Observed, Opening
from worldline.environments.swe.harness import HARNESSES, Harness
from worldline.environments.swe.opening import opening, snapshot
from worldline.environments.swe.options import Options, read_options
from worldline.environments.swe.store import store
from worldline.environments.swe.workspace import Workspace
from worldline.errors import UsageError


class SweDriver(Driver):
    """A repository in a sandbox of its own, and a harness; see docs/environments/swe.md.

    Args:
        options: see `Options`.

    Raises:
        UsageError: an option is not known or has a value it cannot have.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options: Options = read_options(options)
        self.space: Workspace | None = None
        self.harness: Harness | None = None
        self.over = False

    def reset(self, seed: int) -> Opening:
        """A fresh sandbox and repository; the same seed gives the same."""
        self.close()
        self.over = False
        self.space = Workspace(store(), self.options.start(seed))
        made = HARNESSES[self.options.dialect]
        self.harness = made(self.space, {"state": self.options.state})
        return opening(self.space, self.harness, self.options)

    def step(self, action: str, limit_s: float) -> Observed:
        """Carry out one action."""
        if self.harness is None:
            raise UsageError("has no session", remedy="Reset the environment first.")
        if self.over:
            raise UsageError("the session is over", remedy="Reset the environment.")
        seen = self.harness.act(action, limit_s)
        self.over = seen.terminated
        return seen

    def snapshot(self) -> dict[str, Any]:
        """Files of the repository and of /tmp, the current directory, and under ``changes`` what
        differs from the system as it was."""
        if self.space is None or self.harness is None:
            raise UsageError("has no session", remedy="Reset the environment first.")
        return snapshot(self.space, self.harness)

    def close(self) -> None:
        """End the harness's processes, then the sandbox."""
        harness, self.harness = self.harness, None
        space, self.space = self.space, None
        if harness is not None:
            harness.close()
        if space is not None:
            space.close()
