"""What a model is told about the tools it stands in for."""

import json

from worldline.domains.base import Style
from worldline.domains.mcp.actions import spelled_out
from worldline.domains.swe.dialects import FORMS
from worldline.domains.swe.dialects.form import Tools
from worldline.domains.terminal.prompt import shell_prompt
from worldline.trajectory import Trajectory

PACKAGE = "worldline.domains.swe"


def system_text(trajectory: Trajectory, style: Style) -> str:
    """The system prompt in our own words, with the parts of the trajectory filled in."""
    return shell_prompt(PACKAGE, trajectory, style)


def from_line(line: str, dialect: str) -> str:
    """The action a person means by a typed line: ``NAME {...}`` is a call, other text a command."""
    form = FORMS.get(dialect)
    if not isinstance(form, Tools) or line.lstrip().startswith("{"):
        return line
    name, _, rest = line.strip().partition(" ")
    if name and rest.lstrip().startswith("{"):
        return spelled_out(line)
    return json.dumps({"name": form.shell, "arguments": {"command": line}}, ensure_ascii=False)
