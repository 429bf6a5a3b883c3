"""Drafts copied from further up: on where they win, the same words, and what the bench times."""

import asyncio

import pytest
from embedded_cache import embedded_cache, fetched  # noqa: F401 - fixtures

from benchmarks.speculation import LONGEST, Case, Timed, median_interval
from benchmarks.speculation_cases import copied, lines_within, own_states, state_case, survival
from worldline.messages import Message, Sampling
from worldline.models import embedded
from worldline.models.llama.engine import DRAFT, DRAFT_AFTER, Completion
from worldline.models.llama.setup import Setup, options

WORDS = lambda text: len(text.split())  # noqa: E731


def drafts(monkeypatch, tmp_path, **given):
    """Whether a model opened with these options drafts; nothing is loaded."""
    seen = []
    monkeypatch.setattr(embedded, "LlamaModel", lambda setup, **_: seen.append(setup) or Fake())
    for name in ("fast", "ready"):
        monkeypatch.setattr(embedded.weights, name, lambda: tmp_path / "model.gguf")
    embedded.open_embedded(options=given)
    return seen[0].spec


class Fake:
    """Stands for a model."""


def test_the_embedded_model_drafts_where_that_was_measured_to_win(monkeypatch, tmp_path):
    assert drafts(monkeypatch, tmp_path) is True
    assert drafts(monkeypatch, tmp_path, quant="q4_1") is False


def test_drafts_can_be_turned_on_and_off(monkeypatch, tmp_path):
    assert drafts(monkeypatch, tmp_path, spec="0") is False
    assert drafts(monkeypatch, tmp_path, quant="q4_1", spec="1") is True


def test_a_model_of_ones_own_drafts_only_when_asked(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(embedded, "LlamaModel", lambda setup, **_: seen.append(setup) or Fake())
    monkeypatch.setattr(embedded, "check_magic", lambda path: None)
    monkeypatch.setattr(embedded, "header", lambda path: type("Header", (), {"numbers": {}}))
    for given in ({}, {"spec": "1"}):
        embedded.open_gguf(tmp_path / "model.gguf", options=given)
    assert [setup.spec for setup in seen] == [False, True]
    assert options({}).spec is None
    assert Setup(model=tmp_path, alias="x", context=8).spec is False


def test_the_engine_can_draft_at_all_with_these_numbers():
    # It drops drafts that are shorter than what they were found by.
    assert DRAFT >= DRAFT_AFTER


def test_lines_are_cut_whole():
    assert lines_within("a b\nc d\ne f", 6, WORDS) == "a b\nc d"
    assert lines_within("a b c d", 2, WORDS) == "a b c d"
    assert lines_within("", 5, WORDS) == ""


def test_survival_counts_lines_as_often_as_they_were_there():
    assert survival("a\nb\nb", "a\nb\nb\nb") == 0.75
    assert survival("a", "b") == 0.0


def test_only_long_changed_mostly_copied_states_are_cases():
    state = "\n".join(f"button {n} of the panel" for n in range(120))
    changed = state.replace("button 3 ", "lamp 3 ")
    case = state_case("web", "run", state, "press", changed, WORDS)
    assert case is not None and case.begun + case.truth == changed
    assert case.messages[2].content == state and case.begun.endswith("\n")
    assert WORDS(case.truth) >= LONGEST
    assert case == state_case("web", "run", state, "press", changed, WORDS)
    assert state_case("web", "run", state, "press", state, WORDS) is None
    assert state_case("web", "run", state, "press", "lamp", WORDS) is None
    assert state_case("web", "run", state, "press", state.upper(), WORDS) is None


def test_without_recordings_there_are_enough_states_of_our_own():
    cases = list(copied(None, WORDS, 3))
    assert len(cases) == 6 and len({case.cluster for case in cases}) == 6
    assert all(survival(c.messages[2].content, c.truth) >= 0.7 for c in cases)


def completion(ms, n, text="x", **more):
    timings = {"predicted_ms": ms, "predicted_n": n, "cpu_s": ms / 500, **more}
    return Completion(text=text, finish_reason="stop", timings=timings)


def test_a_ratio_is_of_the_time_for_the_same_tokens():
    timed = Timed(Case("web", "run", ()))
    timed.add(completion(200.0, 10), completion(50.0, 10, draft_n=9, draft_n_accepted=8), True)
    timed.add(completion(100.0, 10), completion(50.0, 5), False)
    assert timed.ratio == timed.cpu_ratio == 300 / 150
    assert (timed.equal, timed.pieces, timed.drafted, timed.accepted) == (1, 2, 9, 8)
    assert "x2.00" in timed.line() and "equal 1/2" in timed.line()


def test_an_interval_holds_its_median_and_comes_from_runs_not_rows():
    rows = [("a", 1.0), ("a", 1.1), ("a", 1.2), ("b", 3.0)]
    middle, low, high = median_interval(rows)
    assert (middle, low, high) == (pytest.approx(1.15), pytest.approx(1.1), 3.0)
    assert median_interval([("a", 2.0)]) == (2.0, 2.0, 2.0)


@pytest.mark.system
def test_a_copied_answer_is_drafted_and_reads_the_same(embedded_cache):  # noqa: F811
    state = next(own_states("web")).messages[2].content
    talk = (
        Message("user", "Repeat after me."),
        Message("assistant", state),
        Message("user", "Again."),
        Message("assistant", state),
        Message("user", "Again."),
    )

    async def replies(**given):
        model = embedded.open_embedded(context=4096, options={"deterministic": "1", **given})
        async with model:
            one = Sampling(temperature=0.0, max_tokens=40)
            return model.describe()["spec"], [await model.chat(talk, one) for _ in range(2)]

    on, (first, again) = asyncio.run(replies())
    off, (plain, _) = asyncio.run(replies(spec="0"))
    assert on is True and off is False
    assert first.timings["draft_n_accepted"] > 10 and "draft_n" not in plain.timings
    assert first.content and plain.content
    assert first.content == again.content and first.usage.completion == plain.usage.completion == 40
    assert first.content[:60] == plain.content[:60] == state[:60]
