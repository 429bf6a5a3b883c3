"""Files as the agent's tools see them, through a helper that runs in the sandbox as the agent."""

import base64
import json
import os
import posixpath
import select
import subprocess
import time
from importlib import resources
from typing import Any, NamedTuple

from worldline.environments.swe.shell import end
from worldline.environments.swe.workspace import Workspace

PYTHON = "/usr/bin/python3"
LARGEST = 4 << 20
"""Bytes of a file that a tool reads at most."""


class FileTrouble(Exception):
    """A file cannot be read or written; says why, in the system's words.

    Args:
        reason: as ``No such file or directory``.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Folder(NamedTuple):
    """A folder and the names in it."""

    names: tuple[str, ...]


class Blob(NamedTuple):
    """A file's content, cut at `LARGEST`, and its size."""

    data: bytes
    size: int

    @property
    def binary(self) -> bool:
        """Whether it is no text."""
        return b"\0" in self.data[:8192]

    @property
    def text(self) -> str:
        """As text."""
        return self.data.decode("utf-8", "replace")


class Files:
    """Requests to the helper; one that does not answer in time is ended, and says so."""

    def __init__(self, space: Workspace) -> None:
        self.space = space
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self.until = float("inf")
        """When the current action has to be over, on the monotonic clock."""

    def read(self, path: str) -> Blob | Folder:
        """A file or a folder.

        Raises:
            FileTrouble: it cannot be read.
        """
        answer = self._ask(op="read", path=path, limit=LARGEST)
        if answer["kind"] == "dir":
            return Folder(tuple(answer["names"]))
        if answer["kind"] != "file":
            raise FileTrouble("Not a regular file")
        return Blob(base64.b64decode(answer["data"]), answer["size"])

    def text(self, path: str) -> str:
        """The text of a file.

        Raises:
            FileTrouble: it cannot be read, or is a folder or no text.
        """
        found = self.read(path)
        if isinstance(found, Folder):
            raise FileTrouble("Is a directory")
        if found.binary or found.size > len(found.data):
            raise FileTrouble("Not a text file" if found.binary else "File too large")
        return found.text

    def write(self, path: str, content: str) -> bool:
        """Write a file, making its folders; whether it was there before.

        Raises:
            FileTrouble: it cannot be written.
        """
        data = base64.b64encode(content.encode("utf-8", "replace")).decode()
        return self._ask(op="write", path=path, data=data)["there"]

    def walk(self, path: str) -> list[tuple[str, int]]:
        """Files below a folder with their times, in order of path."""
        return [(name, time) for name, time in self._ask(op="walk", path=path)["files"]]

    def kind(self, path: str) -> str | None:
        """``file``, ``dir``, ``other``; `None`: nothing is there."""
        return self._ask(op="kind", path=path)["kind"]

    def syntax(self, content: str) -> str | None:
        """What Python says against a text as source, if anything."""
        data = base64.b64encode(content.encode("utf-8", "replace")).decode()
        return self._ask(op="syntax", data=data)["trouble"]

    def full(self, path: str, cwd: str) -> str:
        """The absolute path, without ``.`` and ``..``."""
        return posixpath.normpath(posixpath.join(cwd, path.replace("\0", "")))

    def close(self) -> None:
        """End the helper."""
        process, self._process, self._rest = self._process, None, b""
        if process is not None:
            end(process)

    def _ask(self, **ask: Any) -> dict[str, Any]:
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(ask).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(self._line(process))
        except (OSError, ValueError, TimeoutError) as error:
            self.close()
            raise FileTrouble("Interrupted") from error
        if "error" in answer:
            raise FileTrouble(answer["error"])
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            source = (
                resources.files("worldline.environments.swe")
                .joinpath("agent_files.py")
                .read_text("utf-8")
            )
            argv = [PYTHON, "-I", "-S", "-c", source]
            self._process = self.space.popen(argv, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return self._process

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        out = process.stdout.fileno()
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([out], [], [], min(left, 60.0))[0]:
                raise TimeoutError
            data = os.read(out, 1 << 16)
            if not data:
                raise TimeoutError
            parts.append(data)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line
