"""Names for models: the presets that come with Worldline, and the user's own.

The user's are tables of ``models.toml`` in the configuration folder (`worldline.paths.config_dir`)
and win over ours::

    [world]                                   # --model world
    spec = "gguf:~/models/world.gguf?ctx=8192"

    [big]                                     # --model big, or big@http://elsewhere:8000/v1
    model = "Qwen/Qwen-AgentWorld-35B-A3B"
    url = "http://127.0.0.1:8000/v1"
    temperature = 0.6                         # any option of a spec
"""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.errors import UsageError
from worldline.models.grammar import KINDS, NAME, Value
from worldline.paths import config_dir


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A named model: a whole `spec`, or a `model` and where it is served, with options."""

    name: str
    model: str | None = None
    url: str | None = None
    spec: str | None = None
    note: str | None = None
    options: dict[str, Value] = {}


def presets() -> dict[str, Preset]:
    """All presets by name, the user's in place of ours.

    Raises:
        UsageError: ``models.toml`` is not as it should be; names file and table.
    """
    ours = _read(files("worldline.models").joinpath("presets.toml").read_text("utf-8"), None)
    path = config_dir() / "models.toml"
    if not path.is_file():
        return ours
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read ({error})", file=path) from error
    return {**ours, **_read(text, path)}


def _read(text: str, path: Path | None) -> dict[str, Preset]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"is not TOML ({error})", file=path) from error
    return {name: _preset(name, table, path) for name, table in tables.items()}


def _preset(name: str, table: Any, path: Path | None) -> Preset:
    if name in KINDS or not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a preset",
            file=path,
            remedy=f"Use letters, digits, dots and dashes; not {', '.join(KINDS)}.",
        )
    fields = set(Preset.__struct_fields__) - {"name", "options"}
    try:
        given = jsonl.convert(table, dict[str, Value])
        options = {key: value for key, value in given.items() if key not in fields}
        named = {key: value for key, value in given.items() if key in fields}
        preset = jsonl.convert({**named, "name": name, "options": options}, Preset)
    except msgspec.ValidationError as error:
        raise UsageError(
            str(error), file=path, field=name, remedy="See docs/models.md for the shape."
        ) from error
    if (preset.model is None) == (preset.spec is None):
        raise UsageError(
            "needs either model or spec", file=path, field=name, remedy="See docs/models.md."
        )
    return preset
