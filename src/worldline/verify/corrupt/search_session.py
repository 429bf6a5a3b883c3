"""What the session itself settles in a search answer: echoes, notes, places, success."""

import json
import re
from random import Random

from worldline.verify.corrupt.common import other_word, places
from worldline.verify.measure import Moment

_ECHO = re.compile(
    r"(?:Could not find \[|items of \['|under the key: |Key not found: \['"
    r"|(?:found for|fits the goal|Not Found|resolve host|invalid URL|Unknown tool): )([^\]'\\\"]+)"
)
_COUNT = re.compile(r"\(Result (\d{1,6})/")
_PIECE = re.compile(r"\[Page (\d{1,6}) of \d{1,6};")
_DONE = re.compile(r"Successfully (?:added|updated|removed) items of (\[.*\]) \w{2,4} memory\.")
_WORD = re.compile(r"(?<![\\\w])[A-Za-z]{4,}")
_STORE = "data storage under"


def kept_by_session(moment: Moment) -> bool:
    """Whether the answer holds nothing but what the session has stored: notes, keys of pages."""
    call = moment.domain.info(moment.action, moment.ledger.dialect).get("call") or {}
    return call.get("name") == "dict_memory" or _STORE in moment.truth


def session_contradicted(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """It forgets what the session has stored, or speaks of something nobody asked for."""
    return _state_forgotten(moment, rng, heaviness) or _echo_changed(moment, rng, heaviness)


def _echo_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """It speaks of another title or key than the one that was asked for."""
    text = moment.truth
    found = _ECHO.search(text[:600])
    if found is None or not re.search(r"[A-Za-z]{2}", found[1]):
        return None
    words = re.findall(r"[A-Za-z]{2,}", found[1])
    wanted = words if heaviness > 0.5 else words[:1]
    name = found[1]
    for word in wanted:
        name = name.replace(word, other_word(word, rng), 1)
    return text[: found.start(1)] + name + text[found.end(1) :]


def _state_forgotten(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A note has another value, a piece of a page or lookup another number, a key another name."""
    text = moment.truth
    count = _COUNT.match(text)
    if count is not None:
        number = int(count[1]) + 1 + round(2 * heaviness)
        return text[: count.start(1)] + str(number) + text[count.end(1) :]
    piece = _PIECE.search(text)
    if piece is not None:
        number = int(piece[1]) + 1 + round(2 * heaviness)
        return text[: piece.start(1)] + str(number) + text[piece.end(1) :]
    if "contains the following keys" in text:
        head, _, keys = text.rpartition("keys:\\n")
        other = _WORD.sub(lambda match: other_word(match[0], rng), keys, count=1)
        return None if other == keys else f"{head}keys:\\n{other}"
    if not _notes(moment) or not text.startswith("{"):
        return None
    notes = json.loads(text)
    for i in places(rng, len(notes), heaviness) if notes else ():
        notes[list(notes)[i]] = f"see {other_word('Harbour', rng)}"
    return json.dumps(notes, ensure_ascii=False) if notes else None


def _notes(moment: Moment) -> bool:
    return kept_by_session(moment) and _STORE not in moment.truth


def success_flipped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A short answer says the opposite: done and not done, found and not found."""
    text = moment.truth
    done = _DONE.fullmatch(text)
    if done is not None and heaviness <= 1:
        return f"Key not found: {done[1]}" if done[1].count("'") == 2 else None
    if text.startswith("Key not found: "):
        return f"Successfully removed items of {text[15:]} from memory."
    flips = {"No Results": "No More Results", "No More Results": "No Results"}
    if text in flips:
        return flips[text]
    refused = text.startswith(("Error: Invalid", "Error: no ", "Error: the ")) and ". " not in text
    return "The request was completed without errors." if refused else None
