"""One step towards an observation, the same in a world and in a benchmark.

Order: what the protocol rejects -> a scenario's fault -> what is already known -> the model, told
the facts. The caller runs the checks and tracks the ledger.
"""

from collections.abc import Callable, Sequence

import msgspec

from worldline.domains.base import Domain, Known, Ledger
from worldline.facts import FactOrigin
from worldline.messages import FACTS_CHARS, Exchange, Request, Thread, Window, pose, render
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Prediction, capped
from worldline.trajectory import Trajectory, Turn
from worldline.trees import PatchError, apply_past, grammar

FaultHook = Callable[[Ledger, str], Known | None]
"""A scenario's say on an action: an observation of origin ``fault``, or nothing."""

RESAMPLE_TEMPERATURE = 0.7


def settled(
    domain: Domain, ledger: Ledger, action: str, fault: FaultHook | None = None
) -> Known | None:
    """The observation no model is needed for, if there is one."""
    return (
        domain.protocol(ledger, action)
        or (fault(ledger, action) if fault else None)
        or domain.known(ledger, action)
    )


def settled_prediction(known: Known, model: WorldModel) -> Prediction:
    """A settled answer in the form of a prediction: no call was made."""
    return Prediction(
        outcome="ok",
        origin=known.origin,
        observation=known.observation,
        reason=known.rule,
        model=model.name,
        because=known.because,
        consistent_only=known.consistent_only,
    )


def fact_origin(prediction: Prediction, ledger: Ledger) -> FactOrigin:
    """How far facts learnt from this prediction may be trusted.

    What a model said is ``model``. A settled answer is as good as the facts it rests on; the
    protocol's and a scenario's answers rest on the agent's own action.
    """
    if prediction.origin == "model" or prediction.consistent_only:
        return "model"
    origins = {ledger.facts[id].origin for id in prediction.because if id in ledger.facts}
    for origin in ("given", "real"):
        if origin in origins:
            return origin
    return "action"


def next_request(
    domain: Domain,
    model: WorldModel,
    trajectory: Trajectory,
    thread: Thread,
    ledger: Ledger,
    history: Sequence[Turn],
    action: str,
    *,
    grounded: bool,
    seed: int | None,
    session: str | None,
    state: str | None = None,
    examples: str = "",
) -> tuple[Request, Exchange]:
    """The request for one observation, fitted to the model's context, and its open exchange.

    Args:
        history: the turns before, oldest first; never one at or after the predicted turn.
        grounded: whether facts are sent.
        session: tells requests that share a prefix.
        state: the state before the action.
        examples: a block of recorded turns of other sessions, or nothing.
    """
    window = Window(model.context, model.sampling.max_tokens or 0, model.count)
    start, room = 0, window.room(thread.system)
    while True:
        asked = pose(
            domain,
            thread,
            ledger,
            action,
            grounded=grounded,
            start=start,
            # In a small context facts take a third of the room: a token is some three characters.
            budget=FACTS_CHARS if room is None else max(min(FACTS_CHARS, room), 0),
            state=state,
            examples=examples,
            window=window,
        )
        messages, fit = render(thread, asked, window)
        if fit.dropped_turns <= start:
            break
        # Facts and states that went with the dropped turns are sent again, which may drop more.
        start = fit.dropped_turns
    request = Request(
        domain=domain.id,
        dialect=ledger.dialect,
        messages=messages,
        history=tuple(history),
        action=action,
        state=state,
        initial_state=trajectory.system.initial_state,
        tools=trajectory.tools,
        sampling=model.sampling,
        seed=seed,
        prompt=thread.prompt,
        fit=fit,
        session=session,
        grammar=_grammar(thread, model, state, history),
    )
    return request, asked


def _grammar(
    thread: Thread, model: WorldModel, state: str | None, history: Sequence[Turn]
) -> str | None:
    if thread.form == "full" or thread.tree is None or not model.constrains:
        return None
    room = model.sampling.max_tokens
    # Another state is about as long as this one; half of one would be worth nothing.
    whole = room is None or model.count(state or "") <= room
    earlier = (thread.first, *(turn.observation for turn in history))
    turns = [n for n, seen in enumerate(earlier) if seen is not None and seen != state]
    return grammar(thread.tree, state or "", turns=turns, whole=whole)


async def ask(
    domain: Domain,
    model: WorldModel,
    request: Request,
    ledger: Ledger,
    on_text: OnText | None = None,
    guard: bool = False,
) -> Prediction:
    """The model's prediction with what it breaks.

    Args:
        guard: ask once more, with another seed, when a rule of severity ``error`` is broken; the
            better of the two is returned, with the attempts and tokens of both.
    """
    if request.fit.form == "patch":
        on_text = None  # an edit script is not what a person wants to watch

    async def asked(request: Request, on_text: OnText | None) -> Prediction:
        made = carried_out(domain, request, await model.predict(request, on_text))
        return checked(domain, ledger, request.action, made)

    first = await asked(request, on_text)
    if not guard or not errors(first):
        return first
    other = None if request.seed is None else request.seed + 1
    sampling = request.sampling
    if sampling.temperature == 0:  # a greedy model would only say the same again
        sampling = msgspec.structs.replace(sampling, temperature=RESAMPLE_TEMPERATURE)
    again = msgspec.structs.replace(request, seed=other, sampling=sampling)
    second = await asked(again, None)
    better = second if second.outcome == "ok" and errors(second) < errors(first) else first
    return msgspec.structs.replace(
        better,
        attempts=first.attempts + second.attempts,
        latency_s=first.latency_s + second.latency_s,
        usage=first.usage + second.usage,
    )


def carried_out(domain: Domain, request: Request, prediction: Prediction) -> Prediction:
    """In the patch form, the prediction with the whole observation in place of the edit script.

    A reply that is no script of this state is no observation: ``no_prediction`` (``bad_patch``).
    """
    if request.fit.form == "full" or prediction.observation is None:
        return prediction
    tree = domain.dialect(request.dialect).tree
    if tree is None:
        return prediction
    try:
        earlier = (request.initial_state, *(turn.observation for turn in request.history))
        observation = apply_past(tree, prediction.observation, earlier, request.before)
    except PatchError as error:
        return msgspec.structs.replace(
            prediction, outcome="no_prediction", observation=None, reason=f"bad_patch: {error}"
        )
    return msgspec.structs.replace(prediction, observation=observation)


def tracked(domain: Domain, ledger: Ledger, turn: Turn, prediction: Prediction) -> Ledger:
    """The ledger after a predicted turn.

    An observation that breaks a rule of severity ``error`` is impossible, so nothing is learnt from
    what the model said in it; what the action may have touched is forgotten all the same.
    """
    after = domain.track(ledger, turn, fact_origin(prediction, ledger))
    if not errors(prediction):
        return after
    hearsay = [
        one.id
        for one in after.facts.values()
        if one.origin == "model" and ledger.facts.get(one.id) is not one
    ]
    return after.with_facts(without=hearsay)


def errors(prediction: Prediction) -> int:
    """How many rules of severity ``error`` the observation breaks."""
    return sum(violation.severity == "error" for violation in prediction.violations)


def checked(domain: Domain, ledger: Ledger, action: str, prediction: Prediction) -> Prediction:
    """The prediction with the violations of its observation."""
    if prediction.observation is None:
        return prediction
    found = capped(domain.checks(ledger, action, prediction.observation))
    return msgspec.structs.replace(prediction, violations=tuple(found)) if found else prediction
