"""How a call went, and the words in which environments of this kind say it."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from worldline.domains.base import Ledger
from worldline.domains.mcp.actions import CallError, parse_call
from worldline.domains.mcp.memo import memo_of, parse_observation
from worldline.domains.mcp.observations import Body, Plain, ToolResult
from worldline.domains.mcp.reading import is_error

_CODE = re.compile(
    r"\b(?:return|exit)(?:ed)?(?: with)?(?: return| exit)? ?code:? {0,2}(-?\d{1,5})\b"
)
TAIL = 200
"""Characters at the end of a text in which a program's exit code is looked for."""

RUNTIME: tuple[tuple[str, str], ...] = (
    ("temporary", r"/tmp/tmp[a-z0-9_]{6,10}\b"),
    ("process", r"\b(?i:pid)(?: |: ?|=)\d{1,7}\b"),
    ("http date", r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\b"),
    ("date", r"\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}\b"),
    ("request", r"\b(?i:request|trace|correlation)[_ -](?i:id)(?:: ?|=| )[\w-]{6,64}\b"),
)
"""What nobody can know beforehand, as RE2."""


def status(ledger: Ledger, observation: str) -> str:
    """``ok`` or ``error``, and the exit code where a program's is shown (``error 2``)."""
    body = parse_observation(ledger.dialect, observation).body
    code = _CODE.search(_end(body)[-TAIL:])
    if code is not None:
        return "ok" if code[1] == "0" else f"error {code[1]}"
    return "error" if is_error(body) else "ok"


def _end(body: Body) -> str:
    """The text at the end of a result, where it is one."""
    if isinstance(body, ToolResult):
        last = body.blocks[-1].body if body.blocks else None
        return "" if last is None else _end(last)
    return body.text if isinstance(body, Plain) else ""


def vocabulary(ledger: Ledger, action: str) -> Sequence[str]:
    """The common words of refusals and wrappings, and what the called tool says of itself."""
    try:
        target = memo_of(ledger).box.target(parse_call(action))
    except CallError:
        return (_common(),)
    tool = target.tool
    if tool is None:
        return (_common(), target.name)
    return (_common(), tool.name, tool.description, *tool.properties)


@cache
def _common() -> str:
    return files("worldline.domains.mcp").joinpath("vocabulary.txt").read_text("utf-8")
