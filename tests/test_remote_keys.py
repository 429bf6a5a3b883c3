"""A key goes to the host it belongs to, and shows up nowhere else."""

import asyncio
import logging

import pytest

from benchmarks.stub import Answer, Stub, error
from worldline import jsonl
from worldline.errors import ModelError, UsageError
from worldline.messages import Message, Request
from worldline.models.openai import OpenAIModel
from worldline.models.remote.connection import connect
from worldline.models.remote.keys import endpoint_url, key_for, variable
from worldline.models.remote.options import Options

KEY = "sk-secret-0123456789"
MINE = "WORLDLINE_KEY_127_0_0_1"


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    """An empty configuration folder and no keys of the person who runs the tests."""
    monkeypatch.setenv("WORLDLINE_CONFIG", str(tmp_path))
    for name in ("OPENAI_API_KEY", MINE):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def write_keys(folder, text: str, mode: int = 0o600) -> None:
    path = folder / "keys.toml"
    path.write_text(text)
    path.chmod(mode)


def predict(url: str, **extra):
    message = Message("user", "ls")
    request = Request(
        domain="generic", dialect="text", messages=(message,), history=(), action="ls"
    )

    async def run():
        async with OpenAIModel("m", url, extra={"backoff": 0.01, "attempts": 2, **extra}) as model:
            return model, await model.predict(request)

    return asyncio.run(run())


# which key


@pytest.mark.parametrize("host", ["api.openai.com.evil.example", "openai.com", "127.0.0.1"])
def test_the_openai_key_is_for_its_own_host_alone(host):
    environ = {"OPENAI_API_KEY": KEY}
    assert key_for("https://api.openai.com/v1", environ=environ) == KEY
    assert key_for(f"https://{host}/v1", environ=environ) is None


def test_a_key_of_another_host_is_not_used():
    environ = {variable("a.example"): KEY}
    assert key_for("https://a.example/v1", environ=environ) == KEY
    assert key_for("https://A.example:8443/v1", environ=environ) == KEY
    assert key_for("https://b.example/v1", environ=environ) is None
    assert key_for("https://x.a.example/v1", environ=environ) is None


def test_no_two_hosts_share_a_variable():
    hosts = ["a.b.c", "a-b.c", "a.b-c", "a--b.c", "ab.c"]
    assert len({variable(host) for host in hosts}) == len(hosts)


def test_keys_toml_by_host_or_by_host_and_port(config):
    write_keys(config, f'["a.example"]\nenv = "MY"\n["a.example:9000"]\nkey = "{KEY}"\n')
    environ = {"MY": "from-env"}
    assert key_for("https://a.example/v1", environ=environ) == "from-env"
    assert key_for("https://a.example:9000/v1", environ=environ) == KEY
    assert key_for("https://b.example/v1", environ=environ) is None


@pytest.mark.parametrize(
    ("text", "mode", "says"),
    [
        (f'["a.example"]\nkey = "{KEY}"', 0o644, "chmod 600"),
        (f'["a.example"]\nkey = "{KEY}', 0o600, "TOML"),
        (f'["a.example"]\ntoken = "{KEY}"', 0o600, "neither env nor key"),
        ('["a.example"]\nenv = "NOT_SET"', 0o600, "NOT_SET"),
        (f'["a.example"]\nkey = "{KEY}\\n"\n["b"]\nkey = "x y"', 0o600, None),
    ],
)
def test_a_keys_toml_that_is_wrong_says_how_without_the_key(config, text, mode, says):
    write_keys(config, text, mode)
    if says is None:
        assert key_for("https://a.example/v1", environ={}) == KEY
        return
    with pytest.raises(ModelError) as raised:
        key_for("https://a.example/v1", environ={})
    assert says in str(raised.value) and KEY not in str(raised.value)


@pytest.mark.parametrize("bad", ["a b", "a\nb", "kéy", " "])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(bad):
    with pytest.raises(ModelError) as raised:
        key_for("https://a.example/v1", environ={variable("a.example"): bad})
    assert "WORLDLINE_KEY_A_EXAMPLE" in str(raised.value)
    assert bad == " " or bad not in str(raised.value)


def test_plain_http_to_another_machine_needs_to_be_allowed():
    environ = {variable("a.example"): KEY}
    with pytest.raises(ModelError, match="insecure=1"):
        key_for("http://a.example/v1", environ=environ)
    assert key_for("http://a.example/v1", insecure=True, environ=environ) == KEY
    assert key_for("http://a.example/v1", environ={}) is None
    for loopback in ("127.0.0.1", "localhost"):
        assert key_for(f"http://{loopback}/v1", environ={variable(loopback): KEY}) == KEY


def test_the_model_itself_refuses_plain_http_with_a_key(monkeypatch):
    monkeypatch.setenv(variable("a.example"), KEY)
    with pytest.raises(ModelError):
        OpenAIModel("m", "http://a.example/v1")
    OpenAIModel("m", "http://a.example/v1", extra={"insecure": "1"})


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example/v1",
        "file:///etc/passwd",
        "ftp://a.example",
        "http://",
        "http://u:p@a.example/v1",
        "http://a.example:99999/v1",
        "http://a.example/v1?key=x",
        "http://[::1",
    ],
)
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(UsageError) as raised:
        endpoint_url(url)
    assert "u:p" not in str(raised.value)


# where it goes


def test_the_key_reaches_its_host(monkeypatch):
    monkeypatch.setenv(MINE, KEY)
    with Stub("x") as stub:
        predict(stub.url)
        assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_there_is_no_authorization_at_all(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Stub("x") as stub:
        predict(stub.url)
        assert "authorization" not in stub.requests[0].headers


def test_what_the_sdk_reads_from_the_environment_goes_nowhere(monkeypatch):
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}\nX-Api-Key: {KEY}")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    with Stub("x") as stub:
        predict(stub.url)
        sent = str(stub.requests[0].headers)
    assert KEY not in sent and "org-private" not in sent


def test_a_redirect_is_not_followed_and_carries_nothing(monkeypatch):
    monkeypatch.setenv(MINE, KEY)
    with Stub("stolen") as elsewhere:
        target = elsewhere.url.replace("127.0.0.1", "localhost") + "/chat/completions"
        moved = Answer(status=307, body="", headers={"Location": target})
        with Stub(moved) as stub, pytest.raises(ModelError, match="not followed"):
            predict(stub.url)
        assert elsewhere.requests == []


def test_the_hook_binds_the_key_to_the_origin_even_if_a_request_goes_astray():
    async def run(url: str, astray: str) -> None:
        async with connect(url, KEY, Options()) as client:
            for target in (url, astray):
                await client._client.get(target)

    with Stub("x") as stub, Stub("y") as other:
        asyncio.run(run(stub.url, other.url))
        assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert "authorization" not in other.requests[0].headers


def test_no_proxy_stands_between_this_machine_and_itself(monkeypatch):
    with Stub("x") as stub, Stub("proxied") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "")
        _, found = predict(stub.url)
        assert proxy.requests == []
    assert found.observation == "x"


# where it does not show


@pytest.mark.parametrize("status", [401, 400, 429, 500])
def test_a_server_that_echoes_the_key_does_not_get_it_into_errors_or_logs(
    monkeypatch, caplog, status
):
    monkeypatch.setenv(MINE, KEY)
    caplog.set_level(logging.DEBUG)
    shown = ""
    with Stub(error(status, f"Incorrect API key provided: {KEY}.")) as stub:
        try:
            shown = repr(predict(stub.url)[1])
        except ModelError as refused:
            shown = f"{refused} {refused.record()}"
    assert "[key]" in shown and KEY not in shown
    assert KEY not in caplog.text


def test_neither_description_nor_cache_nor_repr_holds_the_key(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv(MINE, KEY)
    caplog.set_level(logging.DEBUG)
    with Stub("x") as stub:
        model, found = predict(stub.url, cache=str(tmp_path / "cache"))
        description = model.describe()
        assert description["host"] == stub.url.split("/")[2]
    kept = b"".join(p.read_bytes() for p in (tmp_path / "cache").rglob("*.json")).decode()
    shown = [kept, jsonl.dumps(description).decode(), repr(model), repr(found), caplog.text]
    assert kept and not any(KEY in text for text in shown)
    assert str(tmp_path) not in shown[1]
