"""What every domain needs for its prompts, its facts block and its last line of defence.

* Prompt templates are text files in a package. `fill` puts the parts of a trajectory into one in a
  single pass, so that text that came from outside can never name a placeholder of ours.
* `block` wraps what the model should be told in tags that the content cannot close.
* `leaks` finds our own tags, a chat template's marks and talk *about* the answer inside an
  observation: signs that a model's reply was not cut where the observation begins and ends.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from worldline.domains.talk import talk
from worldline.prediction import Violation
from worldline.trajectory import Trajectory

ANSWER_TAG = "predicted_observation"
FACTS_TAG = "facts"
STATE_TAG = "state"
EXAMPLES_TAG = "examples"

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_SECTION = re.compile(r"(?m)^(?=# )")
_OURS = re.compile(
    rf"<(?=/?(?:{FACTS_TAG}|{ANSWER_TAG}|{STATE_TAG}|{EXAMPLES_TAG})\b)", re.IGNORECASE
)
_MARK = re.compile(
    rf"</?(?:{ANSWER_TAG}|{FACTS_TAG}|think)>|<\|(?:im_start|im_end|endoftext)\|>", re.IGNORECASE
)
_LINE = re.compile(r"[^\n]+")


@cache
def load_prompt(package: str, name: str) -> str:
    """The template `name` (as ``full``) among the package's ``prompts/*.txt``, ending in no blank.

    Args:
        package: as ``worldline.domains.mcp``.

    Raises:
        FileNotFoundError: the package has no such template.
    """
    return files(package).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").rstrip()


def edit_text(style: str) -> str:
    """What the patch form asks for, the same in every domain: the part ``reply`` of a template."""
    return load_prompt("worldline.trees", style)


def fill(template: str, parts: Mapping[str, str | None]) -> str:
    """The template with each ``{{name}}`` replaced by its part, in one pass.

    A section (from a line that starts with ``# `` to the next) whose placeholders are all empty or
    `None` is left out, heading included.

    Raises:
        KeyError: the template names a part that was not given.
    """
    sections = []
    for section in _SECTION.split(template):
        values = [parts[name] for name in _PLACE.findall(section)]
        if not values or any(values):
            sections.append(_PLACE.sub(lambda match: parts[match[1]] or "", section).rstrip())
    return "\n\n".join(section for section in sections if section)


def system_prompt(package: str, style: str, trajectory: Trajectory, **more: str | None) -> str:
    """A domain's template `style`, filled with the five parts that every trajectory has.

    Args:
        more: the parts of this domain alone, or another text for one of the five.
    """
    system = trajectory.system
    parts = {
        "task": system.task_description,
        "actions": system.action_space,
        "initial_state": system.initial_state,
        "demonstrations": system.demonstrations,
        "instruction": system.simulation_instruction,
    }
    return fill(load_prompt(package, style), {**parts, **more})


def defuse(text: str) -> str:
    """Text in which our own tags no longer open or close anything (``<\\/facts>``)."""
    return _OURS.sub(r"<\\", text)


def block(lines: Iterable[str], tag: str = FACTS_TAG) -> str:
    """A block of a message to the model (the facts, unless told otherwise), or nothing.

    Lines may come from tools, files and models: whatever they hold, they cannot end the block.
    """
    body = "\n".join(defuse(line) for line in lines)
    return f"<{tag}>\n{body}\n</{tag}>" if body else ""


def clip(text: str, limit: int) -> str:
    """At most about `limit` characters: head and tail, and how much is left out between them."""
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    return f"{text[:head]}\n[... {len(text) - head - tail} characters left out ...]\n" + (
        text[len(text) - tail :] if tail else ""
    )


def shortened(text: str, limit: int = 200) -> str:
    """A text as a message quotes it: at most `limit` characters, with "…" where more would follow.

    It is cut between words where one ends near the limit.
    """
    if len(text) <= limit:
        return text
    kept = text[: limit - 1]
    whole = kept.rstrip() if text[limit - 1].isspace() else kept.rpartition(" ")[0].rstrip()
    return f"{whole if len(whole) > limit // 2 else kept}…"


def leaks(observation: str, context: str = "") -> list[Violation]:
    """Marks of the exchange with the model that leaked into what it predicted.

    Args:
        context: the action and whatever else the observation may honestly repeat; a mark that
            stands in it is not reported.

    A mark at either end of the observation is an error (the reply was cut wrongly), one inside is
    a warning: files about such marks exist.
    """
    found = []
    end = len(observation.rstrip())
    start = end - len(observation[:end].lstrip())
    for match in _MARK.finditer(observation):
        if match[0] not in context:
            edge = match.start() == start or match.end() == end
            found.append(
                Violation(
                    rule="leaked_tag",
                    severity="error" if edge else "warning",
                    message=f"the observation holds {match[0]!r}, which belongs to the exchange",
                    span=match.span(),
                )
            )
    found += _talk(observation, context)
    return found


def _talk(observation: str, context: str) -> Iterator[Violation]:
    """The first and the last line, where they are words about the answer."""
    lines = [one for one in _LINE.finditer(observation) if not one[0].isspace()]
    for line in {one.start(): one for one in (*lines[:1], *lines[-1:])}.values():
        said = talk(line[0])
        if said is not None and line[0].strip() not in context:
            yield Violation(
                rule="talks_about_itself",
                severity="error",
                message=f"says {line[0].strip()[:80]!r} ({said.kind}): words about the answer",
                span=line.span(),
            )
