"""The one interface of everything that predicts, and what a chat backend gives back."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import msgspec

from worldline.domains.base import Style
from worldline.fit import estimate
from worldline.messages import Request, Sampling
from worldline.prediction import Form, Prediction

OnText = Callable[[str], None]
"""Called with each new piece of the observation while it streams."""


class WorldModel(ABC):
    """Predicts the next observation.

    `predict` never raises for a failed call: trouble is a typed outcome on the prediction. It
    raises `ModelError` only for what no retry can mend (no such file, no such model, no key).
    """

    name: str
    """What results call it; never a path of this machine, never a key."""
    context: int | None = None
    """Tokens that fit a request and its reply together; `None` when nothing limits it."""
    style: Style = "full"
    form: Form = "full"
    """What it is asked for where states are trees; ``patch`` suits small models."""
    constrains: bool = False
    """Whether it holds its reply to `Request.grammar`."""
    sampling: Sampling = Sampling()

    @abstractmethod
    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """One prediction. Shapes and outcomes: `worldline.prediction.Prediction`."""

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        return estimate(text)

    def describe(self) -> dict[str, Any]:
        """What a manifest records of this model, secrets left out."""
        return {
            "name": self.name,
            "context": self.context,
            "style": self.style,
            "form": self.form,
            "sampling": msgspec.to_builtins(self.sampling),
        }

    async def aclose(self) -> None:  # noqa: B027 - most models hold nothing
        """Release what the model holds (connections, an engine)."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()
