"""Opening the model that a spec names (`worldline.models.grammar` has the spelling).

    model = load("openai:NAME@http://127.0.0.1:8000/v1?thinking=off", temperature=0)

A spec may name a preset (`worldline.models.presets`). An engine is imported only when it is asked
for.
"""

import msgspec

from worldline.domains.base import Style
from worldline.errors import UsageError
from worldline.models.base import WorldModel
from worldline.models.grammar import KINDS, Spec, Value, parse, unknown, with_options
from worldline.models.presets import Preset, presets

__all__ = ["Spec", "load", "parse", "resolve"]


def resolve(spec: Spec) -> Spec:
    """The spec with its preset, if it names one, replaced by what that stands for.

    Raises:
        UsageError: no such preset, or an address is missing or too many.
    """
    if spec.kind != "preset":
        return spec
    named = presets()
    preset = named.get(spec.target)
    if preset is None:
        raise unknown(spec.target, (*KINDS, *named))
    base = _stands_for(preset, spec.url)
    made = with_options(base, {**preset.options, **spec.options})
    return msgspec.structs.replace(made, preset=preset.name)


def _stands_for(preset: Preset, url: str | None) -> Spec:
    """The spec behind a preset, its options aside. `url` wins over the preset's own."""
    base = parse(preset.spec) if preset.spec else Spec(kind="openai", target=preset.model or "")
    if base.kind == "preset":
        raise UsageError(
            "stands for another preset", field=f"preset {preset.name}", remedy="Name a model."
        )
    if base.kind != "openai" and url:
        raise UsageError(
            f"the preset {preset.name!r} has no address: it stands for {base.kind!r}", field="model"
        )
    address = url or base.url or preset.url
    if base.kind == "openai" and not address:
        raise UsageError(
            f"the preset {preset.name!r} needs the address of a server",
            field="model",
            remedy=f"Write {preset.name}@http://HOST:PORT/v1.",
        )
    return msgspec.structs.replace(base, url=address)


def load(spec: str | Spec, **overrides: Value | None) -> WorldModel:
    """Open the model that a spec names.

    Args:
        spec: the text, or what `parse` made of it.
        overrides: options by name, in place of the spec's; `None` leaves it as it is.

    Raises:
        UsageError: the spec, a preset or an option is wrong.
        ModelError: the model cannot be opened.
        DataError: a file that the model reads is not what it should be.
    """
    parsed = parse(spec) if isinstance(spec, str) else spec
    found = with_options(resolve(parsed), overrides)
    model, seed = _open(found), found.settings.seed
    if seed is None:
        return model
    from worldline.models.seeded import SeededModel

    return SeededModel(model, seed)


def _open(spec: Spec) -> WorldModel:
    settings = spec.settings
    model = _opened(spec, settings.ctx, settings.prompts)
    if settings.form is not None:
        model.form = settings.form
    return model


def _opened(spec: Spec, context: int | None, style: Style | None) -> WorldModel:
    settings, own = spec.settings, spec.engine_options
    if spec.kind in ("embedded", "gguf"):
        from worldline.models import embedded

        given = {"context": context, "style": style or "compact", "sampling": settings.sampling}
        if settings.thinking is not None:
            own["thinking"] = settings.thinking
        if spec.kind == "embedded":
            return embedded.open_embedded(**given, options=own)
        return embedded.open_gguf(spec.target, **given, options=own)
    if spec.kind == "openai":
        from worldline.models.openai import OpenAIModel

        return OpenAIModel(
            spec.target,
            spec.url or "",
            sampling=settings.sampling,
            context=context,
            style=style or "full",
            thinking=None if settings.thinking is None else settings.thinking == "on",
            preset=spec.preset,
            extra=own,
        )
    return _open_offline(spec, context, style or "full")


def _open_offline(spec: Spec, context: int | None, style: Style) -> WorldModel:
    if spec.kind == "copy":
        from worldline.models.copy import CopyModel

        return CopyModel(context=context, style=style)
    if spec.kind == "scripted":
        from worldline.models.scripted import ScriptedModel

        return ScriptedModel(spec.target, context=context, style=style)
    if spec.kind == "retrieval":
        from worldline.models.retrieval import RetrievalModel

        return RetrievalModel(
            spec.target,
            splits=spec.options.get("splits"),
            split=spec.options.get("split"),
            context=context,
            style=style,
        )
    if spec.kind == "recorded":
        from worldline.models.recorded import RecordedModel

        return RecordedModel(spec.target)
    raise UsageError(
        f"{spec.kind}: models are not available yet in this version",
        field="model",
        remedy="Serve it with an OpenAI-compatible server and use openai:NAME@http://HOST:PORT/v1.",
    )
