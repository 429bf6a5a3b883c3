"""The web domain: a browser as text."""

from collections.abc import Mapping
from typing import ClassVar

from worldline.domains.base import Dialect, Domain, Style
from worldline.domains.web import prompt
from worldline.domains.web.forms import DIALECTS
from worldline.trajectory import Trajectory


class Web(Domain):
    """A web browser. Each part is a module of this package."""

    id = "web"
    title = "browser"
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    default_dialect = "browsergym"

    def system_text(self, trajectory: Trajectory, style: Style) -> str:
        """The system prompt, with the paragraph of the trajectory's dialect."""
        return prompt.system_text(trajectory, style)
