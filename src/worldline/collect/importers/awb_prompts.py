"""What the prompts of AgentWorldBench hold.

A prompt looks like this, each part but the action being optional::

    ### Turn 3
    **Task Instruction:**
    ...
    **Current State:**
    ...
    **Action:**
    ```json
    ...
    ```

The evaluated prompt of a row goes on with instructions to the model; `current_prompt` is the same
prompt without them.
"""

import re

import msgspec

OBSERVATION_MARK = "**Environment Observation:**\n"
"""Every true observation starts with this line."""

_TURN = re.compile(r"\s*### Turn (\d{1,9})[ \t]*(?:\n|$)")
_FENCE = re.compile(r"[ \t]*\n?(`{3,})([^\n`]*)(?:\n|$)")
_TASK, _STATE, _ACTION = "**Task Instruction:**", "**Current State:**", "**Action:**"


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of one prompt; `action` is bare, without its fence."""

    action: str
    turn: int | None = None
    task: str | None = None
    state: str | None = None
    language: str | None = None


def parse_prompt(text: str) -> Prompt:
    """Take a prompt without instructions apart. A text in no such form is all action."""
    head = _TURN.match(text)
    turn = int(head[1]) if head else None
    start = head.end() if head else 0
    marks = _marks(text, _ACTION, start)
    if not marks:
        return Prompt(action=text[start:], turn=turn)
    # The block is the one that ends the prompt: state and action may hold the same words.
    blocks = [(at, block) for at in marks if (block := _block(text, at + len(_ACTION)))]
    at, (action, language) = blocks[-1] if blocks else (marks[0], (None, None))
    if action is None:
        action = text[at + len(_ACTION) :].strip("\n")
    task_at = next(iter(_marks(text[:at], _TASK, start)), None)
    state_at = next(iter(_marks(text[:at], _STATE, start)), None)
    task_end = at if state_at is None else state_at
    return Prompt(
        action=action,
        turn=turn,
        task=None if task_at is None else text[task_at + len(_TASK) : task_end].strip("\n"),
        state=None if state_at is None else text[state_at + len(_STATE) : at].strip("\n"),
        language=language,
    )


def _marks(text: str, mark: str, start: int) -> list[int]:
    """Where a line starts with `mark`."""
    found: list[int] = []
    at = text.find(mark, start)
    while at >= 0:
        if at in (0, start) or text[at - 1] == "\n":
            found.append(at)
        at = text.find(mark, at + len(mark))
    return found


def _block(text: str, at: int) -> tuple[str, str] | None:
    """The content and language of a fenced block that starts at `at` and ends the text."""
    fence = _FENCE.match(text, at)
    if fence is None:
        return None
    end = len(text)
    while end > fence.end() and text[end - 1] in " \t\r\n":
        end -= 1
    close = end - len(fence[1])
    if close < fence.end() or text[close:end] != fence[1] or text[close - 1] != "\n":
        return None
    return text[fence.end() : max(close - 1, fence.end())], fence[2].strip()


def bare_observation(text: str) -> str:
    """An observation without the line that marks it."""
    return text.removeprefix(OBSERVATION_MARK)


def same_action(sent: str, current: str) -> bool:
    """Whether a prompt as sent asks about the same action as `current_prompt`.

    They are equal but for blanks at the end, or the one sent goes on after the action, on a new
    line, with its instructions.
    """
    kept = current.rstrip()
    if not sent.startswith(kept):
        return False
    rest = sent[len(kept) :]
    if not rest.strip():
        return True
    return bool(kept) and rest.lstrip(" \t\r").startswith("\n") and not _open_block(kept)


def _open_block(text: str) -> bool:
    """Whether a text breaks off inside its action block."""
    starts = [at for at in _marks(text, _ACTION, 0) if _FENCE.match(text, at + len(_ACTION))]
    return bool(starts) and not any(_block(text, at + len(_ACTION)) for at in starts)
