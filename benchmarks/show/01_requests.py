"""What a model is sent, turn by turn: golden requests, and proof that no truth is in them.

* For each dialect, the messages, sampling and seed at turns 1, 2 and 5 as they arrive at a local
  server, prompted raw and grounded, are those in ``golden/``.
  ``python -m benchmarks.show.01_requests`` writes them anew, to be read before they are committed.
* On recorded trajectories, each request stays the same, byte for byte, when every observation at or
  after the predicted turn is replaced; and so does each answer that is given without a model.
* Each request extends the one before.
"""

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.show import SMALL, Show
from benchmarks.stub import Stub
from worldline import jsonl
from worldline.bench.cases import Case, Plan, cases
from worldline.bench.infer import predict
from worldline.collect.importers import importer
from worldline.domains import domain
from worldline.messages import Request
from worldline.models import load
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Form, Prediction
from worldline.trajectory import SystemPrompt, Trajectory, Turn

DOMAINS = ("terminal", "mcp", "swe", "search", "web", "os", "android")
"""Of the recorded data; the golden requests are of `generic` too."""
TURNS = (1, 2, 5)
ARMS = ("none", "ledger", "edits")
"""Prompted raw, grounded, and grounded in the patch form (where states are trees)."""
MOST, MOST_EDITS = 40, 8
"""Turns of a recorded session that are examined; each is posed from its beginning."""
GOLDEN = Path(__file__).parent / "golden"
SAMPLING = "temperature=0.6&top_p=0.95&top_k=20&max_tokens=512"
Make = Callable[[list[Trajectory], WorldModel, Plan], Iterator[Case]]
CANARY = "«the truth of turn {}»"


def check(show: Show) -> None:
    right = golden(show)
    wrong, requests = leaks(show)
    show.measure("golden", right[0], better="higher", floor=right[1], goal=right[1], n=right[1])
    show.measure("leaks", wrong[0], better="lower", floor=0, goal=0, n=requests, recorded=True)
    show.measure(
        "not_extending", wrong[1], better="lower", floor=0, goal=0, n=requests, recorded=True
    )
    show.measure("leaks_caught_in_control", control(), better="higher", floor=1, goal=1)


# golden requests


def small_trajectories() -> Iterator[Trajectory]:
    """One trajectory of our own a dialect, the longest."""
    best: dict[str, Trajectory] = {}
    for name in (*DOMAINS, "generic"):
        for one in importer("common")(SMALL / f"{name}.jsonl"):
            key = f"{name}-{one.dialect}"
            if key not in best or len(one.turns) > len(best[key].turns):
                best[key] = one
    yield from best.values()


def received(trajectory: Trajectory, arm: str) -> tuple[list[Any], list[Any]]:
    """The bodies a server receives for the turns of a trajectory, and the results of all turns."""
    reply = "<predicted_observation>ok</predicted_observation>"
    form, ground = ("full", arm) if arm != "edits" else ("patch&prompts=compact", "ledger")
    with Stub(reply) as stub, tempfile.TemporaryDirectory() as folder:
        model = load(f"openai:golden@{stub.url}?{SAMPLING}&form={form}")
        out = Path(folder) / "out.jsonl"

        async def ask() -> None:
            async with model:
                await predict([trajectory], model, out, concurrency=1, ground=ground, seed=1)

        asyncio.run(ask())
        return [call.body for call in stub.requests], [line.value for line in jsonl.read(out)]


def recorded_form(trajectory: Trajectory, arm: str) -> dict[str, Any]:
    """What is kept: the longest request's messages; of each turn how many of them it had, and all
    else in its body. A turn that needed no model is kept with its answer."""
    bodies, results = received(trajectory, arm)
    sent = {len(body["messages"]) // 2: body for body in bodies}
    turns: dict[str, Any] = {}
    for number in (n for n in TURNS if n <= len(results)):
        if number in sent:
            body = sent[number]
            rest = {k: v for k, v in sorted(body.items()) if k not in ("messages", "model")}
            turns[str(number)] = {"messages": len(body["messages"]), **rest}
        else:
            told = results[number - 1]["worldline"]
            turns[str(number)] = {key: told[key] for key in ("origin", "reason", "observation")}
    longest = max((n for n in TURNS if n in sent), default=0)
    return {"messages": sent[longest]["messages"] if longest else [], "turns": turns}


def arms(trajectory: Trajectory) -> Iterator[str]:
    """The arms that a trajectory has."""
    dialect = domain(trajectory.domain).dialects.get(trajectory.dialect)
    yield from ARMS if dialect and dialect.tree else ARMS[:2]


def golden_path(trajectory: Trajectory, arm: str) -> Path:
    """Where the golden requests of a dialect lie."""
    return GOLDEN / f"{trajectory.domain}-{trajectory.dialect}-{arm}.json"


def golden(show: Show) -> tuple[int, int]:
    """How many turns are as they were, and of how many."""
    right = total = 0
    for one in small_trajectories():
        for arm in arms(one):
            path = golden_path(one, arm)
            kept = (
                jsonl.loads(path.read_bytes()) if path.exists() else {"messages": [], "turns": {}}
            )
            found = recorded_form(one, arm)
            same = 0
            for number, turn in found["turns"].items():
                size = turn.get("messages", 0)
                equal = found["messages"][:size] == kept["messages"][:size]
                same += turn == kept["turns"].get(number) and equal
            how = ", ".join(
                f"{n} {turn.get('origin', 'asked')}" for n, turn in found["turns"].items()
            )
            print(f"{path.stem:34} turns {how}: {same} of {len(found['turns'])} as in golden/")
            right, total = right + same, total + len(found["turns"])
    return right, total


# no truth in a request


class Capture(WorldModel):
    """Keeps the request it is asked with."""

    name = "capture"

    def __init__(self, form: Form = "full") -> None:
        self.form = form
        self.request: Request | None = None

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        self.request = request
        return Prediction(outcome="no_prediction", origin="model", model=self.name)


async def asked(case: Case, model: Capture) -> Request | str | None:
    """What the model is sent, or the answer that needs none."""
    model.request = None
    prediction = await case.ask()
    return model.request or prediction.observation


def altered(trajectory: Trajectory, number: int) -> Trajectory:
    """The trajectory with every observation from turn `number` on replaced.

    The state that turn `number` acts on is no truth of its own: it stays.
    """

    def told(n: int, turn: Turn) -> Turn:
        state = turn.state_before if n == number else None
        return Turn(action=turn.action, observation=CANARY.format(n), state_before=state)

    turns = [turn if n < number else told(n, turn) for n, turn in enumerate(trajectory.turns, 1)]
    meta = {**trajectory.meta, "cluster": trajectory.cluster}
    return msgspec.structs.replace(trajectory, turns=tuple(turns), meta=meta)


async def examined(
    trajectory: Trajectory, plan: Plan, arm: str = ARMS[0], make: Make = cases
) -> tuple[int, int, int]:
    """Requests that hold truth, that do not extend the last, and how many there were."""
    leaked = apart = count = 0
    edits = arm == "edits"
    most = MOST_EDITS if edits else MOST
    model, before = Capture("patch" if edits else "full"), None
    for number, case in enumerate(make([trajectory], model, plan), 1):
        if number > most:
            break
        sent = await asked(case, model)
        blind = list(make([altered(trajectory, number)], model, plan._replace(max_turns=number)))
        leaked += await asked(blind[-1], model) != sent
        count += 1
        if isinstance(sent, Request):
            if before is not None:
                apart += sent.messages[: len(before.messages)] != before.messages
            before = sent
    return leaked, apart, count


def leaks(show: Show) -> tuple[tuple[int, int], int]:
    """(leaking, not extending) and the number of requests, over all recorded trajectories."""
    leaked = apart = count = 0

    async def all_of_them() -> None:
        nonlocal leaked, apart, count
        for name in DOMAINS:
            for one in importer("common")(show.data / f"{name}.jsonl"):
                for arm in arms(one):
                    found = await examined(one, Plan(grounded=arm != "none"), arm)
                    leaked, apart, count = (leaked + found[0], apart + found[1], count + found[2])
            print(f"{name}: {count:,} requests so far, {leaked} with truth, {apart} not extending")

    asyncio.run(all_of_them())
    return (leaked, apart), count


def telling(items: Iterable[Trajectory], model: WorldModel, plan: Plan) -> Iterator[Case]:
    """Cases that leak on purpose: the system prompt holds every observation."""
    for one in items:
        told = "\n".join(turn.observation for turn in one.turns)
        yield from cases(
            [msgspec.structs.replace(one, system=SystemPrompt(verbatim=told))], model, plan
        )


def control() -> float:
    """The share of deliberately leaking requests that the check notices."""
    one = next(iter(importer("common")(SMALL / "mcp.jsonl")))
    leaked, _, count = asyncio.run(examined(one, Plan(), make=telling))
    return leaked / count


def write() -> None:
    """Write the golden requests anew."""
    GOLDEN.mkdir(exist_ok=True)
    for one in small_trajectories():
        for arm in arms(one):
            text = json.dumps(recorded_form(one, arm), indent=1, ensure_ascii=False)
            golden_path(one, arm).write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    write()
