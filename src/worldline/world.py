"""A world: a simulated environment with the same interface as a real one.

    async with World.open("terminal", model="embedded", snapshot="project.json") as world:
        result = await world.step("cat README.md")
        print(result.observation, result.origin)

A step asks, in this order: the protocol, the scenario, what is already known, the model (told the
facts), then runs the checks and tracks the ledger. Every result says where it came from, what it
breaks and what it cost. Everything up to a step is frozen data, so a fork costs nothing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from worldline import session as sessions
from worldline.branch import State, first_state, grown, unasked
from worldline.domains import domain as find_domain
from worldline.domains.base import Domain
from worldline.errors import UsageError
from worldline.facts import Fact
from worldline.grounding import Examples, examples, parse_ground
from worldline.messages import Exchange, Request
from worldline.models.base import OnText, WorldModel
from worldline.opening import begin
from worldline.prediction import Prediction, StepResult
from worldline.seeds import sampler_seed
from worldline.step import (
    FaultHook,
    ask,
    next_request,
    settled,
    settled_prediction,
)
from worldline.trajectory import SystemPrompt, Trajectory

if TYPE_CHECKING:
    from worldline.scenarios.snapshot import Snapshot
    from worldline.sync import SyncWorld


class World:
    """One branch of a simulated session. `fork` and `back` give others of the same session.

    A world is used by one caller at a time; forks may step concurrently.
    """

    def __init__(
        self,
        domain: Domain,
        model: WorldModel,
        session: sessions.Session,
        *,
        fault: FaultHook | None = None,
        guard: bool = False,
        branch: str = "main",
        reseed: int | None = None,
        state: State | None = None,
        branches: "dict[str, World] | None" = None,
        examples: Examples | None = None,
    ) -> None:
        self.domain = domain
        self.model = model
        self.session = session
        self.fault = fault
        self.guard = guard
        self.branch = branch
        self.reseed = reseed
        self.ground = parse_ground(",".join(session.head.ground) or "none")
        self.examples = examples
        self.state = state or first_state(domain, model, session.head)
        self.branches: dict[str, World] = {} if branches is None else branches
        """Every branch of the session by its id, this one included."""
        self.branches[branch] = self

    # opening

    @classmethod
    def open(
        cls,
        domain: str,
        *,
        model: str | WorldModel = "embedded",
        dialect: str | None = None,
        system: SystemPrompt | None = None,
        tools: Sequence[dict[str, Any]] | None = None,
        task: str | None = None,
        snapshot: "str | Path | Snapshot | None" = None,
        facts: Sequence[Fact] = (),
        ground: str = "ledger,snapshot",
        seed: int | None = None,
        guard: bool = False,
        fault: FaultHook | None = None,
        save: str | Path | None = None,
    ) -> "World":
        """A new simulated session.

        Args:
            domain: id of a domain, as ``terminal``.
            model: a model spec (docs/models.md) or a `WorldModel`.
            dialect: text form; the snapshot's or the domain's default if not given.
            system: the parts of the system prompt.
            tools: tool list of this session (domains with tools per trajectory).
            task: what the agent is after; the model is told.
            snapshot: a snapshot, its file, or (terminal) a folder to take one of: its text is the
                initial state, its facts are given. Without one a session starts as `Domain.fresh`
                says: a terminal in an empty home directory.
            facts: more facts that hold from the start.
            ground: ``none`` or any of ``ledger,snapshot,retrieval:FILE``; see
                `worldline.grounding`.
            seed: the session's seed; a fresh one is drawn, and recorded, if not given.
            guard: ask once more when an observation breaks a rule of severity ``error``.
            fault: a scenario's hook.
            save: a file to keep the session in, step by step.

        Raises:
            UsageError: unknown domain, dialect, grounding or model spec.
            DataError: the snapshot cannot be read.
        """
        head = begin(
            domain,
            dialect=dialect,
            system=system,
            tools=tools,
            task=task,
            snapshot=snapshot,
            facts=facts,
            ground=parse_ground(ground),
            seed=seed,
        )
        return cls._resume(sessions.Session(head), model, fault=fault, guard=guard, save=save)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        model: str | WorldModel | None = None,
        ground: str | None = None,
        fault: FaultHook | None = None,
        guard: bool = False,
    ) -> "World":
        """Continue a saved session at the end of its last branch; no model is asked for the past.

        Args:
            model: who predicts from here on; the spec it was saved with if not given.
            ground: as in `open`; what it was saved with if not given. A session that was shown
                examples from a file needs it.
        """
        session = sessions.load(path)
        if ground is not None:
            parts = parse_ground(ground).parts
            session.head = msgspec.structs.replace(session.head, ground=parts)
        elif any(part.startswith("retrieval:") for part in session.head.ground):
            session.close()
            raise UsageError(
                "was shown recorded turns of another file",
                file=path,
                remedy="Say which: --ground ledger,snapshot,retrieval:FILE.",
            )
        spec = str(session.head.model.get("spec") or "")
        if model is None and spec.partition("?")[0] not in ("embedded", "copy"):
            # A file does not decide where a session is sent, or what else is opened.
            session.close()
            raise UsageError(
                f"was made with another model ({session.head.model.get('name')})",
                file=path,
                remedy="Say who predicts from here on: --model SPEC.",
            )
        return cls._resume(session, model or spec, fault=fault, guard=guard, save=None)

    @classmethod
    def _resume(
        cls,
        session: sessions.Session,
        model: str | WorldModel,
        *,
        fault: FaultHook | None,
        guard: bool,
        save: str | Path | None,
    ) -> "World":
        if isinstance(model, str):
            from worldline.models import load

            spec, loaded = {"spec": model}, load(model)
        else:
            spec, loaded = {}, model
        if not session.head.model:
            described = {**loaded.describe(), **spec}
            session.head = msgspec.structs.replace(session.head, model=described)
        found = find_domain(session.head.trajectory.domain)
        found.dialect(session.head.trajectory.dialect)
        grounds = parse_ground(",".join(session.head.ground) or "none")
        shown = examples(grounds)
        world = cls(found, loaded, session, fault=fault, guard=guard, examples=shown)
        events, session.events = session.events, []
        for event in events:
            session.events.append(event)
            world = world._replay(event)
        if save is not None:
            session.save(save)
        return world

    def _replay(self, event: sessions.Event) -> "World":
        """Take a kept event in again, on whichever branch it happened; that branch is returned."""
        if event.kind == "fork":
            parent = self.branches[event.origin_branch or "main"]
            return parent._at(parent._state(event.origin_seq or 0), event.branch, event.reseed)
        world = self.branches[event.branch]
        if event.kind == "step" and event.action is not None and event.result is not None:
            prediction = event.result.prediction
            if prediction is not None and event.result.observation is not None:
                asked = world._asked(event.action, prediction.origin == "model")
                world.state = grown(
                    world.domain, world.state, event.action, asked, prediction, event.result
                )
        return world

    # acting

    @property
    def now(self) -> str | None:
        """The state before the next action: what was shown last, messages aside."""
        return self.state.now

    @property
    def seq(self) -> int:
        """Steps taken on this branch, those before its fork included."""
        return self.state.seq

    async def reset(self) -> StepResult:
        """What the agent sees before its first action. The branch must be at its beginning.

        To start over, open a new world, or go back: ``world.back(world.seq)``.
        """
        if self.state.seq:
            raise UsageError(
                f"this branch has taken {self.state.seq} steps",
                remedy="Start over with world.back(world.seq), or open a new world.",
            )
        text = self.domain.reset_text(self.session.head.trajectory.system, self.state.ledger)
        return StepResult(observation=text, outcome="ok", origin="known", seq=0, branch=self.branch)

    async def step(self, action: str, on_text: OnText | None = None) -> StepResult:
        """Take one action.

        A step that brings no observation (truncated, refused, infrastructure) leaves the branch
        where it was: the result says why, and the same step can be tried again.

        Args:
            on_text: called with the model's observation as it streams (not with known answers).
        """
        state = self.state
        told = self.ground.told
        known = settled(self.domain, state.ledger, action, self.fault) if told else None
        if known is not None:
            prediction = settled_prediction(known, self.model)
            asked = unasked(self.domain, state, action)
        else:
            request, asked = self._request(action)
            prediction = await ask(
                self.domain, self.model, request, state.ledger, on_text, self.guard
            )
        if self.state is not state:
            raise UsageError(
                "this branch took another step at the same time",
                remedy="Fork the world for concurrent steps.",
            )
        return self._record(action, asked, prediction)

    def _request(self, action: str) -> tuple[Request, Exchange]:
        state, now = self.state, self.now
        session = f"{self.session.head.id}/{self.branch}"
        shown = ""
        if self.examples is not None:
            dialect = state.ledger.dialect
            shown = self.examples.block(self.domain, state.thread, dialect, action, now, session)
        return next_request(
            self.domain,
            self.model,
            self.session.head.trajectory,
            state.thread,
            state.ledger,
            state.turns,
            action,
            grounded=self.ground.told,
            seed=sampler_seed(self.session.head.seed, self.branch, self.reseed, state.seq + 1),
            session=session,
            state=now,
            examples=shown,
        )

    def _asked(self, action: str, of_model: bool) -> Exchange:
        """The exchange that an earlier step, now replayed, was sent in."""
        if of_model:
            return self._request(action)[1]
        return unasked(self.domain, self.state, action)

    def _record(self, action: str, asked: Exchange, prediction: Prediction) -> StepResult:
        happened = prediction.outcome == "ok" and prediction.observation is not None
        seq = self.state.seq + 1
        result = StepResult(
            observation=prediction.observation if happened else None,
            outcome=prediction.outcome,
            origin=prediction.origin,
            truncated=prediction.outcome == "truncated",
            violations=prediction.violations,
            confidence=prediction.confidence,
            seq=seq if happened else self.state.seq,
            branch=self.branch,
            usage=prediction.usage,
            latency_s=prediction.latency_s,
            reason=prediction.reason,
            prediction=prediction,
        )
        after = self.state
        if happened:
            after = grown(self.domain, after, action, asked, prediction, result)
        event = sessions.Event(
            kind="step" if happened else "failed",
            branch=self.branch,
            seq=seq,
            action=action,
            result=result,
        )
        self.session.append(event)  # on disk first: what is acknowledged is kept
        self.state = after
        return result

    # moving between branches

    def fork(self, seq: int | None = None, *, reseed: int | None = None) -> "World":
        """Another branch that begins where this one stands, or stood after step `seq`.

        Args:
            reseed: the sampler's start for best-of-n: forks with different ones answer differently
                where the model samples at all.
        """
        at = self.state.seq if seq is None else seq
        state = self._state(at)
        branch = self.session.new_branch()
        self.session.append(
            sessions.Event(
                kind="fork",
                branch=branch,
                seq=at,
                origin_branch=self.branch,
                origin_seq=at,
                reseed=reseed,
            )
        )
        return self._at(state, branch, reseed)

    def back(self, steps: int = 1) -> "World":
        """A fork at `steps` steps ago; this branch stays as it is."""
        if not 0 <= steps <= self.state.seq:
            raise UsageError(
                f"cannot go back {steps} steps", remedy=f"This branch has taken {self.state.seq}."
            )
        return self.fork(self.state.seq - steps)

    def _at(self, state: State, branch: str, reseed: int | None) -> "World":
        return type(self)(
            self.domain,
            self.model,
            self.session,
            fault=self.fault,
            guard=self.guard,
            branch=branch,
            reseed=reseed,
            state=state,
            branches=self.branches,
            examples=self.examples,
        )

    def _state(self, seq: int) -> State:
        state: State | None = self.state
        while state is not None and state.seq > seq:
            state = state.before
        if seq < 0 or state is None or state.seq != seq:
            raise UsageError(
                f"this branch has no step {seq}",
                field="seq",
                remedy=f"It has steps 0 to {self.state.seq}.",
            )
        return state

    # keeping

    def trajectory(self) -> Trajectory:
        """This branch as a trajectory. Its source says that it is simulated, and by whom."""
        head = self.session.head
        turns = self.state.turns
        source = msgspec.structs.replace(
            head.trajectory.source,
            kind="simulated",
            name=str(head.model.get("name", "unknown")),
            seed=head.seed,
        )
        return msgspec.structs.replace(head.trajectory, turns=turns, source=source)

    def save(self, path: str | Path) -> None:
        """Keep the session, all its branches included, in `path`, now and from now on."""
        self.session.save(path)

    def sync(self) -> "SyncWorld":
        """The blocking face of this world."""
        from worldline.sync import SyncWorld

        return SyncWorld(self)

    async def aclose(self) -> None:
        """Close the session file and the model. Forks share both."""
        self.session.close()
        await self.model.aclose()

    async def __aenter__(self) -> "World":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()
