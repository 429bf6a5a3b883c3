"""The models that run in this process: the small one that comes along, and any GGUF file.

    model = open_embedded()                       # SmolLM2-135M-Instruct, fetched on the first run
    model = open_gguf("world.gguf", options={"adapter": "mine.gguf"})

Both are a `worldline.models.llama.model.LlamaModel`; what their options mean is said in
`worldline.models.llama.setup.Options`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from worldline.domains.base import Style
from worldline.errors import UsageError
from worldline.messages import Sampling
from worldline.models import weights
from worldline.models.llama.model import LlamaModel
from worldline.models.llama.setup import Options, Setup, cores, options
from worldline.models.weights.gguf import check_magic, header

OWN_ADAPTER = Path(__file__).with_name("adapter.gguf")
"""Our own adapter for the embedded model; used as soon as it is there."""
GGUF_CONTEXT = 8192
"""Tokens of context where none are asked for: more cost memory, whatever a model could take."""
_EMBEDDED_SAMPLING = Sampling(temperature=0.0, max_tokens=256)
_GGUF_SAMPLING = Sampling(max_tokens=1024)
_NO_SAMPLING = Sampling()


def open_embedded(
    *,
    context: int | None = None,
    style: Style = "compact",
    sampling: Sampling = _NO_SAMPLING,
    options: Mapping[str, Any] = {},
) -> LlamaModel:
    """The model that comes along; fetched first if it is not in the cache (progress on stderr).

    Greedy, at most 256 tokens a reply, unless `sampling` says otherwise.

    Raises:
        ModelError: the weights are not here and cannot be fetched.
        UsageError: an option or the context makes no sense.
    """
    found = _options(options)
    context = _context(context, weights.EMBEDDED.context, weights.EMBEDDED.context)
    path = weights.fast() if found.quant == "q8_0" else weights.ready()
    if found.spec is None:
        # Q4_1 reads several tokens hardly faster than one after the other: nothing to win.
        found = msgspec.structs.replace(found, spec=found.quant == "q8_0")
    adapter = OWN_ADAPTER if OWN_ADAPTER.is_file() else None
    return _open("embedded", path, context, found, adapter, style, sampling, _EMBEDDED_SAMPLING)


def open_gguf(
    path: str | Path,
    *,
    context: int | None = None,
    style: Style = "compact",
    sampling: Sampling = _NO_SAMPLING,
    options: Mapping[str, Any] = {},
) -> LlamaModel:
    """A model file of your own. Sampling not given is left to llama.cpp and the file.

    Raises:
        ModelError: the file cannot be read, or is no whole GGUF file.
        UsageError: an option or the context makes no sense.
    """
    found, path = _options(options), Path(path).expanduser()
    check_magic(path)
    numbers = header(path).numbers
    trained = next((n for key, (n, _) in numbers.items() if key.endswith(".context_length")), None)
    limit = int(trained or GGUF_CONTEXT)
    context = _context(context, min(limit, GGUF_CONTEXT), limit)
    return _open("gguf", path, context, found, None, style, sampling, _GGUF_SAMPLING)


_options = options


def _context(asked: int | None, usual: int, limit: int) -> int:
    if asked is None:
        return usual
    if asked > limit:
        raise UsageError(
            f"the model was trained for {limit} tokens, {asked} are too many",
            field="model option ctx",
        )
    return asked


def _open(
    kind: str,
    path: Path,
    context: int,
    found: Options,
    adapter: Path | None,
    style: Style,
    sampling: Sampling,
    usual: Sampling,
) -> LlamaModel:
    if found.adapter is not None:
        adapter = None if found.adapter == "none" else Path(found.adapter).expanduser()
        if adapter is not None:
            check_magic(adapter)
    name = f"{kind}/{path.stem}" + (f"+{adapter.stem}" if adapter else "")
    setup = Setup(
        model=path,
        alias=name,
        context=context,
        slots=found.slots,
        threads=found.threads or cores(),
        flash=found.flash,
        spec=bool(found.spec),
        adapter=adapter,
        thinking=found.thinking,
    )
    given = {k: v for k, v in msgspec.structs.asdict(sampling).items() if v is not None and v != ()}
    model = LlamaModel(
        setup,
        name=name,
        style=style,
        sampling=msgspec.structs.replace(usual, **given),
        deterministic=found.deterministic,
    )
    # A small prompt is for a small model, which cannot write whole screens.
    model.form = "patch" if style == "compact" else "full"
    model.constrains = found.constrain
    return model
