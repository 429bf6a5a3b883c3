"""`Sandbox`: one session's machine, and the processes in it."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple, Self

from worldline.environments.sandbox import cgroup, userns
from worldline.environments.sandbox.changes import Change, changes
from worldline.environments.sandbox.roots import HOME, HOST, USER, Root
from worldline.environments.sandbox.stage import Stage

_MB = 1 << 20
ENV = {
    "HOME": HOME,
    "USER": USER,
    "LOGNAME": USER,
    "SHELL": "/bin/bash",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
}
"""What every process starts with; nothing of this machine's environment gets in."""


class Bind(NamedTuple):
    """A folder or file of this machine, shown inside."""

    source: Path
    target: str
    writable: bool = False


class Limits(NamedTuple):
    """What a session may use in all (`memory_mb`, `disk_mb`, `processes`) or by process."""

    memory_mb: int = 1024
    disk_mb: int = 512
    processes: int = 256
    files: int = 1024
    file_mb: int = 256


class Sandbox:
    """A Debian of its own for one session: no network, no capabilities, nothing outlives it.

    Args:
        root: see `worldline.environments.sandbox.roots.debian_root`.
        binds: folders of this machine to show, read-only unless they say otherwise.
        limits: what it may use.
        env: more environment variables.
        hardened: `False` runs commands on this machine as they are. Only for the positive control
            of a safety check.

    Raises:
        UsageError: this machine cannot make one.
    """

    def __init__(
        self,
        root: Root,
        *,
        binds: Sequence[Bind] = (),
        limits: Limits = Limits(),  # noqa: B008 - immutable
        env: Mapping[str, str] | None = None,
        hardened: bool = True,
    ) -> None:
        self.root, self.binds, self.limits, self.hardened = root, tuple(binds), limits, hardened
        self.env = {**ENV, **(env or {})}
        self._running: list[subprocess.Popen[bytes]] = []
        agent = userns.session_uid() if root.shifted else 0
        sources = [bind.source for bind in self.binds]
        self._stage = Stage(root, agent, limits.disk_mb * _MB, sources)
        self._group = cgroup.make(limits.memory_mb * _MB)
        self._userns = userns.make(agent) if root.shifted else None

    @property
    def owner(self) -> int:
        """User id of the agent, as this process sees it (who must own a terminal given to it)."""
        return self._stage.owner

    # files

    def put(self, files: Mapping[str, bytes | str]) -> None:
        """Files into the home (path relative to it -> content); see `Stage.put`."""
        self._stage.put(files)

    def changes(self) -> tuple[Change, ...]:
        """What differs from the system as it was, in order of path."""
        return tuple(changes(self._stage.upper, self._stage.lower))

    # processes

    def popen(
        self,
        argv: Sequence[str],
        *,
        cwd: str = HOME,
        env: Mapping[str, str] | None = None,
        stdin: "int | IO[bytes]" = subprocess.DEVNULL,
        stdout: "int | IO[bytes]" = subprocess.PIPE,
        stderr: "int | IO[bytes]" = subprocess.PIPE,
        tty: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Start a program inside.

        Args:
            argv: the program and its arguments, as names inside.
            cwd: a folder inside.
            env: more variables.
            tty: stdin is a terminal and becomes the program's controlling one.
        """
        wanted = {**self.env, **(env or {})}
        start = ["setsid", "--ctty"] if tty else []
        if not self.hardened:
            # setsid makes the session itself; from a session's leader it would fork and be gone.
            return self._start(
                [*start, *argv], stdin, stdout, stderr, env=wanted, cwd="/tmp", session=not tty
            )
        options, held = self._options(cwd, wanted)
        read, write = os.pipe()
        try:
            os.write(write, b"".join(option.encode() + b"\0" for option in options))
            os.close(write)
            command = ["bwrap", "--args", str(read), "--", *self._inside(), *start, *argv]
            return self._start(
                [*self._outside(), *command], stdin, stdout, stderr, pass_fds=(read, *held)
            )
        finally:
            os.close(read)

    def _start(
        self,
        argv: Sequence[str],
        stdin: "int | IO[bytes]",
        stdout: "int | IO[bytes]",
        stderr: "int | IO[bytes]",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        pass_fds: tuple[int, ...] = (),
        session: bool = True,
    ) -> subprocess.Popen[bytes]:
        join = partial(cgroup.join, self._group) if self._group and self.hardened else None
        process: subprocess.Popen[bytes] = subprocess.Popen(
            argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=session,
            preexec_fn=join,
            env=env,
            cwd=cwd,
            pass_fds=pass_fds,
        )
        self._running = [one for one in self._running if one.poll() is None]
        self._running.append(process)
        return process

    def run(
        self,
        argv: Sequence[str],
        *,
        input: bytes = b"",
        timeout: float = 10.0,
        cwd: str = HOME,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program inside to its end.

        Raises:
            subprocess.TimeoutExpired: it did not end; it has been killed.
        """
        process = self.popen(argv, cwd=cwd, env=env, stdin=subprocess.PIPE)
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            _kill(process)
            process.communicate()
            raise
        return subprocess.CompletedProcess(list(argv), process.returncode, out, err)

    def close(self) -> None:
        """Kill everything inside and leave nothing. May be called twice."""
        for process in self._running:
            _kill(process)
        self._running.clear()
        userns_fd, self._userns = self._userns, None
        if userns_fd is not None:
            os.close(userns_fd)
        self._stage.close()
        cgroup.remove(self._group)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # how it is started

    def _outside(self) -> list[str]:
        if self._userns is None:
            return []
        base = str(userns.BASE)
        return ["setpriv", "--reuid", base, "--regid", base, "--clear-groups"]

    def _options(self, cwd: str, env: Mapping[str, str]) -> tuple[list[str], tuple[int, ...]]:
        """Options of bubblewrap, and the descriptors they name."""
        options = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
        options += ["--unshare-cgroup", "--hostname", HOST, "--die-with-parent"]
        held: tuple[int, ...] = ()
        if self._userns is not None:
            held = (self._userns,)
            options += ["--userns", str(self._userns), "--cap-drop", "ALL"]
            for name in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # dropped by `_inside`
                options += ["--cap-add", name]
        else:
            agent = str(userns.AGENT)
            options += ["--unshare-user", "--disable-userns", "--uid", agent, "--gid", agent]
            options += ["--cap-drop", "ALL"]
        options += ["--bind", str(self._stage.merged), "/", "--proc", "/proc", "--dev", "/dev"]
        options += ["--size", str(64 * _MB), "--perms", "1777", "--tmpfs", "/dev/shm"]
        if self.root.usr:
            options += ["--ro-bind", "/usr", "/usr"]
        for bind, source in zip(self.binds, self._stage.binds, strict=True):
            options += ["--bind" if bind.writable else "--ro-bind", str(source), bind.target]
        options += ["--chdir", cwd, "--clearenv"]
        for name, value in env.items():
            options += ["--setenv", name, value]
        return options, held

    def _inside(self) -> list[str]:
        """Limits, and from root of the namespace down to the agent, for good."""
        limits = self.limits
        command = ["prlimit", f"--nproc={limits.processes}", f"--nofile={limits.files}"]
        command += [f"--fsize={limits.file_mb * _MB}", "--core=0"]
        if self._group is None:
            command.append(f"--data={limits.memory_mb * _MB}")
        if self._userns is None:
            return command
        agent = str(userns.AGENT)
        command += ["setpriv", "--reuid", agent, "--regid", agent, "--clear-groups"]
        return [*command, "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Bubblewrap's first process dies with it, and its namespace with that."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.wait()
