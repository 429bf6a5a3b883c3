"""Judge prompts: what ours say of each domain, those of a user, and the search for better ones."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.stub import Answer, Call, Stub, error
from tests.command import told
from worldline import jsonl
from worldline.bench.judge.ask import OURS, Ours
from worldline.bench.judge.diagnostics import diagnostics
from worldline.bench.judge.given import given as given_of
from worldline.bench.judge.halves import from_recordings
from worldline.bench.judge.propose import Wrong, question
from worldline.bench.source import open_source
from worldline.errors import DataError
from worldline.verify.compare import DIMENSIONS

DOMAINS = ("terminal", "swe", "mcp", "search", "web", "os", "android")
SCREENS = ("web", "os", "android")


def line(number: int, said: str, domain: str = "terminal") -> dict[str, Any]:
    return {
        "task": domain,
        "id": number,
        "prompt": [f"look {number}"],
        "response": [f"seen {number}"],
        "current_prompt": f"look {number}",
        "system_str": "",
        "turn_idx": 1,
        "total_turns": 1,
        "gen": f"<predicted_observation>{said}</predicted_observation>",
    }


def file(path: Path, count: int = 12) -> Path:
    made = [jsonl.dumps(line(n, f"guess {n}")) + b"\n" for n in range(count)]
    path.write_bytes(b"".join(made))
    return path


def worldline(*words: object) -> tuple[int, dict[str, Any], str]:
    """(exit code, JSON on stdout, stderr)."""
    code, out, said = told(*words)
    return code, json.loads(out or "{}"), said


def folder(path: Path, **texts: str) -> Path:
    path.mkdir()
    for name, text in texts.items():
        (path / f"{name}.txt").write_text(text, "utf-8")
    return path


# ours


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_domain_says_what_is_fixed_given_and_passing_and_what_flaws_cost(domain):
    notes = OURS.texts.notes(domain)
    assert 15 <= len(notes.splitlines()) <= 35
    assert notes.startswith("# This domain: ")
    caps = re.findall(r"^- .*\b(?:at most [1-4]|[1-5]),?\b.*$", notes, re.MULTILINE)
    assert len(caps) >= 8
    assert all(dimension in notes for dimension in DIMENSIONS)
    assert "{" not in re.sub(r"`[^`]*`", "", notes)
    system = OURS.texts.system(domain)
    assert system.count(notes) == 1 and "{domain}" not in system


@pytest.mark.parametrize("domain", SCREENS)
def test_screens_use_the_counts_by_their_names_and_judge_the_primary_effect_first(domain):
    notes = OURS.texts.notes(domain)
    known = diagnostics(given_of(line(1, "x")))
    used = set(re.findall(r"`((?:raw|response|extracted)_\w+)`", notes))
    assert len(used) >= 5 and used <= known.keys()
    assert "primary effect is wrong, missing" in notes
    assert "factuality and quality at most 2" in notes and "realism at most 3" in notes


def test_prompts_differ_by_domain_and_one_nobody_knows_gets_the_common_part():
    assert len({OURS.sha(domain) for domain in DOMAINS}) == len(DOMAINS)
    common = OURS.texts.system("chess")
    assert "This domain" not in common and "final_evaluation" in common
    assert OURS.texts.system("system") == OURS.texts.system("../os") == common


# prompts of one's own


def test_a_folder_replaces_what_it_holds_and_changes_the_hash_of_that_alone(tmp_path):
    mine = Ours(folder(tmp_path / "mine", terminal="Only the {history} counts."))
    assert "Only the {history} counts." in mine.texts.system("terminal")
    assert mine.sha("terminal") != OURS.sha("terminal") and mine.sha("os") == OURS.sha("os")
    assert mine.name == "folder:mine"


def test_bench_judge_asks_with_the_prompts_of_a_folder_and_records_their_hash(tmp_path):
    source, mine = file(tmp_path / "p.jsonl", 1), folder(tmp_path / "mine", terminal="Be kind.")
    scores = {"scores": dict.fromkeys(DIMENSIONS, 3)}
    with Stub(f"<final_evaluation>{json.dumps(scores)}</final_evaluation>") as stub:
        told = ("-m", f"openai:j@{stub.url}", "--prompts", mine)
        code, _, _ = worldline("bench", "judge", source, "-o", tmp_path / "j.jsonl", *told)
    assert code == 0 and "Be kind." in stub.requests[0].body["messages"][0]["content"]
    judged = json.loads((tmp_path / "j.jsonl").read_text())["worldline_judge"]
    assert judged["prompt"] == "folder:mine" and judged["prompt_sha"] == Ours(mine).sha("terminal")


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({"termnal": "x"}, "is no judge prompt"),
        ({"os": "  \n"}, "is empty"),
        ({"system": "no place"}, "has no place {domain}"),
        ({"user": "{history} {action} {truth}"}, "has no place {prediction}"),
        ({}, "holds no judge prompt"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_with_the_file_and_the_reason(tmp_path, texts, why):
    mine = folder(tmp_path / "mine", **texts)
    with pytest.raises(DataError, match=re.escape(why)) as caught:
        Ours(mine)
    assert str(mine) in str(caught.value)


# the search for better ones

MAGIC = "Real answers say seen."


def choosing(call: Call) -> str:
    """A judge that is right only with the right notes; else it says A."""
    system, user = (message["content"] for message in call.body["messages"])
    sides = dict(re.findall(r"<<<ANSWER (A|B) [0-9a-f]+>>>\n(.*?)\n<<<END", user))
    real = "A" if sides["A"].startswith("seen") else "B"
    return rf"\boxed{{{real if MAGIC in system else 'A'}}}"


def optimise(tmp_path: Path, stub: Stub, *more: object) -> tuple[int, dict[str, Any], str]:
    return worldline(
        *("prompts", "optimise", "terminal", "--judge", f"openai:j@{stub.url}"),
        *("--predictions", tmp_path / "p.jsonl", "-o", tmp_path / "run", "--json", *more),
    )


def test_the_version_that_tells_truth_apart_wins_and_is_reported_on_the_other_half(tmp_path):
    file(tmp_path / "p.jsonl")
    tried = folder(tmp_path / "tried", good=f"Look. {MAGIC}", bad="Guess.")
    with Stub(choosing) as stub:
        code, told, said = optimise(tmp_path, stub, "--candidates", tried)
        count = len(stub.requests)
        again = optimise(tmp_path, stub, "--candidates", tried)
        assert again[1] == told and len(stub.requests) == count
    assert code == 0 and count == 2 * 6 * 3 + 2 * 6 * 2
    scores = {one["candidate"]["source"]: one["cell"]["score"] for one in told["table"]}
    assert scores == {"start": 0.5, "file:bad": 0.5, "file:good": 1.0}
    assert told["best"] == 2 and told["found"]["cell"]["score"] == 1.0
    assert told["first"]["cell"]["score"] == 0.5 and told["gain"]["value"] == 0.5
    assert "On the other half" in said and "--accept 2" in said
    halves = [read(tmp_path / f"run/choices/002.{half}.jsonl") for half in ("choose", "report")]
    sessions = [{one["session"] for one in half} for half in halves]
    assert len(sessions[0]) == len(sessions[1]) == 6 and not sessions[0] & sessions[1]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text("utf-8").split("\n") if text]


def test_a_model_proposes_versions_and_is_shown_where_the_judge_was_wrong(tmp_path):
    file(tmp_path / "p.jsonl")
    styles = tmp_path / "styles.txt"
    styles.write_text("as a poem\n\nvery short\n")

    def reply(call: Call) -> str:
        if call.body["model"] == "j":
            return choosing(call)
        style = "as a poem" in call.body["messages"][0]["content"]
        return f"<think>hm</think><notes>\n{'Roses.' if style else MAGIC}\n</notes>"

    with Stub(reply) as stub:
        more = ("--propose", f"openai:w@{stub.url}", "--rounds", 3, "--styles", styles)
        code, told, _ = optimise(tmp_path, stub, *more)
        count = len(stub.requests)
        assert optimise(tmp_path, stub, *more)[1] == told and len(stub.requests) == count
    assert code == 0
    made = [(one["candidate"]["source"], one["candidate"]["style"]) for one in told["table"]]
    assert made == [
        ("start", ""),
        *(("model:w", s) for s in ("as a poem", "very short", "as a poem")),
    ]
    assert told["best"] == 2 and told["table"][3]["candidate"]["parent"] == 2
    asked = [call.body["messages"] for call in stub.requests if call.body["model"] == "w"]
    assert re.search(r"<<<REAL [0-9a-f]+>>>\nseen \d", asked[0][1]["content"])
    assert re.search(r"<<<THE JUDGE SAID [0-9a-f]+>>>\n\\boxed", asked[0][1]["content"])
    assert "wrong on no case" in asked[2][1]["content"] and MAGIC in asked[2][1]["content"]
    assert (tmp_path / "run/002.txt").read_text() == f"{MAGIC}\n"


def test_a_round_without_notes_is_told_and_tried_again_the_next_time(tmp_path):
    file(tmp_path / "p.jsonl")
    said: list[str | Answer] = ["no idea", "no idea", "no idea", error(400, "bad")]

    def reply(call: Call) -> str | Answer:
        if call.body["model"] == "j":
            return choosing(call)
        return said.pop(0) if said else f"<notes>{MAGIC}</notes>"

    with Stub(reply) as stub:
        more = ("--propose", f"openai:w@{stub.url}", "--rounds", 2)
        code, told, text = optimise(tmp_path, stub, *more)
        assert code == 1 and told["failed"].keys() == {"1", "2"}
        assert told["failed"]["1"] == "no_notes" and "round 1 brought no version" in text
        assert told["failed"]["2"].startswith("infra_error/")
        code, told, _ = optimise(tmp_path, stub, *more)
    assert code == 0 and not told["failed"] and told["best"] == 1


def test_accepting_copies_a_version_into_the_folder_that_bench_judge_reads(tmp_path):
    file(tmp_path / "p.jsonl")
    tried = folder(tmp_path / "tried", good=f"Look. {MAGIC}")
    with Stub(choosing) as stub:
        optimise(tmp_path, stub, "--candidates", tried)
    mine = folder(tmp_path / "mine", terminal="What I had.")
    told = ("prompts", "optimise", "terminal", "-o", tmp_path / "run")
    code, _, said = worldline(*told, "--accept", 1, "--into", mine)
    assert code == 0 and "--prompts" in said
    assert Ours(mine).texts.notes("terminal") == f"Look. {MAGIC}"
    assert (mine / "terminal.txt.before-1").read_text() == "What I had."
    assert worldline(*told, "--accept", 9, "--into", mine)[0] == 2
    assert worldline(*told, "--accept", 1)[0] == 2
    (tmp_path / "run/001.txt").write_text("Something else.")
    code, _, said = worldline(*told, "--accept", 1, "--into", mine)
    assert code == 2 and "changed after it was scored" in said


def test_another_run_into_the_same_folder_is_refused(tmp_path):
    file(tmp_path / "p.jsonl")
    with Stub(choosing) as stub:
        assert optimise(tmp_path, stub)[0] == 0
        code, _, said = optimise(tmp_path, stub, "--seed", 1)
    assert code == 2 and "manifest.json" in said


def test_without_predictions_truth_is_told_from_corruptions_of_recorded_turns(tmp_path):
    with Stub(r"\boxed{B}") as stub:
        code, told, _ = worldline(
            *("prompts", "optimise", "search", "--judge", f"openai:j@{stub.url}"),
            *("--rows", 6, "-o", tmp_path / "run", "--json"),
        )
    assert code == 0 and told["table"][0]["cell"]["rows"] == 3
    assert told["found"]["cell"]["position_bias"] == 0.0
    halves = from_recordings(open_source("worldline-bench"), "search", 6)
    assert all(pair.first != pair.second for pair in (*halves.choose, *halves.report))


@given(st.lists(st.tuples(st.text(), st.text(), st.text(), st.text()), max_size=5), st.text())
def test_no_case_closes_its_block_when_notes_are_proposed(cases, notes):
    text = question(notes, [Wrong(*one) for one in cases], "short")[1].content
    mark = re.search(r"<<<NOTES ([0-9a-f]+)>>>", text)
    assert mark is not None
    assert text.count(f" {mark[1]}>>>") == 2 + 8 * min(len(cases), 4)
