"""Keystroke batches and screens: an action is a JSON list of ``{"keystrokes", "duration"}``.

Also recorded: the same as calls ``{"name": "bash_command", "arguments": {...}}``. An observation is
what was new on the screen: prompt lines with the command echoed behind them, output, and the next
prompt.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from worldline.domains.base import ActionError
from worldline.domains.terminal.actions import Deed, Other, Run
from worldline.domains.terminal.dialects.form import Form, parses, sample
from worldline.domains.terminal.dialects.jsontext import Json, parse_json, render_json
from worldline.domains.terminal.observations import Look, Result
from worldline.trajectory import Trajectory

TITLES = ("New Terminal Output:", "Current Terminal Screen:", "Current terminal state:")
WIDTH = 78
"""Columns that any terminal has; longer lines may be wrapped."""
ROWS = 30

PROMPT = re.compile(
    r"(?:\([\w.-]{1,40}\) )?"
    r"(?:[\w.-]{1,64}@[\w.-]{1,64}:(?P<path>[~/][^\s#$:]{0,200})[#$]"
    r"|\[[\w.-]{1,64}@[\w.-]{1,64} [^\]\n]{1,200}\][#$]"
    r"|-?(?:bash|sh)-\d\.\d{1,2}[#$])(?= |$)"
)


class Strokes(NamedTuple):
    """One entry of a batch."""

    keystrokes: str
    duration: float


class Batch(msgspec.Struct, frozen=True):
    """A batch as written; `strokes` reads its entries."""

    json: Json

    @property
    def strokes(self) -> tuple[Strokes, ...]:
        """The entries in order; an empty batch says that the task is done."""
        return tuple(_strokes(item) for item in _items(self.json.value))


class Shown(msgspec.Struct, frozen=True):
    """A prompt, what was typed behind it, and the lines that followed."""

    prompt: str
    typed: str
    lines: tuple[str, ...]


class Screen(msgspec.Struct, frozen=True):
    """A screen: titles, lines before the first prompt, then what each prompt shows."""

    titles: tuple[str, ...]
    lead: tuple[str, ...]
    shown: tuple[Shown, ...]


def _items(value: Any) -> list[Any]:
    items = value.get("commands") if isinstance(value, dict) else value
    if not isinstance(items, list):
        raise ActionError('expected a JSON list of {"keystrokes": ..., "duration": ...}')
    return items


def _strokes(item: Any) -> Strokes:
    fields = item.get("arguments", item) if isinstance(item, dict) else None
    if not isinstance(fields, dict) or not isinstance(fields.get("keystrokes"), str):
        raise ActionError('expected "keystrokes" (text) in each entry')
    duration = fields.get("duration", 1.0)
    if isinstance(duration, bool) or not isinstance(duration, int | float):
        raise ActionError('expected "duration" to be a number of seconds')
    return Strokes(fields["keystrokes"], float(duration))


def parse_screen(text: str) -> Screen:
    """Lines of a screen by what they are."""
    lines = text.split("\n")
    start = 0
    while start < len(lines) and (lines[start] in TITLES or (start and not lines[start])):
        start += 1
    lead: list[str] = []
    prompts: list[tuple[str, str, list[str]]] = []
    for line in lines[start:]:
        match = PROMPT.match(line)
        if match:
            prompts.append((match[0], line[match.end() :], []))
        else:
            (prompts[-1][2] if prompts else lead).append(line)
    shown = (Shown(prompt, typed, tuple(rest)) for prompt, typed, rest in prompts)
    return Screen(tuple(lines[:start]), tuple(lead), tuple(shown))


def render_screen(screen: Screen) -> str:
    """The screen's text again."""
    lines = [*screen.titles, *screen.lead]
    for one in screen.shown:
        lines += [one.prompt + one.typed, *one.lines]
    return "\n".join(lines)


class TerminusForm(Form):
    """The dialect ``terminus2``."""

    id = "terminus2"
    action = Batch
    observation = Screen
    tty = True
    merged = True
    persistent = True

    def parse_action(self, text: str) -> Batch:
        """A JSON list of keystrokes."""
        found = parse_json(text)
        if found is None:
            raise ActionError('expected a JSON list of {"keystrokes": ..., "duration": ...}')
        batch = Batch(found)
        for item in _items(found.value):
            _strokes(item)
        return batch

    def render_action(self, action: Batch) -> str:
        """The text again."""
        return render_json(action.json)

    def parse_observation(self, text: str) -> Screen:
        """A screen."""
        return parse_screen(text)

    def render_observation(self, observation: Screen) -> str:
        """The text again."""
        return render_screen(observation)

    def detect(self, trajectory: Trajectory) -> float:
        """Actions are keystroke batches."""
        return sample(trajectory, lambda text: parses(self.parse_action, text))

    def deeds(self, action: str) -> list[Deed]:
        """Each entry that is one whole command line; anything else we do not follow."""
        deeds: list[Deed] = []
        for keys, _ in self.parse_action(action).strokes:
            if keys and not (keys.endswith("\n") and "\n" not in keys[:-1] and plain_keys(keys)):
                deeds.append(_typed_document(keys) or Other())
            elif keys.strip():
                deeds.append(Run(keys[:-1]))
        return deeds

    def results(self, look: Look, action: str, observation: str) -> list[Result]:
        """The output of each command, where every one is shown whole behind its own prompt."""
        deeds = self.deeds(action)
        screen = parse_screen(observation)
        shown = [one for one in screen.shown if one.typed.strip()]
        last = screen.shown[-1] if screen.shown else None
        ready = last is not None and not last.typed.strip() and not any(last.lines)
        aligned = ready and len(shown) == len(deeds) and not any(screen.lead)
        aligned = aligned and all(_same_shell(look, one.prompt) for one in screen.shown)
        results = []
        for index, deed in enumerate(deeds):
            text = _output(deed, shown[index]) if aligned else None
            results.append(Result(text))
        return results

    def look(self, look: Look, action: str, observation: str) -> Look:
        """The prompt that waits, and the title above."""
        screen = parse_screen(observation)
        last = screen.shown[-1] if screen.shown else None
        waits = last is not None and not last.typed.strip() and not any(last.lines)
        waits = waits and last is not None and _same_shell(look, last.prompt)
        title = next((line for line in screen.titles if line), None)
        return msgspec.structs.replace(
            look,
            prompt=last.prompt if last and waits else None,
            shell=last.prompt.partition(":")[0] if last and waits else look.shell,
            title=title,
            upset=not waits or title not in (None, TITLES[0]) or len(observation) > 8_000,
        )

    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """Echo, output and the next prompt; only for commands that are over in no time."""
        strokes = [one for one in self.parse_action(action).strokes if one.keystrokes]
        if look.upset or look.prompt is None or len(strokes) != len(results) or not strokes:
            return None
        if any(one.duration < 0.1 for one in strokes):
            return None
        lines: list[str] = []
        prompt = look.prompt
        for one, result in zip(strokes, results, strict=True):
            first, *document = one.keystrokes[:-1].split("\n")
            lines += [f"{prompt} {first}", *(f"> {row}" for row in document)]
            lines += (result.output or "").split("\n")
            whole = result.output is not None and result.output[-1:] in ("", "\n")
            if not whole or result.prompt is None:
                return None
            lines.pop()
            prompt = result.prompt
        lines = [line.rstrip(" ") for line in lines]  # as a screen is read
        if len(lines) > ROWS or not all(len(line) < WIDTH and visible(line) for line in lines):
            return None
        return "\n".join([TITLES[0], "", *lines, prompt, ""])


def _same_shell(look: Look, prompt: str) -> bool:
    """Whether a prompt is of the shell that waited before; output without a line end sticks to
    the next prompt and makes it look like another's."""
    return look.shell is None or look.shell == prompt.partition(":")[0]


def _output(deed: Deed, shown: Shown) -> str | None:
    """What a command printed, if it is shown behind its echo."""
    if not isinstance(deed, Run):
        return None
    first, document, _ = deed.text.partition("\n")
    if shown.typed != f" {first}":
        return None
    if document:
        return "" if all(line.startswith(">") for line in shown.lines) else None
    return "".join(f"{line}\n" for line in shown.lines)


def visible(line: str) -> bool:
    """Whether a terminal shows the line as it is."""
    return line.isascii() and line.isprintable()


def plain_keys(keys: str) -> bool:
    """Keystrokes that are text, not control keys (``C-c``, escapes)."""
    return all(char == "\n" or char.isprintable() for char in keys) and not re.fullmatch(
        r"(?:[CM]-.|Escape|Enter|Tab|BSpace|Up|Down|Left|Right|F\d{1,2})\n?", keys
    )


def _typed_document(keys: str) -> Deed | None:
    """A command typed with its here-document: followed, though its echo is not."""
    first = keys.split("\n", 1)[0]
    return Run(keys[:-1]) if "<<" in first and keys.endswith("\n") and plain_keys(keys) else None
