"""What only looks like a secret: examples, names of variables, words.

A judge gets the value and what was matched around it, and says whether it is one.
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

_WORDS = re.compile(r"[A-Za-z_]+(?:[._:-][A-Za-z_]*)*[,.;:]?\Z")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z")
_OPENING = "$<{%*[(.#&`|/\\"
_BLANKED = frozenset("*.x-_#\u2022")
_MAKERS = ("sk-proj-", "sk-ant-", "sk-or-", "sk-svcacct-", "sk-admin-", "sk-live-", "sk-test-")
_SLOTS = ("${", "%s", "%(", "{}", "{{", "</", "://", "****", "....", "…")


@cache
def _plain() -> frozenset[str]:
    given = tomllib.loads((Path(__file__).parent / "secrets.toml").read_text("utf-8"))
    return frozenset(given["plain"])


def slot(value: str) -> bool:
    """Something to fill in, or the word for it."""
    bare = value.strip("\"'`,;:!.").lower()
    return (
        not bare
        or value[0] in _OPENING
        or any(one in value for one in _SLOTS)
        or bare.replace("_", "").replace("-", "") in _plain()
        or bare.startswith("your")
    )


def placeholder(value: str) -> bool:
    """A slot, a word of documentation and tests, dots and stars."""
    bare = value.strip("\"'`,;:!.").lower()
    examples = ("my_", "my-", "some_", "some-", "example", "test_", "fake")
    return slot(value) or bare.startswith(examples) or set(bare) <= _BLANKED


def name_like(value: str) -> bool:
    """Letters joined by dots, colons, dashes or underscores: a variable or a word, not a value."""
    return bool(_WORDS.match(value) or _DOTTED.match(value))


def bits(value: str) -> float:
    """Shannon entropy of a value, in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _one_key(value: str, whole: str) -> bool:
    return len(value) < 60_000


def _aws(value: str, whole: str) -> bool:
    """Any ``AKIA...``; ``ASIA`` begins words too, so there must be a digit."""
    return value.startswith("AKIA") or any(c.isdigit() for c in value)


def _example(value: str, whole: str) -> bool:
    """Any token of the right shape but those of documentation."""
    return "xxxxxxxx" not in value.lower()


def _key(value: str, whole: str) -> bool:
    """``sk-`` also begins names of styles and files, which are words joined by dashes."""
    words = value[3:].split("-")
    short = len(words) > 2 and all(word.isalpha() and len(word) < 13 for word in words)
    return value.startswith(_MAKERS) or not short


def _bearer(value: str, whole: str) -> bool:
    joined = "_" in value or "-" in value or "." in value or "/" in value or "=" in value
    return not slot(value) and not (joined and name_like(value))


def _header(value: str, whole: str) -> bool:
    joined = "_" in value or "." in value or "-" in value
    return not slot(value) and not (joined and name_like(value))


def _url_password(value: str, whole: str) -> bool:
    return not placeholder(value) and value.lower() not in ("pass", "pwd", "pw", "user", "token")


def _password(value: str, whole: str) -> bool:
    symbols = any(c in "!@#$%^&*+~?" for c in value)
    return (
        not placeholder(value)
        and not name_like(value)
        and (symbols or any(c.isdigit() for c in value))
    )


def _env_password(value: str, whole: str) -> bool:
    plain = value.isalpha() and len(value) >= 8
    return _password(value, whole) or (plain and not placeholder(value))


def _secret(value: str, whole: str) -> bool:
    return (
        _mixed(value)
        and not placeholder(value)
        and not name_like(value)
        and not _UUID.match(value)
        and value.count("/") < 3
        and bits(value) >= 3.0
    )


JUDGES: dict[str, Callable[[str, str], bool]] = {
    "one_key": _one_key,
    "aws": _aws,
    "example": _example,
    "key": _key,
    "bearer": _bearer,
    "header": _header,
    "url_password": _url_password,
    "password": _password,
    "env_password": _env_password,
    "secret": _secret,
}
"""By the names in ``secrets.toml``."""
