"""Manual pages as HTML, by mandoc."""

import gzip
import re
import subprocess
import zlib
from pathlib import Path

LIMIT_S = 20
_NAME = re.compile(r"(?:^|/)man(\d)/([^/]+)\.(\d\w*)(?:\.gz)?$")
_REFERENCE = re.compile(rb"<b>([A-Za-z_][\w.+-]{0,60})</b>\((\d\w{0,4})\)")


def page_name(path: str) -> tuple[str, str] | None:
    """Name and section of a manual page by its path, as ``("epoll", "7")``."""
    found = _NAME.search(path)
    return (found[2], found[3]) if found else None


def to_html(data: bytes, name: str, section: str, mandoc: Path) -> bytes | None:
    """A manual page as an HTML document; `None` for a mere alias or what cannot be read.

    Args:
        data: roff source, gzipped or not.
    """
    try:
        source = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error):
        return None
    if source.startswith(b".so "):
        return None
    try:
        done = subprocess.run(
            [str(mandoc), "-T", "html", "-O", "fragment", "-K", "utf-8"],
            input=source,
            capture_output=True,
            timeout=LIMIT_S,
            env={"LC_ALL": "C.UTF-8"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if not done.stdout:
        return None
    body = _REFERENCE.sub(rb'<a href="../man\2/\1.\2.html">\1(\2)</a>', done.stdout)
    title = f"{name}({section}) - Linux manual page".encode()
    return (
        b"<!DOCTYPE html><html><head><meta charset='utf-8'><title>" + title + b"</title></head>"
        b"<body><h1>" + f"{name}({section})".encode() + b"</h1>" + body + b"</body></html>"
    )
