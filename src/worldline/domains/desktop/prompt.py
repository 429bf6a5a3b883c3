"""What a model is told about the desktop it stands in for."""

from worldline.domains.base import Style
from worldline.domains.common import edit_text, load_prompt, system_prompt
from worldline.trajectory import Trajectory

PACKAGE = "worldline.domains.desktop"


def system_text(trajectory: Trajectory, style: Style) -> str:
    """The system prompt in our own words, with the parts of the trajectory filled in."""
    return _filled(trajectory, style, load_prompt(PACKAGE, "reply-full"))


def edit_system_text(trajectory: Trajectory, style: Style) -> str:
    """The system prompt of the patch form: how screens are shown as nodes, and edited."""
    nodes = load_prompt(PACKAGE, f"nodes.{style}")
    between = "\n\n" if style == "full" else "\n"
    return _filled(trajectory, style, f"{nodes}{between}{edit_text(style)}")


def _filled(trajectory: Trajectory, style: Style, reply: str) -> str:
    dialect = load_prompt(PACKAGE, f"{trajectory.dialect}.{style}")
    return system_prompt(PACKAGE, style, trajectory, dialect=dialect, reply=reply)
