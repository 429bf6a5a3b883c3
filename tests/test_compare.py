"""Two runs over the same rows: the paired difference, and when it is refused."""

import json
import re
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.stub import Stub
from tests.judging import comparable, predicted, run, verdict, write
from tests.scoring import judged, official, run_of, worldline
from worldline import jsonl
from worldline.bench.manifest import manifest_path
from worldline.bench.score.compare import compare
from worldline.errors import UsageError

DRAWS = 200


def pair(folder, one, other, **more):
    """Two runs: scores of rows 0, 1, ...; `more` is of the other run."""
    lines = [[judged(s, id=n, turn=1) for n, s in enumerate(one)]]
    lines.append([judged(s, id=n, turn=1, gen="other", **more) for n, s in enumerate(other)])
    return [run_of(folder / f"{name}.jsonl", rows) for name, rows in zip("ab", lines, strict=True)]


def compared(runs, **options):
    return compare(*runs, draws=DRAWS, **options)


def test_the_difference_is_that_of_the_pairs_with_its_interval(tmp_path):
    lines = {"a": [], "b": []}
    for n in range(40):
        where = {"id": n, "turn": 1, "domain": "mcp" if n < 30 else "os"}
        base = 1 + n % 4  # rows differ by far more than the runs do
        lines["a"].append(judged(base, **where))
        lines["b"].append(judged([base + 1, *[base] * 4], gen="other", **where))
    files = [write(tmp_path / f"{name}.jsonl", rows) for name, rows in lines.items()]
    done = worldline("compare", *files, "--json", "--draws", DRAWS)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for name in ("macro", "micro"):
        assert told[name]["difference"]["value"] == 5.0
        assert told[name]["difference"]["interval"] == [5.0, 5.0]
        assert told[name]["difference"]["bounds"] == [5.0, 5.0]
    assert [one["name"] for one in told["domains"]] == ["mcp", "os"]
    assert told["dimensions"]["format"]["value"] == 25.0
    assert told["dimensions"]["quality"]["value"] == 0.0
    assert told["counts"]["other_higher"] == 40
    assert "OTHER less ONE" in done.stderr


def test_the_conclusion_stands_in_a_plain_sentence_and_dimensions_have_both_means(tmp_path):
    pair(tmp_path, [4, 5, 4, 5] * 3, [1, 2, 1, 2] * 3)
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    done = worldline("compare", *files, "--json")
    told = json.loads(done.stdout)
    assert told["conclusion"] == "OTHER is worse by 75.0: the interval excludes 0."
    assert done.stderr.splitlines()[-1] == told["conclusion"]
    assert told["dimension_means"]["realism"] == [87.5, 12.5]
    assert re.search(r"^realism +12 +87\.50 +12\.50 +-75\.00 ", done.stderr, re.MULTILINE)
    assert "outside its bounds" not in done.stderr
    same = worldline("compare", files[0], files[0])
    assert "No difference can be told from these rows: +0.0" in same.stderr


def test_why_a_difference_lies_outside_its_bounds_is_told(tmp_path):
    found = compared(pair(tmp_path, [1, *[5] * 9, 1], [5, *[None] * 9, 5]))
    low, high = found.micro.difference.bounds
    assert found.micro.difference.value == 100 > high > 0 > low
    assert found.conclusion.endswith("could still turn that: the bounds hold 0.")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    done = worldline("compare", *files)
    assert "over the 2 pairs in which both have a score, bounds over all 11" in done.stderr


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=12))
@settings(max_examples=20)
def test_the_means_of_both_differ_by_the_difference(tmp_path_factory, drawn):
    found = compared(pair(tmp_path_factory.mktemp("pair"), *zip(*drawn, strict=True)))
    one, other = found.dimension_means["quality"]
    assert one == pytest.approx(25 * (mean(a for a, _ in drawn) - 1), abs=1e-3)
    assert other - one == pytest.approx(found.dimensions["quality"].value, abs=1e-3)


def test_a_run_against_itself_differs_by_nothing(tmp_path):
    one, _ = pair(tmp_path, [1, 4, 2, None], [1, 1, 1, 1])
    found = compared([one, one])
    assert found.macro.difference.value == 0 and found.macro.difference.interval == (0, 0)
    assert found.macro.difference.bounds == (-25, 25)  # the row that nobody scored
    assert (found.counts.equal, found.counts.neither) == (3, 1)


@given(
    st.lists(
        st.tuples(st.none() | st.integers(1, 5), st.none() | st.integers(1, 5)),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=30)
def test_rows_that_one_run_lacks_are_in_the_bounds_and_turning_round_turns_the_sign(
    tmp_path_factory, drawn
):
    runs = pair(tmp_path_factory.mktemp("pair"), *zip(*drawn, strict=True))
    found, turned = compared(runs), compared(runs[::-1])
    both = [25 * (b - a) for a, b in drawn if a and b]
    assert found.macro.both == len(both) and found.coverage == len(both) / len(drawn)
    low, high = found.micro.difference.bounds
    least = [25 * ((b or 1) - (a or 5)) for a, b in drawn]
    most = [25 * ((b or 5) - (a or 1)) for a, b in drawn]
    assert (low, high) == pytest.approx((mean(least), mean(most)), abs=1e-3)
    assert turned.micro.difference.bounds == pytest.approx((-high, -low), abs=1e-3)
    if both:
        assert found.micro.difference.value == pytest.approx(mean(both), abs=1e-3)
        assert turned.micro.difference.value == pytest.approx(-mean(both), abs=1e-3)
    else:
        assert found.micro.difference.value is None


def test_rows_are_paired_by_content_whatever_their_order_and_though_ids_repeat(tmp_path):
    def rows(gen, *scores):
        return [
            judged(s, id=7, turn=1, gen=gen, prompt=[f"act {n}"], current_prompt=f"act {n}")
            for n, s in enumerate(scores)
        ]

    one = run_of(tmp_path / "a.jsonl", rows("x", 1, 2, 3))
    other = run_of(tmp_path / "b.jsonl", rows("y", 2, 3, 4)[::-1])
    found = compared([one, other])
    assert found.micro.difference.value == 25 and found.counts.other_higher == 3


def test_a_row_that_comes_twice_is_paired_twice(tmp_path):
    runs = [
        run_of(tmp_path / "a.jsonl", [judged(1, id=1), judged(3, id=1)]),
        run_of(tmp_path / "b.jsonl", [judged(2, id=1), judged(4, id=1)]),
    ]
    found = compared(runs)
    assert (found.rows, found.micro.difference.value, found.counts.equal) == (2, 25, 0)


# refused


def test_ur_s14_runs_of_different_judges_are_refused_unless_told(tmp_path):
    source = write(tmp_path / "p.jsonl", [predicted(id=n) for n in range(5)])
    outs = [tmp_path / f"{name}.jsonl" for name in ("first", "again", "other")]
    with Stub(verdict(4)) as stub:
        for out, name in zip(outs, ("judge", "judge", "another"), strict=True):
            run(source, out, stub.url, name=name)
    assert comparable(outs[0]) == comparable(outs[1])
    assert worldline("compare", outs[0], outs[1]).returncode == 0
    refused = worldline("compare", outs[0], outs[2])
    assert refused.returncode == 2
    assert "judge against" in refused.stderr and "another" in refused.stderr
    assert "--different-judges" in refused.stderr
    told = worldline("compare", outs[0], outs[2], "--different-judges", "--json")
    assert told.returncode == 0 and json.loads(told.stdout)["differing"]
    assert "Judged differently: judges:" in told.stderr


def test_different_prompts_are_refused(tmp_path):
    runs = pair(tmp_path, [1, 2], [2, 3], prompt_sha="2" * 64)
    with pytest.raises(UsageError, match=r"judge prompts of terminal: 1+ against 2+\."):
        compared(runs)
    assert compared(runs, different_judges=True).micro.difference.value == 25


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"sampling": {"temperature": 0.6}}, r"settings\.judge\.sampling\.temperature: 0\.0"),
        ({"thinking": True}, r"settings\.judge\.thinking: False against True"),
    ],
)
def test_the_same_judge_at_other_settings_is_refused(tmp_path, changed, named):
    pair(tmp_path, [1, 2], [2, 3])
    judge = {"name": "openai:judge", "sampling": {"temperature": 0.0}, "thinking": False}
    runs = []
    for name, more in (("a", {"host": "here"}), ("b", {"host": "there", **changed})):
        file = tmp_path / f"{name}.jsonl"
        told = {"schema": "worldline.manifest/1", "verb": "judge", "tries": 3}
        manifest_path(file).write_bytes(jsonl.dumps({**told, "judge": {**judge, **more}}))
        runs.append(file)
    refused = worldline("compare", *runs)
    assert refused.returncode == 2 and "host" not in refused.stderr
    with pytest.raises(UsageError, match=named):
        compared(
            [run_of(path, list(map(jsonl.loads, path.read_bytes().splitlines()))) for path in runs]
        )


def test_a_judge_who_is_not_named_is_not_the_one_who_is(tmp_path):
    named = run_of(tmp_path / "a.jsonl", [judged(1, id=1)])
    unnamed = run_of(tmp_path / "b.jsonl", [official(1, id=1)])
    with pytest.raises(UsageError, match="judges: openai:judge against not said"):
        compared([named, unnamed])
    assert compared([unnamed, unnamed]).micro.difference.value == 0


def test_runs_over_other_rows_are_refused_unless_told(tmp_path):
    runs = pair(tmp_path, [1, 2, 3], [2, 3])
    with pytest.raises(UsageError, match=r"2 are in both, 1 only there, 0 only here.*--common"):
        compared(runs)
    found = compared(runs, common=True)
    assert (found.rows, found.counts.left_out) == (2, (1, 0))
    apart = [runs[0], run_of(tmp_path / "c.jsonl", [judged(1, id=99)])]
    with pytest.raises(UsageError, match="0 are in both"):
        compared(apart, common=True)


def test_too_few_pairs_with_both_scores_are_told_by_the_exit_code(tmp_path):
    pair(tmp_path, [1, 2, 3], [None, 3, None])
    files = (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    done = worldline("compare", *files)
    assert done.returncode == 1 and "Coverage 33.3% is below 98%" in done.stderr
    assert worldline("compare", *files, "--coverage", "0.3").returncode == 0
