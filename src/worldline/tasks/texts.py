"""What a check looks at: the texts of one probe, and what they say in their dialect.

An exit code, a JSON document and a tree are read out of an observation here, so that the checks
themselves need to know no domain.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from worldline.domains import domain as find_domain
from worldline.domains.base import ActionError
from worldline.states import present
from worldline.tasks.patterns import compiled, json_in, plain
from worldline.trees import Tree, parsed

MARKED = "exit=$?"
"""An action that ends in ``echo "exit=$?"`` shows the exit code in any dialect and world."""


class Texts(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to check after an agent stopped.

    Args:
        observation: of the probe's action; `None` if there is none, for the `reason`.
        state: the newest state the agent was shown (docs/tasks.md).
        answer: the agent's last message; empty if it said nothing, `None` if it could not.
        action: the probe's, where there is one.
        info: what a real environment recorded beside the observation.
    """

    observation: str | None = None
    state: str | None = None
    answer: str | None = ""
    domain: str = "generic"
    dialect: str = "text"
    action: str | None = None
    info: Mapping[str, Any] = {}
    reason: str | None = None

    def of(self, what: Literal["observation", "state", "answer"]) -> str | None:
        """The text a check is on; `None` if there is none."""
        return getattr(self, what)


def state_of(domain: str, dialect: str, shown: Sequence[str | None]) -> str | None:
    """The newest of the texts shown or, where states are trees, the newest that is one."""
    return present(find_domain(domain).dialect(dialect).tree, reversed(shown))


def tree_of(texts: Texts, text: str) -> Tree | None:
    """The text as a state of its dialect; `None` if it is none (a message, say)."""
    form = find_domain(texts.domain).dialect(texts.dialect).tree
    return None if form is None else parsed(form, text)


def exit_code(texts: Texts) -> int | None:
    """The exit code of the probe's command; `None` if nothing tells.

    In this order: the mark that the action asked for, what the environment recorded, what the
    dialect shows.
    """
    text = texts.observation
    if text is None:
        return None
    if texts.action is not None and MARKED in texts.action:
        marks = list(compiled(r"exit=(\d{1,3})\b").finditer(plain(text[-4000:])))
        return int(marks[-1].group(1)) if marks else None
    recorded = texts.info.get("exit_code")
    if isinstance(recorded, int) and not isinstance(recorded, bool):
        return recorded
    return _shown(texts, text)[1]


def document(texts: Texts, text: str) -> Any:
    """The JSON document in a text: of a tool's result its first JSON content, of a shell's what was
    printed, otherwise what `json_in` finds.

    Raises:
        LookupError: there is none.
        TooMuch: the text is too long.
    """
    if text is texts.observation:
        output = _shown(texts, text)[0]
        text = text if output is None else output
        if texts.domain == "mcp":
            return _content(texts, text)
    return json_in(text)


def _shown(texts: Texts, text: str) -> tuple[str | None, int | None]:
    """What a shell's observation shows of (output, exit code)."""
    if texts.domain == "swe":
        from worldline.domains.swe.dialects import FORMS as forms
    elif texts.domain == "terminal":
        from worldline.domains.terminal.dialects import FORMS as forms
    else:
        return None, None
    from worldline.domains.terminal.observations import Look

    form = forms.get(texts.dialect)
    if form is None or texts.action is None:
        return None, None
    try:
        results = form.results(Look(), texts.action, text)
    except ActionError:
        return None, None
    return (results[-1].output, results[-1].code) if results else (None, None)


def _content(texts: Texts, text: str) -> Any:
    from worldline.domains.mcp.observations import Json, ToolResult, render_body

    body = find_domain(texts.domain).dialect(texts.dialect).parse_observation(text).body
    if not isinstance(body, ToolResult):
        return json_in(text)
    for block in body.blocks:
        if isinstance(block.body, Json):
            return block.body.value
    return json_in("\n".join(render_body(block.body) for block in body.blocks if block.body))
