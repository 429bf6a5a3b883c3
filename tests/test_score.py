"""Scores: both means by name, with intervals, coverage and bounds; what is missing is told."""

import itertools
import json
import math
import re
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.stub import Stub
from tests.judging import predicted, row, run, verdict, write
from tests.scoring import judged, official, run_of, worldline
from worldline.bench.calibrate.count import calibration
from worldline.bench.calibrate.items import Tag
from worldline.bench.calibrate.page import page as calibration_page
from worldline.bench.calibrate.report import Graded
from worldline.bench.score.correlation import Pair as Both
from worldline.bench.score.correlation import alpha, correlated, pearson, ranks, spearman
from worldline.bench.score.intervals import Stratum, estimates
from worldline.bench.score.page import page
from worldline.bench.score.panel import panel
from worldline.bench.score.published import published
from worldline.bench.score.run import load
from worldline.bench.score.table import macro, micro, score
from worldline.bench.score.worst import Worst
from worldline.errors import DataError, UsageError
from worldline.prediction import Usage
from worldline.verify.compare import DIMENSIONS

HOSTILE = "<script>alert(1)</script>\x1b]52;c;aGk=\x07\u202e</svg>'\""
DRAWS = 200


def scored(path, lines, **options):
    return score(run_of(path, lines, **options), draws=DRAWS)


# both means


def test_ur_s03_macro_and_micro_are_two_numbers_with_names_and_macro_is_the_headline(tmp_path):
    lines = [judged(5, id=n, domain="mcp") for n in range(9)] + [judged(1, id=9, domain="os")]
    done = worldline("score", write(tmp_path / "j.jsonl", lines), "--json", "--draws", DRAWS)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["headline"] == "macro"
    assert told["macro"]["score"]["value"] == 50.00
    assert told["micro"]["score"]["value"] == 90.00
    headline, second = done.stderr.splitlines()[:2]
    assert headline.startswith("Macro, the headline") and "50.00" in headline
    assert second.startswith("Micro") and "90.00" in second


def test_ur_s03_the_published_domain_scores_give_both_published_means(tmp_path):
    table = published()
    (model,) = (one for one in table.models if one.model == "Qwen-AgentWorld-35B-A3B")
    values = [model.domains[name] for name in table.rows]
    assert f"{macro(values):.2f}" == "56.39"
    assert f"{micro(values, [*table.rows.values()]):.2f}" == "55.36"
    lines = []
    for domain, count in table.rows.items():
        points = round((model.domains[domain] / 25 + 1) * 5 * count)  # of all 1 to 5 together
        for number in range(count):
            share = points // (count - number)
            points -= share
            five = [share // 5 + (place < share % 5) for place in range(5)]
            lines.append(judged(five, id=number // 4, turn=number % 4 + 1, domain=domain))
    found = scored(tmp_path / "j.jsonl", lines)
    assert found.rows == 2_170
    assert found.macro.score.value == pytest.approx(56.39, abs=0.01)
    assert found.micro.score.value == pytest.approx(55.36, abs=0.01)
    for group in found.domains:
        assert group.score.value == pytest.approx(model.domains[group.name], abs=0.01)


def test_the_published_averages_are_macro_but_for_the_row_whose_average_is_misprinted():
    for one in published().models:
        off = abs(macro(one.domains.values()) - one.average)
        assert off > 0.04 if one.model == "Qwen-AgentWorld-397B-A17B" else off < 0.0051


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["mcp", "os", "web"]),
            st.integers(0, 3),
            st.none() | st.lists(st.integers(1, 5), min_size=5, max_size=5),
        ),
        min_size=1,
        max_size=25,
    )
)
@settings(max_examples=40)
def test_every_figure_is_what_the_formula_says(tmp_path_factory, drawn):
    path = tmp_path_factory.mktemp("score") / "j.jsonl"
    lines = [judged(s, id=i, turn=n + 1, domain=d) for n, (d, i, s) in enumerate(drawn)]
    found = scored(path, lines)
    known = [(d, (mean(s) - 1) / 4 * 100) for d, _, s in drawn if s]
    by_domain = {d: [v for name, v in known if name == d] for d in {d for d, _ in known}}
    if not known:
        assert found.macro.score.value is None and found.micro.score.value is None
        assert found.macro.score.bounds == found.micro.score.bounds == (0, 100)
        return
    near = {"abs": 1e-3}
    assert found.micro.score.value == pytest.approx(mean(v for _, v in known), **near)
    assert found.macro.score.value == pytest.approx(mean(map(mean, by_domain.values())), **near)
    assert mean(f.value for f in found.micro.dimensions.values()) == pytest.approx(
        found.micro.score.value, **near
    )
    missing = 100 * (len(drawn) - len(known))
    ends = [(sum(v for _, v in known) + more) / len(drawn) for more in (0, missing)]
    assert found.micro.score.bounds == pytest.approx(ends, **near)
    for group in (*found.domains, *found.depths, *found.contexts):
        low, high = group.score.bounds
        assert low - 1e-3 <= (group.score.value or low) <= high + 1e-3
        assert group.score.interval is None or group.sessions > 1


# what is missing


def test_ur_s12_one_row_at_5_and_nine_failures_is_no_perfect_score(tmp_path):
    lines = [official(5, id=0, domain="mcp")]
    lines += [official(None, id=n, domain="mcp") for n in range(1, 10)]
    source = write(tmp_path / "j.jsonl", lines)
    done = worldline("score", source, "--json", "--compat", "official")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["macro"]["score"] == {"value": 100.0, "interval": None, "bounds": [10.0, 100.0]}
    assert (told["scored"], told["rows"], told["coverage"]) == (1, 10, 0.1)
    assert told["official"]["overall"] == 100.0
    assert "bounds 10.00 ... 100.00" in done.stderr and "1 of 10 rows" in done.stderr
    assert "below 98%" in done.stderr
    assert worldline("score", source, "--coverage", "0.1").returncode == 0


def test_ur_s04_a_verdict_that_cannot_be_read_is_no_bad_verdict(tmp_path):
    source = write(tmp_path / "p.jsonl", [predicted(id=n) for n in range(4)])
    out = tmp_path / "j.jsonl"

    def reply(call):
        asked = call.body["messages"][-1]["content"]
        return "Overall this is a solid simulation." if "A3 of 3" in asked else verdict(4)

    with Stub(reply) as stub:
        run(source, out, stub.url)
    done = worldline("score", out, "--json")
    told = json.loads(done.stdout)
    assert told["macro"]["score"]["value"] == 75.00
    assert (told["scored"], told["rows"]) == (3, 4)
    assert told["reasons"] == {"judge": {"no_verdict": 1}}
    assert "3 of 4 rows (75.0%)" in done.stderr and "no_verdict 1" in done.stderr
    assert told["under"]["settings"]["judge"]["sampling"]["max_tokens"] > 0
    assert done.returncode == 1


def test_troubles_of_predictions_and_of_the_judge_are_told_apart(tmp_path):
    lines = [
        judged(4, id=1),
        judged(None, id=2, stage="prediction", reason="no_prediction/truncated"),
        judged(None, id=3, reason="infra_error/rate_limited"),
        official(None, id=4, gen="<think>cut off"),
    ]
    lines[3]["gen"] = ""
    found = scored(tmp_path / "j.jsonl", lines, mixed=True)
    assert found.reasons == {
        "judge": {"infra_error/rate_limited": 1},
        "prediction": {"no_prediction/truncated": 1, "no_prediction/empty": 1},
    }


def test_a_domain_without_a_score_is_named_and_its_bounds_count(tmp_path):
    lines = [judged(5, id=1, domain="mcp"), judged(None, id=2, domain="os")]
    found = scored(tmp_path / "j.jsonl", lines)
    assert found.unscored_domains == ("os",)
    assert found.macro.score.value == 100
    assert found.macro.score.bounds == (50, 100)


def test_what_the_official_script_did_not_judge_is_a_trouble_of_the_prediction(tmp_path):
    line = official(None, id=1, gen="")
    line["worldline"] = {"model": "m", "outcome": "ok", "observation": ""}
    other = official(None, id=2)
    for one, message in ((line, "No model generation"), (other, "Judge scoring failed")):
        one["error_message"] = message
    found = scored(tmp_path / "j.jsonl", [line, other])
    assert found.reasons == {"prediction": {"no_prediction/empty": 1}, "judge": {"failed": 1}}


def test_rows_that_count_as_scored_elsewhere_and_not_here_are_told_with_the_reason(tmp_path):
    odd = judged(3, id=1)
    odd["worldline_judge"]["scores"]["realism"] = 0
    lines = [odd, judged(None, id=2, reason="unreadable"), judged(5, id=3), judged(4, id=4)]
    source, out = write(tmp_path / "j.jsonl", lines), tmp_path / "page.html"
    told = json.loads((done := worldline("score", source, "--json")).stdout)
    assert (told["scored"], told["stricter"]) == (2, 1)
    assert "1 more count as scored where they were judged" in done.stderr
    worldline("report", source, "-o", out)
    assert "1 more count as scored where they were judged" in out.read_text("utf-8")


def test_what_the_judge_took_stands_apart_from_what_the_model_under_test_took(tmp_path):
    lines = [judged(4, id=n, tokens=7) for n in range(3)]
    for line in lines[:2]:
        line["worldline"]["usage"]["cost_usd"] = 0.5
        line["worldline_judge"]["usage"] = {"prompt": 900, "completion": 30, "cost_usd": 0.25}
    source, out = write(tmp_path / "j.jsonl", lines), tmp_path / "page.html"
    told = json.loads((done := worldline("score", source, "--json")).stdout)
    assert told["predicting"] == {"rows": 3, "prompt": 210, "completion": 21, "cost_usd": 1.0}
    assert told["judging"] == {"rows": 2, "prompt": 1800, "completion": 60, "cost_usd": 0.5}
    worldline("report", source, "-o", out)
    for said in (done.stderr, out.read_text("utf-8")):
        assert (
            "Predicting took (m, the model under test): tokens in 210, tokens out 21, $1.0" in said
        )
        assert (
            "Judging took (openai:judge, the judge): tokens in 1,800, tokens out 60, $0.5" in said
        )
        assert "(2 of 3 rows say)" in said


@pytest.mark.parametrize("bad", [4.5, 0, 6, True, None, "4", math.pi])
def test_a_verdict_with_a_score_that_is_none_counts_as_unscored(tmp_path, bad):
    line = official(3, id=1)
    line["realism"] = bad
    found = scored(tmp_path / "j.jsonl", [line, official(5, id=2)])
    assert found.scored == 1 and found.reasons == {"judge": {"unreadable": 1}}
    assert found.micro.score.value == 100


# what can be read


def test_predictions_that_nobody_judged_are_refused_with_the_way_out(tmp_path):
    source = write(tmp_path / "p.jsonl", [official(3), predicted(id=2)])
    done = worldline("score", source)
    assert done.returncode == 2
    assert "p.jsonl, line 2, worldline_judge: was not judged" in done.stderr
    assert "worldline bench judge" in done.stderr
    folder = tmp_path / "empty"
    folder.mkdir()
    with pytest.raises(DataError, match="folder without judged rows"):
        load([folder])


def test_files_of_a_folder_are_one_run_and_what_is_not_judged_in_it_is_left_alone(tmp_path):
    write(tmp_path / "mcp.jsonl", [judged(5, id=1, domain="mcp")])
    write(tmp_path / "os.jsonl", [judged(1, id=2, domain="os")])
    write(tmp_path / "predictions.jsonl", [predicted()])
    found = score(load([tmp_path]), draws=DRAWS)
    assert [group.name for group in found.domains] == ["mcp", "os"]
    assert found.macro.score.value == 50


def test_rows_of_different_judges_or_twice_the_same_rows_are_no_run(tmp_path):
    one = write(tmp_path / "a.jsonl", [judged(5, id=1)])
    other = write(tmp_path / "b.jsonl", [judged(1, id=2, judge="openai:other")])
    with pytest.raises(UsageError, match=r"judges: openai:judge, openai:other.*--different-judges"):
        load([one, other])
    assert len(load([one, other], mixed=True).rows) == 2
    again = write(tmp_path / "c.jsonl", [judged(3, id=1)])
    with pytest.raises(UsageError, match=r"a row that a\.jsonl has too.*--panel"):
        load([one, again])
    prompts = write(tmp_path / "d.jsonl", [judged(3, id=3, prompt_sha="2" * 64)])
    with pytest.raises(UsageError, match="judge prompts of terminal"):
        load([one, prompts])


def test_a_row_that_comes_twice_in_a_file_counts_twice(tmp_path):
    found = scored(tmp_path / "j.jsonl", [judged(5, id=1), judged(1, id=1)])
    assert (found.rows, found.sessions, found.micro.score.value) == (2, 1, 50)


# by what decides it


def test_by_turn_and_by_length_of_the_context(tmp_path):
    lines = [judged(5, id=n, turn=1, system_str="") for n in range(2)]
    lines += [judged(1, id=n, turn=3, system_str="x" * 9_000) for n in range(2, 4)]
    found = scored(tmp_path / "j.jsonl", lines)
    assert [(g.name, g.rows, g.score.value) for g in found.depths] == [
        ("turn 1", 2, 100),
        ("turns 2 to 5", 2, 0),
    ]
    assert [(g.name, g.rows, g.score.value) for g in found.contexts] == [
        ("under 8k", 2, 100),
        ("8k to 32k", 2, 0),
    ]


def test_by_dimension(tmp_path):
    found = scored(tmp_path / "j.jsonl", [judged([1, 2, 3, 4, 5], id=1)])
    values = [found.macro.dimensions[name].value for name in DIMENSIONS]
    assert values == [0, 25, 50, 75, 100]


def test_tokens_per_prediction_are_over_the_rows_that_say(tmp_path):
    lines = [judged(3, id=n, tokens=t) for n, t in enumerate((10, 20, 60, None))]
    found = scored(tmp_path / "j.jsonl", lines).tokens
    assert (found.rows, found.completion_mean, found.completion_median) == (3, 30, 20)
    assert (found.completion_total, found.prompt_mean) == (90, 300)


# intervals


def test_intervals_hold_the_truth_as_often_as_they_say_where_rows_of_a_session_are_alike():
    rng = np.random.default_rng(5)
    hits = naive = 0
    for _ in range(200):
        clustered, alone = {}, {}
        for name, centre in (("mcp", 30.0), ("os", 50.0), ("web", 70.0)):
            sizes = rng.integers(1, 8, size=12)
            sessions = [str(s) for s, size in enumerate(sizes) for _ in range(size)]
            effects = np.repeat(rng.normal(0, 15, size=12), sizes)
            values = (centre + effects + rng.normal(0, 10, size=len(sessions)))[:, None]
            clustered[name] = Stratum(sessions, values)
            alone[name] = Stratum([str(n) for n in range(len(sessions))], values)
        hits += within(50, estimates(clustered, DRAWS).macro)
        naive += within(50, estimates(alone, DRAWS).macro)
    assert 0.91 <= hits / 200 <= 0.985
    assert naive / 200 < 0.8  # rows taken for independent evidence: far too sure


def within(truth, found):
    ((low, high),) = found.intervals
    return low <= truth <= high


def test_one_session_alone_has_no_interval(tmp_path):
    lines = [judged(n + 1, id=1, turn=n + 1) for n in range(4)]
    found = scored(tmp_path / "j.jsonl", lines)
    assert found.sessions == 1
    assert found.macro.score.interval is found.micro.score.interval is None
    assert "95 %" not in worldline("score", tmp_path / "j.jsonl").stderr.splitlines()[0]


def test_ids_that_repeat_are_sessions_by_their_content(tmp_path):
    lines = [
        judged(n + 1, id=1, prompt=[f"act {n}"], current_prompt=f"act {n}", turn=1)
        for n in range(4)
    ]
    assert scored(tmp_path / "j.jsonl", lines).sessions == 4


@given(st.permutations(range(12)), st.integers(0, 3))
@settings(max_examples=15)
def test_the_same_rows_have_the_same_interval_in_any_order(order, seed):
    sessions = [str(n % 5) for n in range(12)]
    values = np.array([[float(n * n % 7)] for n in range(12)])
    straight = estimates({"mcp": Stratum(sessions, values)}, DRAWS, seed)
    mixed = estimates(
        {"mcp": Stratum([sessions[n] for n in order], values[list(order)])}, DRAWS, seed
    )
    assert mixed.micro.intervals[0] == pytest.approx(straight.micro.intervals[0])


def test_ur_s14_the_same_command_writes_the_same_report(tmp_path):
    lines = [judged([1 + n % 5, 3, 4, 2, 1 + n % 3], id=n // 2, turn=n % 2 + 1) for n in range(8)]
    source = write(tmp_path / "j.jsonl", lines)
    texts = []
    for name in ("one.json", "two.json"):
        done = worldline("score", source, "-o", tmp_path / name, "--draws", DRAWS)
        assert done.returncode == 0, done.stderr
        texts.append((tmp_path / name).read_bytes())
    assert texts[0] == texts[1] and json.loads(texts[0])["macro"]["score"]["interval"]


# beside the exact scorecard


def test_the_exact_scorecard_stands_beside_the_judge_with_their_correlation(tmp_path):
    lines = []
    for n in range(6):
        truth = f"alpha {n}\nbeta {n}\ngamma {n}"
        said = truth if n % 2 else f"delta {n}"
        one = {"prompt": [f"cmd {n}"], "current_prompt": f"cmd {n}", "turn": 1}
        response = [f"**Environment Observation:**\n{truth}"]
        lines.append(judged(5 if n % 2 else 2, id=n, gen=said, response=response, **one))
    source = write(tmp_path / "j.jsonl", lines)
    told = json.loads(worldline("score", source, "--json", "--draws", DRAWS).stdout)
    overall = told["exact"]["overall"]
    assert overall["rows"] == 6
    assert overall["pearson"]["value"] == overall["spearman"]["value"] == 1.0
    assert 40 < told["macro"]["exact"] < 100
    assert set(told["exact"]["dimensions"]) == set(DIMENSIONS)
    without = json.loads(worldline("score", source, "--json", "--no-exact").stdout)
    assert without["exact"] is None and without["macro"]["exact"] is None
    assert without["macro"]["score"]["value"] == told["macro"]["score"]["value"]


# agreement: published values, and laws

_ = None
FOUR_OBSERVERS = [  # Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section D
    [1, 1, _, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [_, 5, 5, 5],
    [_, _, 1, 1],
    [_, 3, _, _],
]


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorffs_alpha_of_his_own_example(level, value):
    assert alpha(FOUR_OBSERVERS, level) == pytest.approx(value, abs=0.0005)


@given(
    st.lists(
        st.lists(st.none() | st.integers(1, 5), min_size=3, max_size=3), min_size=2, max_size=20
    ),
    st.permutations(range(3)),
    st.sampled_from(["nominal", "ordinal", "interval"]),
)
def test_alpha_is_at_most_1_and_1_only_in_agreement_whoever_stands_first(units, order, level):
    found = alpha(units, level)
    turned = alpha([[unit[n] for n in order] for unit in units], level)
    assert found == turned or found == pytest.approx(turned)
    rated = [kept for unit in units if len(kept := [v for v in unit if v is not None]) > 1]
    agreed = all(len(set(unit)) == 1 for unit in rated)
    if found is None:
        assert len({v for unit in rated for v in unit}) < 2
    else:
        assert found <= 1 + 1e-9 and (found > 1 - 1e-9) == agreed


def test_pearson_of_anscombes_quartet_and_spearman_with_ties():
    x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    for y in (
        [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68],
        [9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74],
    ):
        assert pearson(x, y) == pytest.approx(0.816, abs=0.0005)
    assert ranks([1, 2, 2, 3]) == [1, 2.5, 2.5, 4]
    assert spearman([1, 2, 2, 3], [1, 3, 2, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    assert spearman([1, 2, 3], [1, 100, 101]) == pytest.approx(1)
    assert pearson([1, 1, 1], [1, 2, 3]) is None and pearson([], []) is None


def test_a_correlation_lies_within_its_interval_which_shrinks_with_sessions():
    rng = np.random.default_rng(1)

    def of(sessions):
        x = rng.normal(size=sessions)
        y = x + rng.normal(size=sessions)
        pairs = [
            Both(str(n), float(a), float(b)) for n, (a, b) in enumerate(zip(x, y, strict=True))
        ]
        return correlated({"mcp": pairs}, 500).pearson

    few, many = of(12), of(300)
    for one in (few, many):
        assert one.interval[0] < one.value < one.interval[1]
    assert many.interval[1] - many.interval[0] < few.interval[1] - few.interval[0]


def test_a_measure_that_hardly_ever_changes_has_no_coefficient():
    def of(one, other):
        pairs = [Both(str(n), *both) for n, both in enumerate(zip(one, other, strict=True))]
        return correlated({"mcp": pairs}, 500)

    steady, moving = [5.0] * 38, [float(n % 5) for n in range(40)]
    for few in ([1.0, 2.0], [1.0, 1.0]):
        for found in (of([*steady, *few], moving), of(moving, [*steady, *few])):
            assert found.pearson.value is found.spearman.value is None
            assert found.pearson.interval is None and found.rows == 40
    assert of([*steady[:30], *[1.0] * 10], moving).pearson.interval is not None
    # Three rows differ, all of one session: most draws have it or have it not.
    pairs = [Both(str(min(n, 20)), float(n >= 20), float(n)) for n in range(23)]
    assert correlated({"mcp": pairs}, 500).pearson.value is None


# a panel


def votes(folder, *judges, **more):
    folder.mkdir(exist_ok=True)
    files = []
    for number, scores in enumerate(judges):
        lines = [
            judged(s, id=n, turn=1, judge=f"openai:j{number}", **more) for n, s in enumerate(scores)
        ]
        files.append(write(folder / f"j{number}.jsonl", lines))
    return files


def test_a_panel_is_the_mean_of_its_judges_with_their_agreement(tmp_path):
    files = votes(tmp_path, [5, 3, 1, 2] * 3, [4, 3, 1, 1] * 3)
    done = worldline("score", *files, "--panel", "--json", "--no-exact", "--draws", DRAWS)
    told = json.loads(done.stdout)
    assert told["micro"]["score"]["value"] == pytest.approx((87.5 + 50 + 0 + 12.5) / 4)
    assert told["under"]["judges"] == ["openai:j0", "openai:j1"]
    agreed = told["panel"]
    assert [one["micro"] for one in agreed["judges"]] == [43.75, 31.25]
    units = [[5, 4], [3, 3], [1, 1], [2, 1]] * 3
    assert agreed["alpha"]["format"] == pytest.approx(alpha(units, "ordinal"), abs=1e-4)
    assert agreed["alpha"]["mean"] == pytest.approx(alpha(units, "interval"), abs=1e-4)
    rho = agreed["pairs"][0]["correlation"]["spearman"]["value"]
    assert rho == pytest.approx(spearman([5, 3, 1, 2], [4, 3, 1, 1]), abs=1e-4)
    assert "Krippendorff" in done.stderr


def test_a_strict_judge_who_fails_does_not_raise_the_panel(tmp_path):
    files = votes(tmp_path, [5, 5], [1, None])
    made, agreed = panel([load([file]) for file in files], draws=DRAWS)
    found = score(made, draws=DRAWS)
    assert (found.scored, found.micro.score.value, agreed.rows) == (1, 50, 1)
    assert found.reasons == {"judge": {"openai:j1: no_verdict": 1}}


def test_a_panel_judges_one_file_of_predictions(tmp_path):
    (one,) = votes(tmp_path, [5, 3])
    (changed,) = votes(tmp_path / "changed", [4, 3], gen="something else")
    with pytest.raises(UsageError, match="judges other predictions than"):
        panel([load([one]), load([changed])])
    with pytest.raises(UsageError, match="one judge alone"):
        panel([load([one])])


# the page


def test_the_page_stands_alone_and_is_safe_with_hostile_text(tmp_path):
    lines = []
    for n, domain in itertools.product(range(3), ("terminal", HOSTILE)):
        prompt = {"prompt": [f"do {n} {HOSTILE}"], "current_prompt": f"do {n} {HOSTILE}"}
        lines.append(
            judged(
                1 + n,
                id=f"{HOSTILE}{n}",
                domain=domain,
                turn=1,
                gen=HOSTILE,
                judge=HOSTILE,
                weaknesses=[HOSTILE],
                response=[f"first\nsecond {HOSTILE}"],
                **prompt,
            )
        )
    lines.append(judged(None, id=9, turn=1, judge=HOSTILE, reason=HOSTILE))
    source, out = write(tmp_path / "j.jsonl", lines), tmp_path / "page.html"
    done = worldline("report", source, "-o", out, "--title", HOSTILE, "--draws", DRAWS)
    assert done.returncode == 1  # for the row without a score
    assert "\x1b" not in done.stderr
    html = out.read_text("utf-8")
    assert "<script" not in html and "\x1b" not in html and "\u202e" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "default-src 'none'" in html
    assert not re.search(r"\b(?:src|href)=", html)
    assert html.count("<svg") == html.count("</svg>") >= 5
    for part in ("Macro", "Micro", "Coverage", "bounds", "Lowest scores", "really came", "<circle"):
        assert part in html


def test_the_worst_rows_stand_with_their_truth_and_what_differs_is_marked(tmp_path):
    one = {"turn": 1, "prompt": ["ls"], "current_prompt": "ls"}
    lines = [
        judged(5, id=1, gen="good", response=["good"], **one),
        judged(
            1, id=2, gen="same\nWRONG", response=["same\nRIGHT"], weaknesses=["It lies."], **one
        ),
    ]
    for exact in (True, False):
        worst = Worst(each=1)
        made = run_of(tmp_path / "j.jsonl", lines, exact=exact, look=worst)
        html = page(score(made, draws=DRAWS), made.rows, worst, "Title")
        assert {"RIGHT", "WRONG"} <= set(re.findall(r'<mark class="wrong"[^>]*>(\w+)', html))
        assert "It lies." in html and "openai:judge: 0.0 of 100 (format 0, " in html
        assert ("; exact scorecard " in html) == exact and ", true 0." not in html
        assert "2, turn 1" in html and "1, turn 1" not in html


def test_more_or_no_worst_rows_are_shown_as_asked(tmp_path):
    lines = [judged(1 + n % 3, id=n) for n in range(9)]
    source, out = write(tmp_path / "j.jsonl", lines), tmp_path / "made" / "page.html"
    for flags, shown in (((), 5), (("--worst", 8), 8), (("--worst", 0), 0)):
        assert worldline("report", source, "-o", out, "--no-exact", *flags).returncode == 0
        assert out.read_text("utf-8").count(" of 100 (format") == shown


def test_bars_of_reasons_share_one_scale(tmp_path):
    lines = [judged(None, id=n, reason="no_verdict") for n in range(8)]
    lines += [judged(None, id=n, stage="prediction", reason="empty") for n in range(8, 10)]
    lines += [judged(None, id=n, reason=f"r{n}") for n in range(10, 30)]
    source, out = write(tmp_path / "j.jsonl", lines), tmp_path / "page.html"
    worldline("report", source, "-o", out, "--no-exact")
    html = out.read_text("utf-8")
    widths = dict(re.findall(r"aria-label='([\d.]+)'><rect width=([\d.]+)", html))
    assert float(widths["8"]) == 160 and float(widths["2"]) == 40
    assert "10 more reasons" in html


def test_half_of_all_is_half_a_bar_on_the_page_of_a_calibration():
    def graded(row, kind, score, dimension=None):
        tag = Tag(row=row, kind=kind, name="" if kind == "truth" else "lie", dimension=dimension)
        return Graded(tag, "mcp", dict.fromkeys(DIMENSIONS, score), None, Usage(), 1)

    rows = [graded(n, "truth", 5) for n in range(4)]
    rows += [graded(n, "corruption", 3 if n < 2 else 5, "factuality") for n in range(4)]
    html = calibration_page(calibration("j", rows, [], heaviness=0.3, price=None))
    assert html.count("aria-label='50%'><rect width=80.0") == 2


def test_the_official_figures_are_all_that_the_script_prints_and_the_macro(tmp_path):
    lines = [official([1, 2, 3, 4, 5], id=n, domain="mcp") for n in range(3)]
    lines.append(official(5, id=9, domain="os"))
    source, out = write(tmp_path / "j.jsonl", lines), tmp_path / "page.html"
    done = worldline("score", source, "--compat", "official", "--no-exact")
    rows = [line.split() for line in done.stderr.splitlines()]
    assert [*DIMENSIONS, "total", "valid", "rows", "rows"] in rows
    assert ["mcp", "0.00", "25.00", "50.00", "75.00", "100.00", "50.00", "3", "3"] in rows
    told = json.loads(worldline("score", source, "--compat", "official", "--json").stdout)
    assert (told["official"]["overall"], told["official"]["macro"]) == (62.5, 75.0)
    assert ["overall", *"–" * 5, "62.50", "4", "4"] in rows
    assert ["macro", *"–" * 5, "75.00", "4", "4"] in rows
    assert worldline("report", source, "--compat", "official", "-o", out).returncode == 0
    html = out.read_text("utf-8")
    assert "<h2>Official figures</h2>" in html and "<td>62.50</td>" in html
    assert worldline("report", source, "--compat", "other", "-o", out).returncode == 2


def test_nothing_is_written_over_what_is_read(tmp_path):
    source = write(tmp_path / "j.jsonl", [judged(3)])
    before = source.read_bytes()
    for verb in ("score", "report", "leaderboard"):
        done = worldline(verb, source, "-o", source)
        assert done.returncode == 2 and "it is what is read" in done.stderr
    assert source.read_bytes() == before


def test_the_heads_in_the_terminal_are_whole(tmp_path):
    source = write(tmp_path / "j.jsonl", [judged(3)])
    (heads,) = [
        line.split()
        for line in worldline("score", source).stderr.splitlines()
        if "scored" in line and "exact" in line
    ]
    assert heads[-7:] == [*DIMENSIONS, "exact", "tokens"]


def test_a_row_needs_only_the_fields_of_the_benchmark(tmp_path):
    bare = {**row(id=1), "gen": "text", "failed": 0.0, **dict.fromkeys(DIMENSIONS, 3)}
    found = scored(tmp_path / "j.jsonl", [bare], exact=True)
    assert found.under.judges == ("not said",)
    assert (found.micro.score.value, found.micro.exact is not None) == (50, True)
