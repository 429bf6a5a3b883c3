"""Which regular expressions of a foreign schema may be run.

Python's engine backtracks, and a tool schema may hold any pattern. `affordable` bounds the number
of ways a match can be tried before it runs: nothing that repeats a group, looks around or refers
back, and few enough free choices for the length of the text.
"""

import re

MAX_PATTERN = 500
MAX_WAYS = 2_000_000

_BOUNDS = re.compile(r"\{(\d{0,6})(,?)(\d{0,6})\}")


def affordable(pattern: str, length: int) -> bool:
    """Whether matching `pattern` against a text of this length is surely fast."""
    return len(pattern) <= MAX_PATTERN and _ways(pattern, length) <= MAX_WAYS


def _ways(pattern: str, length: int) -> float:
    """An upper bound on the paths a backtracking search may take; infinite when unknown."""
    ways: float = 1 if pattern.startswith("^") else length + 1
    at = 0
    while at < len(pattern) and ways <= MAX_WAYS:
        char = pattern[at]
        if char == "\\":
            if pattern[at + 1 : at + 2].isdigit():
                return float("inf")
            at += 2
        elif char == "[":
            at = _class_end(pattern, at)
        elif char == "(":
            if pattern.startswith("(?", at) and not pattern.startswith("(?:", at):
                return float("inf")
            at += 3 if pattern.startswith("(?:", at) else 1
        elif char == ")" and _repeats(pattern, at + 1):
            return float("inf")
        elif char == "|":
            ways, at = ways * 2, at + 1
        else:
            choices, at = _quantifier(pattern, at, length)
            ways *= choices
    return ways


def _class_end(pattern: str, at: int) -> int:
    """The index after the character class that opens at `at`."""
    at += 1
    at += pattern.startswith("^", at)
    at += pattern.startswith("]", at)
    while at < len(pattern) and pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1


def _repeats(pattern: str, at: int) -> bool:
    return pattern[at : at + 1] in ("*", "+") or _BOUNDS.match(pattern, at) is not None


def _quantifier(pattern: str, at: int, length: int) -> tuple[int, int]:
    """How many choices the quantifier at `at` adds (1 where there is none), and where it ends."""
    char = pattern[at]
    bounds = _BOUNDS.match(pattern, at)
    if char in "*+":
        choices, at = length + 1, at + 1
    elif char == "?":
        return 2, at + 1
    elif bounds:
        low = int(bounds[1] or 0)
        high = int(bounds[3]) if bounds[3] else (length if bounds[2] else low)
        choices, at = max(1, min(high, length) - low + 1), bounds.end()
    else:
        return 1, at + 1
    return choices, at + (1 if pattern[at : at + 1] in ("?", "+") else 0)
