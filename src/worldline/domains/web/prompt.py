"""What a model is told about the browser it stands in for."""

from worldline.domains.base import Style
from worldline.domains.common import edit_text, load_prompt, system_prompt
from worldline.trajectory import Trajectory

PACKAGE = "worldline.domains.web"


def system_text(trajectory: Trajectory, style: Style, *, edits: bool = False) -> str:
    """The system prompt in our own words, with the parts of the trajectory filled in.

    Args:
        edits: the reply is an edit script of the page, not the next page.
    """
    return system_prompt(
        PACKAGE,
        style,
        trajectory,
        dialect=_dialect(trajectory.dialect, style, edits),
        reply=edit_text(style) if edits else load_prompt(PACKAGE, f"reply-{style}"),
    )


def _dialect(name: str, style: Style, edits: bool) -> str:
    """How pages are written; in edits the nodes too (small models get only these)."""
    text = load_prompt(PACKAGE, f"{name}.{style}")
    if not edits:
        return text
    nodes = load_prompt(PACKAGE, f"{name}.edits.{style}")
    return nodes if style == "compact" else f"{text}\n- {nodes}"
