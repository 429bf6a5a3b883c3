"""Rows of predictions and verdicts for tests of the judge; the texts are our own."""

import asyncio
import json
from pathlib import Path
from typing import Any

from worldline import jsonl
from worldline.bench.judge.run import Report, judge
from worldline.models.openai import OpenAIModel
from worldline.verify.compare import DIMENSIONS


def row(id: object = 1, turn: int = 3, domain: str = "terminal", **more: Any) -> dict[str, Any]:
    """A row in the benchmark's form: actions ``A1``, ``A2``, ...; answers ``O1``, ``O2``, ..."""
    prompts = [f"A{n} of {id}" for n in range(1, turn + 1)]
    return {
        "task": domain,
        "id": id,
        "prompt": prompts,
        "response": [f"**Environment Observation:**\nO{n} of {id}" for n in range(1, turn + 1)],
        "current_prompt": prompts[-1],
        "system_str": "ROW-SYS",
        "turn_idx": turn,
        "total_turns": turn,
        **more,
    }


def predicted(gen: str | None = None, **more: Any) -> dict[str, Any]:
    """A line of predictions as any tool writes it."""
    made = row(**more)
    said = f"a guess about {made['id']}" if gen is None else gen
    return {**made, "gen": f"<predicted_observation>{said}</predicted_observation>"}


def verdict(score: int = 4, **more: Any) -> str:
    """A judge's whole reply."""
    scores = {**dict.fromkeys(DIMENSIONS, score), **more}
    body = {"strengths": ["its form"], "weaknesses": [], "scores": scores}
    return f"Let me see.\n<final_evaluation>\n```json\n{json.dumps(body)}\n```\n</final_evaluation>"


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    """A file of lines."""
    path.write_bytes(b"".join(jsonl.dumps(one) + b"\n" for one in lines))
    return path


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, strictly: no NaN."""

    def no(name: str) -> None:
        raise AssertionError(f"{name} in {path}")

    lines = path.read_text("utf-8").split("\n")
    return [json.loads(line, parse_constant=no) for line in lines if line]


def run(source: Path, out: Path, url: str, name: str = "judge", **options: Any) -> Report:
    """Judge a file at a stub server."""
    extra = {"backoff": 0.01, **options.pop("extra", {})}

    async def main() -> Report:
        async with OpenAIModel(name, url, extra=extra) as who:
            return await judge(source, who, out, **options)

    return asyncio.run(main())


def comparable(path: Path) -> list[dict[str, Any]]:
    """Lines without what a clock decides."""
    lines = read(path)
    for line in lines:
        line["worldline_judge"].pop("latency_s")
    return lines
