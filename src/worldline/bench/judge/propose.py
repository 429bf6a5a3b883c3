"""A chat model rewrites the notes on a domain, shown where the judge was wrong with them."""

import re
from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple

from worldline.bench.judge.ask import block, unused_mark
from worldline.bench.judge.candidates import MOST
from worldline.messages import Message
from worldline.models.chat import Chat
from worldline.reply import Reply

TRIES = 3
CASES = 4
"""Cases that are shown, at most."""
CHARACTERS = 1_500
"""Of each text of a case, at most."""
STYLES = (
    "short: only what decides most often",
    "a checklist in the order in which to look",
    "by kind of content, with an example of a flaw for each",
    "what simulators do and environments do not",
)
_NOTES = re.compile(r"<notes>((?:[^<]|<(?!/?notes>))*+)</notes>", re.IGNORECASE)


class Wrong(NamedTuple):
    """A case on which the judge was wrong."""

    action: str
    truth: str
    other: str
    said: str
    """What the judge said, where it said anything."""


class Proposed(NamedTuple):
    """New notes, or why there are none."""

    notes: str | None
    reason: str | None = None


async def propose(
    who: Chat, notes: str, cases: Sequence[Wrong], style: str, seed: int | None
) -> Proposed:
    """Ask for new notes until a reply can be read."""
    found = Proposed(None, "no_notes")
    for attempt in range(TRIES):
        drawn = None if seed is None else (seed + attempt) % 2**31
        reply = await who.chat(question(notes, cases, style), who.sampling, drawn)
        if reply.error is not None:
            code = str(reply.error.get("code") or "unknown_error")
            return Proposed(None, f"infra_error/{code}")
        found = _read(reply)
        if found.notes is not None:
            return found
    return found


def question(notes: str, cases: Sequence[Wrong], style: str) -> tuple[Message, Message]:
    """What is asked: the notes, and cases in blocks that none of them can close."""
    shown = [tuple(_cut(text) for text in case) for case in cases[:CASES]]
    mark = unused_mark("proposals", [notes, *(text for case in shown for text in case)])
    told = [block("NOTES", mark, notes)]
    for action, truth, other, said in shown:
        told += [block("ACTION", mark, action), block("REAL", mark, truth)]
        told += [
            block("SIMULATED", mark, other),
            block("THE JUDGE SAID", mark, said or "(nothing)"),
        ]
    if not shown:
        told.append("The judge was wrong on no case. Make the notes shorter and clearer.")
    system = resources.files("worldline.bench.judge").joinpath("propose.txt").read_text("utf-8")
    system = system.replace("{style}", " ".join(style.split())).strip()
    return Message("system", system), Message("user", "\n\n".join(told))


def _read(reply: Reply) -> Proposed:
    text = (reply.content or "").rpartition("</think>")[2]
    found = {one.strip() for one in _NOTES.findall(text)} - {""}
    if not found:
        cut = reply.finish_reason in ("length", "max_tokens", "model_length")
        return Proposed(None, "truncated" if cut else "no_notes")
    if len(found) > 1:
        return Proposed(None, "several_notes")
    notes = found.pop().encode("utf-8", "replace").decode()
    return Proposed(None, "too_long") if len(notes) > MOST else Proposed(f"{notes}\n")


def _cut(text: str) -> str:
    if len(text) <= CHARACTERS:
        return text
    half = CHARACTERS // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters ...]\n{text[-half:]}"
