"""Literal arithmetic, computed exactly or not at all.

A calculator tool's answer to ``(158 + 161) * 3`` follows from the expression. Numbers, ``+ - * /``
and parentheses only; nothing is evaluated as code. The value is given only where exact and floating
arithmetic agree, so that no rounding of the server's can make a difference.
"""

import re
from fractions import Fraction

MAX_LENGTH = 400
MAX_DEPTH = 30
_TOKEN = re.compile(r"\s*(?:(\d{1,15}(?:\.\d{1,10})?|\.\d{1,10})|([-+*/()]))")


def value(expression: str) -> Fraction | None:
    """The exact value, or `None`: another text, a division by zero, a rounding in floats."""
    if len(expression) > MAX_LENGTH:
        return None
    tokens = _tokens(expression)
    if not tokens:
        return None
    try:
        exact, rough = _Parser(tokens).all()
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return exact if abs(exact) < 2**53 and Fraction(rough) == exact else None


def _tokens(text: str) -> list[str] | None:
    tokens, at, text = [], 0, text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        tokens.append(match[1] or match[2])
        at = match.end()
    return tokens


_Pair = tuple[Fraction, float]
"""The same value, exactly and as floating arithmetic has it."""


class _Parser:
    """Recursive descent over the tokens; each level returns both values."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def all(self) -> _Pair:
        found = self.sum(0)
        if self.at != len(self.tokens):
            raise ValueError("something is left over")
        return found

    def take(self, choices: str) -> str:
        """The next token if it is one of these signs, else nothing."""
        if self.at < len(self.tokens) and self.tokens[self.at] in tuple(choices):
            self.at += 1
            return self.tokens[self.at - 1]
        return ""

    def sum(self, depth: int) -> _Pair:
        exact, rough = self.product(depth)
        while sign := self.take("+-"):
            other, near = self.product(depth)
            exact, rough = (
                (exact + other, rough + near) if sign == "+" else (exact - other, rough - near)
            )
        return exact, rough

    def product(self, depth: int) -> _Pair:
        exact, rough = self.factor(depth)
        while sign := self.take("*/"):
            other, near = self.factor(depth)
            exact, rough = (
                (exact * other, rough * near) if sign == "*" else (exact / other, rough / near)
            )
        return exact, rough

    def factor(self, depth: int) -> _Pair:
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        if sign := self.take("+-"):
            exact, rough = self.factor(depth + 1)
            return (exact, rough) if sign == "+" else (-exact, -rough)
        if self.take("("):
            found = self.sum(depth + 1)
            if not self.take(")"):
                raise ValueError("a parenthesis is not closed")
            return found
        if self.at >= len(self.tokens) or self.tokens[self.at] in tuple("+-*/()"):
            raise ValueError("a number is missing")
        text = self.tokens[self.at]
        self.at += 1
        return Fraction(text), float(text)
