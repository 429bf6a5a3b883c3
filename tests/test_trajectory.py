"""One schema: unknown fields are kept, other majors refused, wrong types named."""

import pytest

from worldline import Trajectory, Turn
from worldline.errors import DataError, SchemaVersionError
from worldline.trajectory import trajectory

ROW = {
    "schema": "worldline.trajectory/1",
    "id": "t1",
    "domain": "terminal",
    "dialect": "command",
    "turns": [{"action": "pwd", "observation": "/app\n"}],
}


def test_unknown_fields_are_kept_and_written_back():
    read = trajectory({**ROW, "reviewed_by": ["ann"], "turns": [{**ROW["turns"][0]}]})
    assert read.record()["reviewed_by"] == ["ann"]
    assert trajectory(read.record()) == read


def test_integer_ids_become_strings():
    assert trajectory({**ROW, "id": 17}).id == "17"


def test_another_major_is_refused_and_names_the_way_out():
    with pytest.raises(SchemaVersionError, match="worldline migrate"):
        trajectory({**ROW, "schema": "worldline.trajectory/2"}, file="x.jsonl", line=4)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"turns": [{"action": 3, "observation": ""}]}, "turns[0].action"),
        ({"turns": [{"action": "ls"}]}, "turns[0]"),
        ({"tools": {"a": 1}}, "tools"),
        ({"id": None}, "id"),
    ],
)
def test_a_wrong_field_is_named_with_file_and_line(change, field):
    with pytest.raises(DataError) as caught:
        trajectory({**ROW, **change}, file="x.jsonl", line=7)
    assert (caught.value.field or "").startswith(field)
    assert caught.value.line == 7 and caught.value.file == "x.jsonl"


def test_before_holds_nothing_of_the_predicted_turn():
    turns = tuple(Turn(action=f"a{n}", observation=f"o{n}") for n in range(3))
    whole = Trajectory(id="t", domain="generic", dialect="text", turns=turns)
    assert whole.before(1).turns == ()
    assert [turn.action for turn in whole.before(3).turns] == ["a0", "a1"]


def test_clusters_tell_content_apart_not_ids():
    one = trajectory(ROW)
    same = trajectory({**ROW, "id": "other"})
    other = trajectory({**ROW, "turns": [{"action": "pwd", "observation": "/\n"}]})
    assert one.cluster == same.cluster != other.cluster
