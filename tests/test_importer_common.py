"""Recordings in the common form become trajectories, and nothing of them is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.collect.importers import BadLine, importer
from worldline.collect.importers.common import FAMILIES, convert, read_common
from worldline.errors import DataError, UsageError
from worldline.storage import read_trajectories, write_trajectories
from worldline.trajectory import Trajectory


def row(**more):
    return {
        "domain": "elsewhere",
        "id": "r-1",
        "source": {"repo": "a/b", "commit": "c0ffee", "path": "runs/1.json", "licence": "MIT"},
        "task": "count the files",
        "tools": None,
        "initial_state": None,
        "turns": [{"action": "ls", "observation": "a.txt", "state_before": None}],
        "notes": "made for a test",
        **more,
    }


def original(made: Trajectory) -> dict:
    """The row a trajectory was made from: what is possible only if nothing was lost."""
    meta, system = made.meta, made.system
    source = {"repo": made.source.name, "commit": made.source.version, "path": meta.get("path")}
    licence = None if made.source.licence == "unknown" else made.source.licence
    return {
        "domain": made.domain,
        "id": meta.get("source_id", made.id),
        "source": {**source, "licence": licence, **meta.get("source", {})},
        "task": made.task,
        "tools": None if made.tools is None else list(made.tools),
        "initial_state": system.initial_state,
        "turns": [
            {
                "action": turn.action,
                "observation": turn.observation,
                "state_before": turn.state_before,
                **turn.info,
            }
            for turn in made.turns
        ],
        "notes": meta.get("notes"),
        **meta.get("row", {}),
    }


texts = st.text(max_size=8)
optional = st.none() | texts
rows = st.fixed_dictionaries(
    {
        "domain": texts,
        "id": texts | st.integers(),
        "source": st.fixed_dictionaries(
            {
                "repo": texts,
                "commit": optional,
                "path": optional,
                "licence": st.none() | st.sampled_from(["MIT", "Apache-2.0"]),
            },
            optional={"branch": texts},
        ),
        "task": optional,
        "tools": st.none() | st.lists(st.dictionaries(texts, texts, max_size=2), max_size=2),
        "initial_state": optional,
        "turns": st.lists(
            st.fixed_dictionaries(
                {"action": texts, "observation": texts, "state_before": optional},
                optional={"reward": st.none() | st.floats(allow_nan=False)},
            ),
            max_size=3,
        ),
        "notes": st.none() | texts | st.dictionaries(texts, st.integers(), min_size=1, max_size=2),
    },
    optional={"split": texts, "extra": st.integers()},
)


@given(rows)
def test_nothing_of_a_row_is_lost(given_row):
    assert original(convert(given_row)) == given_row


def test_a_row_becomes_a_trajectory_with_source_licence_and_task():
    made = convert(row())
    assert (made.id, made.domain, made.task) == ("r-1", "elsewhere", "count the files")
    assert "count the files" in made.system.task_description
    assert (made.source.kind, made.source.name) == ("recorded", "a/b")
    assert (made.source.version, made.source.licence) == ("c0ffee", "MIT")
    assert made.meta == {"notes": "made for a test", "path": "runs/1.json"}
    unlicensed = convert(row(source={"repo": "a/b"}))
    assert unlicensed.source.licence == "unknown"


@pytest.mark.parametrize(("domain", "part", "dialect"), FAMILIES)
def test_known_families_set_the_dialect(domain, part, dialect):
    source = {"repo": part} if "/" in part.strip("/") else {"repo": "r/s", "path": f"x/{part}/y"}
    assert convert(row(domain=domain, source=source)).dialect == dialect


def test_unknown_families_are_detected_or_kept_as_text():
    assert convert(row(domain="generic")).dialect == "text"
    assert convert(row(domain="not-installed")).dialect == "text"


def test_windows_of_one_desktop_run_are_one_unit():
    first, second = (
        convert(row(domain="os", id=f"w-{n}", turns=[{"action": str(n), "observation": "o"}]))
        for n in (1, 2)
    )
    assert first.cluster == second.cluster == "a/b:runs/1.json"
    elsewhere = convert(row(domain="os", source={"repo": "a/b", "path": "runs/2.json"}))
    assert elsewhere.cluster != first.cluster


def test_ur_s15_number_and_text_ids_stay_distinguishable():
    number, text = convert(row(id=7)), convert(row(id="7"))
    assert number.id == text.id == "7"
    assert number.meta["source_id"] == 7 and "source_id" not in text.meta


def written(tmp_path, *values, name="in.jsonl"):
    path = tmp_path / name
    with jsonl.open_bytes(path, "wb") as file:
        file.writelines(v if isinstance(v, bytes) else jsonl.dumps(v) + b"\n" for v in values)
    return path


def test_importing_twice_gives_the_same_file(tmp_path):
    path = written(tmp_path, row(), row(id=3, task=None, extra_field=[1, "a"]))
    for name in ("a.jsonl", "b.jsonl"):
        write_trajectories(tmp_path / name, read_common(path))
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert list(read_trajectories(tmp_path / "a.jsonl")) == list(read_common(path))


def test_compressed_recordings_and_line_separators_inside_text(tmp_path):
    turns = [{"action": "a\u2028b", "observation": "c\x85d\x0ce"}]
    path = written(tmp_path, row(turns=turns), row(), name="in.jsonl.gz")
    first, _ = read_common(path)
    assert first.turns[0].action == "a\u2028b" and first.turns[0].observation == "c\x85d\x0ce"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": None}, "id"),
        ({"id": True}, "id"),
        ({"turns": None}, "turns"),
        ({"turns": [{"action": "a", "observation": 3}]}, "turns[0].observation"),
        ({"source": {"commit": "c"}}, "source"),
        ({"tools": ["f"]}, "tools[0]"),
    ],
)
def test_a_malformed_row_is_named_with_file_line_and_field(tmp_path, change, field):
    path = written(tmp_path, row(), row(**change))
    with pytest.raises(DataError) as caught:
        list(read_common(path))
    assert (caught.value.line, caught.value.field) == (2, field)
    assert caught.value.file == str(path)
    assert "A row needs domain, id, source {repo} and turns" in str(caught.value)


def test_what_a_row_needs_is_enough():
    turns = [{"action": "a", "observation": "o"}]
    made = convert({"domain": "generic", "id": 1, "source": {"repo": "r"}, "turns": turns})
    assert (made.dialect, made.source.licence, len(made.turns)) == ("text", "unknown", 1)


def test_a_trajectory_file_is_recognised(tmp_path):
    path = tmp_path / "t.jsonl"
    write_trajectories(path, [convert(row())])
    with pytest.raises(DataError, match="already a 'worldline"):
        list(read_common(path))


def test_bad_lines_are_handed_over_whole_and_the_rest_is_read(tmp_path):
    broken = [b'{"domain": "x"\n', jsonl.dumps(row(id=None)) + b"\n"]
    path = written(tmp_path, row(), broken[0], row(id="r-2"), broken[1])
    bad: list[BadLine] = []
    assert [made.id for made in importer("common")(path, bad.append)] == ["r-1", "r-2"]
    assert [(line.number, line.raw) for line in bad] == [(2, broken[0]), (4, broken[1])]
    assert "line 4" in str(bad[1].error)
    with pytest.raises(DataError, match="line 2"):
        list(importer("common")(path))


def test_an_unknown_format_lists_the_known_ones():
    with pytest.raises(UsageError, match="common, awb"):
        importer("nope")


def test_what_comes_before_a_tear_in_a_compressed_file_counts(tmp_path):
    path = written(tmp_path, *(row(id=str(n)) for n in range(3_000)), name="in.jsonl.gz")
    path.write_bytes(path.read_bytes()[:-9])
    bad = []
    kept = list(read_common(path, bad.append))
    assert kept and [one.id for one in kept] == [str(n) for n in range(len(kept))]
    assert len(bad) == 1 and "in.jsonl.gz" in str(bad[0].error)
    with pytest.raises(DataError, match=r"in\.jsonl\.gz"):
        list(read_common(path))
