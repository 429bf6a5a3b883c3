"""What a model is told about the phone it stands in for."""

from worldline.domains.base import Style
from worldline.domains.common import edit_text, load_prompt, system_prompt
from worldline.trajectory import Trajectory

PACKAGE = "worldline.domains.android"


def system_text(trajectory: Trajectory, style: Style, *, edits: bool = False) -> str:
    """The system prompt in our own words, with the parts of the trajectory filled in.

    Args:
        edits: the reply is an edit script of the screen, not the next screen.
    """
    return system_prompt(
        PACKAGE,
        style,
        trajectory,
        dialect=load_prompt(PACKAGE, f"{trajectory.dialect}.{style}"),
        reply=edit_text(style) if edits else load_prompt(PACKAGE, "reply-full"),
    )
