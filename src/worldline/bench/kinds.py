"""Kinds of action: what is counted, and shown, together."""

from worldline import jsonl
from worldline.corpus.essence import essence


def kind_of(action: str) -> str:
    """What an action does, in a word: its tool, its command or the first that it types."""
    found = essence(action)
    if found[:1] not in ("{", "["):
        return (found.split() or ["(nothing)"])[0][:40]
    try:
        value = jsonl.loads(found)
    except (ValueError, RecursionError):  # a call that is no JSON is one all the same
        return "(call)"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        typed = str(value[0].get("keystrokes") or "").split()
        return typed[0][:40] if typed else "(keys)"
    name = value.get("name") if isinstance(value, dict) else None
    return str(name or "(call)")[:40]
