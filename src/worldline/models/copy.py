"""Predict that nothing changes: the observation before, again.

The baseline every world model has to beat; on screens and pages, where most of a state is copied,
it is not a weak one.
"""

from worldline.domains.base import Style
from worldline.messages import Request
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Prediction
from worldline.reply import stamp


class CopyModel(WorldModel):
    """Predicts the state before the action; before the first turn the initial one, or nothing."""

    name = "copy"

    def __init__(self, *, style: Style = "full", context: int | None = None) -> None:
        self.style = style
        self.context = context

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """The previous observation; always ``ok``."""
        text = request.before
        if on_text and text:
            on_text(text)
        raw = {"content": text, "reasoning": None}
        return stamp(request, self.name, "ok", observation=text, raw=raw)
