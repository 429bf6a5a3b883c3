"""The wire to an environment's process: a damaged request has an answer, and the next one too."""

import io
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from unittest.mock import patch

from benchmarks.fuzz.seeds import ours
from benchmarks.fuzz.targets import Broken, Target
from worldline import jsonl
from worldline.environments import host
from worldline.environments.base import Driver, Observed, Opening
from worldline.environments.wire import Answer, Ask, WireError, read
from worldline.errors import UsageError
from worldline.trajectory import SystemPrompt

LAST = b'{"id": 99, "op": "reset", "name": "stub"}\n'


class Stub(Driver):
    """Gives back what it is given, and raises what a driver may."""

    def __init__(self, options: dict[str, Any]) -> None:
        if "bad" in options:
            raise UsageError("there is no such option", field="bad")
        self.options = options

    def reset(self, seed: int) -> Opening:
        """What was asked for."""
        meta = {"options": self.options, "seed": seed}
        return Opening(domain="generic", dialect="text", system=SystemPrompt(), meta=meta)

    def step(self, action: str, limit_s: float) -> Observed:
        """The action again; odd ones give what cannot be sent, or fail."""
        info = {"nan": float("nan")} if len(action) % 7 == 3 else {"limit": limit_s}
        if len(action) % 7 == 4:
            raise KeyError(action)
        return Observed(observation=action, info=info)

    def snapshot(self) -> dict[str, Any]:
        """Something that is no JSON, as a driver with a fault may give."""
        return {"made": object()}

    def close(self) -> None:
        """Nothing to end."""


def targets() -> Iterator[Target]:
    """Requests and answers."""
    session = "\n".join(ours("wire")[:-1])
    yield Target("wire requests", asked, lambda: (session, *ours("wire")))
    yield Target("wire answers", answered, lambda: (ANSWER,))


ANSWER = (
    '{"id": 1, "ok": true, "observation": "a", "status": "ok", "info": {"blocks": []}, '
    '"opening": {"domain": "mcp", "dialect": "json", "system": {}, "meta": {}}}'
)


def asked(text: str) -> None:
    """Every line has one answer, of the same id where it is a request; the last good one too."""
    data = text.encode("utf-8", "surrogatepass") + b"\n" + LAST
    out = io.BytesIO()
    with patch.object(host, "load_driver", lambda _: Stub), patch("traceback.print_exc"):
        host.serve(host.Host(), io.BytesIO(data), out)
    lines = data.split(b"\n")[:-1]
    closes = [at for at, line in enumerate(lines) if of(line) == ("close", line_id(line))]
    lines = lines[: closes[0] + 1] if closes else lines
    answers = [read(one, Answer) for one in out.getvalue().split(b"\n")[:-1]]
    if len(answers) != len(lines):
        raise Broken(f"{len(lines)} requests have {len(answers)} answers")
    for line, answer in zip(lines, answers, strict=True):
        if of(line) is not None and answer.id != line_id(line):
            raise Broken(f"the answer to {line_id(line)} is one to {answer.id}")
        if answer.ok == (answer.error is not None):
            raise Broken("an answer is neither good nor an error")
    if not closes and not answers[-1].ok:
        raise Broken("after damaged requests a good one is refused")


def of(line: bytes) -> tuple[str, int] | None:
    """What a line asks, if it is a request."""
    try:
        ask = read(line, Ask)
    except WireError:
        return None
    return ask.op, ask.id


def line_id(line: bytes) -> int:
    """The id of a request."""
    asked = of(line)
    return asked[1] if asked else 0


def answered(text: str) -> None:
    """A line is an answer or a `WireError`."""
    with suppress(WireError):
        jsonl.dumps(read(text.encode("utf-8", "surrogatepass"), Answer).info)
