"""How the official script reads replies and what it makes of scores, quirk by quirk."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judging import verdict, write
from worldline.bench.official import arithmetic, replies
from worldline.errors import DataError
from worldline.verify.compare import DIMENSIONS

HEADING = "**Environment Observation:**"
TAGS = ("predicted_observation", "final_evaluation")


def scores(**more: object) -> str:
    return json.dumps({"scores": {**dict.fromkeys(DIMENSIONS, 3), **more}})


@pytest.mark.parametrize(
    ("reply", "told", "total"),
    [
        (scores(format=9), [5, 3, 3, 3, 3], 3.4),
        (scores(format=2.5, quality=3.5), [2, 3, 3, 3, 4], 3.0),
        (scores(format="4/5", quality="good"), [4, 3, 3, 3, 0], 3.25),
        (scores(format=None, quality=[5]), [0, 3, 3, 3, 0], 3.0),
        (scores(format=-2), [-2, 3, 3, 3, 3], 3.0),
        (scores(format=True), [1, 3, 3, 3, 3], 2.6),
        ('{"scores": {}}', [0, 0, 0, 0, 0], 0),
        (f"{verdict(2)} or rather {verdict(5)}", [5] * 5, 5.0),
        (f"<think>{verdict(5)}</think>{verdict(2)}", [2] * 5, 2.0),
        (f"<think>it is {verdict(5)}", [5] * 5, 5.0),
        (f"{scores()} and {{an aside}}", [3] * 5, 3.0),
        (scores().replace('"', "'").replace("'scores'", "scores"), [3] * 5, 3.0),
        (scores().replace("}}", ",},}"), [3] * 5, 3.0),
        ('{"weaknesses": ["x, y: z"], ' + scores()[1:], [3] * 5, 3.0),
        (scores(format=float("nan")), None, None),
        (scores(format=float("inf")), None, None),
        ('{"Scores": {"format": 3}}', None, None),
        ('{"scores": 3}', None, None),
        ("all fives", None, None),
        (" \n", None, None),
    ],
)
def test_verdicts_are_read_as_the_script_reads_them(reply, told, total):
    found = replies.verdict(reply, TAGS[1])
    if told is None:
        assert found.scores is None and found.reason is not None
        return
    assert found.scores == dict(zip(DIMENSIONS, told, strict=True))
    assert replies.total(found.scores) == pytest.approx(total)


OPEN, CLOSE = f"<{TAGS[0]}>", f"</{TAGS[0]}>"


@pytest.mark.parametrize(
    ("generation", "told"),
    [
        ("", "No output"),
        ("<think>all of it</think>\n", "No output"),
        (" bare \n", "bare"),
        (f"{OPEN}\n a \n{CLOSE} trailing", "a"),
        (f"{OPEN}a{CLOSE} then {OPEN}b{CLOSE}", "b"),
        (f"{OPEN}a", "a"),
        (f"{OPEN}{CLOSE}", ""),
        (f"thoughts</think>{OPEN.upper()}a{CLOSE.upper()}", "a"),
        (f"<think>draft {OPEN}a{CLOSE}", "a"),
        (f"<think><think>x</think>{OPEN}a{CLOSE}</think>b", "b"),
        (f"{OPEN}cat: <think>{CLOSE}", "cat:"),
        ("a<think>x</think>b", "ab"),
        ("</think><think>x", "No output"),
    ],
)
def test_generations_are_read_as_the_script_reads_them(generation, told):
    assert replies.observation(generation, TAGS[0]) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [(f"{HEADING}\n a \n", "a"), (f"{HEADING} {HEADING}", HEADING), (f"a {HEADING} b", "a  b")],
)
def test_headings_are_taken_off_as_the_script_does(text, told):
    assert replies.without_marker(text, HEADING) == told
    assert replies.without_marker(f" {text}", "") == text.strip()


PIECES = st.lists(
    st.sampled_from(['{"scores": {', "}", "{", '"', "\\", "```", "```json", "<think>", "</think>"])
    | st.sampled_from([f"<{TAGS[1]}>", f"</{TAGS[1]}>", ", a: ", "'b':", "1", "NaN", "\n", " x"]),
    max_size=25,
).map("".join)


@given(PIECES | st.text())
def test_reading_ends_with_a_verdict_or_a_reason_whatever_comes(text):
    found = replies.verdict(text, TAGS[1])
    assert (found.scores is None) == (found.reason is not None)
    if found.scores is not None:
        assert tuple(found.scores) == DIMENSIONS and max(found.scores.values()) <= 5
    assert isinstance(replies.observation(text, TAGS[0]), str)


def matched(text: str, start: int) -> int | None:
    """Where the object at `start` ends, found sign by sign."""
    depth, quoted, at = 0, False, start
    while at < len(text):
        sign = text[at]
        if quoted and sign == "\\":
            at += 1
        elif sign == '"':
            quoted = not quoted
        elif not quoted and sign in "{}":
            depth += 1 if sign == "{" else -1
            if not depth:
                return at
        at += 1
    return None


@given(st.text('{}"\\a', max_size=30))
def test_all_braces_are_matched_in_one_go_as_one_by_one(text):
    signs = [(at, sign) for at, sign in enumerate(text) if sign in '{}"\\']
    ends = replies._closings(signs)
    for (at, sign), end in zip(signs, ends, strict=True):
        if sign == "{":
            assert matched(text, at) == (None if end is None else signs[end][0])
        else:
            assert end is None


@given(st.lists(st.tuples(st.text("ab "), st.text("cd ")), max_size=6), st.text("ef "))
def test_closed_thoughts_are_taken_out(parts, rest):
    text = "".join(f"{said}<think>{thought}</think>" for said, thought in parts) + rest
    wanted = "".join(said for said, _ in parts) + rest
    assert replies.without_thoughts(text, TAGS[0]) == (wanted.strip() if parts else wanted)


# arithmetic


def scored(score: float, task: str = "mcp", **more: object) -> dict[str, object]:
    return {
        "task": task,
        **dict.fromkeys(DIMENSIONS, score),
        "total_score": score,
        "failed": 0.0,
        **more,
    }


def test_ur_s03_the_pooled_figure_and_the_mean_over_domains_are_two(tmp_path):
    path = write(tmp_path / "j.jsonl", [scored(5)] * 9 + [scored(1, "x/os")])
    found = arithmetic.of_file(path)
    assert (found.overall, found.macro) == (pytest.approx(90), 50)
    assert list(found.domains) == ["mcp", "os"]
    assert found.domains["os"].figures == dict.fromkeys(arithmetic.FIGURES, 0.0)


def test_ur_s12_failed_rows_leave_the_mean():
    found = arithmetic.table([scored(5), *[{"task": "mcp", "failed": 1.0, "total_score": 0}] * 9])
    domain = found.domains["mcp"]
    assert found.overall == 100.0 and (found.rows, found.valid, found.failed) == (10, 1, 9)
    assert (domain.rows, domain.valid, domain.failed) == (10, 1, 9)


def test_a_score_of_zero_leaves_its_dimension_and_all_zero_is_minus_25():
    rows = [scored(3, format=0, quality=0), scored(5, quality=0), scored(0), scored(2, format=-2)]
    found = arithmetic.table(rows)
    figures = found.domains["mcp"].figures
    assert figures["format"] == pytest.approx(((5 - 2) / 2 - 1) * 25)
    assert figures["quality"] == pytest.approx((2 - 1) * 25)
    assert (found.valid, found.failed) == (3, 1)
    assert arithmetic.table([scored(0)]).domains["mcp"].figures["quality"] == -25.0
    assert arithmetic.table([scored(0)]).overall is None


def test_without_a_valid_row_there_is_no_figure():
    found = arithmetic.table([{}, {"task": "os", "failed": 1.0}])
    assert found.overall is found.macro is None and found.rows == 2
    assert list(found.domains) == ["mcp", "os"] and not found.domains["os"].figures


@pytest.mark.parametrize(
    ("line", "field"),
    [(scored(3, format="3"), "format"), (scored(3, total_score=None), "total_score"), (3, "task")],
)
def test_a_line_without_numbers_is_named(tmp_path, line, field):
    path = write(tmp_path / "j.jsonl", [scored(3), line])
    with pytest.raises(DataError) as caught:
        arithmetic.of_file(path)
    assert (caught.value.line, caught.value.field) == (2, field)
