"""The embedded model without Worldline: `xllamacpp` as its documentation has it.

``python -m benchmarks.bare FILE CONTEXT THREADS`` starts it, has one token made and ends.
"""

import sys
from importlib import import_module
from typing import Any

_servers: list[Any] = []


def start(path: str, context: int, threads: int) -> None:
    """Load a model file into a server of this process; what is not named stays the default."""
    library: Any = import_module("xllamacpp")
    params = library.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel = context, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity, params.fit_params = 0, False
    _servers.append(library.Server(params))


def chat(messages: list[dict[str, str]], tokens: int) -> dict[str, Any]:
    """One greedy reply of the server's chat endpoint, its prompt read from the start."""
    body = {"messages": messages, "max_tokens": tokens, "temperature": 0.0, "cache_prompt": False}
    return _servers[0].handle_chat_completions(body)


if __name__ == "__main__":
    start(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    chat([{"role": "user", "content": "x"}], 1)
