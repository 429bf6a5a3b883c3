"""A mark left in a session: seen before the reset, gone after it."""

import secrets
from typing import Any

from worldline.domains import domain as find_domain
from worldline.environments import Environment

FILE = ("echo {mark} > left.txt", "cat left.txt")
MARKS: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "terminal": ({}, FILE),
    "swe": ({}, FILE),
    "mcp": (
        {},
        (
            'write_file {{"path": "/home/user/left.txt", "content": "{mark}"}}',
            'read_text_file {{"path": "/home/user/left.txt"}}',
        ),
    ),
    "search": (
        {},
        (
            'dict_memory {{"operation": "add", "dict": {{"left": "{mark}"}}}}',
            'dict_memory {{"operation": "retrieve", "key_list": ["left"]}}',
        ),
    ),
}
"""Domain -> options, and two lines as a person types them: one leaves a mark, one would show it."""


def stays(domain: str) -> dict[str, int]:
    """Where a mark is seen: in its own session, after a reset of the same and of another seed."""
    options, (leave, look) = MARKS[domain]
    mark, found = f"mark{secrets.token_hex(6)}", dict[str, int]()
    environment = Environment(domain, options)
    environment.kind.prepare(options, print)
    with environment:
        for what, seed in (
            ("seen before the reset", 1),
            ("seen after it", 1),
            ("seen with another seed", 2),
        ):
            environment.reset(seed)
            if not found:
                _take(environment, leave.format(mark=mark))
            found[what] = int(mark in _take(environment, look.format(mark=mark)))
    return found


def _take(environment: Environment, line: str) -> str:
    assert environment.opening is not None
    meant = find_domain(environment.opening.domain).from_line(line, environment.opening.dialect)
    return environment.step(meant).observation or ""
