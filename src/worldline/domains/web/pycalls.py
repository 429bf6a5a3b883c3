"""Calls with literal arguments, as Python writes them, read without running anything.

    click('a51', button="right")

Strings, numbers, `True`, `False`, `None` and lists of these; positional, then keyword arguments. A
text may hold several calls on lines of their own, comments, and a Markdown fence around all of it;
each is kept so that the text comes back exactly.
"""

import ast
import re
from typing import Literal

import msgspec

from worldline.domains.base import ActionError

Scalar = str | bool | int | float | None
Argument = Scalar | list[Scalar]
Quote = Literal["'", '"']

MAX_CALLS = 200
MAX_ARGS = 64
_NAME = re.compile(r"[A-Za-z_]\w{0,80}", re.ASCII)
_BLANK = re.compile(r"\s*+")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"""' + r"|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'" + r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"',
    re.DOTALL,
)
_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?(?![\w.])")
_WORD = re.compile(r"(?:True|False|None)(?!\w)")
_BETWEEN = re.compile(r"(?:\s++|#[^\n]*+)*+")
_FENCE = re.compile(r"\s*+```\w*[ \t]*\n")
_WORDS: dict[str, Scalar] = {"True": True, "False": False, "None": None}


class Arg(msgspec.Struct, frozen=True, omit_defaults=True):
    """One argument.

    `gap` is what stands before it, if not what usually does (a blank behind a comma); `source` how
    the value is written when neither `repr` nor `quote` says so.
    """

    value: Argument
    name: str | None = None
    gap: str | None = None
    quote: Quote = "'"
    equals: str = "="
    after: str = ""
    source: str | None = None


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call. `opening` stands between the name and its bracket, `closing` before its end."""

    name: str
    args: tuple[Arg, ...] = ()
    opening: str = ""
    closing: str = ""

    @property
    def positional(self) -> list[Argument]:
        """The values of arguments without a name."""
        return [arg.value for arg in self.args if arg.name is None]

    @property
    def named(self) -> dict[str, Argument]:
        """The values of arguments with a name."""
        return {arg.name: arg.value for arg in self.args if arg.name is not None}


class Script(msgspec.Struct, frozen=True, omit_defaults=True):
    """Calls in order; `gaps` stand before each and behind the last one."""

    calls: tuple[Call, ...]
    gaps: tuple[str, ...] = ()


def parse(text: str) -> Script:
    """The calls of a text.

    Raises:
        ActionError: it holds something else, or no call at all.
    """
    calls: list[Call] = []
    gaps: list[str] = []
    fence = _FENCE.match(text)
    at, stop = (fence.end(), text.rstrip().removesuffix("```")) if fence else (0, text)
    end = len(stop)
    start = 0
    while True:
        match = _BETWEEN.match(text, at, end)
        at = match.end() if match else at
        if at == end:
            break
        if len(calls) == MAX_CALLS:
            raise ActionError(f"more than {MAX_CALLS} calls")
        gaps.append(text[start:at])
        call, at = _call(text, at)
        calls.append(call)
        start = at
    if not calls:
        raise ActionError("expected a call like click('12'), found none")
    gaps.append(text[start:])
    usual = ("", *["\n"] * (len(calls) - 1), "")
    script = Script(tuple(calls), () if tuple(gaps) == usual else tuple(gaps))
    if render(script) != text:
        raise ActionError("the call is written in a way that cannot be kept")
    return script


def render(script: Script) -> str:
    """The text a script was parsed from, exactly."""
    gaps = script.gaps or ("", *["\n"] * (len(script.calls) - 1), "")
    parts = [gap + _written(call) for gap, call in zip(gaps, script.calls, strict=False)]
    return "".join(parts) + gaps[-1]


def _written(call: Call) -> str:
    parts = [f"{call.name}{call.opening}("]
    for number, arg in enumerate(call.args):
        gap = _usual_gap(number) if arg.gap is None else arg.gap
        parts += ["," if number else "", gap, _arg_text(arg), arg.after]
    return "".join(parts) + call.closing + ")"


def _usual_gap(number: int) -> str:
    return " " if number else ""


def _arg_text(arg: Arg) -> str:
    text = arg.source if arg.source is not None else literal(arg.value, arg.quote)
    return text if arg.name is None else f"{arg.name}{arg.equals}{text}"


def literal(value: Argument, quote: Quote = "'") -> str:
    """A value as Python code; strings in these quotes (or the others, where `repr` takes those)."""
    if isinstance(value, list):
        return "[" + ", ".join(literal(one, quote) for one in value) + "]"
    if isinstance(value, str) and quote == '"':
        # With a single quote inside, repr takes double quotes and escapes only what it must.
        return f'"{repr(chr(39) + value)[2:-1]}"' if '"' not in value else _doubled(value)
    return repr(value)


def _doubled(value: str) -> str:
    return '"' + '\\"'.join(repr("'" + part)[2:-1] for part in value.split('"')) + '"'


def _call(text: str, at: int) -> tuple[Call, int]:
    name = _NAME.match(text, at)
    if name is None:
        raise ActionError(f"expected a call, found {text[at : at + 30]!r}")
    opening, at = _blank(text, name.end())
    if not text.startswith("(", at):
        raise ActionError(f"expected '(' behind {name[0]!r}")
    args: list[Arg] = []
    at += 1
    while True:
        gap, at = _blank(text, at)
        if text.startswith(")", at):
            return Call(name[0], tuple(args), opening, gap), at + 1
        if args and not text.startswith(",", at):
            raise ActionError(f"expected ',' or ')' in the arguments of {name[0]!r}")
        if args:
            args[-1] = msgspec.structs.replace(args[-1], after=gap)
            gap, at = _blank(text, at + 1)
            if text.startswith(")", at):  # a comma behind the last argument
                args[-1] = msgspec.structs.replace(args[-1], after=f"{args[-1].after},")
                return Call(name[0], tuple(args), opening, gap), at + 1
        arg, at = _arg(text, at, None if gap == _usual_gap(len(args)) else gap)
        if arg.name is None and args and args[-1].name is not None:
            raise ActionError("a positional argument stands behind a keyword argument")
        if len(args) == MAX_ARGS:
            raise ActionError(f"more than {MAX_ARGS} arguments")
        args.append(arg)


def _arg(text: str, at: int, gap: str | None) -> tuple[Arg, int]:
    name = _NAME.match(text, at)
    key, equals = None, "="
    if name is not None and name[0] not in _WORDS:
        blank, behind = _blank(text, name.end())
        if not text.startswith("=", behind):
            raise ActionError(f"expected a literal, found {text[at : at + 30]!r}")
        space, behind = _blank(text, behind + 1)
        key, equals, at = name[0], f"{blank}={space}", behind
    value, end = _value(text, at)
    source = text[at:end]
    quote: Quote = '"' if '"' in source and literal(value) != source else "'"
    kept = None if literal(value, quote) == source else source
    return Arg(value, key, gap, quote, equals, source=kept), end


def _value(text: str, at: int) -> tuple[Argument, int]:
    if text.startswith("[", at):
        return _list(text, at + 1)
    return _scalar(text, at)


def _scalar(text: str, at: int) -> tuple[Scalar, int]:
    if word := _WORD.match(text, at):
        return _WORDS[word[0]], word.end()
    found = _STRING.match(text, at) or _NUMBER.match(text, at)
    if found is None:
        raise ActionError(f"expected a literal, found {text[at : at + 30]!r}")
    try:
        value = ast.literal_eval(found[0])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ActionError(f"{found[0][:30]!r} is no literal") from None
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise ActionError("the number is too large")
    return value, found.end()


def _list(text: str, at: int) -> tuple[list[Scalar], int]:
    items: list[Scalar] = []
    while True:
        _, at = _blank(text, at)
        if text.startswith("]", at):
            return items, at + 1
        if items and not text.startswith(",", at):
            raise ActionError("expected ',' or ']' in a list")
        if items:
            _, at = _blank(text, at + 1)
            if text.startswith("]", at):
                return items, at + 1
        if len(items) == MAX_ARGS:
            raise ActionError(f"more than {MAX_ARGS} items in a list")
        item, at = _scalar(text, at)
        items.append(item)


def _blank(text: str, at: int) -> tuple[str, int]:
    match = _BLANK.match(text, at)
    end = match.end() if match else at
    return text[at:end], end
