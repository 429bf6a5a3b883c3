"""JSON in and out: nothing is lost, nothing that is not JSON gets through."""

import gzip
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.errors import DataError

anything = st.text(st.characters(codec=None, exclude_categories=()))
# A high surrogate directly before a low one *is* one character in JSON: no file keeps them apart.
text = anything.filter(
    lambda s: (
        not any(0xD800 <= ord(a) < 0xDC00 <= ord(b) < 0xE000 for a, b in itertools.pairwise(s))
    )
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_what_is_written_is_read_back_equal(value):
    data = jsonl.dumps(value)
    data.decode("utf-8")
    assert jsonl.loads(data) == value


def test_lone_surrogates_survive_and_the_file_stays_utf8(tmp_path):
    path = tmp_path / "rows.jsonl"
    jsonl.write(
        path, [{"gen": "\ud83d"}, {"gen": "\udcb2 x"}, {"gen": json.loads('"\\ud83c\\udf78"')}]
    )
    path.read_bytes().decode("utf-8")
    assert [line.value["gen"] for line in jsonl.read(path)] == ["\ud83d", "\udcb2 x", "\U0001f378"]


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-Infinity", "1e999", "{'a': 1}", "[1,]", ""])
def test_what_is_not_json_is_refused_with_its_line(tmp_path, bad):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"ok": 1}\n[' + bad + ",]\n", "utf-8")
    with pytest.raises(DataError) as caught:
        list(jsonl.read(path))
    assert "line 2" in str(caught.value) and str(path) in str(caught.value)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_nan_is_never_written(bad):
    with pytest.raises(ValueError):
        jsonl.dumps({"score": bad})


def test_lines_end_at_newline_only(tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [{"text": "a\u2028b\u2029c\x85d\x0be\rf"}, {"text": "second"}]
    jsonl.write(path, rows)
    assert [line.value for line in jsonl.read(path)] == rows


def test_gzip_is_transparent(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    assert jsonl.write(path, [{"n": n} for n in range(3)]) == 3
    assert gzip.decompress(path.read_bytes()).count(b"\n") == 3
    assert [line.value["n"] for line in jsonl.read(path)] == [0, 1, 2]


def test_a_cut_gzip_names_its_file(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n' * 1000)[:-20])
    with pytest.raises(DataError, match=r"rows\.jsonl\.gz"):
        list(jsonl.read(path))


def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "rows.jsonl"
    jsonl.write(path, [{"old": 1}])

    def rows():
        yield {"new": 1}
        raise RuntimeError("power")

    with pytest.raises(RuntimeError):
        jsonl.write(path, rows())
    assert [line.value for line in jsonl.read(path)] == [{"old": 1}]
