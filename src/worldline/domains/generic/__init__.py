"""The generic domain: any environment whose actions and observations are text.

It knows nothing of the environment: one dialect, no facts, no certain answers. What it checks is
that the observation is not talk about itself.
"""

from collections.abc import Mapping
from typing import ClassVar

from worldline.domains.base import Dialect, Domain, Ledger, Style, text_dialect
from worldline.domains.common import leaks, system_prompt
from worldline.prediction import Violation
from worldline.trajectory import Trajectory


class Generic(Domain):
    """Any text environment."""

    id = "generic"
    title = "environment"
    dialects: ClassVar[Mapping[str, Dialect]] = {"text": text_dialect()}
    default_dialect = "text"

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt: what is simulated, its actions, its first state."""
        return system_prompt(__name__, style, trajectory)

    def checks(self, ledger: Ledger, action: str, observation: str) -> list[Violation]:
        """Leaked marks and talk about the answer."""
        return leaks(observation, action)


DOMAIN = Generic()
