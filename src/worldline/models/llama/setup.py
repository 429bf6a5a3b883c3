"""How an engine is set up: the options of ``embedded`` and ``gguf:``, and the machine's cores."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from worldline import jsonl
from worldline.errors import UsageError
from worldline.models.grammar import bad_option

Small = Annotated[int, msgspec.Meta(ge=1, le=64)]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may stand after the ``?`` of a spec, beside sampling, `ctx` and `prompts`."""

    slots: Small = 1
    """Requests that run at once. They share the cores; each has a context of its own."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    """Default: the cores this process may use."""
    flash: bool = True
    """Flash attention: reads long prompts faster; without it long replies come a little faster."""
    spec: bool | None = None
    """Draft tokens by copying what follows the last few ones further up. Default: where it has
    been measured to win, which is the embedded model as Q8_0."""
    constrain: bool = True
    """Edits of a state are decoded under a grammar: each can be carried out."""
    adapter: str | None = None
    """A LoRA adapter in GGUF form; ``none`` leaves out the one that comes along."""
    deterministic: bool = False
    """One slot, and every prompt read from its start: the same text on each run, in any order."""
    thinking: Literal["on", "off"] | None = None
    """For chat templates that can turn thoughts on and off."""
    quant: Literal["q8_0", "q4_1"] = "q8_0"
    """Form of the embedded weights; q4_1 is how they come and needs less memory."""


_VALUES = {
    "slots": "a whole number from 1 to 64",
    "threads": "a whole number from 1 to 1024",
    "flash": "1 or 0",
    "spec": "1 or 0",
    "constrain": "1 or 0",
    "adapter": "the path of a file, or none",
    "deterministic": "1 or 0",
    "thinking": "on or off",
    "quant": "q8_0 or q4_1",
}
"""What each option may be, in words."""


def options(given: Mapping[str, Any]) -> Options:
    """Options from a spec; texts are converted.

    Raises:
        UsageError: an unknown option or a value that makes no sense; names it and the others.
    """
    for name in given:
        if name not in Options.__struct_fields__:
            raise UsageError(
                "a model in this process has no such option",
                field=f"model option {name}",
                remedy="It has: ctx, prompts, form, seed, temperature, top_p, top_k, max_tokens, "
                f"{', '.join(Options.__struct_fields__)}.",
            )
    try:
        found = jsonl.convert(dict(given), Options, strict=False)
    except msgspec.ValidationError as error:
        raise bad_option(error, given, _VALUES) from error
    if found.deterministic and found.slots > 1:
        raise UsageError(
            "deterministic needs slots=1: requests that run together change each other's rounding",
            field="model option slots",
        )
    return found


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """One engine: a model file, its adapter, and how it runs."""

    model: Path
    alias: str
    """What the engine calls the model; never a path."""
    context: int
    """Tokens of context of each slot."""
    slots: int = 1
    threads: int = 1
    flash: bool = True
    spec: bool = False
    adapter: Path | None = None
    thinking: Literal["on", "off"] | None = None


def cores() -> int:
    """Cores this process may keep busy: its CPU set and quota, two threads of a core as one."""
    mine = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    count = _physical(mine) if mine else (os.cpu_count() or 1)
    return max(1, min(count, _quota() or count))


def _physical(cpus: list[int]) -> int:
    siblings = set()
    for cpu in cpus:
        path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            siblings.add(path.read_text("ascii").strip())
        except OSError:
            return len(cpus)
    return len(siblings)


def _quota(path: Path = Path("/sys/fs/cgroup/cpu.max")) -> int | None:
    """Whole CPUs of this container's quota, as Linux control groups give it."""
    try:
        limit, period = path.read_text("ascii").split()
        return max(1, int(limit) // int(period))
    except (OSError, ValueError):
        return None
