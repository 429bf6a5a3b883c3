"""Model specs: what a person writes after --model, and what they get for it."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.errors import UsageError
from worldline.messages import Sampling
from worldline.models import WorldModel, load
from worldline.models.copy import CopyModel
from worldline.models.openai import OpenAIModel
from worldline.models.seeded import SeededModel
from worldline.models.spec import Spec, parse, resolve


@pytest.fixture
def models_toml(tmp_path, monkeypatch):
    """Writes the user's presets."""
    monkeypatch.setenv("WORLDLINE_CONFIG", str(tmp_path / "config"))

    def write(text: str) -> None:
        (tmp_path / "config").mkdir(exist_ok=True)
        (tmp_path / "config" / "models.toml").write_text(text)

    return write


@pytest.mark.parametrize(
    ("text", "kind", "target", "url", "options"),
    [
        ("embedded", "embedded", "", None, {}),
        ("embedded?ctx=4096&threads=2", "embedded", "", None, {"ctx": "4096", "threads": "2"}),
        ("copy", "copy", "", None, {}),
        ("copy?", "copy", "", None, {}),
        ("gguf:/m/a b.gguf?thinking=off", "gguf", "/m/a b.gguf", None, {"thinking": "off"}),
        ("gguf:C:/m/a@b.gguf", "gguf", "C:/m/a@b.gguf", None, {}),
        ("gguf:/odd%3fname%25.gguf", "gguf", "/odd?name%.gguf", None, {}),
        ("scripted:demo.jsonl?prompts=full", "scripted", "demo.jsonl", None, {"prompts": "full"}),
        (
            "retrieval:t.jsonl?splits=s.json&split=dev",
            "retrieval",
            "t.jsonl",
            None,
            {"splits": "s.json", "split": "dev"},
        ),
        ("recorded:/r", "recorded", "/r", None, {}),
        ("hf:/m", "hf", "/m", None, {}),
        ("openai:m@http://h:1/v1", "openai", "m", "http://h:1/v1", {}),
        ("openai:org/m:free@https://h/v1", "openai", "org/m:free", "https://h/v1", {}),
        (
            "openai:me@home?!@http://h/v1?seed=3",
            "openai",
            "me@home?!",
            "http://h/v1",
            {"seed": "3"},
        ),
        ("openai:a@http://b@http://h/v1", "openai", "a@http://b", "http://h/v1", {}),
        ("openai:m@http://http.example/v1", "openai", "m", "http://http.example/v1", {}),
        (
            "openai:m@http://h/v1?cache=/c%26d%40e&timeout=5",
            "openai",
            "m",
            "http://h/v1",
            {"cache": "/c&d@e", "timeout": "5"},
        ),
        (
            "agentworld-35b@http://h/v1?ctx=9",
            "preset",
            "agentworld-35b",
            "http://h/v1",
            {"ctx": "9"},
        ),
        ("mine", "preset", "mine", None, {}),
    ],
)
def test_a_spec_is_read(
    text: str, kind: str, target: str, url: str | None, options: dict[str, str]
):
    spec = parse(text)
    assert (spec.kind, spec.target, spec.url, spec.options) == (kind, target, url, options)
    assert parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no model"),
        ("gguff:/m", "Did you mean 'gguf'"),
        ("open-ai:m@http://h", "Did you mean 'openai'"),
        ("./model.gguf", "Did you mean gguf:./model.gguf"),
        ("openai:m", "openai:NAME@http://HOST:PORT/v1"),
        ("openai:@http://h/v1", "openai:NAME@http://HOST:PORT/v1"),
        ("openai@http://h/v1", "openai:NAME@http://HOST:PORT/v1"),
        ("openai:m@ftp://h", "openai:NAME@http://HOST:PORT/v1"),
        ("gguf", "gguf:PATH"),
        ("gguf:", "gguf:PATH"),
        ("scripted:?ctx=1", "scripted:FILE"),
        ("embedded:x", "Write embedded."),
        ("copy@http://h", "Write copy."),
        ("copy?ctx", "'ctx' is no option"),
        ("copy?ctx=1&ctx=2", "given twice"),
        ("copy?ctx=many", "model option ctx"),
        ("copy?ctx=0", "model option ctx"),
        ("copy?temperature=1", "It has: ctx, prompts."),
        ("recorded:/r?ctx=1", "It has: none."),
        ("openai:m@http://h/v1?temprature=1", "Did you mean 'temperature'"),
        ("openai:m@http://h/v1?api-version=2", "is no option"),
        ("openai:m@http://h/v1?nothing=1", "timeout"),
        ("openai:m@http://h/v1?temperature=nan", "model option temperature"),
        ("openai:m@http://h/v1?temperature=1e999", "model option temperature"),
        ("openai:m@http://h/v1?top_p=2", "model option top_p"),
        ("openai:m@http://h/v1?thinking=maybe", "model option thinking"),
        ("copy?prompts=terse", "model option prompts: cannot be 'terse'. It is full or compact."),
        ("embedded?seed=-1", "model option seed: cannot be '-1'. It is a whole number from 0"),
        ("embedded?top_k=x", "model option top_k: cannot be 'x'. It is a whole number from 0."),
        ("embedded?max_tokens=0", "max_tokens: cannot be '0'. It is a whole number from 1."),
        ("copy?prompts=official:/d", "not available yet"),
    ],
)
def test_a_wrong_spec_says_what_to_write(text: str, says: str):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("embeded", "Did you mean 'embedded'"),
        ("agentworld35b@http://h/v1", "Did you mean 'agentworld-35b'"),
        ("agentworld-35b", "Write agentworld-35b@http://HOST:PORT/v1."),
        ("hf:/models/x", "not available yet in this version"),
        ("model.gguf", "Did you mean gguf:model.gguf"),
        ("openai:m@http://user:secret@h/v1", "holds a user or a password"),
    ],
)
def test_a_spec_that_cannot_be_opened_says_why(text: str, says: str):
    with pytest.raises(UsageError) as caught:
        load(text)
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
options = st.dictionaries(names, st.text(max_size=12), max_size=3)
paths = st.text(min_size=1, max_size=20)
urls = st.from_regex(r"https?://[a-z0-9.:/_-]{1,20}", fullmatch=True)
common = {"ctx", "prompts", "thinking", "seed", "temperature", "top_p", "top_k", "max_tokens"}
specs = st.one_of(
    st.builds(Spec, kind=st.just("embedded"), options=options),
    st.builds(Spec, kind=st.just("gguf"), target=paths, options=options),
    st.builds(Spec, kind=st.sampled_from(["scripted", "recorded", "hf"]), target=paths),
    st.builds(Spec, kind=st.just("openai"), target=paths, url=urls),
    st.builds(
        Spec,
        kind=st.just("preset"),
        target=st.from_regex(r"p[A-Za-z0-9._-]{0,9}", fullmatch=True),
        url=st.none() | urls,
        options=options,
    ),
).filter(lambda spec: not common & set(spec.options))


@given(specs)
def test_the_text_of_a_spec_gives_the_same_spec(spec: Spec):
    assert parse(str(spec)) == spec


@given(st.text(max_size=40) | st.text(alphabet="openai:copy?=&@http/%25m", max_size=40))
def test_any_text_is_a_spec_or_a_usage_error(text: str):
    try:
        spec = parse(text)
    except UsageError:
        return
    assert parse(str(spec)) == spec


def test_an_endpoint_gets_what_the_spec_says():
    model = load("openai:org/m@http://127.0.0.1:1/v1?ctx=9000&temperature=0.5&top_k=7&timeout=9")
    assert isinstance(model, OpenAIModel)
    assert (model.name, model.context, model.style, model.thinking) == ("org/m", 9000, "full", None)
    assert model.sampling == Sampling(temperature=0.5, top_k=7)
    assert model.options.timeout == 9


def test_overrides_win_and_none_leaves_the_spec_alone():
    text = "openai:m@http://127.0.0.1:1/v1?ctx=9000&thinking=on&prompts=full"
    model = load(text, ctx=None, thinking=False, prompts="compact", max_tokens=8, timeout=2.5)
    assert isinstance(model, OpenAIModel)
    assert (model.context, model.style, model.thinking) == (9000, "compact", False)
    assert model.sampling == Sampling(max_tokens=8)
    assert model.options.timeout == 2.5
    with pytest.raises(UsageError, match="no option 'tempo'"):
        load(text, tempo=1)


def test_agentworld_comes_with_its_settings():
    model = load("agentworld-35b@http://127.0.0.1:8000/v1")
    assert isinstance(model, OpenAIModel)
    assert model.name == "Qwen/Qwen-AgentWorld-35B-A3B"
    assert model.sampling == Sampling(temperature=0.6, top_p=0.95, top_k=20, max_tokens=32768)
    assert (model.context, model.thinking, model.style) == (262144, True, "full")
    assert model.preset == "agentworld-35b"
    cooler = load("agentworld-35b@http://127.0.0.1:8000/v1?temperature=0")
    assert cooler.sampling.temperature == 0
    assert load("agentworld-397b@http://127.0.0.1:8000/v1").sampling == model.sampling


def test_a_users_presets_are_found_and_win(models_toml):
    models_toml(
        """
        [near]
        spec = "copy?ctx=100"

        [big]
        model = "org/big"
        url = "http://127.0.0.1:9/v1"
        thinking = false
        temperature = 1

        [agentworld-35b]
        model = "mine"
        url = "http://127.0.0.1:7/v1"
        """
    )
    assert isinstance(load("near"), CopyModel)
    assert load("near?ctx=200").context == 200
    assert str(resolve(parse("big"))) == (
        "openai:org/big@http://127.0.0.1:9/v1?thinking=off&temperature=1"
    )
    assert resolve(parse("big@http://127.0.0.2:9/v1")).url == "http://127.0.0.2:9/v1"
    assert load("agentworld-35b").name == "mine"
    assert load("agentworld-397b@http://127.0.0.1:1/v1").sampling.top_k == 20
    with pytest.raises(UsageError, match="has no address"):
        load("near@http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[a]", "needs either model or spec"),
        ('[a]\nmodel = "m"\nspec = "copy"', "needs either model or spec"),
        ('[copy]\nspec = "embedded"', "cannot be the name"),
        ('["a b"]\nspec = "copy"', "cannot be the name"),
        ("[a", "is not TOML"),
        ("a = 1", "models.toml"),
        ("[a]\nmodel = 3", "models.toml"),
        ('[a]\nspec = "b"\n[b]\nspec = "copy"', "stands for another preset"),
    ],
)
def test_a_broken_presets_file_is_named(text: str, says: str, models_toml):
    models_toml(text)
    with pytest.raises(UsageError) as caught:
        load("a")
    assert says in str(caught.value)


def test_a_seed_in_the_spec_is_for_requests_without_one():
    model = load("openai:m@http://127.0.0.1:1/v1?seed=5")
    assert isinstance(model, SeededModel)
    assert (model.seed, model.name, model.describe()["seed"]) == (5, "m", 5)


def test_the_interface_loads_without_any_engine():
    code = (
        "import sys; from worldline.models import load, WorldModel; load('copy');"
        "print([m for m in ('openai', 'httpx', 'xllamacpp', 'rapidfuzz') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert issubclass(CopyModel, WorldModel)


@pytest.mark.parametrize("spec", ["embedded?ctx=%ED%A0%80", "embedded?threads=%ED%A0%80"])
def test_half_a_character_in_a_number_is_a_typed_error(spec):
    with pytest.raises(UsageError):
        load(spec)
