"""One model file run by llama.cpp in this process.

`Engine` loads it and answers blocking calls, from as many threads as it has slots: the tokens of a
text, a prompt for a conversation, a completion that streams and can be cancelled.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from worldline.errors import ModelError
from worldline.models.llama.native import xllamacpp
from worldline.models.llama.private import Private
from worldline.models.llama.prompt import Ids, Prompter
from worldline.models.llama.setup import Setup

BATCH = 128
"""Tokens read between two looks at whether the request was cancelled (under a second's work)."""
HOST_CACHE_MIB = 512
"""Memory for the states of sessions that have no slot right now (about 23 kB a token)."""
SAME_BRANCH = 0.9
"""Share of a prompt that must be in a slot for it to go on there without keeping the old state.

Below it the slot's state is put into the host cache first. With llama.cpp's own 0.1 two branches of
a session overwrite each other: each reads again all that it added since the fork. Nearer to 1 every
step of a long session copies its state (100 MB at 4,500 tokens, 50 to 200 ms). So branches read at
most a tenth of their prompt again, and only steps that add more than that copy anything."""

DRAFT_AFTER = 10
"""Tokens that must have stood together further up before what followed them is drafted."""
DRAFT = 12
"""Tokens drafted at once.

Both are tuned on recorded states (docs/models.md, *Speculation*). On a CPU a draft that is refused
costs a real batch: shorter matches and longer drafts lose where little is copied. The engine looks
at the tokens of the request alone, so the same request drafts the same, whatever came before; its
other ways to draft remember more and do not. `DRAFT` may not be less than `DRAFT_AFTER`: then the
engine drafts nothing. It has no switch for a single request."""


class Choice(msgspec.Struct):
    """The new text of a chunk, and why it is the last."""

    text: str = ""
    finish_reason: str | None = None


class Chunk(msgspec.Struct):
    """One event of a completion: text, progress of reading the prompt, counts, or an error."""

    choices: list[Choice] = []
    usage: dict[str, Any] | None = None
    timings: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class Completion(msgspec.Struct, kw_only=True):
    """What came of one completion. No `finish_reason` and no `error`: it was cancelled."""

    text: str = ""
    finish_reason: str | None = None
    timings: dict[str, Any] = {}
    error: dict[str, Any] | None = None


class Engine:
    """A loaded model. Loading takes 0.3 to 0.7 s and holds Python's lock meanwhile.

    Raises:
        ModelError: llama.cpp cannot load the model or its adapter.
    """

    def __init__(self, setup: Setup, private: Private | None = None) -> None:
        self.private = private or Private()
        self._stopped = threading.Event()
        try:
            self._server: Any = _start(setup, self.private)
            # Unloading a server whose loop has not begun hangs for ever; an answer proves it has.
            self._server.handle_completions({"prompt": [0], "max_tokens": 1, "cache_prompt": False})
        except RuntimeError as error:
            self.private.close()
            adapter = " with its adapter" if setup.adapter else ""
            raise ModelError(
                f"llama.cpp cannot load {setup.alias}{adapter}",
                remedy="Check that the file is whole (`worldline model pull --verify` for the "
                "embedded one), that it fits into memory and that an adapter belongs to it.",
            ) from error
        self.private.address = self._server.listening_address
        self.prompter = Prompter(self.private.ask, thinking=setup.thinking)

    def complete(
        self,
        ids: Ids,
        fields: Mapping[str, Any],
        on_text: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Completion:
        """Go on from a prompt; blocks until the end, `cancelled` or `stop`.

        Args:
            fields: of llama.cpp's completion request.
            on_text: called with each new piece of text.
        """
        done = Completion()
        texts: list[str] = []

        def receive(data: bytes) -> bool:
            chunk = _CHUNK.decode(data)
            done.error = chunk.error or done.error
            done.timings = chunk.timings or done.timings
            for choice in chunk.choices[:1]:
                done.finish_reason = choice.finish_reason or done.finish_reason
                if choice.text:
                    texts.append(choice.text)
                    on_text(choice.text)
            return self._stopped.is_set() or cancelled()

        body = {**fields, "prompt": ids.tolist(), "stream": True, "return_progress": True}
        self._server.handle_completions(msgspec.json.encode(body), receive)
        done.text = "".join(texts)
        return done

    def stop(self) -> None:
        """Have all completions end at their next token (or batch of the prompt)."""
        self._stopped.set()

    def close(self) -> None:
        """Unload the model. No call may be running any more."""
        self.stop()
        self._server = None
        self.private.close()


_CHUNK = msgspec.json.Decoder(Chunk)


def _start(setup: Setup, private: Private) -> Any:
    library = xllamacpp()
    params = library.CommonParams()
    params.model.path = str(setup.model)
    params.model_alias = {setup.alias}
    params.n_ctx = setup.context * setup.slots
    params.n_parallel = setup.slots
    params.n_batch = params.n_ubatch = BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = setup.threads
    params.cache_ram_mib = HOST_CACHE_MIB
    params.slot_prompt_similarity = SAME_BRANCH
    params.verbosity = 0
    params.fit_params = params.warmup = False
    if not setup.flash:
        params.flash_attn_type = library.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    if setup.spec:
        kinds = library.common_speculative_type
        params.speculative.types = [kinds.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE]
        params.speculative.ngram_simple.size_n = DRAFT_AFTER
        params.speculative.ngram_simple.size_m = DRAFT
    if setup.adapter is not None:
        params.lora_adapters = [library.CommonAdapterLoraInfo(str(setup.adapter), 1.0)]
    private.guard(params)
    return library.Server(params)
