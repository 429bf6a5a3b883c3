"""A model as the agent: any spec of docs/models.md chooses the actions.

The model reads a system prompt (what the environment is, its tools, a goal), then observations as
the user's messages and its own actions as its replies. Trouble of the model ends the episode under
its own name; it never becomes an action.
"""

import asyncio
import random
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from worldline import jsonl
from worldline.collect.episode import NoMove
from worldline.collect.explorers import Explorer, Move
from worldline.collect.seeds import derived
from worldline.environments.base import Opening
from worldline.errors import UsageError
from worldline.fit import OVERHEAD, Window, first_kept
from worldline.messages import Message, Request
from worldline.models.base import WorldModel
from worldline.models.grammar import parse
from worldline.models.spec import load, resolve
from worldline.prediction import Prediction, StepResult
from worldline.reply import refuses
from worldline.trajectory import Turn

STOP = "DONE"
"""The reply that ends an episode."""
BEGIN = "(The session begins.)"
REPLY_TOKENS = 1024
"""Kept for the reply where the model does not say how long it may be."""
_UNHEARD = ("connection", "timeout")
_REMEDY = "check that the model's server runs there, and the address in --policy"
_FOLDER = Path(__file__).parent / "agent"
_KEPT = ("embedded", "gguf")
"""Models that take long to load and remember nothing: one serves all episodes of a worker."""


class ModelPolicy:
    """One episode's agent: asks a model for each action.

    Args:
        spec: the model's spec.
        explorer: whose options the episode has; none if the domain has no explorer.
        rng: chooses the goal, once.
        seed: of the episode; the model's seeds follow from it.
    """

    def __init__(
        self, spec: str, domain: str, explorer: Explorer | None, rng: random.Random, seed: int
    ) -> None:
        self.model, self.seed, self.explorer = _model(spec), seed, explorer
        self.name = self.model.name
        self.task = rng.choice(goals(domain))
        self._keep = parse(spec).kind in _KEPT
        self._opening: Opening | None = None
        self._system = ""
        self._told = BEGIN
        self._turns: list[Turn] = []
        self._action = ""

    def options(self) -> dict[str, Any]:
        """What the domain's explorer would have asked for."""
        return self.explorer.options() if self.explorer is not None else {}

    def begin(self, opening: Opening) -> None:
        """Write the system prompt."""
        self._opening, self._system = opening, system_text(opening, self.task)
        self._told = opening.observation or BEGIN

    def act(self, last: StepResult | None) -> Move | None:
        """Ask for the next action.

        Raises:
            NoMove: the model gave none.
        """
        if last is not None:
            self._turns.append(Turn(action=self._action, observation=last.observation or ""))
        found = _ask(self.model, self._request())
        text = found.observation
        if found.outcome != "ok" or text is None:
            raise _trouble(found)
        self._action = unfenced(text)
        if not self._action.strip():
            raise NoMove("no_prediction", "empty")
        if refuses(self._action):
            raise NoMove("refused", "refusal_text")
        return None if self._action.strip() == STOP else Move(self._action, "model")

    def close(self) -> None:
        """Let the model go, unless it serves the next episode too."""
        if not self._keep:
            _runner().run(self.model.aclose())

    def _request(self) -> Request:
        assert self._opening is not None
        model = self.model
        reserve = model.sampling.max_tokens or REPLY_TOKENS
        window = Window(context=model.context, reserve=reserve, count=model.count)
        return Request(
            domain=self._opening.domain,
            dialect=self._opening.dialect,
            messages=messages(self._system, self._told, self._turns, window),
            history=tuple(self._turns),
            action=self._turns[-1].observation if self._turns else "",
            tools=self._opening.tools,
            sampling=model.sampling,
            seed=derived(self.seed, "model", len(self._turns), bits=31),
            session=f"policy-{self.seed}",
        )


def _trouble(found: Prediction) -> NoMove:
    """Why there is no action; of an endpoint also what it said and, if nothing, what to do."""
    error = (found.raw or {}).get("error")
    said = str(error.get("message") or "") if isinstance(error, dict) else ""
    unheard = said and found.reason in _UNHEARD
    return NoMove(found.outcome, found.reason, f"{said}; {_REMEDY}" if unheard else said)


def messages(system: str, first: str, turns: list[Turn], window: Window) -> tuple[Message, ...]:
    """The conversation so far, its oldest turns left out where the window is too small."""
    told = [first, *(turn.observation for turn in turns)]
    said = [turn.action for turn in turns]
    sizes = [
        window.count(heard) + (window.count(answer) + OVERHEAD) + OVERHEAD
        for heard, answer in zip(told, [*said, ""], strict=True)
    ]
    room = window.room(system)
    start = 0 if room is None else first_kept(sizes, room)
    made = [Message("system", system)]
    for heard, answer in zip(told[start:-1], said[start:], strict=True):
        made += [Message("user", heard), Message("assistant", answer)]
    return (*made, Message("user", told[-1]))


def system_text(opening: Opening, goal: str) -> str:
    """What the model is told before it acts, in our own words and the environment's."""
    system = opening.system
    tools = "\n".join(jsonl.dumps(tool).decode("utf-8") for tool in opening.tools or ())
    parts = {
        "environment": system.task_description,
        "actions": system.action_space,
        "tools": tools or "none beside what is said above",
        "state": system.initial_state or "not told: find out",
        "goal": goal,
        "stop": STOP,
    }
    text = (_FOLDER / "system.txt").read_text("utf-8")
    pieces = text.split("{{")
    filled = [parts[name] + rest for name, _, rest in (one.partition("}}") for one in pieces[1:])]
    return "".join([pieces[0], *filled]).strip()


@cache
def goals(domain: str) -> tuple[str, ...]:
    """What an agent may be told to do in a domain."""
    table = tomllib.loads((_FOLDER / "goals.toml").read_text("utf-8"))
    return tuple(table.get(domain, table["any"])["goals"])


def unfenced(text: str) -> str:
    """An action without the code fence a model may have put all of it in."""
    lines = text.strip().split("\n")
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1])
    return text.strip("\r\n")


def check_acts(spec: str) -> None:
    """Refuse a spec that is none, or of a baseline that can only predict.

    Raises:
        UsageError: it cannot act.
    """
    found = resolve(parse(spec))
    if found.kind in ("copy", "retrieval"):
        raise UsageError(
            f"{found.kind!r} predicts observations and cannot act",
            field="policy",
            remedy="Name a language model, or leave it out for the domain's explorer.",
        )


def without_address(spec: str) -> str:
    """The spec as a record keeps it: without where a server or a file is."""
    found = parse(spec)
    options = "&".join(f"{key}={value}" for key, value in sorted(found.options.items()))
    target = Path(found.target).name if found.kind != "openai" else found.target
    head = target if found.kind == "preset" else f"{found.kind}:{target}" if target else found.kind
    return f"{head}?{options}" if options else head


def _model(spec: str) -> WorldModel:
    return _kept(spec) if parse(spec).kind in _KEPT else load(spec)


@cache
def _kept(spec: str) -> WorldModel:
    return load(spec)


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


def _ask(model: WorldModel, request: Request) -> Prediction:
    return _runner().run(model.predict(request))
