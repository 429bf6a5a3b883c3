"""An action as text: free Python, or one of the words ``WAIT``, ``DONE``, ``FAIL``.

The code is read, never run. It is kept exactly, a statement a piece, and beside each piece stand
the calls that it makes as far as they can be read off: ``pyautogui``, ``time.sleep``, the
clipboard, programs, and the helper classes of office and browser tasks. Arguments are values where
they are written out (or names that were given such a value just before), else `None`.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from worldline.domains.base import ActionError

WORDS = ("WAIT", "DONE", "FAIL")
"""Actions that are no code: do nothing, say that the task is done, or that it cannot be."""
MODULES = ("pyautogui", "time", "pyperclip", "subprocess", "os", "json", "keyboard", "shutil")
HELPERS = ("BrowserTools", "CalcTools", "WriterTools", "ImpressTools", "VLCTools")
MAX_SOURCE = 1_000_000
"""Characters of code that are read."""
MAX_CALLS = 2_000

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_FENCE = re.compile(r"`{3,}(?:python|py)?[ \t]*\n", re.IGNORECASE)
_CERTAIN = (ast.Module, ast.Expr, ast.Assign, ast.AnnAssign, ast.Call)
"""What a call may stand in and still be made once."""

Plain = str | int | float | bool | None
Value = Plain | list[Plain]
"""An argument's value; `None` where the code does not show it."""


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call. `maybe`: it stands in a loop, a condition or a function, so once is not sure."""

    name: str
    """Module or class and function: ``pyautogui.click``."""
    args: tuple[Value, ...] = ()
    options: dict[str, Value] = {}
    maybe: bool = False

    def value(self, place: int, *names: str) -> Value:
        """The argument at this place, or given by one of these names."""
        if place < len(self.args):
            return self.args[place]
        return next((self.options[name] for name in names if name in self.options), None)


class Piece(msgspec.Struct, frozen=True, omit_defaults=True):
    """A statement as it stands and the calls in it, or the comments and empty lines between two."""

    text: str
    calls: tuple[Call, ...] = ()


class Script(msgspec.Struct, frozen=True):
    """An action: its pieces are the text."""

    pieces: tuple[Piece, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls, in the order in which they stand."""
        return tuple(call for piece in self.pieces for call in piece.calls)


def parse_action(text: str) -> Script:
    """The action of a text.

    Raises:
        ActionError: it is neither Python nor one of the words.
    """
    if text.strip() in WORDS:
        return Script((Piece(text, (Call(name=text.strip()),)),))
    head, code, tail = _unfenced(text)
    tree = _tree(code)
    pieces = [Piece(head)] if head else []
    pieces += _pieces(code, tree)
    return Script((*pieces, Piece(tail)) if tail else tuple(pieces))


def render_action(script: Script) -> str:
    """The text of an action."""
    return "".join(piece.text for piece in script.pieces)


@lru_cache(maxsize=32)  # one turn looks at its action several times
def calls(text: str) -> tuple[Call, ...]:
    """The calls of an action's text; none if it is no action."""
    try:
        return parse_action(text).calls
    except ActionError:
        return ()


def _unfenced(text: str) -> tuple[str, str, str]:
    """The opening fence, the code, the closing fence with what follows."""
    head = _FENCE.match(text)
    end = text.rstrip().removesuffix("```") if head else text
    if head and len(end) >= head.end() and len(end) < len(text.rstrip()):
        return head[0], text[head.end() : len(end)], text[len(end) :]
    return "", text, ""


def _tree(code: str) -> ast.Module:
    if not code.strip():
        raise ActionError("expected Python code, or WAIT, DONE or FAIL; the action is empty")
    if len(code) > MAX_SOURCE:
        raise ActionError(f"the code has over {MAX_SOURCE} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in strings
            return ast.parse(code)
    except SyntaxError as error:
        said = f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        said = str(error) or type(error).__name__
    raise ActionError(f"expected Python code, or WAIT, DONE or FAIL; {said[:200]}")


def _pieces(code: str, tree: ast.Module) -> Iterator[Piece]:
    lines = _LINE.findall(code)
    known: dict[str, Value] = {}
    where: dict[str, str] = {}
    at, pending, room = 0, list[Call](), MAX_CALLS
    for number, statement in enumerate(tree.body):
        found = _calls(statement, known, where)[: max(room, 0)]
        room -= len(found)
        pending += found
        _learn(statement, known, where)
        end = statement.end_lineno or statement.lineno
        after = tree.body[number + 1].lineno if number + 1 < len(tree.body) else end + 1
        if after > end:  # else another statement stands on the same line
            first = _first(statement)
            if at < first:
                yield Piece("".join(lines[at:first]))
            yield Piece("".join(lines[max(at, first) : end]), tuple(pending))
            at, pending = end, []
    if rest := "".join(lines[at:]):
        yield Piece(rest)


def _first(statement: ast.stmt) -> int:
    """The index of the line where a statement begins, decorators included."""
    above = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in above)]) - 1


def _learn(statement: ast.stmt, known: dict[str, Value], where: dict[str, str]) -> None:
    """What names mean from here on."""
    for node in ast.walk(statement):
        match node:
            case ast.Import():
                for alias in node.names:
                    where[alias.asname or alias.name] = alias.name
            case ast.ImportFrom() if node.module and not node.level:
                for alias in node.names:
                    where[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            case ast.Name(ctx=ast.Store() | ast.Del()):
                known.pop(node.id, None)
                where.pop(node.id, None)
    if isinstance(statement, ast.Assign):
        value = _value(statement.value, known)
        for target in statement.targets:
            if isinstance(target, ast.Name) and value is not None:
                known[target.id] = value


def _calls(statement: ast.stmt, known: Mapping[str, Value], where: Mapping[str, str]) -> list[Call]:
    """The calls of a statement that one of the modules or helpers answers, as they are made."""
    found: list[tuple[int, int, Call]] = []
    rebound = _stores(statement)
    visible = {name: value for name, value in known.items() if name not in rebound}
    todo: list[tuple[ast.AST, bool]] = [(statement, False)]
    while todo:
        node, maybe = todo.pop()
        maybe = maybe or not isinstance(node, _CERTAIN)
        if isinstance(node, ast.Call) and (name := _name(node.func, where)):
            found.append(
                (node.end_lineno or 0, node.end_col_offset or 0, _call(node, name, maybe, visible))
            )
            todo += [(one, maybe) for one in (*node.args, *node.keywords)]
        else:
            todo += [(one, maybe) for one in ast.iter_child_nodes(node)]
    return [call for _, _, call in sorted(found, key=lambda one: one[:2])]


def _stores(statement: ast.stmt) -> set[str]:
    """Names that a compound statement gives new values, so that old ones do not hold in it."""
    if isinstance(statement, ast.Expr | ast.Assign):
        return set()
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _name(func: ast.expr, where: Mapping[str, str]) -> str | None:
    """``module.function``, whatever it was imported as."""
    parts: list[str] = []
    while isinstance(func, ast.Attribute):
        parts.append(func.attr)
        func = func.value
    if isinstance(func, ast.Call):  # BrowserTools(...).open_tab(...)
        inner = _name(func.func, where)
        return ".".join([inner, *reversed(parts)]) if inner in HELPERS and parts else None
    if not isinstance(func, ast.Name):
        return None
    name = ".".join([where.get(func.id, func.id), *reversed(parts)])
    first, _, rest = name.partition(".")
    return name if (first in MODULES and rest) or first in HELPERS else None


def _call(node: ast.Call, name: str, maybe: bool, known: Mapping[str, Value]) -> Call:
    args = [_value(one, known) for one in node.args]
    for number, one in enumerate(node.args):
        if isinstance(one, ast.Starred):  # places behind it are unknown
            args = args[:number]
            break
    options = {one.arg: _value(one.value, known) for one in node.keywords if one.arg}
    return Call(name=name, args=tuple(args), options=options, maybe=maybe)


def _value(node: ast.expr, known: Mapping[str, Value]) -> Value:
    """What an expression is, if it is written out."""
    match node:
        case ast.Name():
            return known.get(node.id)
        case ast.Constant():
            return _plain(node.value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return _plain(-number)
        case ast.BinOp(op=ast.Add()):
            return _sum(node, known)
        case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) <= 200:
            values = [_value(one, known) for one in items]
            return [None if isinstance(one, list) else one for one in values]
    return None


def _sum(node: ast.BinOp, known: Mapping[str, Value]) -> Value:
    """Texts that are put together."""
    parts: list[Value] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
        parts.append(None if isinstance(left.right, ast.BinOp) else _value(left.right, known))
        left = left.left
    parts.append(_value(left, known))
    texts = [one for one in reversed(parts) if isinstance(one, str)]
    whole = sum(map(len, texts)) <= MAX_SOURCE and len(texts) == len(parts)
    return "".join(texts) if whole else None


def _plain(value: object) -> Plain:
    """A constant that JSON can hold exactly."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else None
    if isinstance(value, float):
        return value if abs(value) < 1e300 else None
    return None


def dotted(found: Sequence[Call], *functions: str) -> list[Call]:
    """The calls of these functions, by the name behind the last point, of any module."""
    return [call for call in found if call.name.rpartition(".")[2] in functions]
