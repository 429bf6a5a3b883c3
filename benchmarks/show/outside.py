"""What lies outside a sandbox for attacks to reach: files, processes, listeners, all of our own."""

import contextlib
import os
import secrets
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Self


class Outside:
    """Bait, held open as long as the attacks run."""

    def __init__(self) -> None:
        self.token = f"token-{secrets.token_hex(12)}"
        self.marker = f"victim-{secrets.token_hex(6)}"
        self._folder = tempfile.TemporaryDirectory(prefix="worldline-bait-", dir="/var/tmp")
        self.folder = Path(self._folder.name)
        self.folder.chmod(0o777)
        self.secret = self.folder / "secret.txt"
        self.secret.write_text(f"{self.token}\n")
        self.secret.chmod(0o644)
        self.abstract = f"worldline-{secrets.token_hex(6)}"
        self._sockets: list[socket.socket] = []
        self._heard = threading.Event()
        self.port = self._listen(socket.AF_INET, ("127.0.0.1", 0))
        self._listen(socket.AF_UNIX, str(self.folder / "socket"))
        (self.folder / "socket").chmod(0o777)
        self._listen(socket.AF_UNIX, "\0" + self.abstract)
        self.udp = self._hear()
        self._victim: subprocess.Popen[bytes] | None = None

    @property
    def victim(self) -> int:
        """A process outside; a new one if the last was killed."""
        if self._victim is None or self._victim.poll() is not None:
            code = f"import time; time.sleep(3600)  # {self.marker}"
            env = {**os.environ, "WORLDLINE_TOKEN": self.token}
            self._victim = subprocess.Popen(
                [sys.executable, "-c", code], env=env, cwd=self.folder, start_new_session=True
            )
        return self._victim.pid

    def names(self, hardened: bool, run: int) -> dict[str, Any]:
        """What the placeholders of an attack stand for."""
        disk = Path("/").stat().st_dev
        groups = "memory/" if Path("/sys/fs/cgroup/memory").is_dir() else ""
        return {
            "secret": self.secret,
            "secret_name": self.secret.name,
            "folder": self.folder,
            "victim": self.victim,
            "first": 1 if hardened else self.victim,
            "port": self.port,
            "udp": self.udp,
            "socket": self.folder / "socket",
            "abstract": self.abstract,
            "marker": self.marker,
            "major": os.major(disk),
            "minor": os.minor(disk),
            "cgroup": groups,
            "run": f"{run}-{self.abstract[-6:]}",
        }

    def reached(self, what: str) -> bool:
        """Whether the outside shows it; it is put right again."""
        if what == "victim dead":
            assert self._victim is not None
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._victim.wait(0.3)
            return self._victim.poll() is not None
        if what == "datagram":
            heard = self._heard.wait(0.3)
            self._heard.clear()
            return heard
        path = self.folder / what
        there = path.exists()
        path.unlink(missing_ok=True)
        return there

    def _listen(self, family: int, address: Any) -> int:
        server = socket.socket(family)
        server.bind(address)
        server.listen()
        self._sockets.append(server)
        threading.Thread(target=self._greet, args=(server,), daemon=True).start()
        return server.getsockname()[1] if family == socket.AF_INET else 0

    def _greet(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _ = server.accept()
                with contextlib.suppress(OSError), caller:
                    caller.sendall(b"PWNED\n")

    def _hear(self) -> int:
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 0))
        self._sockets.append(server)
        threading.Thread(target=self._listener, args=(server,), daemon=True).start()
        return server.getsockname()[1]

    def _listener(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                server.recv(100)
                self._heard.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for one in self._sockets:
            one.close()
        if self._victim is not None:
            self._victim.kill()
            self._victim.wait()
        for path in self.folder.iterdir():
            if stat.S_ISLNK(path.lstat().st_mode):
                path.unlink()
        self._folder.cleanup()
