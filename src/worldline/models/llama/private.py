"""The way to the engine's own server that nobody else can take.

llama.cpp's server is always started with an HTTP port; on it are things that are not to be had in
process (tokens of a text, the chat template). So it gets no port but a socket file in a folder that
only this user may enter, and three locks more: a random key, a random path before every route, and
no other origin. Where there are no socket files (Windows) it is a port of the loopback with these
three: without the key and the path nothing answers, `/health` included.
"""

import http.client
import json
import os
import secrets
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from worldline.errors import ModelError

_LONGEST_SOCKET_PATH = 100
"""Bytes; systems allow 104 to 108."""


class Private:
    """Address and secrets of one engine's server."""

    def __init__(self, *, socket_file: bool = hasattr(socket, "AF_UNIX")) -> None:
        self.key = secrets.token_urlsafe(32)
        self.prefix = f"/{secrets.token_urlsafe(16)}"
        self.folder = _folder() if socket_file else None
        self.address = ""

    @property
    def socket(self) -> str | None:
        """Path of the socket file; `None` where it is a port."""
        return str(self.folder / "s.sock") if self.folder else None

    def guard(self, params: Any) -> None:
        """Set up a server's parameters so that only this object gets in."""
        params.hostnames = [self.socket or "127.0.0.1"]
        params.port = 0
        params.api_keys = [self.key]
        params.api_prefix = self.prefix
        params.cors_origins = "localhost"
        params.cors_credentials = False
        params.ui = False
        params.endpoint_slots = params.endpoint_props = params.endpoint_metrics = False

    def ask(self, route: str, body: Any = None) -> Any:
        """The JSON answer of a route: POST with a body, GET without.

        Raises:
            ModelError: the server refuses (the message is its own) or is gone.
        """
        connection = _Connection(self.socket, urlsplit(self.address).port)
        headers = {"Authorization": f"Bearer {self.key}", "Connection": "close"}
        try:
            if body is None:
                connection.request("GET", self.prefix + route, headers=headers)
            else:
                headers["Content-Type"] = "application/json"
                connection.request("POST", self.prefix + route, json.dumps(body), headers)
            answer = connection.getresponse()
            found = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ModelError(
                "the engine does not answer", remedy="Open the model again."
            ) from error
        finally:
            connection.close()
        if answer.status != http.client.OK:
            raise ModelError(str(found.get("error", {}).get("message", answer.status)))
        return found

    def close(self) -> None:
        """Remove the socket file and its folder."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def _folder() -> Path | None:
    """A new folder that only this user can enter, with a path short enough for a socket."""
    for place in (None, "/tmp"):
        path = Path(tempfile.mkdtemp(prefix="wl-", dir=place))
        if len(os.fsencode(path)) < _LONGEST_SOCKET_PATH:
            return path
        path.rmdir()
    return None


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str | None, port: int | None) -> None:
        super().__init__("127.0.0.1", port, timeout=60)
        self.path = path

    def connect(self) -> None:
        if self.path is None:
            return super().connect()
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)
