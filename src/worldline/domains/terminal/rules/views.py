"""What belongs to views of files in an editor: numbers, totals, what an edit leaves behind."""

import re
from collections.abc import Iterator

from worldline.domains.terminal.actions import Call, Deed
from worldline.domains.terminal.dialects.aci import View, parse_views
from worldline.domains.terminal.rules.asked import Claim
from worldline.domains.terminal.session import Session

_HEADED = re.compile(r"\[?File:? .{1,4000} \(\d{1,9} lines total\)\]?")
_OPENS = ("open", "create", "goto", "scroll_up", "scroll_down")


def views(session: Session, deeds: list[Deed], observation: str) -> Iterator[Claim]:
    """What a view cannot show."""
    found = [part for part in parse_views(observation).parts if isinstance(part, View)]
    for view in found:
        yield from _sums(view)
    deed = deeds[0] if deeds else None
    if not isinstance(deed, Call):
        return
    if deed.name in (*_OPENS, "edit") and not found:
        yield from _bare(observation)
    if deed.name == "edit" and len(found) == 1 and observation.startswith("[File: "):
        yield from _edited(session, deed, found[0])


def _sums(view: View) -> Iterator[Claim]:
    """Lines shown and lines out of sight add up to the total."""
    if not view.lines:
        return
    first, last = view.lines[0].number, view.lines[-1].number
    row = f"{last}:{view.lines[-1].text}"
    if last > view.total or (view.above is not None and view.above != first - 1):
        yield Claim("view", f"the lines shown do not fit {view.total} lines in total", row)
    elif view.below is not None and last + view.below != view.total:
        said = f"{view.below} lines below line {last} are not {view.total} in total"
        yield Claim("view", said, f"({view.below} more lines below)")


def _bare(observation: str) -> Iterator[Claim]:
    """A head in another form, or numbered lines without one."""
    rows = observation.rstrip("\n").split("\n")
    if _HEADED.fullmatch(rows[0]):
        yield Claim("frame", "a view begins with `[File: PATH (N lines total)]`", rows[0])
        return
    numbers = [row.partition(":")[0] for row in rows]
    if numbers and numbers == [str(number) for number in range(1, len(rows) + 1)]:
        yield Claim("frame", "numbered lines of a file, but no head that names it", rows[0])


def _edited(session: Session, deed: Call, view: View) -> Iterator[Claim]:
    """The new text stands where it was put."""
    first, last = deed.arguments["first"], deed.arguments["last"]
    new = deed.arguments["lines"]
    for line in view.lines:
        place = line.number - first
        if 0 <= place < len(new) and line.text.rstrip() != new[place].rstrip():
            said = (
                f"line {line.number} was set to {new[place][:60]!r}, but this is {line.text[:60]!r}"
            )
            yield Claim("edit", said, f"{line.number}:{line.text}")
            return
    before = session.files.content(view.path)
    if before is not None:
        lines = before[0].count("\n")
        total = lines - max(min(last, lines) - first + 1, 0) + len(new)
        if first <= lines and view.total != total:
            said = f"{lines} lines with {len(new)} for {first} to {last} are {total}"
            yield Claim("edit", f"{said}, not {view.total}", f"[File: {view.path}")
