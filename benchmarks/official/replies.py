"""Generations and verdicts, well-formed and broken, drawn by chance."""

import json
import random
from collections.abc import Callable
from typing import Any

from worldline.extract import HEADING
from worldline.verify.compare import DIMENSIONS

Draw = random.Random

_TEXTS = (
    "total 0",
    "a.txt\nb.txt",
    '{"ok": true, "n": [1, 2]}',
    "```\ncode\n```",
    "{context} {} {{x}}",
    "  indented\n\n",
    f"{HEADING}\nfound",
    f"words {HEADING} words",
    "漢字 😀 \u2028 \x0b",
    "",
)
_SIGNS = (
    *("<think>", "</think>", "<THINK>", "</Think>", "<th\u0131nk>", "<thin\u212a>", "<think >"),
    *("<predicted_observation>", "</predicted_observation>", "</Predicted_Observation>"),
    *("<final_evaluation>", "</final_evaluation>", "<FINAL_evaluation>", "</final_evaluation >"),
    *("```json", "```JSON", "```", "````", "`", "json", HEADING, "**Environment"),
    *("{", "}", "[", "]", '"', "'", "\\", '\\"', ":", ",", '"scores"', "scores", "'scores':"),
    *('"scores": {"format": 4, "factuality": 3}', '{"scores": {"quality": 2}}', ", name: ", "/5"),
    *(" ", "\n", "\t", "\r\n", "\xa0", "\u2028", "5", "-1", "0", "4.5", "NaN", "null", "true", "a"),
)
_SCORES: tuple[Any, ...] = (
    *(1, 2, 3, 4, 5, 3, 4, 5),
    *(0, -2, 6, 99, 2.5, 3.5, 4.0, 0.4, -0.6, 1e300, True, False, None),
    *("4", "4/5", " 3 / 5 ", "4.5", "good", "", "٤", "1_0", "+2", "9" * 5_000, [4], {"score": 4}),
    *(float("nan"), float("inf")),
)
_NOTES: tuple[Any, ...] = (
    *(["its form"], [], ["a, b: c", "missing } at end"], ['says "no"', "it's"], [{"x": 1}, None]),
    *("one text", "", None, 7, ["bad, really: yes"], ["ends with ,]"], ["`a`", "```json"]),
)
_PLAIN_NOTES = (["its form"], [], ["a, b: c", "missing } at end"], ['says "no"', "it's", "漢字"])


def generation(draw: Draw) -> str:
    """What a world model says."""
    say = draw.choice(_TEXTS)
    block = f"<predicted_observation>\n{say}\n</predicted_observation>"
    whole = draw.choice(
        (
            block,
            f"<think>\nperhaps {draw.choice(_TEXTS)}\n</think>\n\n{block}",
            f"thoughts without a start</think>{block}",
            f"<think>a draft {block}</think>{block}",
            f"<think>never ended {block}",
            "<think>never ended, and cut o",
            "<think>all is thought</think>\n",
            f"<predicted_observation>{say}",
            f"{say}</predicted_observation>",
            f"{block}\nor rather\n{block.upper()}",
            say,
            f"<think>x<think>y</think>{say}</think>{block}",
        )
    )
    return _broken(draw, whole)


def verdict(draw: Draw) -> str:
    """What a judge says."""
    told = _object(draw)
    form = draw.choice(("```json\n{}\n```", "```json\n{}\n```", "```\n{}\n```", "{}", "``` {}```"))
    body = form.replace("{}", told)
    tagged = f"<final_evaluation>\n{body}\n</final_evaluation>"
    whole = draw.choice(
        (
            f"Step by step.\n{tagged}",
            tagged,
            tagged.upper() if draw.random() < 0.1 else tagged,
            f"<think>draft {tagged}</think>{tagged}",
            f"<think>never ended {tagged}",
            f"{tagged}\nOn second thoughts:\n<final_evaluation>{_object(draw)}</final_evaluation>",
            f"<final_evaluation>{body}",
            body,
            f"{{an aside}} {body} and {{another}}",
            f"<final_evaluation></final_evaluation>{body}",
            "Overall this is a solid simulation.",
        )
    )
    return _broken(draw, whole)


def plain_generation(draw: Draw) -> str:
    """A generation as it was asked for."""
    thoughts = draw.choice(("", "<think>\nit is short\n</think>\n\n", "<think>a</think>"))
    say = draw.choice([text for text in _TEXTS if text.strip()])
    return f"{thoughts}<predicted_observation>\n{say}\n</predicted_observation>"


def plain_verdict(draw: Draw) -> str:
    """A verdict as it was asked for."""
    notes = [draw.choice(_PLAIN_NOTES) for _ in range(2)]
    scores = {name: draw.randint(1, 5) for name in DIMENSIONS}
    value = {"strengths": notes[0], "weaknesses": notes[1], "scores": scores}
    body = json.dumps(value, indent=draw.choice((None, 4)), ensure_ascii=False)
    before = draw.choice(("", "Format: {a}, fine.\n\n", "<think>a draft: {1}</think>\n"))
    return f"{before}<final_evaluation>\n```json\n{body}\n```\n</final_evaluation>"


def signs(draw: Draw) -> str:
    """Anything that a parser stumbles over, in no order."""
    return "".join(draw.choices(_SIGNS, k=draw.choice((0, 3, 8, 20, 50))))


def _object(draw: Draw) -> str:
    plain = draw.random() < 0.5
    scores = {name: draw.choice(_SCORES[:5] if plain else _SCORES) for name in DIMENSIONS}
    if not plain and draw.random() < 0.3:
        del scores[draw.choice(DIMENSIONS)]
    value = {"strengths": draw.choice(_NOTES), "weaknesses": draw.choice(_NOTES), "scores": scores}
    text = json.dumps(value, indent=draw.choice((None, 2, 4)), ensure_ascii=draw.random() < 0.5)
    return draw.choice(_SLIPS)(text) if draw.random() < 0.4 else text


_SLIPS: tuple[Callable[[str], str], ...] = (
    lambda text: text.replace("}", ",}"),
    lambda text: text.replace("]", " ,\n]"),
    lambda text: text.replace('"', "'"),
    lambda text: text.replace('"scores"', "scores"),
    lambda text: text.replace('"format"', "format").replace('"quality"', "'quality'"),
    lambda text: text.replace('"', "\u201c"),
    lambda text: text.replace(": ", ":"),
    lambda text: text[:-1],
    lambda text: f"{text}}}",
    lambda text: text.replace('"scores"', '"Scores"'),
)


def _broken(draw: Draw, text: str) -> str:
    """Half of the time as it is; else cut, with a piece doubled, or with a sign in between."""
    for _ in range(draw.choice((0, 0, 1, 3))):
        first, second = sorted(draw.choices(range(len(text) + 1), k=2))
        text = draw.choice(
            (
                text[:first] + text[second:],
                text[:second] + text[first:],
                text[:first] + draw.choice(_SIGNS) + text[first:],
                text[:second],
            )
        )
    return text
