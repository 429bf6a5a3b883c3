"""What a model is told about the desktop it stands in for."""

from worldline.domains.base import Style
from worldline.domains.common import fill, load_prompt
from worldline.trajectory import Trajectory

PACKAGE = "worldline.domains.desktop"


def system_text(trajectory: Trajectory, style: Style, reply: str | None = None) -> str:
    """The system prompt in our own words, with the parts of the trajectory filled in.

    Args:
        reply: what the reply must look like; by default the whole next screen, between tags.
    """
    system = trajectory.system
    return fill(
        load_prompt(PACKAGE, style),
        {
            "dialect": load_prompt(PACKAGE, f"{trajectory.dialect}.{style}"),
            "reply": load_prompt(PACKAGE, "reply-full") if reply is None else reply,
            "task": system.task_description,
            "actions": system.action_space,
            "initial_state": system.initial_state,
            "demonstrations": system.demonstrations,
            "instruction": system.simulation_instruction,
        },
    )
