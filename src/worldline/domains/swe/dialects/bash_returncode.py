"""A bash command an action; the observation wraps its output and exit code in tags.

    <returncode>0</returncode>
    <output>
    ...</output>

Each command runs in a shell of its own. Long output is shown by its head and tail, with a warning;
a command that ran too long comes with an ``<exception>``. The action may be a call of ``bash``.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from worldline.domains.base import ActionError
from worldline.domains.swe.actions import ToolCall, parse_call, render_call
from worldline.domains.swe.observations import Pieces, pieces, render
from worldline.domains.terminal.actions import Deed, Other, Piece, Run, joined
from worldline.domains.terminal.actions import pieces as tokens
from worldline.domains.terminal.dialects.form import Form
from worldline.domains.terminal.observations import Look, Result
from worldline.trajectory import Trajectory

_HEAD = re.compile(
    r"(?:<exception>(?P<exception>.*?)</exception>\n)?"
    r"<returncode>(?P<code>0|-?[1-9]\d{0,9})</returncode>\n(?P<kind><output>\n|<warning>\n)",
    re.DOTALL,
)
_ELIDED = re.compile(
    r"\n</output_head>\n<elided_chars>\n(0|[1-9]\d{0,17}) characters elided\n</elided_chars>\n"
    r"<output_tail>\n"
)
_WARNED, _CLOSED, _TAIL = "\n</warning><output_head>\n", "</output>", "\n</output_tail>"
SHOWN = 10_000
"""Characters of output that are shown whole."""
MARKS = ("\t",)


class Command(msgspec.Struct, frozen=True):
    """A command line in tokens, or a call of a tool that takes one."""

    pieces: tuple[Piece, ...]
    call: ToolCall | None = None


class Whole(msgspec.Struct, frozen=True, tag="whole"):
    """All that was printed."""

    pieces: Pieces


class Elided(msgspec.Struct, frozen=True, tag="elided"):
    """Head and tail of long output, and the characters left out between them."""

    warning: Pieces
    head: Pieces
    elided: int
    tail: Pieces


class Returned(msgspec.Struct, frozen=True, tag="returned"):
    """An exit code with output; `exception`: why the command was stopped."""

    code: int
    body: Whole | Elided
    exception: Pieces | None = None


class Unwrapped(msgspec.Struct, frozen=True, tag="text"):
    """An observation that is not wrapped."""

    pieces: Pieces


def parse_returned(text: str) -> Returned | Unwrapped:
    """The envelope and what is in it."""
    start = text.startswith(("<exception>", "<returncode>"))
    head = _HEAD.match(text) if start and "</returncode>" in text else None
    body = _body(text, head) if head else None
    if head is None or body is None:
        return Unwrapped(pieces(text))
    told = head["exception"]
    return Returned(int(head["code"]), body, None if told is None else pieces(told))


def _body(text: str, head: re.Match[str]) -> Whole | Elided | None:
    if head["kind"] == "<output>\n":
        if not text.endswith(_CLOSED, head.end()):
            return None
        return Whole(pieces(text[head.end() : -len(_CLOSED)], marks=MARKS))
    warned = text.find(_WARNED, head.end() - 1)
    gap = _ELIDED.search(text, warned + len(_WARNED) - 1) if warned >= 0 else None
    if gap is None or not text.endswith(_TAIL, gap.end() - 1):
        return None
    shown = pieces(text[warned + len(_WARNED) : gap.start()], marks=MARKS)
    tail = pieces(text[gap.end() : -len(_TAIL)], marks=MARKS)
    return Elided(pieces(text[head.end() : warned]), shown, int(gap[1]), tail)


Span = tuple[Literal["frame", "code", "output", "text"], int, int]


def envelope(text: str) -> Sequence[Span] | None:
    """What stands where in an observation, as ``[start, end)``; `None` if it is not wrapped.

    ``frame`` is the envelope's own, the warning about long output included; ``text`` says why a
    command was stopped, or how much was left out.
    """
    head = _HEAD.match(text) if text.startswith(("<exception>", "<returncode>")) else None
    if head is None:
        return None
    found: list[Span] = []
    if head["exception"] is not None:
        opened, closed = head.span("exception")
        ends = closed + len("</exception>")
        found.extend((("frame", 0, opened), ("text", opened, closed), ("frame", closed, ends)))
    at, ends = head.span("code")
    found.extend((("frame", at - len("<returncode>"), at), ("code", at, ends)))
    found.append(("frame", ends, head.end()))
    if head["kind"] == "<output>\n":
        end = len(text.rstrip())
        if not text.endswith(_CLOSED, head.end(), end):
            return None
        close = end - len(_CLOSED)
        return (*found, ("output", head.end(), close), ("frame", close, end))
    warned = text.find(_WARNED, head.end() - 1)
    gap = _ELIDED.search(text, warned + len(_WARNED) - 1) if warned >= 0 else None
    end = len(text.rstrip())
    if gap is None or not text.endswith(_TAIL, gap.end() - 1, end):
        return None
    shown, close = warned + len(_WARNED), end - len(_TAIL)
    return (
        *found,
        ("frame", head.end(), shown),
        ("output", shown, gap.start()),
        ("frame", gap.start(), gap.start(1)),
        ("text", gap.start(1), gap.end(1)),
        ("frame", gap.end(1), gap.end()),
        ("output", gap.end(), close),
        ("frame", close, end),
    )


def render_returned(found: Returned | Unwrapped) -> str:
    """The text again."""
    if isinstance(found, Unwrapped):
        return render(found.pieces)
    told = "" if found.exception is None else f"<exception>{render(found.exception)}</exception>\n"
    start, body = f"{told}<returncode>{found.code}</returncode>\n", found.body
    if isinstance(body, Whole):
        return f"{start}<output>\n{render(body.pieces)}{_CLOSED}"
    return (
        f"{start}<warning>\n{render(body.warning)}{_WARNED}{render(body.head)}"
        f"\n</output_head>\n<elided_chars>\n{body.elided} characters elided\n</elided_chars>\n"
        f"<output_tail>\n{render(body.tail)}{_TAIL}"
    )


Observation: Any = Returned | Unwrapped


class BashReturncode(Form):
    """The dialect ``bash-returncode``."""

    id = "bash-returncode"
    action = Command
    observation = Observation
    merged = True
    persistent = False

    def parse_action(self, text: str) -> Command:
        """Any text is a command line; a call of a tool named ``bash`` holds one."""
        if text.lstrip().startswith("{"):
            try:
                return Command((), parse_call(text))
            except ActionError:
                pass
        return Command(tokens(text))

    def render_action(self, action: Command) -> str:
        """The text again."""
        return joined(action.pieces) if action.call is None else render_call(action.call)

    def parse_observation(self, text: str) -> Returned | Unwrapped:
        """The envelope."""
        return parse_returned(text)

    def render_observation(self, observation: Returned | Unwrapped) -> str:
        """The text again."""
        return render_returned(observation)

    def detect(self, trajectory: Trajectory) -> float:
        """Observations are wrapped; before any, text that is no tool call is a command."""
        turns = trajectory.turns[:12]
        wrapped = [isinstance(parse_returned(turn.observation), Returned) for turn in turns]
        if any(wrapped):
            return 0.98 * sum(wrapped) / len(turns)
        return 0.05 if turns else 0.2

    def deeds(self, action: str) -> list[Deed]:
        """One command line."""
        call = self.parse_action(action).call if action.lstrip().startswith("{") else None
        if call is None:
            return [Run(action)]
        command = call.arguments.get("command")
        return [Run(command) if isinstance(command, str) else Other()]

    def results(self, look: Look, action: str, observation: str) -> list[Result]:
        """Output and exit code; what was cut or stopped is not known."""
        return [printed(observation)]

    def look(self, look: Look, action: str, observation: str) -> Look:
        """The layout is always the same."""
        return look

    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """The envelope of short output."""
        output, code = results[0].output, results[0].code
        if output is None or code is None or len(output) >= SHOWN:
            return None
        return f"<returncode>{code}</returncode>\n<output>\n{output}{_CLOSED}"


def printed(observation: str) -> Result:
    """What a command printed, where all of it is shown."""
    head = _HEAD.match(observation) if observation.startswith("<returncode>") else None
    if head is None or head["kind"] != "<output>\n" or not observation.endswith(_CLOSED):
        return Result(None)
    return Result(observation[head.end() : -len(_CLOSED)], int(head["code"]))


def head_lines(observation: str) -> tuple[str, ...]:
    """The whole lines at the head of output that was cut."""
    found = parse_returned(observation)
    if isinstance(found, Unwrapped) or isinstance(found.body, Whole) or found.code != 0:
        return ()
    return tuple(render(found.body.head).split("\n")[:-1])
