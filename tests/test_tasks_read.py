"""Reading tasks: what is wrong is found with file, line and field, before anything runs."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.errors import DataError, SchemaVersionError, UsageError
from worldline.tasks import read_tasks
from worldline.tasks.families import made, tasks
from worldline.tasks.read import set_path, task

DOCS = Path(__file__).parent.parent / "docs" / "tasks.md"
GOOD = {
    "schema": "worldline.task/1",
    "id": "count-lines",
    "kind": "effect",
    "domain": "terminal",
    "dialect": "command",
    "instruction": "Write the number of lines of notes.txt to count.txt.",
    "environment": {"name": "terminal", "options": {"fixture": "notes"}},
    "seed": 7,
    "probes": [
        {"action": "cat count.txt", "checks": [{"op": "regex", "arg": "^[0-9]+\n?$"}]},
        {"action": 'test -s count.txt; echo "exit=$?"', "checks": [{"op": "exit", "arg": 0}]},
    ],
    "reference": ["wc -l notes.txt", r"echo {{1:^\d+}} > count.txt"],
    "split": "train",
    "family": "count",
    "difficulty": "easy",
    "unseen": True,
}


def edited(path, value, row=GOOD):
    """A task with one field changed; `path` as in an error's field."""
    row = jsonl.loads(jsonl.dumps(row))
    *way, last = [int(key) if key.isdigit() else key for key in re.findall(r"\w+", path)]
    at = row
    for key in way:
        at = at[key]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return row


def write(tmp_path, *rows):
    path = tmp_path / "tasks.jsonl"
    jsonl.write(path, rows)
    return path


def refused(tmp_path, *rows):
    with pytest.raises(DataError) as caught:
        read_tasks(write(tmp_path, *rows))
    assert caught.value.file and caught.value.file.endswith("tasks.jsonl")
    assert caught.value.line == len(rows)
    assert caught.value.remedy
    return caught.value


def test_a_snapshot_of_a_name_that_no_file_can_have_is_refused(tmp_path):
    assert refused(tmp_path, {**GOOD, "snapshot": "a" * 5000}).field == "snapshot"


def test_a_good_task_is_read_as_it_was_written(tmp_path):
    (task,) = read_tasks(write(tmp_path, {**GOOD, "note": "unknown fields are left out"}))
    assert {
        **msgspec.to_builtins(task),
        "probes": GOOD["probes"],
        "reference": GOOD["reference"],
    } == {**GOOD, "snapshot": None}
    assert task.probes[0].checks[0].weight == 1.0


@pytest.mark.parametrize(
    ("path", "value", "field", "told"),
    [
        ("seed", "7", "seed", "int"),
        ("id", None, None, "id"),
        ("id", " ", "id", "no id"),
        ("kind", "effects", "kind", "effects"),
        ("domain", "terminals", "domain", "no domain"),
        ("dialect", "bash", "dialect", "no dialect"),
        ("probes", [], "probes", "nothing is checked"),
        ("probes[0].checks[0].op", "is", "probes[0].checks[0].op", "is"),
        ("probes[0].checks[0].arg", "(a", "probes[0].checks[0].arg", "RE2"),
        ("probes[0].checks[0]", {"op": "jsonpath", "arg": "a"}, "probes[0].checks[0].arg", "JSONP"),
        ("probes[0].checks[0].weight", 0, "probes[0].checks[0].weight", "weight"),
        ("probes[0].checks[0].of", "all", "probes[0].checks[0].of", "all"),
        ("probes[0].checks[0]", {"op": "tree"}, "probes[0].checks[0].op", "no trees"),
        ("probes[1].checks[0].of", "answer", "probes[1].checks[0].of", "observation"),
        ("probes[0].action", None, "probes[0].checks[0].of", "no action"),
        ("reference[1]", "echo {{2:x}}", "reference[1]", "turn that does not exist yet"),
        ("reference[0]", "echo {{1:x}}", "reference[0]", "turn that does not exist yet"),
        ("reference[1]", "echo {{1:(x}}", "reference[1]", "RE2"),
        ("reference[1]", "echo {{1:x", "reference[1]", "does not end"),
        ("reference[1]", "echo 3 > count.txt", "reference", "no action has a template"),
        ("kind", "answer", "probes", "no check is on the answer"),
        ("snapshot", "../other.json", "snapshot", "no file below"),
        ("snapshot", "/etc/passwd", "snapshot", "no file below"),
        ("snapshot", "missing.json", "snapshot", "no file below"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path, path, value, field, told):
    row = {**GOOD, "snapshot": None} if path == "snapshot" else GOOD
    error = refused(tmp_path, edited("id", "other"), edited(path, value, row))
    assert error.field == field
    assert told in str(error)


def test_actions_must_be_actions_of_the_dialect(tmp_path):
    row = edited("dialect", "terminus2")
    assert refused(tmp_path, row).field == "probes[0].action"
    row["probes"] = [{"checks": [{"op": "equals", "arg": "3", "of": "answer"}]}]
    row |= {"kind": "answer", "reference": ["[]", "ls", r"{{1:\d+}}"]}
    assert refused(tmp_path, row).field == "reference[1]"
    row["reference"] = ["[]", r"{{1:\d+}}"]  # the last one is the answer, no action
    assert len(read_tasks(write(tmp_path, row))) == 1


def test_an_id_is_used_once(tmp_path):
    error = refused(tmp_path, GOOD, GOOD)
    assert error.field == "id"
    assert "line 1" in str(error)


def test_a_family_belongs_to_one_split(tmp_path):
    error = refused(tmp_path, GOOD, {**GOOD, "id": "b", "split": "test"})
    assert error.field == "split"
    other = {**GOOD, "id": "b", "split": "test", "family": "other"}
    assert len(read_tasks(write(tmp_path, GOOD, other))) == 2


def test_another_major_version_is_refused_and_other_records_too(tmp_path):
    with pytest.raises(SchemaVersionError):
        read_tasks(write(tmp_path, {**GOOD, "schema": "worldline.task/2"}))
    for row in ({**GOOD, "schema": "worldline.trajectory/1"}, [1], "text", edited("schema", None)):
        assert refused(tmp_path, row).field == "schema"


def test_a_source_that_is_not_there_names_the_sets(tmp_path):
    for source in ("termina", tmp_path / "none.jsonl"):
        with pytest.raises(UsageError, match="terminal, swe, mcp, search"):
            read_tasks(source)
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(DataError, match="holds no task"):
        read_tasks(tmp_path / "empty.jsonl")


def test_a_snapshot_is_found_beside_the_file(tmp_path):
    (tmp_path / "shots").mkdir()
    (tmp_path / "shots" / "a.json").write_text("{}")
    (task,) = read_tasks(write(tmp_path, {**GOOD, "snapshot": "shots/a.json"}))
    assert Path(task.snapshot or "").samefile(tmp_path / "shots" / "a.json")


@pytest.mark.parametrize("domain", made())
def test_built_in_sets_are_what_their_families_make(domain):
    found = tasks(domain)
    assert read_tasks(domain) == found
    assert set_path(domain).is_file()
    assert all(one.domain == domain and one.reference and one.family for one in found)


def test_the_examples_of_the_docs_are_tasks(tmp_path):
    blocks = re.findall(r"```jsonl\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert blocks
    for n, block in enumerate(blocks):
        path = tmp_path / f"{n}.jsonl"
        path.write_text(block)
        assert read_tasks(path)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["\ud800", "{{1:", "{{9999:x}}", "$..a", "[]", "(", "terminus2", "web"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["op", "arg", "of", "checks", "action", "path", "value", "name"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(
    st.sampled_from([*GOOD, "probes[0]", "probes[0].checks[0]", "probes[0].checks[0].arg"]),
    VALUES,
    st.sampled_from(["equals", "regex", "jsonpath", "exit", "tree", "range", "absent"]),
)
def test_any_record_is_a_task_or_a_named_error(path, value, op):
    row = edited("probes[0].checks[0].op", op)
    row = edited(path, value, row) if value is not None else edited(path, None, row)
    try:
        made = task(row, file="f", line=1)
    except DataError as error:
        assert error.line == 1
        assert str(error).startswith("f, line 1")
    else:
        assert made.probes
