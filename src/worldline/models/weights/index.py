"""Where pip would find a wheel: its own configuration, asked of pip, and the index's pages.

`links` follows what the user told pip (``PIP_INDEX_URL``, ``pip.conf``: index, extra indexes,
find-links, no-index) and reads both forms of an index page, JSON and HTML. Folders count as
indexes too.
"""

import ast
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit
from urllib.request import url2pathname

import httpx2
import msgspec

from worldline.errors import ModelError

PYPI = "https://pypi.org/simple"
_ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.2"
_NAMES = ("index-url", "extra-index-url", "find-links", "no-index", "cert", "proxy")


class PipSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What pip is told about where packages come from."""

    indexes: tuple[str, ...] = (PYPI,)
    find_links: tuple[str, ...] = ()
    cert: str | None = None
    proxy: str | None = None


def pip_settings() -> PipSettings:
    """The configuration of this environment's pip; its variables alone where there is no pip."""
    found = _listed()
    for name in _NAMES:
        value = os.environ.get(f"PIP_{name.upper().replace('-', '_')}")
        if value:
            found[name] = value
    indexes = [found.get("index-url") or PYPI, *found.get("extra-index-url", "").split()]
    if found.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        indexes = []
    return PipSettings(
        indexes=tuple(indexes),
        find_links=tuple(found.get("find-links", "").split()),
        cert=found.get("cert"),
        proxy=found.get("proxy"),
    )


def _listed() -> dict[str, str]:
    """`pip config list`: values for `pip download` win over global ones."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[str, dict[str, str]] = {"global": {}, "download": {}}
    for line in done.stdout.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in found and name in _NAMES:
            found[section][name] = _unquoted(value)
    return {**found["global"], **found["download"]}


def _unquoted(value: str) -> str:
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value


def client(settings: PipSettings) -> httpx2.Client:
    """An HTTP client that goes the way pip goes: its certificates, its proxy."""
    options: dict[str, Any] = {}
    if settings.cert:
        try:
            options["verify"] = ssl.create_default_context(cafile=settings.cert)
        except OSError as error:
            raise ModelError(
                "the certificates that pip is told to use cannot be read",
                file=settings.cert,
                remedy="Correct `cert` in pip's configuration (`pip config list`).",
            ) from error
    if settings.proxy:
        options["proxy"] = settings.proxy
    return httpx2.Client(timeout=httpx2.Timeout(30, connect=10), follow_redirects=True, **options)


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A file of an index: its address, and the user and password of the index it is on."""

    url: str
    auth: tuple[str, str] | None = None


def links(
    http: httpx2.Client, settings: PipSettings, package: str, wheel: str, trouble: list[str]
) -> Iterator[Link]:
    """Addresses of a wheel, best first, index by index. Pages that fail are told in `trouble`."""
    pages = [(f"{index.rstrip('/')}/{package}/", False) for index in settings.indexes]
    for page, local in [*pages, *((place, True) for place in settings.find_links)]:
        try:
            found = list(_in_page(http, page, wheel, folder=local))
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            trouble.append(f"{shown(page)}: {reason(error)}")
            continue
        if not found:
            trouble.append(f"{shown(page)}: has no {wheel}")
        yield from found


def _in_page(http: httpx2.Client, page: str, wheel: str, *, folder: bool) -> Iterator[Link]:
    path = local_path(page)
    if path is not None:
        index = path / "index.html"
        if (path / wheel).is_file():
            yield Link(url=(path / wheel).absolute().as_uri())
        elif index.is_file():
            text = index.read_text("utf-8", "replace")
            yield from _matching(_anchors(text), index.absolute().as_uri(), wheel, None)
        elif not folder and not path.is_dir():
            raise FileNotFoundError("no such folder")
        return
    answer = http.get(page, headers={"Accept": _ACCEPT})
    answer.raise_for_status()
    parts = urlsplit(page)
    auth = (
        (unquote(parts.username or ""), unquote(parts.password or "")) if parts.username else None
    )
    if "json" in answer.headers.get("content-type", ""):
        hrefs = _json_files(answer.content)
    else:
        hrefs = _anchors(answer.text)
    yield from _matching(hrefs, str(answer.url), wheel, auth)


def _matching(
    hrefs: list[str], base: str, wheel: str, auth: tuple[str, str] | None
) -> Iterator[Link]:
    for href in hrefs:
        url = urljoin(base, href)
        parts = urlsplit(url)
        if unquote(parts.path.rpartition("/")[2]) == wheel and parts.scheme in _SCHEMES:
            same = parts.hostname == urlsplit(base).hostname
            yield Link(url=urlunsplit(parts._replace(fragment="")), auth=auth if same else None)


_SCHEMES = ("https", "http", "file")


def _json_files(body: bytes) -> list[str]:
    page = json.loads(body)
    files = page.get("files") if isinstance(page, Mapping) else None
    if not isinstance(files, list):
        raise ValueError("is no index page")
    return [str(f["url"]) for f in files if isinstance(f, Mapping) and f.get("url")]


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.hrefs += [value for name, value in attrs if name == "href" and value]


def _anchors(text: str) -> list[str]:
    parser = _Anchors()
    parser.feed(text)
    return parser.hrefs


def local_path(url: str) -> Path | None:
    """The path behind a ``file:`` address or a plain path; `None` for anything on a network."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    return None if parts.scheme in ("http", "https") else Path(url).expanduser()


def shown(url: str) -> str:
    """An address as it may be printed: without user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def reason(error: Exception) -> str:
    """An error in a few words, no address in it (that may hold a password)."""
    if isinstance(error, httpx2.HTTPStatusError):
        return f"HTTP {error.response.status_code}"
    if isinstance(error, httpx2.HTTPError):
        return type(error).__name__
    return " ".join(str(error).split())[:200] or type(error).__name__
