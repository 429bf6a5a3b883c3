"""Model specs: one line of text that says who predicts, the same everywhere.

    embedded                                   the small model that comes along
    gguf:PATH                                  any model file for llama.cpp
    openai:NAME@http://HOST:PORT/v1            any OpenAI-compatible endpoint
    copy | retrieval:FILE | scripted:FILE | recorded:DIR
    NAME or NAME@http://HOST:PORT/v1           a preset (`worldline.models.presets`)

Options follow the first ``?`` after that, as ``?ctx=8192&thinking=off``; percent signs, ampersands
and the like in a value are percent-encoded. A ``?`` or ``%`` in a path is written ``%3F``, ``%25``.
The name of an endpoint's model may hold anything: it ends at the last ``@http``.

Nothing is opened or looked up here: `worldline.models.spec` does that.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args
from urllib.parse import quote, unquote

import msgspec

from worldline import jsonl
from worldline.domains.base import Style
from worldline.errors import UsageError
from worldline.messages import Sampling
from worldline.prediction import Form

Value = str | int | float | bool
Kind = Literal[
    "embedded", "gguf", "openai", "hf", "copy", "retrieval", "scripted", "recorded", "preset"
]
KINDS: tuple[Kind, ...] = get_args(Kind)[:-1]
_ALONE = ("embedded", "copy")
_SAMPLED = ("seed", "temperature", "top_p", "top_k", "max_tokens")
_COMMON: dict[Kind, tuple[str, ...]] = {
    "openai": ("ctx", "prompts", "form", "thinking", *_SAMPLED),
    "copy": ("ctx", "prompts"),
    "retrieval": ("ctx", "prompts", "splits", "split"),
    "scripted": ("ctx", "prompts", "form"),
    "recorded": (),
}

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What the name of a preset looks like."""
_HEAD = re.compile(rf"({NAME.pattern})(:|@(?=https?://)|\?|\Z)")
_AT_URL = re.compile(r"@(?=https?://)")
_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The options that mean the same for every model that has them; `None`: its own default."""

    ctx: Annotated[int, msgspec.Meta(ge=1)] | None = None
    prompts: Style | None = None
    form: Form | None = None
    thinking: Literal["on", "off"] | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=100)] | None = None
    top_p: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    top_k: Annotated[int, msgspec.Meta(ge=0)] | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None

    @property
    def sampling(self) -> Sampling:
        """How the model samples."""
        return Sampling(
            temperature=self.temperature,
            top_p=self.top_p,
            top_k=self.top_k,
            max_tokens=self.max_tokens,
        )


_VALUES = {
    "ctx": "a whole number of tokens, from 1",
    "prompts": "full or compact",
    "form": "full or patch",
    "thinking": "on or off",
    "seed": "a whole number from 0 to 4294967295",
    "temperature": "a number from 0 to 100",
    "top_p": "a number from 0 to 1",
    "top_k": "a whole number from 0",
    "max_tokens": "a whole number from 1",
}
"""What each option may be, in words."""


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed spec. ``str(spec)`` is its text: parsing that gives an equal spec.

    `target` is the path, the model's name or the preset's; `options` are texts, percent-decoded.
    """

    kind: Kind
    target: str = ""
    url: str | None = None
    options: dict[str, str] = {}
    preset: str | None = None
    """The preset a resolved spec came from; no part of the text."""

    def __str__(self) -> str:
        if self.kind in _ALONE:
            head: str = self.kind
        elif self.kind in ("openai", "preset"):
            head = self.target if self.kind == "preset" else f"openai:{self.target}"
        else:
            head = f"{self.kind}:{self.target.replace('%', '%25').replace('?', '%3F')}"
        at = f"@{self.url}" if self.url else ""
        pairs = [f"{name}={_quoted(value)}" for name, value in self.options.items()]
        return f"{head}{at}{'?' if pairs else ''}{'&'.join(pairs)}"

    @property
    def settings(self) -> Settings:
        """The common options, typed. Raises `UsageError` naming the option."""
        return _settings(self.options)

    @property
    def engine_options(self) -> dict[str, str]:
        """The options of this kind of model alone."""
        return {k: v for k, v in self.options.items() if k not in Settings.__struct_fields__}


def parse(text: str) -> Spec:
    """Read a spec. Presets are not looked up.

    Raises:
        UsageError: no spec, or an option that this kind does not have or that makes no sense.
    """
    match = _HEAD.match(text)
    if match is None:
        raise unknown(text)
    word, sign = match.groups()
    rest = text[match.end() :]
    if sign == ":":
        if word not in KINDS:
            raise unknown(word)
        return _with_target(word, rest)
    if word in KINDS and (word not in _ALONE or sign == "@"):
        raise _malformed(word)
    url, _, options = rest.partition("?") if sign == "@" else (None, "", rest)
    if word in _ALONE:
        return with_options(Spec(kind=word), _pairs(options))
    return with_options(Spec(kind="preset", target=word, url=url), _pairs(options))


def _with_target(kind: Kind, rest: str) -> Spec:
    if kind == "openai":
        addresses = list(_AT_URL.finditer(rest))
        if not addresses or not addresses[-1].start():
            raise _malformed(kind)
        url, _, options = rest[addresses[-1].end() :].partition("?")
        name = rest[: addresses[-1].start()]
        return with_options(Spec(kind=kind, target=name, url=url), _pairs(options))
    head, _, options = rest.partition("?")
    if kind in _ALONE or not head:
        raise _malformed(kind)
    path = re.sub("%3F", "?", head, flags=re.IGNORECASE).replace("%25", "%")
    return with_options(Spec(kind=kind, target=path), _pairs(options))


def _pairs(text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in text.split("&") if text else ():
        name, sign, value = part.partition("=")
        if not sign or not _OPTION.fullmatch(name):
            raise UsageError(
                f"{part!r} is no option", field="model", remedy="Write options as ?name=value&..."
            )
        if name in pairs:
            raise UsageError("is given twice", field=f"model option {name}")
        pairs[name] = unquote(value, errors="surrogateescape")
    return pairs


def _quoted(value: str) -> str:
    return quote(value, safe="/:,+~", errors="surrogateescape")


def with_options(spec: Spec, more: Mapping[str, Value | None]) -> Spec:
    """The spec with some options added or replaced; `None` leaves an option as it is.

    Raises:
        UsageError: this kind of model has no such option, or the value makes no sense.
    """
    added = {name: _text(name, value) for name, value in more.items() if value is not None}
    changed = msgspec.structs.replace(spec, options={**spec.options, **added})
    known = _known(spec.kind)
    for name in added:
        if known is not None and name not in known:
            raise UsageError(
                f"the model {spec.kind!r} has no option {name!r}",
                field="model",
                remedy=_meant(name, known) + f"It has: {', '.join(known) or 'none'}.",
            )
    _settings(changed.options)
    return changed


def _text(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return ("off", "on")[value] if name == "thinking" else ("false", "true")[value]
    return str(value)


def _known(kind: Kind) -> tuple[str, ...] | None:
    """The options of a kind of model; `None` where they are not known before it is opened."""
    if kind == "openai":
        from worldline.models.remote.options import Options

        return (*_COMMON[kind], *Options.__struct_fields__)
    return _COMMON.get(kind)


def _settings(options: Mapping[str, str]) -> Settings:
    given = {k: v for k, v in options.items() if k in Settings.__struct_fields__}
    if given.get("prompts", "").startswith("official:"):
        raise UsageError(
            "official prompts are not available yet in this version",
            field="model option prompts",
            remedy="Use prompts=full or prompts=compact.",
        )
    try:
        return jsonl.convert(given, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise bad_option(error, given, _VALUES) from error


def bad_option(
    error: msgspec.ValidationError, given: Mapping[str, Any], values: Mapping[str, str]
) -> UsageError:
    """The error for options that make no sense.

    Args:
        values: what each option may be, in words.
    """
    name = str(error).partition(" - at ")[2].strip("`").removeprefix("$.")
    if name not in values:  # what is wrong has no place: half of a character in a number
        return UsageError(str(error), field="model", remedy="See docs/models.md.")
    return UsageError(
        f"cannot be {given.get(name)!r}",
        field=f"model option {name}",
        remedy=f"It is {values[name]}.",
    )


def unknown(text: str, names: tuple[str, ...] = KINDS) -> UsageError:
    """The error for a name that is none of `names`, with what was probably meant."""
    gguf = text.lower().endswith(".gguf")
    meant = f"Did you mean gguf:{text}? " if gguf else _meant(text, names)
    return UsageError(
        f"{text!r} is no model",
        field="model",
        remedy=f"{meant}A model is one of {', '.join(names)}; see docs/models.md.",
    )


def _meant(text: str, names: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(text.lower(), names, n=1)
    return f"Did you mean {close[0]!r}? " if close else ""


def _malformed(kind: Kind) -> UsageError:
    form = {
        "embedded": "embedded",
        "copy": "copy",
        "openai": "openai:NAME@http://HOST:PORT/v1",
        "recorded": "recorded:DIR",
        "scripted": "scripted:FILE",
        "retrieval": "retrieval:FILE",
    }.get(kind, f"{kind}:PATH")
    return UsageError(
        f"this is not how {kind!r} is written", field="model", remedy=f"Write {form}."
    )
