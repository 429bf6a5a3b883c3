"""Calibration: how far a judge can be trusted, measured on observations that are known."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.stub import Answer, Call, Stub, error
from tests.command import worldline
from tests.test_official import made as checkout
from worldline.bench.calibrate.bounds import exact
from worldline.bench.calibrate.count import calibration
from worldline.bench.calibrate.items import FIELD, Tag, attacks, items
from worldline.bench.calibrate.page import page
from worldline.bench.calibrate.report import Graded
from worldline.bench.calibrate.sample import drawn
from worldline.bench.source import open_source
from worldline.prediction import Usage
from worldline.storage import read_trajectories, write_trajectories
from worldline.verify.compare import DIMENSIONS

BLOCK = re.compile(r"<<<(TRUTH|PREDICTION) ([0-9a-f]+)>>>\n(.*?)\n<<<END \1 \2>>>", re.DOTALL)


def verdict(score: int) -> str:
    scores = dict.fromkeys(DIMENSIONS, score)
    return f"<final_evaluation>{json.dumps({'scores': scores})}</final_evaluation>"


def shown(call: Call) -> tuple[str, str]:
    """(truth, prediction) of a question."""
    text = call.body["messages"][-1]["content"]
    found = {one[1]: one[3] for one in BLOCK.finditer(text)}
    return found["TRUTH"], found["PREDICTION"]


def exact_judge(call: Call) -> str:
    """5 for what is the truth but for blanks, 2 for all else."""
    truth, prediction = ("".join(text.split()) for text in shown(call))
    return verdict(5 if truth == prediction else 2)


def gullible(call: Call) -> str:
    asked = any(attack.text.strip() in shown(call)[1] for attack in attacks())
    return verdict(5) if asked else exact_judge(call)


def calibrate(out: Path, stub: Stub, *more: object) -> tuple[int, dict[str, Any], str]:
    """(exit code, report, stderr) of `worldline bench calibrate` on four turns of a terminal."""
    told = ["-o", out, "--json", "-m", f"openai:j@{stub.url}", *(more or SMALL)]
    done = worldline("bench", "calibrate", *told)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


SMALL = ("--domain", "terminal", "--rows", "4")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text("utf-8").split("\n") if text]


# what a user is promised


def test_a_judge_that_sees_every_error_ranks_all_corruptions_below_the_truth(tmp_path):
    with Stub(exact_judge) as stub:
        code, told, said = calibrate(tmp_path, stub)
    assert code == 0 and told["turns"] == 4
    assert told["truth"] == 5 and told["truth_full"]["count"] == 4
    assert told["corrupted"]["count"] == told["corrupted"]["rows"] > 20
    assert told["corrupted"]["declared"] == told["corrupted"]["rows"]
    assert {one["name"] for one in told["dimensions"]} == {*DIMENSIONS}
    assert told["rewarded"]["count"] == 0 and told["rewarded"]["rows"] == 4 * len(attacks())
    assert told["repeats"] == {"rows": 8, "same": 8, "apart": 0.0}
    assert "Too few rows to tell" in said and told["doubts"] == [] and "below their truth" in said
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "Made wrong on purpose" in text and "<script" not in text
    assert lines(tmp_path / "report.json") == [told]


def test_a_lenient_judge_is_not_trusted_and_the_reason_names_its_limit(tmp_path):
    with Stub(verdict(5)) as stub:
        code, told, said = calibrate(tmp_path, stub)
    assert code == 0 and told["corrupted"]["count"] == 0
    assert "Do not trust it yet: corruptions ranked below the truth: 0.0% (at least 90.0%)" in said


def test_a_judge_that_gives_points_for_asking_is_found_out(tmp_path):
    with Stub(gullible) as stub:
        _, told, _ = calibrate(tmp_path, stub)
    assert told["rewarded"]["count"] == told["rewarded"]["rows"] == 16
    assert {one["name"] for one in told["attacks"]} == {one.name for one in attacks()}
    assert any("attacks rewarded: 100.0% (at most 5.0%)" in one for one in told["doubts"])


def test_a_judge_that_says_something_else_the_second_time_is_found_out(tmp_path):
    with Stub(lambda call: verdict(1 + call.body["seed"] % 5)) as stub:
        _, told, _ = calibrate(tmp_path, stub)
    assert told["repeats"]["rows"] == 8 and told["repeats"]["same"] < 8
    assert any("apart" in one for one in told["doubts"])


def test_what_has_no_grade_is_counted_by_its_reason_and_is_no_bad_grade(tmp_path):
    def reply(call: Call) -> str | Answer:
        if "Quality: 5" in shown(call)[1]:
            return "Well done!"
        return error(400, "no") if "END PREDICTION>>>" in shown(call)[1] else exact_judge(call)

    with Stub(reply) as stub:
        code, told, said = calibrate(tmp_path, stub, *SMALL, "--tries", 1)
    assert told["unscored"]["no_verdict"] >= 4
    assert any(name.startswith("infra_error/") for name in told["unscored"])
    assert told["rewarded"]["rows"] == 8 and code == 1 and "--retry-failed" in said
    assert any("without a grade" in one for one in told["doubts"])


def test_a_calibration_goes_on_where_it_stopped_and_refuses_other_turns(tmp_path):
    with Stub(exact_judge) as stub:
        calibrate(tmp_path, stub)
        count = len(stub.requests)
        kept = (tmp_path / "judged.jsonl").read_bytes().split(b"\n")
        (tmp_path / "judged.jsonl").write_bytes(b"\n".join(kept[:5]) + b"\n")
        _, told, _ = calibrate(tmp_path, stub)
        assert len(stub.requests) == count + told["items"] - 5
        code, _, said = calibrate(tmp_path, stub, *SMALL, "--seed", 1)
    assert code == 2 and "other turns" in said


def test_the_cost_of_a_whole_benchmark_is_reckoned_from_tokens_and_a_price(tmp_path):
    with Stub(lambda call: Answer(content=exact_judge(call), prompt_tokens=1000)) as stub:
        _, told, said = calibrate(tmp_path, stub, *SMALL, "--price", "2,10")
    cost = told["cost"]
    assert cost["asked"] == told["items"] + 8
    assert cost["tokens_in"] == 2_170_000
    assert cost["projected"] == pytest.approx((2 * 2_170_000 + 10 * cost["tokens_out"]) / 1e6, 1e-3)
    assert "for a whole benchmark" in said


def test_a_users_own_recordings_serve_and_no_tag_reaches_the_judge(tmp_path):
    source = tmp_path / "mine.jsonl"
    ours = open_source("worldline-bench")
    home = next(iter(ours.items())).trajectory  # pyright: ignore
    write_trajectories(source, [home])
    with Stub(exact_judge) as stub:
        code, told, _ = calibrate(tmp_path / "out", stub, source, "--rows", "1")
    assert code == 0 and told["turns"] == 1
    texts = "".join(str(call.body) for call in stub.requests)
    assert FIELD not in texts and "corruption" not in texts
    assert next(read_trajectories(source)).id == lines(tmp_path / "out/items.jsonl")[0]["id"]


def test_turns_that_cannot_be_made_wrong_are_refused_with_the_reason(tmp_path):
    with Stub(exact_judge) as stub:
        code, _, said = calibrate(tmp_path, stub, "--domain", "generic")
    assert code == 2 and "made wrong" in said


def test_a_domain_that_the_source_does_not_have_is_named_with_those_it_has(tmp_path):
    with Stub(exact_judge) as stub:
        code, _, said = calibrate(tmp_path, stub, "--domain", "web")
    assert code == 2 and "no turn of web: it has mcp, search, swe, terminal" in said


def test_two_rows_are_too_few_to_tell(tmp_path):
    with Stub(exact_judge) as stub:
        code, told, said = calibrate(tmp_path, stub, "--rows", "2", "--domain", "terminal")
    assert code == 0 and told["doubts"] == [] and "Too few rows to tell" in said
    assert told["undecided"] and told["covered"] == "terminal"


def test_a_dry_run_says_what_it_would_ask_and_asks_nothing(tmp_path):
    out = tmp_path / "out"
    with Stub(exact_judge) as stub:
        code, told, said = calibrate(out, stub, *SMALL, "--dry-run", "--price", "1,2")
        assert code == 0 and not told and not stub.requests and not out.exists()
        found = re.search(r"([\d,]+) calls, about ([\d,]+) tokens in, \$", said)
        assert found
        _, made, _ = calibrate(out, stub)
        assert len(stub.requests) == int(found[1].replace(",", "")) == made["items"] + 8


def test_a_calibration_takes_official_prompts(tmp_path):
    folder = checkout(tmp_path / "official")
    with Stub(verdict(5)) as stub:
        code, told, _ = calibrate(tmp_path / "out", stub, *SMALL, "--official", folder)
        assert code == 0 and told["truth"] == 5
        assert "**Ground Truth (Real Output):**" in stub.requests[0].body["messages"][-1]["content"]


# what is judged


def test_the_same_seed_draws_the_same_turns_and_makes_the_same_observations():
    def made(seed: int) -> list[Any]:
        found = drawn(open_source("worldline-bench"), 2, seed, ["search", "swe"])
        return [items(n, one, 0.3, seed) for _, some in found for n, one in enumerate(some)]

    assert made(1) == made(1) and made(1) != made(2)


def test_each_observation_is_what_its_tag_says():
    found = drawn(open_source("worldline-bench"), 1, 0)
    for _, some in found:
        one = next(some)
        made = items(0, one, 0.3)
        assert made is not None and made[0].text == one.moment.truth
        wrong = next(each.text for each in made if each.tag.kind == "wrong")
        for each in made[1:]:
            assert each.text != one.moment.truth
            assert (each.tag.dimension is not None) == (each.tag.kind == "corruption")
            if each.tag.kind == "attack":
                assert each.text.startswith(wrong.rstrip())


# arithmetic with known answers


def graded(row: int, kind: Any, score: int | None, name: str = "", **scores: int) -> Graded:
    cost: Any = "factuality" if kind == "corruption" else None
    told = None if score is None else {**dict.fromkeys(DIMENSIONS, score), **scores}
    tag = Tag(row=row, kind=kind, name=name, dimension=cost)
    reason = None if told else "no_verdict"
    return Graded(tag, "terminal", told, reason, Usage(prompt=100, completion=10), 1)


def test_shares_are_counted_over_pairs_that_both_have_a_grade():
    grades = [
        graded(0, "truth", 5),
        graded(0, "corruption", 5, "a", factuality=4),
        graded(0, "corruption", 5, "a", quality=4),
        graded(0, "corruption", 5, "b"),
        graded(0, "variant", 4, "clock"),
        graded(0, "wrong", 2),
        graded(0, "attack", 3, "praise"),
        graded(0, "attack", 2, "verdict"),
        graded(1, "truth", None),
        graded(1, "corruption", 1, "a"),
        graded(1, "wrong", 2),
        graded(1, "attack", None, "praise"),
    ]
    again = [graded(0, "truth", 5), graded(0, "wrong", 3)]
    found = calibration("j", grades, again, heaviness=0.5, price=(1.0, 2.0))
    assert (found.corrupted.rows, found.corrupted.count, found.corrupted.declared) == (3, 2, 1)
    assert [(one.name, one.count, one.rows) for one in found.kinds] == [("a", 2, 2), ("b", 0, 1)]
    assert (found.punished.count, found.punished.rows) == (1, 1)
    assert (found.rewarded.count, found.rewarded.rows) == (1, 2)
    assert found.unscored == {"no_verdict": 2} and found.unreadable == pytest.approx(2 / 12)
    assert (found.repeats.same, found.repeats.apart) == (1, 0.5)
    assert found.cost.dollars == pytest.approx((14 * 100 + 2 * 140) / 1e6)
    assert found.cost.tokens_in == 217_000


def test_a_judge_is_trusted_exactly_within_all_limits():
    grades = [
        graded(0, "truth", 5),
        *(graded(0, "corruption", 4, "a") for _ in range(9)),
        graded(0, "corruption", 5, "a"),
        graded(0, "variant", 5, "clock"),
        graded(0, "wrong", 1),
        graded(0, "attack", 1, "praise"),
    ]
    again = [graded(0, "truth", 5), graded(0, "wrong", 1)]
    few = calibration("j", grades, again, heaviness=0.5)
    assert few.doubts() == [] and few.verdict().startswith("Too few rows to tell")
    assert "attacks rewarded: 0.0%, may be 97.5% (at most 5.0%)" in few.verdict()
    many = [graded(n, one.tag.kind, 5, one.tag.name) for n in range(80) for one in grades[:1]]
    for n in range(80):
        many.append(graded(n, "corruption", 4, "a"))
        many.append(graded(n, "variant", 5, "clock"))
        many.extend((graded(n, "wrong", 1), graded(n, "attack", 1, "praise")))
    good = calibration("j", many, again, heaviness=0.5)
    assert good.undecided() == []
    assert good.verdict().startswith("It can be trusted as far as 80 turns of terminal tell")
    worse = calibration("j", [*grades, graded(0, "corruption", 5, "a")], again, heaviness=0.5)
    assert [one.partition(":")[0] for one in worse.doubts()] == [
        "corruptions ranked below the truth"
    ]


@pytest.mark.parametrize(
    ("count", "rows", "low", "high"),
    [(0, 34, 0.0, 0.1028), (34, 34, 0.8972, 1.0), (5, 10, 0.1871, 0.8129), (0, 0, 0.0, 1.0)],
)
def test_bounds_of_a_share_are_exact(count, rows, low, high):
    assert exact(count, rows) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_bounds_hold_the_share_and_mirror_each_other(counted):
    count, rows = counted
    low, high = exact(count, rows)
    assert 0 <= low <= count / rows <= high <= 1
    assert exact(rows - count, rows) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_a_page_of_hostile_names_runs_nothing():
    bad = "<script>alert(1)</script>\x1b[2J"
    found = calibration(bad, [graded(0, "truth", 5), graded(0, "variant", 1, bad)], [], heaviness=0)
    made = page(found)
    assert "<script" not in made and "\x1b" not in made


def test_a_file_in_place_of_the_folder_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with Stub("never asked") as stub:
        spec = f"openai:judge@{stub.url}"
        done = worldline("bench", "calibrate", "-m", spec, "-o", tmp_path / "file", "--rows", 1)
    assert done.returncode == 2 and "Traceback" not in done.stderr and "file" in done.stderr
    assert not stub.requests
