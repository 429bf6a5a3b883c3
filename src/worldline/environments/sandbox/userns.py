"""The user namespace of one session: inside, root owns the system and uid 1000 is the agent.

    inside          outside
    0 .. 999        BASE .. BASE + 999     owners of the system's files (the root's copy is shifted)
    1000            one uid a session      the agent: RLIMIT_NPROC counts by uid
    65534           BASE + 65534           nobody

The process that made the namespace ends at once: an open descriptor keeps it.
"""

import itertools
import os

from worldline.environments.sandbox import system

BASE = 2_000_000
"""Outer uid of the system's root; a cached root's files are owned by BASE + their uid."""
AGENT = 1000
_FIRST = 3_000_000
_count = itertools.count()


def session_uid() -> int:
    """An outer uid that no other live session on this machine has."""
    return _FIRST + os.getpid() * 64 + next(_count) % 64


def make(agent: int) -> int:
    """A user namespace whose uid 1000 is `agent` outside; returns its descriptor.

    Further user namespaces are forbidden in it. Needs root.

    Raises:
        OSError: the kernel does not allow it.
    """
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        os.close(ready[0])
        os.close(done[1])
        _child(ready[1], done[0])
    try:
        os.close(ready[1])
        if os.read(ready[0], 1) != b"1":
            raise OSError("user namespaces are not allowed here")
        rows = f"0 {BASE} 1000\n{AGENT} {agent} 1\n65534 {BASE + 65534} 1\n"
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{child}/{name}", "w") as file:  # noqa: PTH123 - one write, no buffer
                file.write(rows)
        os.write(done[1], b"1")
        if os.read(ready[0], 1) != b"2":
            raise OSError("nested user namespaces could not be forbidden")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        for end in (ready[0], done[0], done[1]):
            os.close(end)
        os.waitpid(child, 0)  # it ends when the last pipe does


def _child(ready: int, done: int) -> None:  # pragma: no cover - another process
    try:
        os.setgroups([])
        os.setresgid(BASE, BASE, BASE)
        os.setresuid(BASE, BASE, BASE)
        system.set_dumpable()
        system.unshare(system.CLONE_NEWUSER)
        os.write(ready, b"1")
        os.read(done, 1)
        with open("/proc/sys/user/max_user_namespaces", "w") as file:  # noqa: PTH123
            file.write("0")
        os.write(ready, b"2")
        os.read(done, 1)  # until the parent has opened the namespace and closed its end
    finally:
        os._exit(0)
