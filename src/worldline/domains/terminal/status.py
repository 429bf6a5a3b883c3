"""How an action went, and the words of an environment that say so."""

from functools import cache
from importlib.resources import files

import re2

from worldline.columns import escape
from worldline.domains.terminal.dialects.jsontext import parse_json

_FAILED = re2.compile(
    r"(?m)^(?:Traceback \(most recent call last\):|fatal: |error: |E: |make: \*\*\* )"
    r"|: (?:No such file or directory|Permission denied|(?:command )?not found|Is a directory"
    r"|Not a directory|File exists|Directory not empty|Operation not permitted|syntax error"
    r"|invalid option|unrecognized option|missing operand|Read-only file system)\b"
)


def status(dialect: str, observation: str) -> str:
    """``ok``, ``error``, or the exit code where the dialect shows one."""
    found = parse_json(observation) if dialect == "json" else None
    if found is not None and isinstance(found.value, dict):
        value = found.value
        code = value.get("exit_code")
        if isinstance(code, int):
            return f"exit {code}"
        failed = value.get("error") or value.get("success") is False
        return "error" if failed or value.get("status") == "error" else "ok"
    return "error" if _FAILED.search(escape(observation)) else "ok"


@cache
def words() -> tuple[str, ...]:
    """Texts whose words need no source in the session."""
    folder = files("worldline.domains.terminal")
    return (folder.joinpath("vocabulary.txt").read_text("utf-8"),)
