"""What stands inside the frame of an observation of the swe domain: what corruptions break."""

import json
import re
from collections.abc import Callable
from random import Random

from worldline import jsonl
from worldline.verify import runtime
from worldline.verify.measure import Moment

Make = Callable[[Moment, Random, float], str | None]

_BODY = re.compile(
    r"\A<returncode>-?\d{1,9}</returncode>\n<output>\n(?P<output>.*?)(?:</output>)\s{0,4}\Z"
    r"|\A<path>[^\n]{1,400}\n<type>file</type>\n<content>\n(?P<content>.*?)\n\n\(End of file"
    r"|\A\[File: [^\n]{1,400}\n(?P<view>(?:[^(\[][^\n]{0,9999}\n?){1,9999})"
    r"|\AExit code \d{1,3}\n(?P<failed>.*)\Z"
    r"|\ACommand: [^\n]{0,400}\n(?:Directory: [^\n]{0,400}\n)?Output: ?(?P<labelled>.*?)\nError:"
    r"|\A(?P<stated>.*?)\n\(Open file: [^\n]{1,400}\)\n\(Current"
    r"|\A(?P<shown>.*?)\n\nCommand exited with code \d{1,3}\s{0,4}\Z",
    re.DOTALL,
)
_TEXTS = ("output", "content", "diff")
NAMED = re.compile(
    r"\A<path>([^\n]{1,400})</path>|^\[File: ([^\n]{1,400}) \("
    r"|^\(Current directory: ([^\n]{1,400})\)|\AThe file ([^\n]{1,400}) has been updated"
    r"|\AFile created successfully at: ([^\n]{1,400})$"
    r"|\ASuccessfully replaced \d{1,9} block\(s\) in ([^\n]{1,400})\.",
    re.MULTILINE,
)
"""Files and directories that an answer names because it was asked about them."""


def inside(make: Make) -> Make:
    """The same corruption of what is said, the frame left whole."""

    def made(moment: Moment, rng: Random, heaviness: float) -> str | None:
        found = _inner(moment)
        if found is None:
            return None
        text, put = found
        new = make(moment._replace(truth=text), rng, heaviness)
        if new is None or runtime.same(text, new, moment.domain.runtime):
            return None  # only what nobody can know was changed
        return put(new)

    return made


def _inner(moment: Moment) -> tuple[str, Callable[[str], str]] | None:
    """The text inside the frame, and how to put another one in its place."""
    truth = moment.truth
    if moment.ledger.dialect == "hermes":
        return _field(truth)
    match = _BODY.match(truth)
    if match is None:
        framed = truth.startswith(("<", "{")) or NAMED.match(truth)
        return None if framed else (truth, lambda new: new)
    start, end = match.span(match.lastgroup or 0)

    def put(new: str) -> str:
        ends = "\n" if truth[start:end].endswith("\n") and not new.endswith("\n") else ""
        return truth[:start] + new + ends + truth[end:]

    return truth[start:end], put


def _field(truth: str) -> tuple[str, Callable[[str], str]] | None:
    """The longest text in a JSON answer."""
    try:
        value = jsonl.loads(truth)
    except ValueError:
        return None
    texts = [name for name in _TEXTS if isinstance(value, dict) and value.get(name)]
    name = next((one for one in texts if isinstance(value[one], str)), None)
    if name is None:
        return None
    return value[name], lambda new: json.dumps({**value, name: new}, ensure_ascii=False)
