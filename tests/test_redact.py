"""No secret leaves: every shape of key is replaced by a typed mark, and nothing else is touched."""

import json
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.redact import mark, redact
from worldline.redact.secrets import _shapes

JWT = "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0" + "." + "c2lnbmF0dXJlLW9mLWl0"
PEM = "-----BEGIN RSA PRIVATE " + "KEY-----\n{}-----END RSA PRIVATE " + "KEY-----"
BODY = "".join(f"{'MIIEow' + 'Ab9' * 19}\n" for _ in range(6))

FAKES = {
    "aws": ("aws_key", "AKIA" + "QWERTYUIOPASDFGH"),
    "google": ("google_key", "AIza" + "Sy-_" * 8 + "abc"),
    "openai": ("api_key", "sk-proj-" + "a1B2" * 6),
    "openai_letters": ("api_key", "sk-proj-" + "a" * 24),
    "anthropic": ("api_key", "sk-ant-api03-" + "Zx9_" * 10),
    "hub": ("api_key", "hf_" + "aBcD" * 9),
    "github": ("github_token", "ghp_" + "k9" * 18),
    "github_fine": ("github_token", "github_pat_" + "1a_B" * 10),
    "gitlab": ("gitlab_token", "glpat-" + "x1Y2" * 5),
    "slack": ("slack_token", "xoxb-" + "123456789012-" + "abcDEF"),
    "slack_hook": ("slack_token", "https://hooks.slack.com/services/" + "T0AAA/B0BBB/cccDDD"),
    "npm": ("npm_token", "npm_" + "a1B2" * 9),
    "pypi": ("pypi_token", "pypi-AgEIcHlwaS5vcmc" + "a1-_" * 20),
    "stripe": ("stripe_key", "sk_live_" + "a1B2" * 6),
    "sendgrid": ("sendgrid_key", "SG." + "a" * 22 + "." + "b" * 43),
    "telegram": ("telegram_token", "123456789:" + "AAa-_" * 7),
    "twilio": ("twilio_key", "SK" + "0a1b" * 8),
    "jwt": ("jwt", JWT),
    "pem": ("private_key", PEM.format(BODY)),
    "pem_encrypted": ("private_key", PEM.format("Proc-Type: 4,ENCRYPTED\n\n" + BODY)),
}
"""name -> (kind, a fake put together here). The text around must stay."""

WITHIN = {
    "bearer": ("bearer", "Authorization: Bearer ", "t0ken" * 5),
    "bearer_lower": ("bearer", '"authorization": "bearer ', "t0ken" * 5),
    "header": ("header_key", "x-api-key: ", "v" * 20),
    "bearer_letters": ("bearer", "Bearer ", "abcdefghijklmnopqrst"),
    "header_words": ("header_key", "x-api-key: ", "test1234"),
    "header_json": ("header_key", '"X-Api-Key": "', "9f8e7d6c5b4a"),
    "basic": ("authorization", "Authorization: Basic ", "dXNlcjpodW50ZXIy"),
    "env": ("password", "export DB_PASSWORD=", "hunter2hunter2"),
    "env_word": ("password", "DB_PASSWORD=", "correcthorsebattery"),
    "yaml": ("password", "  password: ", "s3cr3t-enough"),
    "code": ("password", 'password = "', "Tr0ub4dor&3"),
    "flag": ("password", "mysql --password=", "Tr0ub4dor-3"),
    "url": ("password", "postgres://app:", "pa55w0rd!x"),
    "secret": ("secret", "AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENGbPxRfiCYz1234567890"),
    "secret_code": ("secret", 'client_secret: "', "8a7b6c5d4e3f2a1b0c9d"),
    "npmrc": ("npm_token", "//registry.example/:_authToken=", "0f1e2d3c-4b5a-6978"),
}
"""name -> (kind, what stands before, the secret)."""

END = {"url": "@db.corp.net/x"}
TEXTS = [fake for _, fake in FAKES.values()]
TEXTS += [a + b + END.get(name, "") for name, (_, a, b) in WITHIN.items()]


@pytest.mark.parametrize("name", FAKES)
@pytest.mark.parametrize("around", ["before {} after", "K={}\n", '"{}"', "\x1b[32m{}\x1b[0m", "{}"])
def test_ur_s38_every_shape_becomes_a_typed_mark(name, around):
    kind, fake = FAKES[name]
    text, found = redact(around.format(fake))
    assert text == around.format(mark(kind)) and found == {kind: 1}


@pytest.mark.parametrize("name", WITHIN)
def test_ur_s38_a_value_with_a_telling_name_becomes_a_typed_mark(name):
    kind, before, secret = WITHIN[name]
    end = END.get(name) or ('"' if before.endswith('"') else "\nnext line")
    text, found = redact(f"{before}{secret}{end}")
    assert text == f"{before}{mark(kind)}{end}" and found == {kind: 1}


def test_ur_s38_the_quote_after_a_secret_stays():
    text, found = redact('authorization:abcdefghijklmnop"suffix')
    assert text == f'authorization:{mark("authorization")}"suffix' and found == {"authorization": 1}


def test_ur_s38_a_key_cut_off_before_its_end_is_replaced_too():
    text, _ = redact("$ cat id_rsa\n-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + BODY + "(more)")
    assert text == f"$ cat id_rsa\n{mark('private_key')}\n(more)"
    text, _ = redact(
        'KEY = ("-----BEGIN PRIVATE ' + 'KEY-----\\n"\n    "' + "Ab9z" * 12 + '")\nx = 1'
    )
    assert "Ab9z" not in text and text.endswith('")\nx = 1')


def test_ur_s38_many_in_one_text_are_counted_by_kind():
    env = "\n".join(f"V{at}={fake}" for at, (_, fake) in enumerate(FAKES.values()))
    text, found = redact(env)
    assert found == Counter(kind for kind, _ in FAKES.values())
    assert not [fake for _, fake in FAKES.values() if fake in text]


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "/usr/lib/python3/dist-packages/detect_secrets/plugins/keyword.py:120",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
        "password = get_password(user.password)",
        "def login(username: str, password: str = None) -> Token:",
        'password = "password"',
        "PASSWORD=${DB_PASSWORD}",
        "password: <your password>",
        "postgres://user:pass@localhost/db",
        "postgres://{user}:{password}@{host}",
        "git clone git@github.com:o/r.git",
        'headers = {"Authorization": authorization_header}',
        'headers["Authorization"] = f"Bearer {self.token}"',
        "secret = base64.b64encode(os.urandom(16))",
        "max_tokens=16384, pad_token_id=50256",
        "class sk-circle-fade-dot-and-more-words",
        "Bearer token_introspection_endpoint",
        "if '-----BEGIN RSA PRIVATE " + "KEY-----' in text: raise",
        "1700000000:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "ACCAGTACGTACGTACGTACGTACGT",
        "export PWD=/home/user/very/long/path",
    ],
)
def test_ur_s38_hashes_paths_code_and_placeholders_stay(text):
    assert redact(text) == (text, {})


@pytest.mark.parametrize("fake", TEXTS)
@pytest.mark.parametrize("indent", [None, 1])
def test_ur_s38_json_inside_a_text_stays_json(fake, indent):
    inner = {"output": f"line\n{fake}\nnext", "n": fake, "deep": json.dumps([f"\t{fake}\\"])}
    text, found = redact(json.dumps(inner, indent=indent))
    back = json.loads(text)
    assert found and back.keys() == inner.keys() and fake not in text
    assert back["output"].startswith("line\n") and back["output"].endswith("\nnext")
    assert json.loads(back["deep"])[0].endswith("\\")


pieces = st.sampled_from(
    [*TEXTS, "\n", '"', "\\", "\\n", " ", "=", ":", "@", "[", "x", "é", "\ud800"]
)
mixed = st.lists(pieces | st.text(max_size=6), max_size=12).map("".join)


@given(mixed)
def test_twice_is_once(text):
    once, _ = redact(text)
    assert redact(once) == (once, {})


@given(
    st.recursive(mixed, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(mixed, inner))
)
def test_what_was_json_is_json(value):
    try:
        text = json.dumps(value)
    except UnicodeEncodeError:
        return
    json.loads(redact(text)[0])


def test_every_shape_is_understood_by_the_linear_engine():
    assert len(_shapes()) > 30
    assert all(type(shape.pattern).__module__ == "re2" for shape in _shapes())


def test_ten_megabytes_of_trouble_end():
    # Processor time, in a process of its own: what is not linear would take hours.
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (100, 100))\n"
        "from worldline.redact import redact\n"
        "for piece in ('password=', '-----BEGIN RSA PRIVATE ' + 'KEY-----', 'sk-', 'a://b:c',\n"
        "              'eyJ' + 'a' * 9 + '.', 'Bearer ', 'x' * 99 + ' ', 'api_key: \"'):\n"
        "    redact(piece * (1_000_000 // len(piece)))\n"
        "redact('password=' * 500_000 + 'nothing at all ' * 400_000)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_heavy_is_loaded_before_it_is_needed():
    code = "import sys, worldline.redact; assert not {'re2', 'detect_secrets'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
