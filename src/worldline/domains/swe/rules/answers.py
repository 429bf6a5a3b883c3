"""How each tool answers: about the file it was called with, counted rightly, numbered in order."""

import json
from collections.abc import Iterator

from worldline.domains.swe.actions import Edit, Operation, Read, Write
from worldline.domains.swe.dialects.bash_returncode import Unwrapped, parse_returned
from worldline.domains.swe.dialects.form import Observed, Tools
from worldline.domains.swe.dialects.hermes import Answer
from worldline.domains.swe.dialects.qwen_cli import LABELS, Answered
from worldline.domains.swe.observations import Numbered, Pieces, first_row
from worldline.domains.swe.rows import Row
from worldline.domains.swe.rules.base import broken, spot
from worldline.domains.swe.session import Session
from worldline.domains.terminal.actions import Call, Deed, Run
from worldline.prediction import Violation

NUMBERED = ("claude-code", "opencode")
"""Dialects whose reads number every line."""
SHELL_LABELS = tuple(name for name in LABELS if name != "Result")
CONFIRMS = ("updated", "updated_well", "updated_now", "updated_snippet", "created")
CONFIRMS += ("edited", "wrote", "replaced", "overwrote", "made", "modified")
"""Rows that confirm a change of a file."""


def envelope(session: Session, deed: Deed, observation: str) -> Iterator[Violation]:
    """The frame that the harness puts around what a shell printed."""
    form = session.form
    if form.id == "bash-returncode" and isinstance(parse_returned(observation), Unwrapped):
        yield broken("envelope", "lacks <returncode>N</returncode> and <output>...</output>")
    if not isinstance(deed, Run):
        return
    if form.id == "hermes":
        answer: Answer = form.parse_observation(observation)
        have = {one.name for one in answer.fields or ()}
        missing = [key for key in session.look.keys or () if key not in have]
        if missing:
            yield broken("shape", f"lacks {', '.join(missing)} of the result's fields")
    if form.id == "qwen-cli":
        answered: Answered = form.parse_observation(observation)
        names = {one.name for one in answered.labels}
        missing = [name for name in SHELL_LABELS if name not in names]
        if missing:
            said = f"lacks the labels {', '.join(missing)}"
            yield broken("envelope", said, severity="warning")


def of_call(session: Session, deed: Call, observation: str) -> Iterator[Violation]:
    """The answer of a tool that is no shell."""
    if not isinstance(session.form, Tools):
        yield from _views(session.form.parse_observation(observation).pieces)
        yield from _opened(deed, observation)
        return
    doing = session.form.operation(deed)
    parsed = session.form.parse_observation(observation)
    pieces: Pieces = parsed.pieces if isinstance(parsed, Observed | Answered) else ()
    if isinstance(doing, Read):
        yield from _read(session, doing, pieces, observation)
    elif isinstance(doing, Edit | Write):
        yield from _edited(session, session.form, doing, pieces, observation)


def _read(session: Session, read: Read, found: Pieces, observation: str) -> Iterator[Violation]:
    first = found[0] if found else None
    lone = len(found) == 1 and isinstance(first, Row) and first.kind in CONFIRMS
    if lone and session.form.id in NUMBERED:
        said = "a read answers with the lines of the file, this confirms a change"
        yield broken("answer", said, span=(0, len(observation.rstrip())))
    if isinstance(first, Row) and first.kind == "path" and not _about(first.path, read.path):
        said = f"shows {first.path!r}, not {read.path!r}"
        yield broken("file", said, span=spot(observation, first.path))
    if session.form.id in NUMBERED:
        yield from _numbers(read, found)
    if session.form.id == "hermes":
        yield from _sums(observation)


def _about(named: str | None, wanted: str) -> bool:
    """Whether two paths may name one file: their last names are the same."""
    last = (named or "").rstrip("/").rpartition("/")[2]
    return last == wanted.rstrip("/").rpartition("/")[2] or wanted in (".", "./") or ".." in wanted


def _numbers(read: Read, found: Pieces) -> Iterator[Violation]:
    """Numbers of a read begin where it was asked to begin, and follow on one another."""
    blocks = [one for one in found if isinstance(one, Numbered)]
    if not blocks:
        return
    if len(blocks) > 1:
        where = f"{blocks[0].last} is followed by {blocks[1].first}"
        yield broken("numbers", f"line numbers do not follow on one another: {where}")
    wanted = read.first or 1
    if blocks[0].first != max(wanted, 1) and not (read.first == 0 and blocks[0].first == 0):
        yield broken("numbers", f"begins at line {blocks[0].first}, not at {wanted}")
    total = first_row(found, "total")
    if total is not None and total.number is not None and blocks[-1].last > total.number:
        yield broken("numbers", f"shows more lines than the {total.number} in total")


def _sums(observation: str) -> Iterator[Violation]:
    """The counts of a JSON answer fit the lines in it."""
    try:
        value = json.loads(observation)
    except (ValueError, RecursionError):
        return
    text = value.get("content") if isinstance(value, dict) else None
    total = value.get("total_lines") if isinstance(value, dict) else None
    if not isinstance(text, str) or not isinstance(total, int):
        return
    numbers = [row.partition("|")[0].strip() for row in text.split("\n")]
    known = [int(one) for one in numbers if one.isascii() and one.isdigit() and len(one) < 10]
    if known and known[-1] > total + 1:
        yield broken("numbers", f"shows line {known[-1]} of a file of {total}")


def _edited(
    session: Session, form: Tools, doing: Edit | Write, pieces: Pieces, observation: str
) -> Iterator[Violation]:
    """A confirmed change names the file that was to be changed, and can have been made."""
    if form.confirmed(doing, observation) is not True:
        return
    first = pieces[0] if pieces else None
    if isinstance(first, Row):
        yield from _confirmed(doing, first, observation)
    path = session.locate(doing.path)
    content = session.files.content(path) if path is not None else None
    fact = session.files.get(path) if path is not None else None
    if content is None or fact is None or not isinstance(doing, Edit) or fact.origin == "model":
        return
    if fact.value.get("tool") and form.refuse(doing, content[0]) is not None:
        yield broken("edit", "confirms an edit of text that is not there", (fact.id,))


def _confirmed(doing: Operation, first: Row, observation: str) -> Iterator[Violation]:
    path = doing.path if isinstance(doing, Edit | Write) else ""
    if first.path and not _about(first.path, path):
        said = f"confirms a change of {first.path!r}, not of {path!r}"
        yield broken("file", said, span=spot(observation, first.path))
    swaps = len(doing.swaps) if isinstance(doing, Edit) else 0
    if first.kind == "replaced" and swaps and first.number != swaps:
        said = f"counts {first.number} blocks, the call has {swaps}"
        yield broken("blocks", said, span=spot(observation, str(first.number)))


def _opened(deed: Call, observation: str) -> Iterator[Violation]:
    """The view that `open` leaves is of the file it named."""
    wanted = deed.arguments.get("path")
    head = observation.partition("\n")[0]
    if deed.name != "open" or not isinstance(wanted, str) or not head.startswith("[File: "):
        return
    named = head[len("[File: ") :].rpartition(" (")[0]
    if named and not _about(named, wanted):
        yield broken("file", f"shows {named!r}, not {wanted!r}", span=spot(observation, named))


def _views(found: Pieces) -> Iterator[Violation]:
    """A view of a file: the lines shown, and those out of sight, add up to its total."""
    for place, head in enumerate(found):
        if not isinstance(head, Row) or head.kind != "file" or head.number is None:
            continue
        rest = found[place + 1 : place + 4]
        block = next((one for one in rest if isinstance(one, Numbered)), None)
        above = first_row(rest[:1], "above")
        if block is None:
            continue
        hidden = above.number if above is not None else None
        if block.last > head.number or (hidden is not None and block.first != hidden + 1):
            yield broken("view", f"the lines shown do not fit {head.number} in total")
