"""Grounding in recordings: what other environments did is shown, never what is asked about."""

import json

import pytest
from fakes import FakeModel
from tea import BOIL, KETTLE, WAIT, played, screen

from worldline import World
from worldline.errors import ModelError, UsageError
from worldline.grounding import parse_ground
from worldline.models.retrieval import Query, RetrievalModel
from worldline.trajectory import SystemPrompt, Trajectory, Turn


def recordings(folder, **splits):
    rows = [
        Trajectory(
            id=name,
            domain="android",
            dialect="ui-elements",
            system=SystemPrompt(initial_state=KETTLE),
            turns=(Turn(action=BOIL, observation=screen("Kettle", f"heard in {name}", "Boil")),),
        )
        for name in splits
    ]
    path = folder / "recorded, of tea.jsonl"
    path.write_bytes(b"".join(json.dumps(row.record()).encode() + b"\n" for row in rows))
    (folder / "splits.json").write_text(json.dumps(splits))
    return path


def test_examples_are_recorded_turns_of_the_training_split_in_the_form_that_is_asked(tmp_path):
    path = recordings(tmp_path, kitchen="train", cellar="test", attic="dev")
    model, _ = played("= keep", actions=[BOIL], ground=f"ledger,retrieval:{path}")
    told = model.requests[0].messages[-1].content
    assert "<examples>" in told and '~ 1 "heard in kitchen"' in told
    assert "cellar" not in told and "attic" not in told


def test_a_session_with_examples_is_continued_only_with_its_file_named_again(tmp_path):
    path = recordings(tmp_path, kitchen="train").rename(tmp_path / "tea.jsonl")
    ground, kept = f"ledger,retrieval:{path}", tmp_path / "session.jsonl"
    played("= keep", actions=[BOIL], ground=ground, save=kept)
    model = FakeModel("= keep")
    model.form, model.style = "patch", "compact"
    with pytest.raises(UsageError, match="--ground"):
        World.load(kept, model=model)
    with World.load(kept, model=model, ground=ground).sync() as world:
        world.step(WAIT)
    assert "heard in kitchen" in model.requests[0].messages[1].content


def test_windows_of_the_run_that_is_asked_about_are_no_examples(tmp_path):
    path = recordings(tmp_path, kitchen="train", pantry="train")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        row["meta"] = {"cluster": f"run of the {row['id']}"}
    path.write_text("\n".join(map(json.dumps, rows)))
    seen = RetrievalModel(path)
    query = Query("android", "ui-elements", BOIL, KETTLE, "another window/run of the kitchen")
    assert [near.trajectory for near in seen.near(query, 5)] == ["pantry"]


@pytest.mark.parametrize(
    "wrong", ["retrieval:a,retrieval:b", "ledger,retrieval:", "ledger,everything", ""]
)
def test_groundings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UsageError, match="--ground"):
        parse_ground(wrong)


def test_a_file_of_examples_is_read_when_the_session_opens(tmp_path):
    for content in ("", "{"):
        (tmp_path / "x.jsonl").write_text(content)
        with pytest.raises(ModelError):
            played("= keep", actions=[], ground=f"retrieval:{tmp_path / 'x.jsonl'}")
