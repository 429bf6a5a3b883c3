"""What of a turn counts when turns are compared: what was done, not how it was wrapped or argued.

An agent's analysis differs on every turn; two actions are the same when they type the same keys or
call the same tool with the same arguments.
"""

from typing import Any, cast

from worldline import jsonl

_TALK = frozenset({"analysis", "plan", "thought", "explanation", "reasoning", "task_complete"})


def essence(action: str) -> str:
    """The action without its talk; text that is no JSON object stays as it is."""
    if not action.lstrip().startswith("{"):
        return action.strip()
    try:
        value = jsonl.loads(action)
    except (ValueError, RecursionError):
        return action.strip()
    if not isinstance(value, dict):
        return action.strip()
    fields = cast(dict[str, Any], value)
    commands = fields.get("commands")
    if isinstance(commands, list):
        keys = [one.get("keystrokes") for one in cast(list[Any], commands) if isinstance(one, dict)]
        return "\n".join(key for key in keys if isinstance(key, str))
    kept = {key: one for key, one in fields.items() if key not in _TALK}
    return jsonl.dumps(kept, sort_keys=True).decode()
