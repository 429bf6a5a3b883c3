"""Which key goes to which host, and to no other.

A key is looked up by the host of the endpoint, in this order:

1. ``WORLDLINE_KEY_<HOST>``: the host in capitals, ``.`` as ``_`` and ``-`` as ``__``, so that no
   two hosts share a name (``WORLDLINE_KEY_API_EXAMPLE_COM``);
2. ``OPENAI_API_KEY``, for api.openai.com alone;
3. ``keys.toml`` in the configuration folder, by host or host:port::

       ["llm.example.com:8443"]
       env = "EXAMPLE_KEY"      # or: key = "..."

A key that would travel unencrypted to another machine is refused. The client adds the key to a
request only after looking at where that request goes, and follows no redirect.
"""

import ipaddress
import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from worldline.errors import ModelError, UsageError
from worldline.paths import config_dir

OPENAI_HOST = "api.openai.com"


def endpoint_url(url: str) -> SplitResult:
    """The parts of a base URL.

    Raises:
        UsageError: no http(s) URL with a host, or one that holds a user, a query or a fragment.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        raise _unusable("is not a URL") from None
    if "@" in parts.netloc:
        raise _unusable("holds a user or a password, which would end up in logs")
    if not usable:
        raise _unusable(f"is {url!r}")
    if parts.query or parts.fragment:
        raise _unusable("has a query or a fragment")
    return parts


def _unusable(what: str) -> UsageError:
    return UsageError(
        f"the address of the endpoint {what}",
        field="base_url",
        remedy="Write it as http://HOST:PORT/v1; keys come from the environment or keys.toml.",
    )


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def variable(host: str) -> str:
    """The environment variable that holds the key of a host."""
    return "WORLDLINE_KEY_" + host.replace("-", "__").replace(".", "_").replace(":", "_").upper()


def key_for(
    url: str, *, insecure: bool = False, environ: Mapping[str, str] = os.environ
) -> str | None:
    """The key for an endpoint, or `None` when none is configured for its host.

    Raises:
        UsageError: `url` is no usable address.
        ModelError: the key is unusable, or would travel unencrypted to another machine.
    """
    parts = endpoint_url(url)
    host = parts.hostname or ""
    found = _from_environment(host, environ) or _from_file(host, parts.port, environ)
    if found is None:
        return None
    key, source = found[0].strip(), found[1]
    if not (key and key.isascii() and key.isprintable() and " " not in key):
        raise ModelError(
            "the key is empty or holds blanks or characters that no HTTP header can carry",
            field=source,
            remedy="Set it again, without quotes or line breaks.",
        )
    if parts.scheme == "http" and not is_loopback(host) and not insecure:
        raise ModelError(
            f"plain HTTP would show the key of {host} ({source}) to the network",
            field="base_url",
            remedy="Use https, unset the key, or allow it with the option insecure=1.",
        )
    return key


def _from_environment(host: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    names = [variable(host)] + (["OPENAI_API_KEY"] if host == OPENAI_HOST else [])
    return next(((environ[name], name) for name in names if environ.get(name)), None)


def _from_file(host: str, port: int | None, environ: Mapping[str, str]) -> tuple[str, str] | None:
    path = config_dir() / "keys.toml"
    if not path.is_file():
        return None
    entries = _read(path)
    name = next((n for n in (f"{host}:{port}", host) if n in entries), None)
    if name is None:
        return None
    entry: Any = entries[name]
    match entry:
        case {"env": str(variable)}:
            value = environ.get(variable)
            if not value:
                raise _bad_file(path, f"names the variable {variable}, which is not set", name)
            return value, variable
        case {"key": str(value)}:
            _only_mine(path)
            return value, "keys.toml"
        case _:
            raise _bad_file(path, "holds neither env nor key", name)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # its message may quote a key
        raise _bad_file(path, "cannot be read as TOML", None) from None


def _only_mine(path: Path) -> None:
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ModelError(
            "holds a key and can be read by others",
            file=path.name,
            remedy=f"Run: chmod 600 {path}",
        )


def _bad_file(path: Path, what: str, name: str | None) -> ModelError:
    return ModelError(
        what,
        file=path.name,
        field=None if name is None else f'["{name}"]',
        remedy='Write ["HOST"] with env = "VARIABLE" or key = "...".',
    )
