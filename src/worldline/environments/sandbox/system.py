"""The few system calls Python 3.11 has no function for."""

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
MS_PRIVATE_ALL = 0x40000 | 0x4000  # MS_PRIVATE | MS_REC
MS_BIND = 0x1000
MNT_DETACH = 2
PR_SET_DUMPABLE = 4

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def unshare(flags: int) -> None:
    """Leave namespaces. Raises `OSError`."""
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int = 0, data: str = "") -> None:
    """Mount a file system. Raises `OSError`."""
    kind_bytes = None if kind is None else kind.encode()
    done = _libc.mount(os.fsencode(source), os.fsencode(target), kind_bytes, flags, data.encode())
    _checked(done, f"mount {kind or ''} on {target}")


def unmount(target: str) -> None:
    """Detach a mount now; it goes when its last user does. Raises `OSError`."""
    _checked(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def set_dumpable() -> None:
    """Let the parent write this process's id maps again after a change of user."""
    _libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
