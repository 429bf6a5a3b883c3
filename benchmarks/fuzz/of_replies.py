"""What models and servers send: replies with thoughts and tags, chunks of streams, errors."""

import re
from collections.abc import Iterator
from contextlib import suppress

from benchmarks.fuzz.targets import Broken, Target
from worldline import jsonl
from worldline.domains.common import block, defuse, leaks
from worldline.errors import ModelError
from worldline.extract import extract
from worldline.messages import Message, Request
from worldline.models.remote.gather import Gathered
from worldline.models.remote.retry import retry_after
from worldline.models.remote.trouble import Trouble, refused
from worldline.models.visible import Visible
from worldline.redact import redact
from worldline.reply import Reply, prediction, refuses
from worldline.tags import outline

REPLIES = (
    "<think>a folder</think>\n\n<predicted_observation>\ntotal 0\n</predicted_observation>",
    "<predicted_observation>\n**Environment Observation:**\na\n</predicted_observation><|im_end|>",
    "<think>let me <predicted_observation>draft</predicted_observation> no",
    "I'm sorry, but I can't help with that.",
    "plain <facts>\n</facts> text</s>",
)
CHUNKS = (
    '{"choices": [{"delta": {"content": "ab", "reasoning_content": "x"}, "finish_reason": null}]}',
    '{"choices": [{"delta": {"content": [{"type": "text", "text": "a"}]}}], "usage": null}',
    '{"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}, "timings": {"n": 1}}',
    '{"choices": [{"message": {"content": null, "refusal": "no"}, "finish_reason": "stop"}]}',
    '{"error": {"code": "context_length_exceeded", "message": "too long", "type": "x"}}',
)
REQUEST = Request(
    domain="generic",
    dialect="text",
    messages=(Message("system", "answer in <predicted_observation> tags"), Message("user", "a")),
    history=(),
    action="a",
    initial_state=None,
)


def targets() -> Iterator[Target]:
    """Replies and what servers wrap them in."""
    yield Target("extract", reply, lambda: REPLIES)
    yield Target("models.visible", streamed, lambda: REPLIES)
    yield Target("remote.gather", chunk, lambda: CHUNKS)
    yield Target("remote.trouble", trouble, lambda: CHUNKS)
    yield Target("redact", redact, lambda: ("key=sk-abc123 a@b.org token: ghp_123", *REPLIES))
    yield Target("domains.common", tags, lambda: REPLIES)


def reply(text: str) -> None:
    """Any text is an observation or a typed failure."""
    outline(text)
    refuses(text)
    for cut in (False, True):
        for expected in (False, True):
            extract(text, tags_expected=expected, cut=cut)
    for finish in ("stop", "length", text[:12], None):
        for content, thoughts in ((text, None), (None, text), (text, text)):
            made = prediction(
                Reply(content=content, reasoning=thoughts, finish_reason=finish), REQUEST, "fuzz"
            )
            if (made.outcome == "ok") != (made.observation is not None):
                raise Broken(f"outcome {made.outcome} with {made.observation!r}")


def streamed(text: str) -> None:
    """What a person sees of a stream is the observation, or a beginning of it."""
    found = extract(text).observation
    for size in (1, 7) if len(text) < 3_000 else (997,):
        shown: list[str] = []
        visible = Visible(shown.append, tagged=True, bare=False)
        for at in range(0, len(text), size):
            visible.feed(text[at : at + size])
        visible.finish(found)
        # What stands before a second block is known to be none only when that has come.
        tags = re.findall(r"<\s*(/?)\s*predicted_observation", text, re.IGNORECASE)
        plain = tags in ([], [""], ["", "/"])
        if plain and found is not None and "".join(shown) != found:
            raise Broken(f"shown {''.join(shown)[:60]!r}, but it is {found[:60]!r}")


def chunk(text: str) -> None:
    """A chunk of any shape is taken or left."""
    try:
        value = jsonl.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict):
        for part in ("delta", "message"):
            gathered = Gathered()
            gathered.add(value, 0.0, part=part)
            jsonl.dumps(gathered.reply(0.0).content)


def trouble(text: str) -> None:
    """An error body of any shape is trouble or a `ModelError`."""
    bodies: list[object] = [text]
    with suppress(ValueError, RecursionError):
        bodies.append(jsonl.loads(text))
    for body in bodies:
        for status in (200, 400, 401, 429, 500):
            try:
                made = refused(status, body, model="m", host="h")
            except ModelError:
                continue
            if not isinstance(made, Trouble):
                raise Broken("no trouble")
    retry_after({"retry-after": text[:2000], "retry-after-ms": text[:2000]}, 0.0)


def tags(text: str) -> None:
    """A facts block cannot be closed from inside; leaks are looked for in any text."""
    if text and block([text]).lower().count("</facts>") != 1:
        raise Broken("the block has two ends")
    defuse(text)
    leaks(text)
