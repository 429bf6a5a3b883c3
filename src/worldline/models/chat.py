"""Models as partners of any conversation: judges, and whoever writes prompts."""

from collections.abc import Sequence
from typing import Any, Protocol

from worldline.errors import UsageError
from worldline.messages import Message, Sampling
from worldline.models.base import WorldModel
from worldline.models.seeded import SeededModel
from worldline.reply import Reply


class Chat(Protocol):
    """Answers conversations."""

    name: str
    context: int | None
    sampling: Sampling

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, seed: int | None = None
    ) -> Reply:
        """The reply; failures are typed in its `error`."""
        ...

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        ...

    def describe(self) -> dict[str, Any]:
        """What a manifest records."""
        ...


def as_chat(model: WorldModel) -> Chat:
    """The model as a partner of conversations.

    Raises:
        UsageError: it only predicts observations.
    """
    found: Any = model
    while isinstance(found, SeededModel):
        found = found.model
    if not callable(getattr(found, "chat", None)):
        raise UsageError(
            f"{model.name} holds no conversations, it only predicts observations",
            field="model",
            remedy="Name a chat model: openai:NAME@http://HOST:PORT/v1, gguf:PATH or embedded.",
        )
    return found
