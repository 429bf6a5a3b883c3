"""What a simulation instruction holds that no observation may repeat.

An instruction in the reference's form names the question the agent is after and its answer::

    Target Query: ...
    Reference Answer: ...

Pages may hold the answer (somewhere it must be found) and an agent may search for the question
itself. The words *about* them are the operator's alone.
"""

import re
from collections.abc import Set

import msgspec

RUN = 8
"""So many words in a row are a quotation."""
_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"(?im)^[ \t#*-]{0,8}(target query|reference answer)[ \t*]{0,4}:[ \t*]{0,4}")
_HEADING = re.compile(r"\n(?=[ \t]{0,4}#)")


class Secret(msgspec.Struct, frozen=True):
    """The parts of an instruction."""

    query: str
    answer: str
    rest: str
    """All but the two."""


def secret_of(instruction: str) -> Secret | None:
    """The parts of an instruction; `None` when it has no reference answer.

    A part ends at the next label, at a heading, or with the instruction.
    """
    labels = list(_LABEL.finditer(instruction))
    parts = {"target query": "", "reference answer": ""}
    rest, at = [], 0
    for index, label in enumerate(labels):
        limit = labels[index + 1].start() if index + 1 < len(labels) else len(instruction)
        stop = _HEADING.search(instruction, label.end(), limit)
        end = stop.start() if stop else limit
        parts[label[1].lower()] = instruction[label.end() : end].strip()
        rest.append(instruction[at : label.end()])
        at = end
    if not parts["reference answer"]:
        return None
    rest.append(instruction[at:])
    return Secret(parts["target query"], parts["reference answer"], "\n".join(rest))


def quoted(secret: Secret, observation: str, action: str) -> tuple[int, int] | None:
    """Where an observation quotes the instruction's own words, as ``[start, end)``.

    Eight words in a row of what stands around query and answer, or a label with its part.
    """
    for label in _LABEL.finditer(observation):
        part = secret.answer if label[1].lower() == "reference answer" else secret.query
        if part and observation.startswith(part[:40], label.end()):
            return label.start(), label.end() + len(part[:40])
    return repeated(runs(secret.rest), observation, action)


def repeated(hidden: Set[tuple[str, ...]], observation: str, action: str) -> tuple[int, int] | None:
    """Where an observation holds `RUN` words in a row of these, unless the action does too."""
    found = list(_WORD.finditer(observation))
    words = [one[0].lower() for one in found]
    for at in range(len(words) - RUN + 1):
        run = tuple(words[at : at + RUN])
        if run in hidden and run not in runs(action):
            return found[at].start(), found[at + RUN - 1].end()
    return None


def gives_away(secret: Secret, observation: str, action: str) -> tuple[int, int] | None:
    """Where an observation holds the whole answer word for word, unless the agent said it first."""
    answer = secret.answer.lower()
    if len(answer) < 4 or answer in action.lower():
        return None
    shown = observation.lower()
    at = shown.find(answer)
    if at < 0 or len(shown) != len(observation):
        return None
    return at, at + len(answer)


def runs(text: str) -> frozenset[tuple[str, ...]]:
    """Every `RUN` words in a row of a text, in lower case."""
    words = [one.lower() for one in _WORD.findall(text)]
    return frozenset(tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))
