"""A model that samples from a seed of its own where a request brings none."""

from typing import Any

import msgspec

from worldline.messages import Request
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Prediction


class SeededModel(WorldModel):
    """Another model, in all but the seed of requests without one."""

    def __init__(self, model: WorldModel, seed: int) -> None:
        self.model = model
        self.seed = seed
        self.name = model.name
        self.context = model.context
        self.style = model.style
        self.form = model.form
        self.constrains = model.constrains
        self.sampling = model.sampling

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """The model's prediction under the request's seed, or else this model's."""
        if request.seed is None:
            request = msgspec.structs.replace(request, seed=self.seed)
        return await self.model.predict(request, on_text)

    def count(self, text: str) -> int:
        """As the model counts."""
        return self.model.count(text)

    def describe(self) -> dict[str, Any]:
        """As the model describes itself, and the seed."""
        return {**self.model.describe(), "seed": self.seed}

    async def aclose(self) -> None:
        """Close the model."""
        await self.model.aclose()
