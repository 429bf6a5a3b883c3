"""Corruptions and benign variants of the mcp domain: what goes wrong inside a tool's answer."""

import json
import re
from random import Random
from typing import Any

import msgspec

from worldline.domains.mcp.memo import parse_observation
from worldline.domains.mcp.observations import Body, Json, Plain, ToolResult, render_body
from worldline.domains.mcp.parts import SHORT
from worldline.domains.mcp.records import own_key
from worldline.domains.mcp.values import NOTHING, literal
from worldline.verify.corrupt.base import Corruption
from worldline.verify.corrupt.common import (
    TALK,
    other_number,
    other_word,
    places,
    replaced,
)
from worldline.verify.corrupt.mcp_text import (
    WORD,
    Place,
    changed,
    holders,
    is_number,
    on_text,
    on_value,
    other,
    plain_values,
    said_in,
    twin,
)
from worldline.verify.corrupt.mcp_variants import VARIANTS
from worldline.verify.measure import Moment

__all__ = ["CORRUPTIONS", "VARIANTS"]
_NUMBER = re.compile(r"(?<![\w.:/-])\d{1,9}(?![\w.:/-]|\s?(?:ms|s|secs?|seconds)\b)")
_ALONE = re.compile(r"(?<![\w./-])[^\W\d_]{4,}(?!\w|[./-]\w)")
_NAME = re.compile(r"[\w~-]{0,80}[/.][\w./-]{0,80}\w")
_CODE = re.compile(r"(return code: )(\d+)")
_INVENTED = ("priority", "owner_note", "last_review")


def value_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Texts and numbers of JSON are other ones of the same form."""
    said = {str(v) for v in said_in(moment).values()}

    def change(value: Any) -> bool:
        found = [p for p in plain_values(value) if _telling(p.value) and str(p.value) not in said]
        for i in places(rng, len(found), heaviness) if found else ():
            place = found[i]
            place.holder[place.at] = other(place.value, rng)
        return bool(found)

    return on_value(moment, change)


def _telling(value: Any) -> bool:
    """Whether a value is a number, or a text with a word in it."""
    return is_number(value) or (isinstance(value, str) and WORD.search(value) is not None)


def type_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Numbers are texts, texts are lists of one."""

    def change(value: Any) -> bool:
        found = [p for p in plain_values(value) if is_number(p.value)]
        for i in places(rng, len(found), heaviness) if found else ():
            found[i].holder[found[i].at] = str(found[i].value)
        return bool(found)

    return on_value(moment, change)


def field_missing(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Fields of objects are not there; half of them at most."""

    def change(value: Any) -> bool:
        found = [p for p in plain_values(value) if isinstance(p.holder, dict)]
        for i in places(rng, len(found), heaviness / 2) if len(found) > 1 else ():
            del found[i].holder[found[i].at]
        return len(found) > 1

    return on_value(moment, change)


def field_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Objects have fields that the tool never gives."""

    def change(value: Any) -> bool:
        found = [one for one in holders(value) if isinstance(one, dict) and one]
        for i in places(rng, len(found), heaviness) if found else ():
            for name in _INVENTED[: 1 + round(2 * heaviness)]:
                found[i][name] = other_word("nothing", rng)
        return bool(found)

    return on_value(moment, change)


def item_missing(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Items of an array, or lines of a text, are not there; half of them at most."""

    def change(value: Any) -> bool:
        found = next((one for one in holders(value) if isinstance(one, list) and one[1:]), None)
        if found is None:
            return False
        for i in reversed(places(rng, len(found), heaviness / 2)):
            del found[i]
        return True

    def lines(text: str) -> str | None:
        rows = text.rstrip("\n").split("\n")
        full = [i for i, row in enumerate(rows) if row.strip()]
        gone = {full[i] for i in places(rng, len(full), heaviness / 2)} if full[2:] else set()
        return "\n".join(row for i, row in enumerate(rows) if i not in gone) if gone else None

    return on_value(moment, change) or on_text(moment, lines)


def item_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """An array or a text has items that nobody made."""
    count = 1 + round(3 * heaviness)

    def change(value: Any) -> bool:
        found = next((one for one in holders(value) if isinstance(one, list) and one), None)
        if found is None:
            return False
        for _ in range(count):
            found.append(twin(found[0], rng))
        return True

    def lines(text: str) -> str | None:
        rows = text.rstrip("\n").split("\n")
        new = [" ".join(other_word("letters", rng) for _ in range(4)) for _ in range(count)]
        return "\n".join([*rows, *new]) if rows[1:] else None

    return on_value(moment, change) or on_text(moment, lines)


def item_renamed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Items of an array have other ids or names."""

    def change(value: Any) -> bool:
        arrays = [one for one in holders(value) if isinstance(one, list) and one]
        found = next((one for one in arrays if one[1:] and own_key(one) is not None), None)
        if found is None:
            return False
        field = (own_key(found) or [""])[0].partition("=")[0]
        for i in places(rng, len(found), heaviness):
            found[i][field] = twin(found[i][field], rng)
        return True

    return on_value(moment, change)


def text_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Words of a text are replaced by plausible ones."""
    said = " ".join(str(v) for v in said_in(moment).values())

    def change(text: str) -> str | None:
        found = [m for m in _ALONE.finditer(text) if m[0] not in said]
        return replaced(text, found, rng, heaviness, lambda word: other_word(word[0], rng))

    return on_text(moment, change)


def numbers_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Numbers of a text are other ones of as many digits."""
    said = {str(v) for v in said_in(moment).values()}

    def change(text: str) -> str | None:
        found = [m for m in _NUMBER.finditer(text) if m[0] not in said]
        return replaced(text, found, rng, heaviness, lambda number: other_number(number[0], rng))

    return on_text(moment, change)


def truncated(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A text stops early."""

    def change(text: str) -> str | None:
        rows = text.rstrip().split("\n")
        return (
            "\n".join(rows[: max(1, int(len(rows) * (0.9 - 0.6 * heaviness)))])
            if rows[3:]
            else None
        )

    return on_text(moment, change)


def success_flipped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """What went well is marked as a failure, and the other way round."""
    body = parse_observation(moment.ledger.dialect, moment.truth).body
    flag = "isError" if isinstance(body, ToolResult) and "isError" in body.fields else ""
    if isinstance(body, ToolResult) and flag:
        fields = {**body.fields, flag: not body.fields[flag]}
        return render_body(msgspec.structs.replace(body, fields=fields))

    def code(text: str) -> str | None:
        return _CODE.sub(lambda m: m[1] + ("1" if m[2] == "0" else "0"), text)

    def change(value: Any) -> bool:
        found = [p for p in plain_values(value) if p.at in ("success", "ok", "found", "is_heading")]
        for place in found:
            place.holder[place.at] = not place.value
        return bool(found)

    found = on_value(moment, change) or on_text(moment, code)
    return found if found != moment.truth else None


def echo_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """What repeats the call's arguments, or an id of the session, names something else."""
    said = {k: v for k, v in said_in(moment).items() if isinstance(v, str) and len(v) > 3}
    names = {word for v in said.values() for word in _NAME.findall(v[:2000])}

    def change(value: Any) -> bool:
        objects = [one for one in holders(value) if isinstance(one, dict)]
        found = [Place(one, k) for one in objects for k, v in said.items() if one.get(k) == v]
        if isinstance(value, dict) and not found:
            facts = moment.ledger.facts
            found = [Place(value, k) for k, v in value.items() if f"entity:{k}={v}" in facts]
        for i in places(rng, len(found), heaviness) if found else ():
            found[i].holder[found[i].at] = twin(found[i].value, rng)
        return bool(found)

    def words(text: str) -> str | None:
        found = [m for m in _NAME.finditer(text[: SHORT + 1]) if m[0] in names]
        if len(text) > SHORT:
            return None
        return replaced(text, found, rng, heaviness, lambda name: twin(name[0], rng))

    return on_value(moment, change) or on_text(moment, words)


def torn(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """JSON or the wrapping does not end."""
    body = parse_observation(moment.ledger.dialect, moment.truth).body
    if not isinstance(body, Json | ToolResult):
        return None
    return moment.truth.rstrip()[: -(1 + round(6 * heaviness))] if moment.truth[20:] else None


def form_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Data are printed in another way."""

    def on(body: Body) -> str | None:
        rows = literal(body.text) if isinstance(body, Plain) else NOTHING
        if not isinstance(body, Json):
            return (
                None if rows is NOTHING else json.dumps(rows, indent=round(3 * heaviness) or None)
            )
        other = None if body.style.indent is not None else 1 + round(3 * heaviness)
        return json.dumps(body.value, indent=other, ensure_ascii=body.style.ascii)

    return changed(moment, on)


def wrapping_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Fields of the wrapping are others."""
    text = moment.truth
    if not isinstance(parse_observation(moment.ledger.dialect, text).body, ToolResult):
        return None
    changed = text.replace(", annotations=None", "").replace("TextContent(", "Text(")
    changed = changed.replace("isError=", "is_error=") if heaviness else changed
    return changed if changed != text else None


CORRUPTIONS: tuple[Corruption, ...] = (
    Corruption("value_changed", "factuality", value_changed),
    Corruption("type_changed", "factuality", type_changed),
    Corruption("text_invented", "factuality", text_invented),
    Corruption("numbers_changed", "factuality", numbers_changed),
    Corruption("success_flipped", "factuality", success_flipped),
    Corruption("field_missing", "quality", field_missing),
    Corruption("field_invented", "quality", field_invented),
    Corruption("item_missing", "quality", item_missing),
    Corruption("item_invented", "quality", item_invented),
    Corruption("item_renamed", "quality", item_renamed),
    Corruption("truncated", "quality", truncated),
    Corruption("echo_changed", "consistency", echo_changed),
    Corruption("torn", "format", torn),
    Corruption("form_changed", "format", form_changed),
    Corruption("wrapping_changed", "format", wrapping_changed),
    *TALK,
)
