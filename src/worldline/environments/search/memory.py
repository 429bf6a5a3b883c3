"""``dict_memory``: an agent's notes by key (docs/environments/search.md)."""

import json
from typing import Any

NOT_FOUND = "Key not found"
CLEARED = "Successfully cleared all memory."
_CHANGED = {
    "add": "Successfully added items of {} to memory.",
    "update": "Successfully updated items of {} in memory.",
    "remove": "Successfully removed items of {} from memory.",
}


class Memory:
    """The notes of one session, in the order they were first stored."""

    def __init__(self) -> None:
        self.notes: dict[str, Any] = {}

    def __call__(self, arguments: dict[str, Any]) -> str:
        """Carry out one operation; what does not fit is told, never raised."""
        match arguments.get("operation"):
            case "add" | "update" as operation:
                return self._store(operation, arguments.get("dict"))
            case "retrieve" | "remove" as operation:
                return self._of_keys(operation, arguments.get("key_list"))
            case "retrieve_all":
                return _printed(self.notes)
            case "remove_all":
                self.notes.clear()
                return CLEARED
            case _:
                return (
                    "Error: operation must be one of "
                    "add, update, retrieve, retrieve_all, remove, remove_all."
                )

    def _store(self, operation: str, pairs: Any) -> str:
        if not isinstance(pairs, dict) or not pairs:
            return f'Error: {operation} needs "dict", an object of pairs.'
        self.notes.update(pairs)
        return _CHANGED[operation].format(list(pairs))

    def _of_keys(self, operation: str, listed: Any) -> str:
        fits = isinstance(listed, list) and listed and all(isinstance(k, str) for k in listed)
        if not fits:
            return f'Error: {operation} needs "key_list", a list of keys.'
        keys = list(dict.fromkeys(listed))
        if operation == "retrieve":
            return _printed({key: self.notes.get(key, NOT_FOUND) for key in keys})
        missing = [key for key in keys if key not in self.notes]
        if missing:
            return f"{NOT_FOUND}: {missing}"
        for key in keys:
            del self.notes[key]
        return _CHANGED["remove"].format(keys)


def _printed(pairs: dict[str, Any]) -> str:
    return json.dumps(pairs, ensure_ascii=False)
