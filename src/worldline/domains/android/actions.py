"""What an agent does on a phone: an action as each dialect writes it, parsed and rendered.

An action is a JSON object, a command in DroidBot's words, or calls in XML. What it means is said
by `worldline.domains.android.deeds`.
"""

import re
from typing import Any

import msgspec

from worldline.domains.base import ActionError
from worldline.domains.mcp import exact

WORDS = ("action_type", "event_type", "action")
"""The names under which a JSON action says what to do."""
_VERBS = "touch|long_touch|set_text|scroll|select|unselect|intent|kill_app|key|wait"
_COMMAND = re.compile(rf"(\s*)({_VERBS})(?![\w-])([^<]*)", re.DOTALL)
_TAG = re.compile(r"<(\w+)((?: \w+=(?:'[^'<>]*'|[^\s<>']+))*+)>")
_ATTRIBUTE = re.compile(r" (\w+)=('[^']*'|[^\s']+)")
_INVOKE = re.compile(r'<invoke name="([^"<>\n]*)">')
_PARAMETER = re.compile(r'(\s*)<parameter name="([^"<>\n]*)">')


class Json(msgspec.Struct, frozen=True, tag="json"):
    """A JSON object and how it was printed."""

    fields: dict[str, Any]
    style: exact.Style


class Command(msgspec.Struct, frozen=True, tag="command"):
    """``touch <button id=3 bound_box=0,1,2,3>Sign in</button>``, or a verb with plain words.

    `words` stand between the verb and the element, `rest` behind it (what is typed); `before` and
    `after` are the blanks around all.
    """

    verb: str
    words: str = ""
    tag: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    text: str = ""
    rest: str = ""
    before: str = ""
    after: str = ""


class Call(msgspec.Struct, frozen=True):
    """One ``<invoke>`` and what is in front of it and of each of its parameters."""

    before: str
    name: str
    parameters: tuple[tuple[str, str, str], ...]
    after: str


class Calls(msgspec.Struct, frozen=True, tag="calls"):
    """Calls in XML, and what is behind the last."""

    calls: tuple[Call, ...]
    after: str = ""


Body = Json | Command | Calls


class Action(msgspec.Struct, frozen=True):
    """The parse of an action in any dialect."""

    body: Body


def parse_json(text: str) -> Action:
    """An action that is a JSON object with a word that says what to do."""
    found = exact.parse(text)
    if found is None or not isinstance(found[0], dict):
        raise ActionError("expected a JSON object")
    if not any(isinstance(found[0].get(name), str) for name in WORDS):
        raise ActionError(f"expected one of {', '.join(WORDS)} in the JSON object")
    return Action(Json(*found))


def parse_command(text: str) -> Action:
    """An action in DroidBot's words."""
    return Action(_command(text))


def _command(text: str) -> Command:
    head = _COMMAND.match(text)
    if head is None:
        raise ActionError(f"expected one of {_VERBS.replace('|', ', ')}")
    at = head.end()
    tag = _TAG.match(text, at)
    close = text.rfind(f"</{tag[1]}>") if tag else -1
    if tag is None or close < tag.end():
        words = text[head.end(2) :]
        kept = words.rstrip()
        return Command(head[2], kept, before=head[1], after=words[len(kept) :])
    return Command(
        head[2],
        head[3],
        tag[1],
        tuple((name, value) for name, value in _ATTRIBUTE.findall(tag[2])),
        text[tag.end() : close],
        text[close + len(tag[1]) + 3 :],
        head[1],
    )


def parse_calls(text: str) -> Action:
    """An action that is one or more calls in XML."""
    calls: list[Call] = []
    at = 0
    while head := _INVOKE.search(text, at):
        parameters, end = [], head.end()
        while (one := _PARAMETER.match(text, end)) and (
            close := text.find("</parameter>", one.end())
        ) >= 0:
            parameters.append((one[1], one[2], text[one.end() : close]))
            end = close + len("</parameter>")
        close = text.find("</invoke>", end)
        if close < 0:
            break
        calls.append(Call(text[at : head.start()], head[1], tuple(parameters), text[end:close]))
        at = close + len("</invoke>")
    if not calls:
        raise ActionError('expected <invoke name="..."> with its parameters')
    return Action(Calls(tuple(calls), text[at:]))


def render(action: Action) -> str:
    """The text again."""
    body = action.body
    match body:
        case Json():
            return body.style.render(body.fields)
        case Calls():
            return "".join(map(_call, body.calls)) + body.after
        case Command():
            head = f"{body.before}{body.verb}{body.words}"
            if body.tag is None:
                return head + body.after
            inner = "".join(f" {name}={value}" for name, value in body.attributes)
            return f"{head}<{body.tag}{inner}>{body.text}</{body.tag}>{body.rest}"


def _call(call: Call) -> str:
    inner = "".join(
        f'{before}<parameter name="{name}">{value}</parameter>'
        for before, name, value in call.parameters
    )
    return f'{call.before}<invoke name="{call.name}">{inner}{call.after}</invoke>'
