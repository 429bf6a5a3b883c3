"""Mutation operators: every small change of a source file that could be a person's slip.

Each gives the exact span of the file that it replaces, so that all the rest stays as it is.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Change(NamedTuple):
    """Characters `start` to `end` of a file, on one line, become `new`.

    `line` counts from 1, `column` from 0; `function`: where, as ``Class.method``.
    """

    kind: str
    start: int
    end: int
    new: str
    line: int
    column: int
    function: str


_COMPARE: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">")),
    ast.LtE: ("<=", ("<",)),
    ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">",)),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "//"),
}
_NAMES = {
    "startswith": "endswith",
    "endswith": "startswith",
    "lstrip": "rstrip",
    "rstrip": "lstrip",
    "find": "rfind",
    "rfind": "find",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "append": "extend",
    "upper": "lower",
    "lower": "upper",
    "islice": "chain",
    "partition": "rpartition",
}
_BIGGEST = 1_000


class _Source:
    """A file with the positions of its syntax as characters, not bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        row = self.lines[line - 1]
        if not row.isascii():
            column = len(row.encode()[:column].decode("utf-8", "replace"))
        return self.starts[line - 1] + column

    def span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.at(node.lineno, node.col_offset)
        return start, self.at(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def between(self, left: ast.expr, right: ast.expr, word: str) -> tuple[int, int] | None:
        """Where an operator stands between its operands, if only brackets stand around it."""
        start, end = self.span(left)[1], self.span(right)[0]
        match = re.fullmatch(
            rf"([)\s]*?)({re.escape(word).replace(chr(92) + ' ', chr(92) + 's+')})([(\s]*)",
            self.text[start:end],
        )
        return None if match is None else (start + match.start(2), start + match.end(2))


Found = Iterator[tuple[str, int, int, str]]


def changes(text: str) -> list[Change]:
    """Every change of a source file's functions, in order.

    Raises:
        SyntaxError: it is not Python.
    """
    source, found = _Source(text), []
    for node, function in _inside(ast.parse(text), ()):
        for kind, start, end, new in _of(source, node):
            if text[start:end] != new and "\n" not in text[start:end] + new:
                column = start - text.rfind("\n", 0, start) - 1
                line = text.count("\n", 0, start) + 1
                found.append(Change(kind, start, end, new, line, column, ".".join(function)))
    return sorted(set(found))


def _inside(node: ast.AST, names: tuple[str, ...]) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    """Nodes within functions, and in which one. Annotations, defaults and decorators stay out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            within = (*names, child.name)
            for one in child.body:
                yield one, within
                yield from _below(one, within)
            yield from _inside(child, within)
        elif isinstance(child, ast.ClassDef):
            yield from _inside(child, (*names, child.name))
        elif isinstance(child, ast.stmt):
            yield from _inside(child, names)


def _below(node: ast.AST, names: tuple[str, ...]) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(child, ast.AnnAssign | ast.JoinedStr):
            continue
        yield child, names
        yield from _below(child, names)


def _of(source: _Source, node: ast.AST) -> Found:
    operator = OPERATORS.get(type(node))
    if operator is not None:
        yield from operator(source, node)
    if isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Raise):
        yield from _removed(source, node)


def _compare(source: _Source, node: ast.Compare) -> Found:
    if len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        word, others = _COMPARE[type(node.ops[0])]
        place = source.between(node.left, node.comparators[0], word)
        if place is not None:
            for other in others:
                yield "compare", *place, other


def _condition(source: _Source, node: ast.If | ast.While | ast.IfExp) -> Found:
    start, end = source.span(node.test)
    text = source.text[start:end]
    if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
        yield "negate", start, end, source.of(node.test.operand)
    elif isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
        yield "negate", start, end, f"not {text}"
    elif "\n" not in text:
        yield "negate", start, end, f"not ({text})"


def _binary(source: _Source, node: ast.BinOp) -> Found:
    if type(node.op) not in _ARITHMETIC or isinstance(node.left, ast.Constant | ast.JoinedStr):
        return
    word, other = _ARITHMETIC[type(node.op)]
    place = source.between(node.left, node.right, word)
    if place is not None:
        yield "arithmetic", *place, other


def _augmented(source: _Source, node: ast.AugAssign) -> Found:
    word, other = _ARITHMETIC.get(type(node.op), ("", ""))
    if word and isinstance(node.target, ast.Name | ast.Attribute | ast.Subscript):
        place = source.between(node.target, node.value, f"{word}=")
        if place is not None:
            yield "arithmetic", *place, f"{other}="


def _boolean(source: _Source, node: ast.BoolOp) -> Found:
    word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    place = source.between(node.values[0], node.values[1], word)
    if place is not None and len(node.values) == 2:
        yield "boolean", *place, other


def _constant(source: _Source, node: ast.Constant) -> Found:
    start, end = source.span(node)
    if isinstance(node.value, bool):
        yield "constant", start, end, str(not node.value)
    elif isinstance(node.value, int) and source.text[start:end].isdecimal():
        near = {node.value + 1, max(node.value - 1, 0)} if node.value <= _BIGGEST else set[int]()
        for other in sorted(near - {node.value}):
            yield "constant", start, end, str(other)


def _returned(source: _Source, node: ast.Return) -> Found:
    if node.value is not None and not isinstance(node.value, ast.Constant):
        yield "return", *source.span(node.value), "None"


def _call(source: _Source, node: ast.Call) -> Found:
    plain = [one for one in node.args if not isinstance(one, ast.Starred)]
    if len(plain) >= 2 and plain == node.args:
        (start, middle), (second, end) = source.span(plain[0]), source.span(plain[1])
        first, last = source.text[start:middle], source.text[second:end]
        if "\n" not in source.text[start:end]:
            yield "swap", start, end, f"{last}{source.text[middle:second]}{first}"
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in _NAMES:
        end = source.span(node.func)[1]
        yield "name", end - len(name), end, _NAMES[name]


def _slice(source: _Source, node: ast.Subscript) -> Found:
    if not isinstance(node.slice, ast.Slice):
        return
    for bound in (node.slice.lower, node.slice.upper):
        if isinstance(bound, ast.Name | ast.Attribute | ast.Call):
            start, end = source.span(bound)
            yield "slice", start, end, f"{source.text[start:end]} + 1"
    if node.slice.lower is None and node.slice.upper is not None:
        start, end = source.span(node.slice.upper)
        yield "slice", start, end, ""


def _jump(source: _Source, node: ast.Break | ast.Continue) -> Found:
    yield "jump", *source.span(node), "continue" if isinstance(node, ast.Break) else "break"


def _removed(source: _Source, node: ast.stmt) -> Found:
    """A statement of one line is left out; a docstring is none."""
    start, end = source.span(node)
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.Yield)
    if not docstring and "\n" not in source.text[start:end]:
        yield "removed", start, end, "pass"


OPERATORS: dict[type[ast.AST], Callable[..., Found]] = {
    ast.Compare: _compare,
    ast.If: _condition,
    ast.While: _condition,
    ast.IfExp: _condition,
    ast.BinOp: _binary,
    ast.AugAssign: _augmented,
    ast.BoolOp: _boolean,
    ast.Constant: _constant,
    ast.Return: _returned,
    ast.Call: _call,
    ast.Subscript: _slice,
    ast.Break: _jump,
    ast.Continue: _jump,
}
KINDS = (
    "compare",
    "negate",
    "arithmetic",
    "boolean",
    "constant",
    "return",
    "swap",
    "name",
    "slice",
    "jump",
    "removed",
)
"""Every kind of bug."""
