"""A file from a network, resumable: what has arrived stays in a ``.part`` file until it is whole.

The checksum decides, not the server: a part may be continued from any address, by another process,
after a kill or a day later, and a wrong one is thrown away.
"""

import hashlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import httpx2

from worldline.errors import ModelError
from worldline.models.weights.index import Link, local_path, reason, shown

Report = Callable[[int], None]
"""Called with the bytes that are there so far."""
PAUSE_S = 0.5
"""Before the next attempt; doubles with each that brought nothing."""
_ATTEMPTS = 5


def download(
    http: httpx2.Client,
    link: Link,
    target: Path,
    *,
    size: int,
    sha: str,
    report: Report,
) -> None:
    """Bring `link` to `target`, which appears whole or not at all.

    Its ``.part`` file is continued. A connection that breaks is taken up again where it stopped,
    with growing pauses; an attempt that brought bytes does not count against the limit.

    Raises:
        ModelError: it cannot be had, or what came is not the file that is wanted.
    """
    part = part_of(target)
    for fresh in (not part.exists(), True):
        _bring(http, link, part, size, report)
        if file_sha(part) == sha:
            part.replace(target)
            return
        part.unlink()
        if fresh:
            break
    raise ModelError(
        f"{shown(link.url)} is not the expected file: its checksum is wrong",
        remedy="Try again; if it stays so, the index serves another file.",
    )


def part_of(target: Path) -> Path:
    """The file that holds what has arrived so far."""
    return target.with_name(target.name + ".part")


def file_sha(path: Path) -> str:
    """SHA-256 of a file, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _bring(http: httpx2.Client, link: Link, part: Path, size: int, report: Report) -> None:
    """Fill `part` until it has `size` bytes."""
    source = local_path(link.url)
    if source is not None:
        shutil.copyfile(source, part)
    failures = 0
    while (have := part.stat().st_size if part.exists() else 0) < size:
        try:
            _continue(http, link, part, have, size, report)
            trouble: Exception | None = None
        except (httpx2.TransportError, httpx2.HTTPStatusError, httpx2.InvalidURL) as error:
            trouble = error
        now = part.stat().st_size if part.exists() else 0
        failures = 0 if now > have else failures + 1
        if _hopeless(trouble) or failures >= _ATTEMPTS:
            why = reason(trouble) if trouble else "the connection ends too early"
            raise ModelError(f"{shown(link.url)}: {why}")
        if now < size:
            time.sleep(min(PAUSE_S * 2**failures, 8.0))
    report(size)


def _hopeless(error: Exception | None) -> bool:
    if isinstance(error, httpx2.HTTPStatusError):
        return error.response.status_code < 500 and error.response.status_code not in (408, 429)
    return isinstance(error, (httpx2.UnsupportedProtocol, httpx2.InvalidURL))


def _continue(
    http: httpx2.Client, link: Link, part: Path, have: int, size: int, report: Report
) -> None:
    """One request for what is missing; a server that ignores the range sends all of it again."""
    # Compression would make the bytes of a range those of another stream.
    headers = {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    with http.stream(
        "GET", link.url, headers=headers, auth=link.auth or httpx2.USE_CLIENT_DEFAULT
    ) as answer:
        answer.raise_for_status()
        goes_on = answer.status_code == httpx2.codes.PARTIAL_CONTENT and _starts_at(answer, have)
        with part.open("ab" if goes_on else "wb") as file:
            _write(answer, file, have if goes_on else 0, size, report)


def _starts_at(answer: httpx2.Response, have: int) -> bool:
    return answer.headers.get("content-range", "").startswith(f"bytes {have}-")


def _write(answer: httpx2.Response, file: IO[bytes], have: int, size: int, report: Report) -> None:
    report(have)
    for chunk in answer.iter_raw():
        file.write(chunk)
        have += len(chunk)
        report(have)
        if have > size:
            return
