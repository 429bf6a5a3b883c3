"""Texts in a prediction's place: a row's truth, or whatever is judged as if it were predicted."""

from collections.abc import Iterator
from typing import Any

from worldline.bench.infer import output
from worldline.bench.judge.given import Given, given
from worldline.bench.rows import BenchRow, rows_of
from worldline.bench.source import Item
from worldline.bench.suite import Evaluated
from worldline.collect.importers.awb_prompts import bare_observation
from worldline.domains.common import ANSWER_TAG
from worldline.prediction import Prediction


def rows_in(item: Item) -> Iterator[BenchRow]:
    """The rows that an item of a source stands for."""
    if isinstance(item, BenchRow):
        yield item
    elif isinstance(item, Evaluated):
        yield from rows_of(item.trajectory, item.turns)
    else:
        yield from rows_of(item)


def truths(item: Item) -> Iterator[Given]:
    """The rows of an item, each with its truth in the prediction's place."""
    for row in rows_in(item):
        yield given(as_predicted(row, bare_observation(row.truth), "truth"))


def as_predicted(row: BenchRow, text: str, who: str) -> dict[str, Any]:
    """A line of predictions in which `who` predicted this text, in a clean reply."""
    content = f"<{ANSWER_TAG}>\n{text}\n</{ANSWER_TAG}>"
    prediction = Prediction(
        outcome="ok", origin="model", observation=text, model=who, raw={"content": content}
    )
    return output(row.row, prediction)
