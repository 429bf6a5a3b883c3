"""Trajectories as rows of typed columns: the form they take in files.

Loaders (Arrow, ``datasets``, pandas) infer a column's type from the first megabytes of a file and
stop where a later row differs: a key more, a null before the first text, a number among strings, a
text that looks like a date, half an emoji. So a file never shows them any of these:

* required texts are plain texts;
* optional texts are plain texts too, "" when absent (present but empty: `ESCAPE` alone);
* all else (tools, meta, info, unknown fields, details of the source) is JSON text;
* a lone surrogate, which UTF-8 cannot hold, is `ESCAPE` and its four hex digits.

`restore` undoes this exactly and leaves a record that was written with objects as it is.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from worldline import jsonl
from worldline.errors import DataError

ESCAPE = "\U0010ffff"
"""A code point that is no character, so that text of the world does not hold it."""

_LONE = re.compile(f"[\ud800-\udfff{ESCAPE}]")
_ESCAPED = re.compile(f"{ESCAPE}(ffff|d[89a-f][0-9a-f]{{2}})")

_TEXT = ("schema", "id", "domain", "dialect")
_JSON = ("tools", "meta", "extra")
_SYSTEM = ("task_description", "action_space", "demonstrations")
_SYSTEM_OPTIONAL = ("initial_state", "simulation_instruction", "verbatim")
_TURN = ("action", "observation")
_SOURCE = ("kind", "name", "licence")
_SOURCE_JSON = ("version", "collected_at", "seed", "host")


def escape(text: str) -> str:
    """`text` as valid Unicode: lone surrogates (and `ESCAPE` itself) escaped."""
    if text.isascii():  # told at once, and most text is
        return text
    return _LONE.sub(
        lambda found: ESCAPE + ("ffff" if found[0] == ESCAPE else f"{ord(found[0]):04x}"), text
    )


def unescape(text: str) -> str:
    """What `escape` was given."""
    return _ESCAPED.sub(
        lambda found: ESCAPE if found[1] == "ffff" else chr(int(found[1], 16)), text
    )


def to_columns(record: dict[str, Any]) -> dict[str, Any]:
    """The row of a trajectory given as JSON values (with `extra` as a field of its own).

    Raises:
        DataError: a value that JSON cannot hold, such as NaN; it names the trajectory and field.
    """
    who = f"trajectory {record['id']!r}"
    system, source = record["system"], record["source"]
    return {
        **{name: escape(record[name]) for name in _TEXT},
        "task": _optional(record["task"]),
        "system": {
            **{name: escape(system[name]) for name in _SYSTEM},
            **{name: _optional(system[name]) for name in _SYSTEM_OPTIONAL},
        },
        "turns": [
            {
                **{name: escape(turn[name]) for name in _TURN},
                "state_before": _optional(turn["state_before"]),
                "info": _dump(turn["info"], who, f"turns[{number}].info"),
            }
            for number, turn in enumerate(record["turns"])
        ],
        "source": {
            **{name: escape(source[name]) for name in _SOURCE},
            **{name: _dump(source[name], who, f"source.{name}") for name in _SOURCE_JSON},
        },
        **{name: _dump(record[name], who, name) for name in _JSON},
    }


def is_columns(row: dict[str, Any]) -> bool:
    """Whether a row is in the form of `to_columns` (a record has an object there)."""
    return isinstance(row.get("meta"), str)


def restore(row: dict[str, Any], *, file: object = None, line: int | None = None) -> dict[str, Any]:
    """The trajectory record that `to_columns` was given, unknown fields beside the others.

    Only what has the form of a column is touched; the caller validates the result.

    Raises:
        DataError: a column that should hold JSON text does not; it names file, line and field.
    """
    at = _Place(file, line)
    record = at.loaded(_plain(row, _TEXT, ("task",)), _JSON)
    system, source, turns = record.get("system"), record.get("source"), record.get("turns")
    if isinstance(system, dict):
        record["system"] = _plain(system, _SYSTEM, _SYSTEM_OPTIONAL)
    if isinstance(source, dict):
        record["source"] = at.loaded(_plain(source, _SOURCE), _SOURCE_JSON, "source.")
    if isinstance(turns, list):
        record["turns"] = [
            at.loaded(_plain(turn, _TURN, ("state_before",)), ("info",), f"turns[{number}].")
            if isinstance(turn, dict)
            else turn
            for number, turn in enumerate(turns)
        ]
    extra = record.pop("extra", None)
    return {**(extra if isinstance(extra, dict) else {}), **record}


class _Place(NamedTuple):
    """Where a row stands, for errors."""

    file: object
    line: int | None

    def loaded(
        self, parent: dict[str, Any], names: Iterable[str], path: str = ""
    ) -> dict[str, Any]:
        """`parent` with the values of its columns of JSON text."""
        values: dict[str, Any] = {}
        for name in names:
            if isinstance(parent.get(name), str):
                try:
                    values[name] = jsonl.loads(parent[name])
                except (ValueError, RecursionError) as error:
                    raise DataError(
                        f"is not JSON text ({error})",
                        file=self.file,
                        line=self.line,
                        field=path + name,
                        remedy="See docs/formats.md, Trajectory files.",
                    ) from error
        return {**parent, **values}


def _plain(
    parent: dict[str, Any], names: Iterable[str], optional: Iterable[str] = ()
) -> dict[str, Any]:
    """`parent` with the texts of its columns of text."""
    texts = {name: unescape(parent[name]) for name in names if isinstance(parent.get(name), str)}
    maybe = {name: _absent(parent[name]) for name in optional if isinstance(parent.get(name), str)}
    return {**parent, **texts, **maybe}


def _optional(text: str | None) -> str:
    return "" if text is None else escape(text) or ESCAPE


def _absent(text: str) -> str | None:
    return None if text == "" else "" if text == ESCAPE else unescape(text)


def _dump(value: Any, who: str, field: str) -> str:
    try:
        return jsonl.dumps(value).decode()
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(
            f"cannot be written as JSON ({error})",
            file=who,
            field=field,
            remedy="Use JSON values only: no NaN, no Infinity, no objects of a program.",
        ) from error
