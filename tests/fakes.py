"""Models for tests only: they answer from a list, and say so in their name."""

import asyncio
from collections.abc import Callable, Sequence

from worldline.messages import Request, Sampling
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Prediction, Usage

Answer = str | Prediction | Callable[[Request], "str | Prediction"]


def failed(outcome: str, reason: str) -> Prediction:
    return Prediction(outcome=outcome, origin="model", reason=reason, model="fake")


class FakeModel(WorldModel):
    """Gives its answers in order, the last one for ever, and keeps the requests it got."""

    name = "fake (for tests)"

    def __init__(self, *answers: Answer, delay_s: float = 0.0, context: int | None = None) -> None:
        self.answers: Sequence[Answer] = answers or ("ok",)
        self.requests: list[Request] = []
        self.delay_s = delay_s
        self.context = context
        self.sampling = Sampling(max_tokens=64)
        self.closed = False

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        await asyncio.sleep(self.delay_s)
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Prediction):
            return answer
        if on_text:
            on_text(answer)
        return Prediction(
            outcome="ok",
            origin="model",
            observation=answer,
            model=self.name,
            seed=request.seed,
            usage=Usage(prompt=10, cached=4, completion=2),
        )

    async def aclose(self) -> None:
        self.closed = True
