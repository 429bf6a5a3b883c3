"""What stands under `arg` in a check, by `op`. The table in docs/tasks.md says the same in words.

Short forms: a text for ``{"value": TEXT}``, a path for ``{"path": PATH}``, a number for an exit
code.
"""

from typing import Any

import msgspec

from worldline import jsonl
from worldline.errors import DataError
from worldline.tasks.patterns import compiled, path
from worldline.tasks.task import Check, Op

Count = int | tuple[int, int]
"""So many, or from .. to."""


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The argument of an op."""

    def wrong(self) -> str | None:
        """What is wrong with it beyond its types, in words."""
        return None


class TextArg(Shape, frozen=True, kw_only=True):
    """``equals``, ``contains``, ``absent``. Of several values all must be contained (be absent).

    `strip` (``equals`` alone): blanks around do not count. `squeeze`: runs of blanks and line ends
    count as one blank. ``\\r\\n`` always counts as ``\\n``.
    """

    value: str | tuple[str, ...]
    strip: bool = True
    squeeze: bool = False
    ignore_case: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """All of them."""
        return (self.value,) if isinstance(self.value, str) else self.value

    def wrong(self) -> str | None:
        """No value."""
        return None if self.values else "it has no value"


class RegexArg(Shape, frozen=True, kw_only=True):
    """``regex``: the pattern is found; with `count` so many times."""

    value: str
    ignore_case: bool = False
    count: Count | None = None

    def wrong(self) -> str | None:
        """No RE2 pattern."""
        compiled(self.value, self.ignore_case)
        return _bounds(self.count)


class PathArg(Shape, frozen=True, kw_only=True):
    """``jsonpath``: what the path finds. Without a condition: at least one node.

    `equals`, `contains` (a text) and `matches` (RE2) hold for at least one value found.
    """

    path: str
    equals: Any = msgspec.UNSET
    contains: str | None = None
    matches: str | None = None
    count: Count | None = None

    @property
    def conditions(self) -> bool:
        """Whether anything is asked of the values found."""
        given = self.equals is not msgspec.UNSET
        return given or self.contains is not None or self.matches is not None

    def wrong(self) -> str | None:
        """No path, or no pattern."""
        path(self.path)
        if self.matches is not None:
            compiled(self.matches)
        return _bounds(self.count)


class ExitArg(Shape, frozen=True, kw_only=True):
    """``exit``: the exit code is (one of) `code`, or is none of `unless`."""

    code: int | tuple[int, ...] | None = None
    unless: int | tuple[int, ...] | None = None

    def wrong(self) -> str | None:
        """Neither or both."""
        if (self.code is None) == (self.unless is None):
            return "it needs either code or unless"
        return None


class TreeArg(Shape, frozen=True, kw_only=True):
    """``tree``: nodes of this kind and `ref` with these attributes, and these texts in attributes.

    An attribute that is `null` must be a flag. `count` says how many; by default at least one.
    """

    kind: str | None = None
    ref: str | None = None
    attrs: dict[str, Any] = {}
    contains: dict[str, str] = {}
    count: Count | None = None

    def wrong(self) -> str | None:
        """Nothing asked."""
        if self.kind is None and self.ref is None and not self.attrs and not self.contains:
            return "it says nothing of the node"
        return _bounds(self.count)


class RangeArg(Shape, frozen=True, kw_only=True):
    """``range``: a number in the text is at least `lo` and at most `hi`.

    With `pattern` (RE2) the number is what its first group (or all) matches first; without, any
    number of the text may be it.
    """

    lo: float | None = None
    hi: float | None = None
    pattern: str | None = None

    def wrong(self) -> str | None:
        """No range, or an empty one."""
        if self.pattern is not None:
            compiled(self.pattern)
        if self.lo is None and self.hi is None:
            return "it needs lo or hi"
        if self.lo is not None and self.hi is not None and self.lo > self.hi:
            return f"lo {self.lo:g} is above hi {self.hi:g}"
        return None


SHAPES: dict[Op, type[Shape]] = {
    "equals": TextArg,
    "contains": TextArg,
    "absent": TextArg,
    "regex": RegexArg,
    "jsonpath": PathArg,
    "exit": ExitArg,
    "tree": TreeArg,
    "range": RangeArg,
}


def argument(check: Check) -> Any:
    """The argument of a check as a `Shape`.

    Raises:
        DataError: it does not have the shape that its op needs; `field` says where below `arg`.
    """
    value = check.arg
    match check.op:
        case "equals" | "contains" | "absent" | "regex" if not isinstance(value, dict):
            value = {"value": value}
        case "jsonpath" if isinstance(value, str):
            value = {"path": value}
        case "exit" if not isinstance(value, dict):
            value = {"code": 0 if value is None else value}
    try:
        made = jsonl.convert(value, SHAPES[check.op])
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at ")
        field = where.strip("`").removeprefix("$").removeprefix(".")
        raise DataError(
            message.replace("`", "") + ".",
            field=f"arg.{field}" if field else "arg",
            remedy=f"docs/tasks.md has the argument of {check.op}.",
        ) from None
    if why := _wrong(check.op, made):
        raise DataError(why, field="arg", remedy=f"docs/tasks.md has the argument of {check.op}.")
    return made


def _wrong(op: Op, made: Shape) -> str | None:
    if isinstance(made, TextArg):
        if op == "equals" and not isinstance(made.value, str):
            return "equals has one value"
        if op != "equals" and not all(made.values):
            return "an empty text stands in every text"
    try:
        return made.wrong()
    except DataError as error:
        raise DataError(error.message, field="arg", remedy=error.remedy) from None


def _bounds(count: Count | None) -> str | None:
    if count is None:
        return None
    lo, hi = (count, count) if isinstance(count, int) else count
    return None if 0 <= lo <= hi else f"count {lo} .. {hi} is none"
