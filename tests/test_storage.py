"""Trajectories survive every file format exactly, and other people's loaders read our files."""

import gzip
import io
import json

import pyarrow.json
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worldline import jsonl
from worldline.errors import DataError, SchemaVersionError, UsageError
from worldline.storage import read_trajectories, write_trajectories
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn, trajectory

FORMATS = ["a.jsonl", "a.jsonl.gz", "a.parquet"]


def merged(text: str) -> str:
    """Halves of one character that meet are that character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


texts = st.text(max_size=12).map(merged) | st.sampled_from(
    ["", "\ud83d", "a\udcb2b", "\U0010ffff", "\U0010ffffd83d", "\u2028", "\x00", "2024-01-01"]
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(texts, values, max_size=3)
optional = st.none() | texts
FIELDS = set(Trajectory.__struct_fields__)
trajectories = st.builds(
    Trajectory,
    id=texts,
    domain=texts,
    dialect=texts,
    system=st.builds(
        SystemPrompt,
        task_description=texts,
        action_space=texts,
        initial_state=optional,
        demonstrations=texts,
        simulation_instruction=optional,
        verbatim=optional,
    ),
    tools=st.none() | st.lists(objects, max_size=2).map(tuple),
    task=optional,
    turns=st.lists(
        st.builds(Turn, action=texts, observation=texts, state_before=optional, info=objects),
        max_size=3,
    ).map(tuple),
    source=st.builds(
        Source,
        kind=texts,
        name=texts,
        version=optional,
        licence=texts,
        collected_at=optional,
        seed=st.none() | st.integers(),
        host=optional,
    ),
    meta=objects,
    extra=st.dictionaries(texts.filter(lambda key: key not in FIELDS), values, max_size=2),
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(trajectories, max_size=3))
def test_every_format_gives_back_exactly_what_was_written(tmp_path, rows):
    for name in FORMATS:
        assert write_trajectories(tmp_path / name, rows) == len(rows)
        assert list(read_trajectories(tmp_path / name)) == rows


def small(id: str = "t", **more) -> Trajectory:
    return Trajectory(
        id=id,
        domain="generic",
        dialect="text",
        turns=(Turn(action="look", observation="a room"),),
        **more,
    )


def schemas(path, pieces: int):
    """The types a loader infers from each piece of the file, read on its own as loaders do."""
    lines = path.read_bytes().splitlines(keepends=True)
    size = max(1, len(lines) // pieces)
    for start in range(0, len(lines), size):
        yield pyarrow.json.read_json(io.BytesIO(b"".join(lines[start : start + size]))).schema


def test_ur_s15_no_row_changes_the_type_of_a_column(tmp_path):
    rows = [
        small(),
        small(meta={"cluster": "c"}),
        small(meta={"cluster": 3, "more": {"k": [1, "x"]}}),
        small(task="t", tools=({"name": "f", "inputSchema": {"enum": [1, "a"]}},)),
        small(source=Source(collected_at="2024-01-01T00:00:00Z", seed=1, version="2024-11-05")),
        small(source=Source(collected_at="yesterday", seed=2**70, host="h")),
        small(system=SystemPrompt(initial_state="s", verbatim="")),
        small(extra={"note": 1}),
        small(extra={"note": "n", "half": "\ud83d"}),
    ]
    turn = Turn(action="a", observation="half \ud83d", state_before="", info={"reward": 1.5})
    rows.append(Trajectory(id="u", domain="d", dialect="x", turns=(turn,)))
    path = tmp_path / "a.jsonl"
    write_trajectories(path, rows)
    one, *others = schemas(path, len(rows))
    assert len(others) == len(rows) - 1
    assert all(other.equals(one) for other in others)
    assert str(one.field("id").type) == "string"


def test_ur_s15_two_thousand_absent_values_then_one_text(tmp_path):
    path = tmp_path / "a.jsonl"
    write_trajectories(path, [small() for _ in range(2000)] + [small(task="at last")])
    first, *others = schemas(path, 40)
    assert all(other.equals(first) for other in others)
    assert pyarrow.json.read_json(path).num_rows == 2001


def test_ur_s15_number_and_text_ids_stay_distinguishable(tmp_path):
    path, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    record = small().record()
    path.write_bytes(jsonl.dumps({**record, "id": 7}) + b"\n" + jsonl.dumps({**record, "id": "7"}))
    number, text = read_trajectories(path)
    assert (number.id, text.id) == ("7", "7")
    assert number.meta == {"source_id": 7} and text.meta == {}
    write_trajectories(again, [number, text])
    assert list(read_trajectories(again)) == [number, text]
    assert all(type(line.value["id"]) is str for line in jsonl.read(again))


def test_records_with_objects_are_read_like_rows_of_columns(tmp_path):
    wanted = small(
        meta={"cluster": "c"}, tools=({"name": "f"},), extra={"reviewed": True}, task="t"
    )
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl.dumps(wanted.record()) + b"\n")
    assert list(read_trajectories(path)) == [wanted]
    bare = {"id": "t", "domain": "generic", "dialect": "text"}
    own = Source(kind="recorded")  # nothing says that it was our harness
    assert trajectory(bare) == Trajectory(id="t", domain="generic", dialect="text", source=own)


def test_ur_s13_half_an_emoji_survives_and_a_legal_pair_is_one_character(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        r'{"id":"a","domain":"d","dialect":"x","turns":[{"action":"\ud83d","observation":'
        r'"\ud83c\udf78","info":{"k":"\udcb2"}}]}' + "\n"
    )
    (read,) = read_trajectories(path)
    assert read.turns[0] == Turn(action="\ud83d", observation="\U0001f378", info={"k": "\udcb2"})
    for name in FORMATS:
        write_trajectories(tmp_path / name, [read, small()])
        assert list(read_trajectories(tmp_path / name)) == [read, small()]
    (tmp_path / "a.jsonl").read_bytes().decode("utf-8")


def test_parquet_columns_are_what_the_json_lines_are(tmp_path):
    rows = [small(task="t"), small(meta={"k": 1})]
    write_trajectories(tmp_path / "a.jsonl", rows)
    write_trajectories(tmp_path / "a.parquet", rows)
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert table == [line.value for line in jsonl.read(tmp_path / "a.jsonl")]


def test_many_parquet_batches_keep_the_order(tmp_path, monkeypatch):
    monkeypatch.setattr("worldline.storage.BATCH_CHARS", 64)
    rows = [small(f"t{n}") for n in range(50)]
    write_trajectories(tmp_path / "a.parquet", rows)
    assert pyarrow.parquet.ParquetFile(tmp_path / "a.parquet").num_row_groups > 5
    assert list(read_trajectories(tmp_path / "a.parquet")) == rows


def broken(tmp_path, text: bytes, name="a.jsonl"):
    path = tmp_path / name
    path.write_bytes(text)
    with pytest.raises(DataError) as caught:
        list(read_trajectories(path))
    return caught.value


def test_a_broken_line_is_named_with_file_line_and_field(tmp_path):
    good = jsonl.dumps(small().record())
    bad = good.replace(b'"look"', b"3")
    error = broken(tmp_path, good + b"\n" + bad + b"\n")
    assert (error.line, error.field) == (2, "turns[0].action")
    assert error.file is not None and error.file.endswith("a.jsonl")
    assert broken(tmp_path, good + b"\n{oops\n").line == 2
    assert broken(tmp_path, b"[]\n").line == 1
    newer = broken(tmp_path, good.replace(b"trajectory/1", b"trajectory/2"))
    assert isinstance(newer, SchemaVersionError) and "migrate" in str(newer)
    column = broken(tmp_path, b'{"id":"a","domain":"d","dialect":"x","meta":"{","turns":[]}')
    assert (column.line, column.field) == (1, "meta")
    info = b'{"id":"a","domain":"d","dialect":"x","meta":"{}","turns":[{"info":"nope"}]}'
    assert broken(tmp_path, info).field == "turns[0].info"


def test_broken_files_are_clear_errors(tmp_path):
    whole = gzip.compress(jsonl.dumps(small().record()) + b"\n")
    assert "cannot be read" in str(broken(tmp_path, whole[:-12], "a.jsonl.gz"))
    assert "cannot be read" in str(broken(tmp_path, whole[:12] + b"zzzzzzzz", "a.jsonl.gz"))
    assert "Parquet" in str(broken(tmp_path, b"PAR1 no", "a.parquet"))
    with pytest.raises(DataError, match="cannot be read"):
        list(read_trajectories(tmp_path / "none.jsonl"))
    with pytest.raises(UsageError, match=r"\.parquet"):
        list(read_trajectories(tmp_path / "a.csv"))


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_appears_whole_or_not_at_all(tmp_path, name):
    def rows():
        yield small()
        raise DataError("stop")

    write_trajectories(tmp_path / name, [small("old")])
    with pytest.raises(DataError, match="stop"):
        write_trajectories(tmp_path / name, rows())
    assert [one.id for one in read_trajectories(tmp_path / name)] == ["old"]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_json_cannot_hold_is_refused_with_its_place(tmp_path):
    turn = Turn(action="a", observation="o", info={"reward": float("nan")})
    bad = Trajectory(id="t9", domain="d", dialect="x", turns=(turn,))
    with pytest.raises(DataError, match=r"'t9'.*turns\[0\]\.info"):
        write_trajectories(tmp_path / "a.jsonl", [bad])
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        write_trajectories(tmp_path / "file" / "b.jsonl", [small()])


def test_line_separators_inside_text_do_not_split_rows(tmp_path):
    row = small(task="a\u2028b\u0085c\x0bd")
    write_trajectories(tmp_path / "a.jsonl", [row, row])
    assert list(read_trajectories(tmp_path / "a.jsonl")) == [row, row]
    raw = (tmp_path / "a.jsonl").read_bytes()
    assert raw.count(b"\n") == 2 and "\u2028".encode() in raw
    assert json.loads(raw.split(b"\n")[0])["task"] == row.task
