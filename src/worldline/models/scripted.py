"""A model that says what a file tells it to: for tests and demos, and it says so in its name.

``scripted:FILE`` reads JSON Lines, a rule a line, or TOML with ``[[rule]]`` tables. Replies go
through the same parser as any model's, so a script can also fail in every way a model can::

    {"match": "ls", "reply": "<predicted_observation>\\na.txt\\n</predicted_observation>"}
    {"match": "make", "error": "timeout", "latency_s": 0.5}
    {"match": "make", "reply": "<predicted_observation>ok</predicted_observation>"}
    {"turn": 3, "reply": "<think>let me", "finish_reason": "length"}
    "a line that is a text is a reply to whatever is asked next"

``match``
    the exact action this rule is for.
``turn``
    the 1-based turn it is for; with `match`, both must hold.
``times``
    how often the rule is used. Default: once; but the last of the rules with the same `match` and
    `turn` is used from then on. Rules with neither are used in their order, when no other fits.
``reply``, ``reasoning``, ``finish_reason`` ("stop"), ``refusal``, ``choices``, ``usage``
    the backend's reply as received (`worldline.reply.Reply`); without `reply`, content is null.
``error``
    a call that failed: a code (``context_too_long``, ``timeout``, ...) or {code, message, status}.
``outcome``, ``reason``
    a failed outcome as it is, past the parser.
``latency_s``
    seconds to wait before answering.

An action that no rule fits is ``no_prediction``, reason ``not_scripted``.
"""

import asyncio
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from worldline import jsonl
from worldline.domains.base import Style
from worldline.errors import DataError
from worldline.messages import Request
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Outcome, Prediction, Usage
from worldline.reply import Reply, prediction, stamp
from worldline.trajectory import validation_error

Count = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=3600)]


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule of a script; the fields are those of the module's text."""

    match: str | None = None
    turn: Count | None = None
    times: Count | None = None
    reply: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = "stop"
    refusal: str | None = None
    choices: Annotated[int, msgspec.Meta(ge=0)] = 1
    usage: Usage = Usage()
    error: str | dict[str, Any] | None = None
    outcome: Outcome | None = None
    reason: str | None = None
    latency_s: Seconds = 0.0

    @property
    def keyed(self) -> bool:
        """Whether it is for certain requests only."""
        return self.match is not None or self.turn is not None

    def answer(self, request: Request, model: str) -> Prediction:
        """What a request is answered with under this rule."""
        if self.outcome is not None:
            reason = self.reason or "scripted"
            return stamp(request, model, self.outcome, reason=reason, latency_s=self.latency_s)
        error = {"code": self.error} if isinstance(self.error, str) else self.error
        reply = Reply(
            content=self.reply,
            reasoning=self.reasoning,
            finish_reason=None if error else self.finish_reason,
            refusal=self.refusal,
            choices=self.choices,
            usage=self.usage,
            error=error,
            latency_s=self.latency_s,
        )
        return prediction(reply, request, model)


class ScriptedModel(WorldModel):
    """Answers from a script. One instance counts how often each rule was used.

    Raises:
        DataError: the file cannot be read or a rule is not one; names file, line and field.
    """

    def __init__(
        self, path: str | Path, *, style: Style = "full", context: int | None = None
    ) -> None:
        path = Path(path).expanduser()
        self.name = f"scripted:{path.stem}"
        self.style = style
        self.context = context
        self._rules = rules(path)
        self._left = _uses(self._rules)
        self._for_action: dict[str | None, list[int]] = defaultdict(list)
        for i, rule in enumerate(self._rules):
            self._for_action[rule.match].append(i)

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """The scripted answer, after its `latency_s`."""
        rule = self._next(request.action, len(request.history) + 1)
        if rule is None:
            return stamp(request, self.name, "no_prediction", reason="not_scripted")
        if rule.latency_s:
            await asyncio.sleep(rule.latency_s)
        answer = rule.answer(request, self.name)
        if on_text and answer.observation:
            on_text(answer.observation)
        return answer

    def _next(self, action: str, turn: int) -> Rule | None:
        """The rule for this action at this turn, marked as used once more."""
        fitting = sorted({*self._for_action.get(action, ()), *self._for_action[None]})
        fitting.sort(key=lambda i: not self._rules[i].keyed)
        for i in fitting:
            rule, left = self._rules[i], self._left[i]
            if rule.turn in (None, turn) and left != 0:
                self._left[i] = None if left is None else left - 1
                return rule
        return None


def _uses(rules: list[Rule]) -> list[int | None]:
    """How often each rule may be used; `None` without end."""
    last = {(rule.match, rule.turn): i for i, rule in enumerate(rules) if rule.keyed}
    endless = set(last.values())
    return [rule.times or (None if i in endless else 1) for i, rule in enumerate(rules)]


def rules(path: Path) -> list[Rule]:
    """The rules of a script, in order. Errors as for `ScriptedModel`."""
    return [_rule(raw, path, line) for line, raw in _raw_rules(path)]


def _raw_rules(path: Path) -> Iterator[tuple[int | None, Any]]:
    if path.suffix != ".toml":
        yield from jsonl.read(path)
        return
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror or error})", file=path, remedy="Check the path."
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"cannot be read as TOML ({error})", file=path) from error
    found = table.get("rule")
    if set(table) != {"rule"} or not isinstance(found, list):
        raise DataError(
            f"expected [[rule]] tables alone, got {', '.join(table) or 'nothing'}",
            file=path,
            remedy="Begin each rule with a line [[rule]].",
        )
    for raw in found:
        yield None, raw


def _rule(raw: Any, path: Path, line: int | None) -> Rule:
    try:
        rule = Rule(reply=raw) if isinstance(raw, str) else jsonl.convert(raw, Rule)
    except msgspec.ValidationError as error:
        wrong = validation_error(error, file=path, line=line)
        raise DataError(
            wrong.message,
            file=path,
            line=line,
            field=wrong.field,
            remedy=f"A rule has: {', '.join(Rule.__struct_fields__)}; see docs/models.md.",
        ) from error
    if rule.outcome == "ok":
        raise DataError(
            "expected a failed outcome, got 'ok'",
            file=path,
            line=line,
            field="outcome",
            remedy="Leave it out and give the reply.",
        )
    return rule
