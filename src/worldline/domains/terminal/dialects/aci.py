"""Editor commands mixed with shell commands, and views of a file with numbered lines.

``open FILE [N]``, ``create FILE``, ``goto N``, ``scroll_up``, ``search_file``, ..., and
``edit A:B`` with the new text up to ``end_of_edit``; everything else goes to one lasting shell.
"""

import re
from collections.abc import Sequence

import msgspec

from worldline.domains.terminal.actions import Call, Deed, Piece, Run, joined, pieces
from worldline.domains.terminal.dialects.command import parse_output, render_output
from worldline.domains.terminal.dialects.form import Form
from worldline.domains.terminal.observations import (
    Look,
    OutputLine,
    Result,
    said_silence,
    unsaid,
)
from worldline.domains.terminal.shell.grammar import NotUnderstood, literal, parse
from worldline.trajectory import Trajectory

EDITOR = {"open", "create", "goto", "edit", "scroll_up", "scroll_down", "submit", "insert"} | {
    "search_dir",
    "search_file",
    "find_file",
    "undo_edit",
}
END = "end_of_edit"
_EDIT = re.compile(r"edit (\d{1,7}):(\d{1,7})")
_HEAD = re.compile(r"\[File: (.*) \((\d{1,9}) lines total\)\]")
_MORE = re.compile(r"\((\d{1,9}) more lines (above|below)\)")
_LINE = re.compile(r"(\d{1,9}):(.*)")


class EditorAction(msgspec.Struct, frozen=True):
    """A command in tokens, and for ``edit`` the new lines up to its end mark."""

    pieces: tuple[Piece, ...]
    lines: tuple[str, ...] | None = None


class Numbered(msgspec.Struct, frozen=True):
    """One numbered line of a view."""

    number: int
    text: str


class View(msgspec.Struct, frozen=True, tag="view"):
    """A window into a file. `above` and `below` count lines out of sight; `None`: not said."""

    path: str
    total: int
    above: int | None
    lines: tuple[Numbered, ...]
    below: int | None


class Lines(msgspec.Struct, frozen=True, tag="lines"):
    """Other output."""

    lines: tuple[OutputLine, ...]


class EditorOutput(msgspec.Struct, frozen=True):
    """An observation: views of files and other output, in order."""

    parts: tuple[View | Lines, ...]


def parse_views(text: str) -> EditorOutput:
    """Views and what stands between them."""
    rows = text.split("\n")
    parts: list[View | Lines] = []
    loose: list[str] = []
    at = 0
    while at < len(rows):
        head = _HEAD.fullmatch(rows[at])
        if head is None or str(int(head[2])) != head[2]:
            loose.append(rows[at])
            at += 1
            continue
        if loose:
            parts.append(Lines(parse_output("\n".join(loose)).lines))
            loose = []
        view, at = _view(head[1], int(head[2]), rows, at + 1)
        parts.append(view)
    if loose:
        parts.append(Lines(parse_output("\n".join(loose)).lines))
    return EditorOutput(tuple(parts))


def _view(path: str, total: int, rows: list[str], at: int) -> tuple[View, int]:
    above, at = _more(rows, at, "above")
    lines: list[Numbered] = []
    while at < len(rows) and (match := _LINE.fullmatch(rows[at])):
        number = int(match[1])
        if str(number) != match[1] or (lines and number != lines[-1].number + 1):
            break
        lines.append(Numbered(number, match[2]))
        at += 1
    below, at = _more(rows, at, "below")
    return View(path, total, above, tuple(lines), below), at


def _more(rows: list[str], at: int, where: str) -> tuple[int | None, int]:
    match = _MORE.fullmatch(rows[at]) if at < len(rows) else None
    if match is None or match[2] != where or str(int(match[1])) != match[1]:
        return None, at
    return int(match[1]), at + 1


def render_view(view: View) -> str:
    """A view as text."""
    rows = [f"[File: {view.path} ({view.total} lines total)]"]
    rows += [] if view.above is None else [f"({view.above} more lines above)"]
    rows += [f"{line.number}:{line.text}" for line in view.lines]
    rows += [] if view.below is None else [f"({view.below} more lines below)"]
    return "\n".join(rows)


def whole_view(path: str, content: str) -> View:
    """The view of a whole short file (`content` ends with a line end)."""
    rows = content.split("\n")[:-1]
    return View(
        path, len(rows), None, tuple(Numbered(n, row) for n, row in enumerate(rows, 1)), None
    )


def whole(view: View) -> bool:
    """Whether a view shows the whole file."""
    numbers = [line.number for line in view.lines]
    return view.above is None and view.below is None and numbers == list(range(1, view.total + 1))


class EditorForm(Form):
    """The dialect ``aci``."""

    id = "aci"
    action = EditorAction
    observation = EditorOutput
    merged = True
    persistent = True

    def parse_action(self, text: str) -> EditorAction:
        """A command line, or an edit with its text."""
        first, line_end, rest = text.partition("\n")
        if _EDIT.match(first) and line_end:
            return EditorAction(pieces(first), tuple(rest.split("\n")))
        return EditorAction(pieces(text))

    def render_action(self, action: EditorAction) -> str:
        """The text again."""
        return "\n".join([joined(action.pieces), *(action.lines or ())])

    def parse_observation(self, text: str) -> EditorOutput:
        """Views and other output."""
        return parse_views(text)

    def render_observation(self, observation: EditorOutput) -> str:
        """The text again."""
        return "\n".join(
            render_view(part) if isinstance(part, View) else render_output(part)  # type: ignore[arg-type]
            for part in observation.parts
        )

    def detect(self, trajectory: Trajectory) -> float:
        """Views of files, edits, and the words of the editor."""
        marks = 0.0
        for turn in trajectory.turns:
            word = turn.action.split(maxsplit=1)[:1]
            view = bool(_HEAD.match(turn.observation))
            marks += 2 * view + (word[:1] == ["submit"]) + bool(_EDIT.match(turn.action))
        told = f"{trajectory.task or ''}\n{trajectory.system.task_description}"
        marks += 2 * ("(Open file:" in told or "special interface" in told)
        return min(marks / 2, 1.0) * 0.95

    def deeds(self, action: str) -> list[Deed]:
        """A command of the editor with its arguments, or a command line."""
        parsed = self.parse_action(action)
        match = _EDIT.fullmatch(joined(parsed.pieces).strip()) if parsed.lines else None
        if match and parsed.lines and END in parsed.lines:
            new = list(parsed.lines[: parsed.lines.index(END)])
            return [Call("edit", {"first": int(match[1]), "last": int(match[2]), "lines": new})]
        words = _words(action.partition("\n")[0])
        if words and words[0] in EDITOR:
            return [Call(words[0], {"words": words[1:]})]
        return [Run(action)]

    def results(self, look: Look, action: str, observation: str) -> list[Result]:
        """The observation is what the command printed."""
        return [Result(unsaid(observation))]

    def look(self, look: Look, action: str, observation: str) -> Look:
        """How many lines a view shows at least."""
        sizes = [
            part.total
            for part in parse_views(observation).parts
            if isinstance(part, View) and whole(part)
        ]
        look = said_silence(look, observation)
        return msgspec.structs.replace(look, window=max([look.window, *sizes]))

    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """The output is the observation."""
        output = results[0].output
        return look.silent if output == "" else output


def _words(text: str) -> list[str] | None:
    """The words of one simple command, if they are plain text."""
    try:
        script = parse(text)
    except NotUnderstood:
        return None
    if len(script.pipelines) != 1 or len(script.pipelines[0].commands) != 1 or not script.plain:
        return None
    command = script.pipelines[0].commands[0]
    words = [literal(word) for word in command.words]
    if command.redirects or command.assigns or None in words:
        return None
    return [word for word in words if word is not None]
