"""A model held to less than it could take, so that a benchmark ends in the time there is."""

from typing import Any

import msgspec

from worldline.messages import Request
from worldline.models.base import OnText, WorldModel
from worldline.models.seeded import SeededModel
from worldline.prediction import Prediction


class Limited(WorldModel):
    """A model held to a context, a reply length and, if asked, to starting each row afresh."""

    def __init__(
        self, model: WorldModel, context: int | None, max_tokens: int | None, deterministic: bool
    ) -> None:
        self.inner = model
        self.name, self.style, self.form = model.name, model.style, model.form
        self.constrains = model.constrains
        limits = [limit for limit in (context, model.context) if limit is not None]
        self.context = min(limits, default=None)
        self.sampling = model.sampling
        if max_tokens is not None:
            self.sampling = msgspec.structs.replace(model.sampling, max_tokens=max_tokens)
        while isinstance(model, SeededModel):
            model = model.model
        inner = model.model if isinstance(model, SeededModel) else model
        if deterministic and hasattr(inner, "deterministic"):
            inner.deterministic = True  # pyright: ignore[reportAttributeAccessIssue]

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """As the model predicts."""
        return await self.inner.predict(request, on_text)

    def count(self, text: str) -> int:
        """As the model counts."""
        return self.inner.count(text)

    def describe(self) -> dict[str, Any]:
        """The model, with the limits in force."""
        return {
            **self.inner.describe(),
            "context": self.context,
            "sampling": msgspec.to_builtins(self.sampling),
        }
