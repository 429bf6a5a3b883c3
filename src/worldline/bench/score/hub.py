"""A run's figures as files for the Hugging Face Hub.

``eval.yaml`` belongs into the repository of the data: it names the benchmark and its leaderboards.
``.eval_results/NAME.yaml`` belongs into the repository of a model: its figures on them. The format
is that of https://huggingface.co/docs/hub/eval-results and of ``eval_results.yaml`` in
``huggingface/hub-docs`` (commit 242f4a1, 2026-08-22). The Hub keeps a list of the frameworks it
knows; another one must be added to it before it accepts an ``eval.yaml``.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import worldline
from worldline import jsonl
from worldline.bench.score.report import Figure, Score
from worldline.errors import UsageError
from worldline.visible import visible

FRAMEWORK = "worldline"
RESULTS = ".eval_results"
_DATASET = re.compile(r"[\w.-]+/[\w.-]+")
_UNNAMED = re.compile(r"[^a-z0-9]+")


def write(
    score: Score,
    folder: Path,
    *,
    dataset: str,
    source: str | None = None,
) -> tuple[Path, Path]:
    """Write both files; returns their paths.

    Args:
        dataset: the Hub's id of the data, ``OWNER/NAME``.
        source: address of the full results.

    Raises:
        UsageError: `dataset` is no id, or the run has no score.
        DataError: a file cannot be written.
    """
    if not _DATASET.fullmatch(dataset):
        raise UsageError(
            f"is {dataset!r}", field="dataset", remedy="Give the Hub's id, as OWNER/NAME."
        )
    made = folder / "eval.yaml", folder / RESULTS / f"{_slug(score.name)}.yaml"
    texts = (
        "\n".join(yaml(benchmark(score, dataset))) + "\n",
        "\n".join(yaml(results(score, dataset, source=source))) + "\n",
    )
    try:
        made[1].parent.mkdir(parents=True, exist_ok=True)
        for path, text in zip(made, texts, strict=True):
            path.write_text(text, "utf-8")
    except OSError as error:
        raise jsonl.unwritable(folder, error) from error
    return made


def benchmark(score: Score, dataset: str) -> dict[str, Any]:
    """What ``eval.yaml`` says: a leaderboard for the headline, and one for each domain."""
    tasks = ["macro", *(group.name for group in score.domains)]
    return {
        "name": dataset.partition("/")[2],
        "description": "Next-observation prediction of language world models on recorded turns, "
        "graded 1 to 5 in five dimensions by an LLM that sees the truth; 0 to 100. The headline "
        "is the unweighted mean of the domains.",
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": _slug(task), "config": "default", "split": "test"} for task in tasks],
    }


def results(score: Score, dataset: str, *, source: str | None = None) -> list[dict[str, Any]]:
    """What the file of results says: the headline and each domain that has a score.

    Raises:
        UsageError: no row has a score.
    """
    if score.macro.score.value is None:
        raise UsageError(
            "has no score to publish", file=score.files[0], remedy="Judge its rows first."
        )
    figures: dict[str, Figure] = {"macro": score.macro.score}
    figures |= {g.name: g.score for g in score.domains if g.score.value is not None}
    told = {"source": {"url": source, "name": "Worldline results"}} if source else {}
    return [
        {
            "dataset": {"id": dataset, "task_id": _slug(task)},
            "value": round(figure.value or 0.0, 2),
            **told,
            "notes": _notes(score, figure),
        }
        for task, figure in figures.items()
    ]


def _notes(score: Score, figure: Figure) -> str:
    ends = figure.interval
    between = f"95 % {ends[0]:.2f} to {ends[1]:.2f}; " if ends else ""
    return (
        f"{between}coverage {score.coverage:.1%}; judge {', '.join(score.under.judges)}; "
        f"judge prompts {', '.join(score.under.prompts)}; worldline {worldline.__version__}"
    )


def yaml(value: Any, indent: int = 0) -> Iterator[str]:
    """A tree of mappings, lists, texts and numbers as lines of YAML; every text is quoted."""
    pad = "  " * indent
    if isinstance(value, Mapping):
        for name, one in value.items():
            if isinstance(one, Mapping | list):
                yield f"{pad}{name}:"
                yield from yaml(one, indent + 1)
            else:
                yield f"{pad}{name}: {_scalar(one)}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for one in value:
            first, *rest = yaml(one, indent + 1)
            yield f"{pad}- {first.lstrip()}"
            yield from rest
    else:
        yield pad + _scalar(value)


def _scalar(value: Any) -> str:
    """Texts as JSON writes them, which YAML reads alike once nothing in them acts."""
    text = visible(value) if isinstance(value, str) else value
    return json.dumps(text, ensure_ascii=False, allow_nan=False)


def _slug(name: str) -> str:
    return _UNNAMED.sub("-", name.lower()).strip("-") or "run"
