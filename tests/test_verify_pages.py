"""Pages of verified rows: marks that say why, each thing once, nothing looks right that is not."""

import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from worldline.bench.assess_page import telling
from worldline.bench.sides import sides
from worldline.bench.tally import Counted
from worldline.bench.verified import DIFFERENCES, Sides, Verified
from worldline.bench.verify_page import page
from worldline.bench.worst import Worst
from worldline.pages import Mark, bars, frame, marked, table
from worldline.prediction import Violation


def row(**known) -> Verified:
    given = {
        "line": 1,
        "id": "farm-1",
        "session": "farm-1/x",
        "domain": "terminal",
        "dialect": "command",
        "turn": 1,
        "model": "copy",
        "origin": "model",
        "status": "scored",
        "true": {"score": 0.5},
    }
    return Verified(**{**given, **known})


def text_of(html: str) -> str:
    return re.sub(r"<[^>]*>", "", html)


@given(
    st.text("ab\n", max_size=30),
    st.lists(st.builds(Mark, st.integers(-5, 40), st.integers(-5, 40), st.just("wrong"))),
)
def test_marks_change_no_text_and_cover_what_they_are_about(text: str, marks: list[Mark]):
    html = marked(text, marks)
    assert text_of(html) == text
    shown = "".join(re.findall(r"<mark[^>]*>([^<]*)</mark>", html))
    wanted = {i for one in marks for i in range(max(0, one.start), min(one.end, len(text)))}
    assert shown == "".join(text[i] for i in sorted(wanted))


def test_where_marks_overlap_both_count_and_their_words_are_escaped():
    html = marked("abcdef", [Mark(0, 4, "wrong", '"<b>'), Mark(2, 6, "breaks", "rule")])
    assert html == (
        '<mark class="wrong" title="&quot;&lt;b&gt;">ab</mark>'
        '<mark class="wrong breaks" title="&quot;&lt;b&gt;; rule">cd</mark>'
        '<mark class="breaks" title="rule">ef</mark>'
    )


def test_each_mark_says_what_it_cost_and_why():
    wrong = (
        {"dimension": "factuality", "what": "changed", "truth": (0, 4), "given": (0, 5)},
        {"dimension": "quality", "what": "missing", "truth": (5, 8), "given": None},
        {"dimension": "format", "what": "unreadable", "truth": None, "given": None},
    )
    rule = Violation(rule="terminal.known", severity="error", message="no", span=(0, 5))
    seen = row(differences=wrong, differing=3, violations=(rule,))
    html = sides(Sides(seen, "cat a", "oats\nhay", "wheat"))
    assert "costs factuality: changed, not the true value" in html
    assert "costs quality: missing, not in the prediction" in html
    assert "breaks terminal.known (error)" in html and "format: unreadable (1)" in html


def test_differences_beyond_those_kept_are_told():
    wrong = ({"dimension": "quality", "what": "extra", "truth": None, "given": (0, 1)},)
    html = sides(Sides(row(differences=wrong, differing=7), "a", "b", "c"))
    assert "the first 1 differences are marked; 6 more are not" in html
    assert DIFFERENCES == 200


def test_nothing_is_shown_as_nothing():
    html = sides(Sides(row(), "true", "", "\n"))
    assert "<pre class=none>(nothing)</pre>" in html
    assert "<pre class=none>(nothing but blanks)</pre>" in html


def test_one_action_and_truth_is_shown_once_and_the_worst_of_them():
    worst = Worst()
    for number, score in enumerate([0.4, 0.1, 0.3]):
        worst.add(Sides(row(turn=number, true={"score": score}), "ls", "a.txt", f"{number}"))
    worst.add(Sides(row(turn=9, true={"score": 0.2}), "ls", "b.txt", "x"))
    assert [one.row.turn for one in worst.of("terminal")] == [1, 9]


@given(st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), max_size=40), st.integers(1, 4))
def test_what_is_kept_is_the_worst_of_what_came(came: list[tuple[int, float]], each: int):
    worst, best = Worst(each), dict[int, float]()
    for truth, score in came:
        worst.add(Sides(row(true={"score": score}), "ls", f"file {truth}", ""))
        best[truth] = min(score, best.get(truth, 1.0))
    kept = [one.row.true["score"] for one in worst.of("terminal")]
    assert kept == sorted(best.values())[:each] or _ties(kept, best, each)


def _ties(kept: list[float], best: dict[int, float], each: int) -> bool:
    """Scores a rounding apart may stand in either order."""
    wanted = sorted(best.values())[:each]
    return all(abs(a - b) < 1e-9 for a, b in zip(kept, wanted, strict=True))


def test_recordings_have_one_pane_with_what_breaks_a_rule_marked():
    rule = Violation(rule="terminal.known", severity="error", message="no", span=(0, 5))
    note = Violation(rule="undeclared_argument", severity="warning", message="passes")
    known = {"status": "guarded", "model": "recorded", "true": {}}
    seen = row(**known, violations=(rule,), notes=(note,))
    counted, worst = Counted(), Worst()
    for one in (seen, row(**known, notes=(note,)), row(**known)):
        counted.add(one)
        worst.add(Sides(one, "cat feed.txt", "wheat", "wheat"))
    html = page(counted.groups(), worst, "Verified")
    assert html.count("<div class=turn>") == 1 and "class=sides" not in html
    assert "Farthest" not in html and "plausible" not in html
    assert '<mark class="breaks" title="breaks terminal.known (error)">wheat</mark>' in html
    whole = counted.groups()[0]
    assert (whole.errors, whole.warnings, whole.noted) == (1, 0, 2)
    assert (whole.rules, whole.notes) == ({"terminal.known": 1}, {"undeclared_argument": 2})


def test_words_of_two_letters_and_small_numbers_tell_nothing():
    words = ["md", "14", "128", "csv", "1024", "harbours"]
    assert [word for word in words if telling(word)] == ["csv", "1024", "harbours"]


def test_only_heads_of_columns_look_like_heads_and_tables_scroll_in_their_box():
    html = frame("T", table(("a", "b"), [("x", "1")]) + bars({"first": 1}))
    assert "<div class=wide><table>" in html
    assert "tr:first-child" not in html and "th[scope=col] {" in html
    assert "<th scope=col" not in html.split("<table class=bars>")[1]


def test_a_group_of_scores_survives_json():
    counted = Counted()
    counted.add(row())
    (whole, _) = counted.groups()
    assert msgspec.convert(msgspec.to_builtins(whole), type(whole)) == whole
