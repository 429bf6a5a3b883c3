"""Our benchmark as a task of inspect_ai.

    inspect eval worldline/agentworldbench --model openai/gpt-5 -T rows=rows.jsonl
    inspect eval worldline/agentworldbench ... -T judge=role:grader --model-role grader=openai/gpt-5

A row is a sample. Without a judge the exact scorecard measures the answer (0 to 1); a judge grades
it under our prompts (0 to 100). Samples without an observation or a readable verdict are unscored,
with the reason. Worldline does not depend on inspect_ai; these modules alone import it.
"""
# pyright: reportMissingImports=false

from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState, generate

import worldline
from worldline.bench.interop.inspect_judge import MESSAGE, Desks, prompts_of, reply_of
from worldline.bench.interop.inspect_metrics import METRICS, OVERALL
from worldline.messages import Message
from worldline.verify.compare import DIMENSIONS

if TYPE_CHECKING:
    from worldline.bench.interop.posed import Posed
    from worldline.bench.judge.given import Given


@task
def agentworldbench(
    rows: str = "worldline-bench",
    judge: str | None = None,
    prompts: str | None = None,
    official: str | None = None,
    tries: int = 3,
    max_turns: int | None = None,
) -> Task:
    """Predict what an environment answers.

    Args:
        rows: AgentWorldBench rows, trajectories, a folder of these, or ``worldline-bench``.
        judge: who grades: a worldline model spec (``openai:NAME@http://HOST:PORT/v1``), or
            ``role:NAME`` for a model role of inspect_ai. `None`: the exact scorecard.
        prompts: a folder of judge prompts; `None`: our own.
        official: a checkout of QwenLM/Qwen-AgentWorld, whose judge prompts are used instead.
        tries: replies a judge is asked for until one can be read.
        max_turns: only turns up to this one.
    """
    from worldline.bench.interop.posed import posed

    source, every = posed(rows, max_turns)
    graded = agentworld_exact()
    if judge is not None:
        graded = agentworld_judge(judge, prompts, official, tries)
    return Task(
        dataset=MemoryDataset([_sample(one) for one in every], name=source.name),
        solver=generate(),
        scorer=graded,
        version=worldline.__version__,
        metadata={"rows": source.name, "rows_sha": source.sha},
    )


def _sample(one: "Posed") -> Sample:
    sent = [MESSAGE[each.role](content=each.content) for each in one.messages]
    return Sample(input=sent, target=one.truth, id=one.id, metadata=one.about)


@scorer(metrics=METRICS)
def agentworld_exact() -> Scorer:
    """The exact scorecard, 0 to 1, without a judge: `worldline verify`."""

    async def score(state: TaskState, target: Target) -> Score:
        from worldline.bench.interop.posed import measured

        answer = _answered(state)
        card = measured(answer)
        if card is None:
            return _unscored(answer, answer.reason)
        return Score(
            value={OVERALL: card.true.score} | {one: getattr(card.true, one) for one in DIMENSIONS},
            answer=answer.observation,
            metadata={
                "plausible": card.plausible.score,
                "unknowable": card.unknowable,
                "claims": card.claims,
                "lies": card.lies,
            },
        )

    return score


@scorer(metrics=METRICS)
def agentworld_judge(
    judge: str, prompts: str | None = None, official: str | None = None, tries: int = 3
) -> Scorer:
    """Five dimensions by a judge, 0 to 100 as published; arguments as those of the task."""
    desks = Desks(judge, prompts_of(prompts, official), tries)

    async def score(state: TaskState, target: Target) -> Score:
        answer = _answered(state)
        line = (await desks.desk().job(answer).make()).line
        known = line["worldline_judge"]
        scores = known["scores"]
        if scores is None:
            return _unscored(answer, known["reason"], known)
        hundred = {name: (scores[name] - 1) / 4 * 100 for name in DIMENSIONS}
        return Score(
            value={OVERALL: sum(hundred.values()) / len(hundred), **hundred},
            answer=answer.observation,
            explanation=known["raw"],
            metadata={"worldline_judge": known},
        )

    return score


def _unscored(answer: "Given", reason: str | None, known: dict[str, Any] | None = None) -> Score:
    return Score.unscored(
        reason=reason,
        answer=answer.observation,
        explanation=(known or {}).get("raw"),
        metadata={} if known is None else {"worldline_judge": known},
    )


def _answered(state: TaskState) -> "Given":
    from worldline.bench.interop.posed import answered

    sent = [Message(each.role, each.text) for each in state.input if each.role in MESSAGE]
    return answered(state.metadata["row"], sent, reply_of(state.output), str(state.model))
