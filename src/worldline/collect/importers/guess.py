"""Which domain and dialect a session of tool calls is in, from its actions."""

import json
from typing import Any

import msgspec

from worldline.domains import domain as find_domain
from worldline.trajectory import Trajectory, Turn

SHELLS = frozenset(
    {"terminal", "bash", "shell", "run_command", "execute_command", "run_shell_command"}
    | {"bash_command", "execute_bash", "exec", "Bash", "cmd"}
)
SEARCHES = frozenset({"web_search", "web_extractor", "dict_memory", "search", "browse", "visit"})
SURE, SAMPLE = 0.5, 40


def place(made: Trajectory) -> Trajectory:
    """The trajectory with domain and dialect set; what fits nothing stays as it is."""
    names = [_names(turn) for turn in made.turns[:SAMPLE]]
    called = {name for one in names for name in one}
    domain = "terminal" if _typed(made.turns) else _domain(made, called)
    if domain is None:
        return made
    dialect = find_domain(domain).detect(msgspec.structs.replace(made, domain=domain))
    return msgspec.structs.replace(made, domain=domain, dialect=dialect)


def _domain(made: Trajectory, called: set[str]) -> str | None:
    if not called:
        return "swe" if _sure(made, "swe") else None
    if called <= SHELLS and "Bash" not in called:
        return "terminal"
    if _sure(made, "swe"):
        return "swe"
    return "search" if called <= SEARCHES else "mcp"


def _sure(made: Trajectory, name: str) -> bool:
    """Whether a harness of that domain is recognised by its tools and how they are called."""
    forms = find_domain(name).dialects.values()
    return max(form.detect(made) for form in forms) >= SURE


def _typed(turns: tuple[Turn, ...]) -> bool:
    """Whether the agent typed keys into a terminal."""
    values = [_value(turn.action) for turn in turns[:SAMPLE]]
    typed = [v for v in values if isinstance(v, list) and v and all(_keys(item) for item in v)]
    return len(typed) * 2 > len(turns[:SAMPLE])


def _keys(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("keystrokes"), str)


def _names(turn: Turn) -> list[str]:
    value = _value(turn.action)
    calls = value if isinstance(value, list) else [value]
    return [one["name"] for one in calls if isinstance(one, dict) and _is_call(one)]


def _is_call(value: dict[str, Any]) -> bool:
    return isinstance(value.get("name"), str) and isinstance(value.get("arguments"), dict)


def _value(text: str) -> Any:
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
