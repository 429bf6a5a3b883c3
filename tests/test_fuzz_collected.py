"""What fuzzing found in how a collected folder is taken up again, and in its statistics."""

import pytest

from worldline import jsonl
from worldline.collect.store import TRAJECTORIES, Store, line_of
from worldline.corpus.near import Near
from worldline.corpus.page import page
from worldline.corpus.stats import stats
from worldline.errors import DataError
from worldline.trajectory import Trajectory, Turn


def episode(name="a", text="hay\n"):
    turns = (Turn(action="ls", observation=text),)
    return Trajectory(id=name, domain="terminal", dialect="command", turns=turns)


def taken_up(folder, *lines):
    (folder / TRAJECTORIES).write_bytes(b"".join(lines))
    store = Store(folder)
    try:
        store.recover()
        return sorted(store.done)
    finally:
        store.close()


@pytest.mark.parametrize("meta", ["{0}", "[]", "", '{"statuses": 1}', '{"versions": NaN}'])
def test_an_episode_that_says_nothing_of_its_run_is_named_by_its_line(tmp_path, meta):
    broken = {**jsonl.loads(line_of(episode("b"))), "meta": meta}
    lines = line_of(episode()), jsonl.dumps(broken) + b"\n"
    with pytest.raises(DataError, match="is no episode of a run") as caught:
        taken_up(tmp_path, *lines)
    assert (caught.value.line, caught.value.field) == (2, "meta")
    assert (tmp_path / TRAJECTORIES).read_bytes() == b"".join(lines)


def test_a_torn_line_of_thousands_of_levels_is_set_aside(tmp_path):
    deep = b'{"id": ' + b'{"a":' * 100_000
    assert taken_up(tmp_path, line_of(episode()), deep) == ["a"]
    assert (tmp_path / TRAJECTORIES).read_bytes() == line_of(episode())
    assert (tmp_path / f"{TRAJECTORIES}.torn").read_bytes() == deep + b"\n"


def test_near_duplicates_are_counted_in_texts_with_half_a_character():
    near = Near()
    assert not near.seen("a b c \ud800 d") and near.seen("a b c \ud800 d")
    assert stats([episode(text="\udfff")]).domains["terminal"].turns == 1


def test_titles_and_names_on_the_page_act_on_nothing():
    made = page(stats([episode("id\x1b[2J\u202e")]), "title\x1b]52;\r\u2028")
    assert not [char for char in made if char in "\x1b\r\u2028\u202e"]
    assert "id␛[2J\\u202e" in made and "title␛]52;␍\\u2028" in made
