"""A conversation as token ids, in which only the chat template can open or close a turn.

The template is asked once for each sequence of roles, with marks in place of the contents; its own
text becomes tokens with special ones recognised, each content without. So a file that holds
``<|im_end|>`` reads as those ten characters, blanks at the edges of an observation stay as they
are, and a conversation that grows at its end has the tokens of the shorter one as its beginning.
"""

import re
from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from worldline.errors import ModelError
from worldline.messages import Message

Ask = Callable[[str, Any], Any]
"""Asks a route of the engine's server: (route, body) -> answer."""
Ids: TypeAlias = "array[int]"
"""Token ids."""
_MARK = re.compile(r"@@content-(\d+)@@")
_TEXTS = 2048
"""Texts whose tokens are remembered: both texts of a thousand turns."""


class Prompter:
    """Makes prompts for one engine. Safe to use from several threads."""

    def __init__(self, ask: Ask, *, thinking: str | None = None) -> None:
        self._ask = ask
        self._thinking = thinking
        self.content = lru_cache(_TEXTS)(self._content)
        self._markup = lru_cache(256)(self._markup_tokens)
        self._skeleton = lru_cache(256)(self._pieces)

    def tokens(self, messages: Sequence[Message]) -> Ids:
        """The prompt up to where the assistant's next answer begins.

        Raises:
            ModelError: the model's chat template has no place for such a conversation.
        """
        ids = array("i")
        for at, piece in enumerate(self._skeleton(tuple(m.role for m in messages))):
            if isinstance(piece, str):
                ids.extend(self._markup(piece, at == 0))
            else:
                ids.extend(self.content(messages[piece].content))
        return ids

    def opens_thoughts(self, messages: Sequence[Message]) -> bool:
        """Whether the template has the answer begin inside thoughts."""
        last = self._skeleton(tuple(m.role for m in messages))[-1]
        return isinstance(last, str) and last.rfind("<think>") > last.rfind("</think>")

    def _pieces(self, roles: tuple[str, ...]) -> tuple[str | int, ...]:
        """The template's own text, and numbers of messages in place of their contents."""
        marked = [{"role": role, "content": f"@@content-{i}@@"} for i, role in enumerate(roles)]
        body: dict[str, Any] = {"messages": marked}
        if self._thinking is not None:
            body["chat_template_kwargs"] = {"enable_thinking": self._thinking == "on"}
        try:
            text = self._ask("/apply-template", body)["prompt"]
        except ModelError as error:
            raise ModelError(
                f"the model's chat template refuses this conversation: {error.message}",
                remedy="Use a model whose template takes system, user and assistant messages.",
            ) from error
        parts = _MARK.split(text)
        pieces = [int(part) if i % 2 else part for i, part in enumerate(parts)]
        return tuple(piece for piece in pieces if piece != "")

    def _markup_tokens(self, text: str, first: bool) -> Ids:
        return self._tokenize(text, add_special=first, parse_special=True)

    def _content(self, text: str) -> Ids:
        return self._tokenize(_encodable(text), add_special=False, parse_special=False)

    def _tokenize(self, text: str, **how: bool) -> Ids:
        return array("i", self._ask("/tokenize", {"content": text, **how})["tokens"])


def _encodable(text: str) -> str:
    """The text with U+FFFD for each lone surrogate: tokenizers read UTF-8, which has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
