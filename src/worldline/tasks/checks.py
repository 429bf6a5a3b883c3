"""The check language: whether one condition holds of what an agent left behind.

    evaluate(Check(op="contains", arg="42"), Texts(observation="the answer is 42"))  -> ok

A verdict is true, false, or undecided (`ok` is `None`): there is no text to look at, or it does not
tell. What cannot be decided is never a success, and never a failure of the agent.
"""

import math
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from worldline.tasks.args import (
    Count,
    ExitArg,
    PathArg,
    RangeArg,
    RegexArg,
    TextArg,
    TreeArg,
    argument,
)
from worldline.tasks.patterns import TooMuch, compiled, group, plain, values
from worldline.tasks.task import Check
from worldline.tasks.texts import MARKED, Texts, document, exit_code, tree_of
from worldline.trees import Node

SHOWN = 80
"""Characters of a text that a verdict quotes."""
MATCHES = 100_000
"""Matches that are counted."""
DIGITS = 40
"""A longer run of digits is no number."""
NUMBER = r"(?:^|[^0-9A-Za-z_.])([-+]?(?:\d{1,3}(?:,\d{3})+\b|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?)"


class Verdict(msgspec.Struct, frozen=True):
    """Whether a check holds (`None`: it cannot be decided), and why, in words."""

    ok: bool | None
    why: str


class _Undecided(Exception):
    """The text does not tell."""


def evaluate(check: Check, texts: Texts) -> Verdict:
    """Decide one check.

    Raises:
        DataError: the check itself is wrong (`read_tasks` finds that before anything runs).
    """
    arg = argument(check)
    text = texts.of(check.of)
    if text is None:
        return Verdict(None, texts.reason or f"there is no {check.of}")
    try:
        return OPS[check.op](arg, text, texts)
    except (_Undecided, TooMuch) as error:
        return Verdict(None, str(error))
    except RecursionError:
        return Verdict(None, "is nested too deeply")


# texts


def _equals(arg: TextArg, text: str, _: Texts) -> Verdict:
    want, got = _normal(arg, str(arg.value)), _normal(arg, text)
    if arg.strip:
        want, got = want.strip(), got.strip()
    return Verdict(got == want, f"is {_quoted(got)}; wanted {_quoted(want)}")


def _contains(arg: TextArg, text: str, _: Texts, *, absent: bool = False) -> Verdict:
    got = _normal(arg, text)
    for one in arg.values:
        if (_normal(arg, one) in got) == absent:
            return Verdict(False, f"{'has' if absent else 'lacks'} {_quoted(one)}: {_quoted(got)}")
    return Verdict(True, f"{'lacks' if absent else 'has'} {_quoted(', '.join(arg.values))}")


def _normal(arg: TextArg, text: str) -> str:
    text = text.replace("\r\n", "\n")
    if arg.squeeze:
        text = " ".join(text.split())
    return text.casefold() if arg.ignore_case else text


def _regex(arg: RegexArg, text: str, _: Texts) -> Verdict:
    pattern = compiled(arg.value, arg.ignore_case)
    if arg.count is None:
        found = pattern.search(plain(text)) is not None
        return Verdict(found, f"{'' if found else 'no '}match of {arg.value!r} in {_quoted(text)}")
    times = sum(1 for _ in islice(pattern.finditer(plain(text)), MATCHES + 1))
    if times > MATCHES:
        raise _Undecided(f"more than {MATCHES:,} matches")
    return _counted(arg.count, times, f"matches of {arg.value!r}")


def _range(arg: RangeArg, text: str, _: Texts) -> Verdict:
    span = f"{_bound(arg.lo)} .. {_bound(arg.hi)}"
    if arg.pattern is not None:
        found = group(arg.pattern, text)
        number = None if found is None else _number(found)
        if number is None:
            return Verdict(
                False, f"no number where {arg.pattern!r} looks: {_quoted(found or text)}"
            )
        return Verdict(_within(arg, number), f"{number:g}; wanted {span}")
    for match in islice(compiled(NUMBER).finditer(plain(text)), MATCHES):
        number = _number(match.group(1))
        if number is not None and _within(arg, number):
            return Verdict(True, f"{number:g} is in {span}")
    return Verdict(False, f"no number in {span}: {_quoted(text)}")


def _number(text: str) -> float | None:
    text = text.strip().replace(",", "")
    if not 0 < len(text) <= DIGITS:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _within(arg: RangeArg, number: float) -> bool:
    return (arg.lo is None or number >= arg.lo) and (arg.hi is None or number <= arg.hi)


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


# structure


def _jsonpath(arg: PathArg, text: str, texts: Texts) -> Verdict:
    try:
        found = values(arg.path, document(texts, text))
    except LookupError:
        return Verdict(False, f"no JSON in {_quoted(text)}")
    if arg.count is not None:
        counted = _counted(arg.count, len(found), f"nodes at {arg.path}")
        if not counted.ok or arg.count in (0, (0, 0)) or not (found or arg.conditions):
            return counted
    if not found:
        return Verdict(False, f"nothing at {arg.path} in {_quoted(text)}")
    if arg.equals is not msgspec.UNSET and not any(_same(arg.equals, one) for one in found):
        return Verdict(False, f"{arg.path} is {_quoted(str(found[0]))}; wanted {arg.equals!r}")
    if arg.contains is not None and not any(
        isinstance(one, str) and arg.contains in one for one in found
    ):
        return Verdict(False, f"{arg.path} lacks {arg.contains!r}: {_quoted(str(found[0]))}")
    if arg.matches is not None and not any(
        isinstance(one, str) and group(arg.matches, one) is not None for one in found
    ):
        return Verdict(False, f"{arg.path}: no match of {arg.matches!r}: {_quoted(str(found[0]))}")
    return Verdict(True, f"{arg.path} is as wanted")


def _same(want: Any, got: Any) -> bool:
    """Equality of JSON: 1 is 1.0, but not true."""
    if isinstance(want, bool) or isinstance(got, bool):
        return want is got
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(_same(want[key], got[key]) for key in want)
    if isinstance(want, list | tuple) and isinstance(got, list | tuple):
        return len(want) == len(got) and all(map(_same, want, got))
    return want == got


def _exit(arg: ExitArg, _: str, texts: Texts) -> Verdict:
    code = exit_code(texts)
    if code is None:
        if MARKED in (texts.action or ""):
            raise _Undecided("the exit code that the probe asked for is not shown")
        raise _Undecided(f'nothing tells the exit code; let the probe end in: echo "{MARKED}"')
    if arg.unless is not None:
        return Verdict(code not in _codes(arg.unless), f"{code}; wanted another")
    return Verdict(code in _codes(arg.code), f"{code}; wanted {arg.code}")


def _codes(of: int | tuple[int, ...] | None) -> tuple[int, ...]:
    return (of,) if isinstance(of, int) else of or ()


def _tree(arg: TreeArg, text: str, texts: Texts) -> Verdict:
    tree = tree_of(texts, text)
    if tree is None:
        return Verdict(False, f"is no state: {_quoted(text)}")
    times = sum(_node(arg, node) for node in tree.nodes)
    if arg.count is not None:
        return _counted(arg.count, times, "such nodes")
    return Verdict(times > 0, f"{times} such nodes of {len(tree.nodes)}")


def _node(arg: TreeArg, node: Node) -> bool:
    if arg.kind not in (None, node.kind) or arg.ref not in (None, node.ref):
        return False
    if not all(node.has(name) and _same(want, node.get(name)) for name, want in arg.attrs.items()):
        return False
    return all(text in str(node.get(name, "")) for name, text in arg.contains.items())


# telling


def _counted(count: Count, times: int, what: str) -> Verdict:
    lo, hi = (count, count) if isinstance(count, int) else count
    return Verdict(lo <= times <= hi, f"{times} {what}; wanted {lo} .. {hi}")


def _quoted(text: str) -> str:
    short = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return repr(short)


OPS: dict[str, Callable[[Any, str, Texts], Verdict]] = {
    "equals": _equals,
    "contains": _contains,
    "absent": partial(_contains, absent=True),
    "regex": _regex,
    "jsonpath": _jsonpath,
    "exit": _exit,
    "tree": _tree,
    "range": _range,
}
