"""What the sandbox needs of the machine."""

import os
import shutil
import subprocess

from worldline.environments.base import Need


def needs() -> tuple[Need, ...]:
    """For `worldline doctor`."""
    get = "apt-get install -y bubblewrap debootstrap"
    return (
        Need("bubblewrap", bubblewrap, get),
        Need("namespaces", namespaces, "Run as root, or allow unprivileged user namespaces."),
        Need("debootstrap", debootstrap, f"{get} (without it, and without root: /usr is bound)"),
    )


def bubblewrap() -> str | None:
    """Its version."""
    found = shutil.which("bwrap")
    if not found:
        return None
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    return told.stdout.strip() or found


def debootstrap() -> str | None:
    """Where it is."""
    return shutil.which("debootstrap", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def namespaces() -> str | None:
    """How sessions are kept apart, or `None` if the kernel does not let us."""
    found = shutil.which("bwrap")
    if not found:
        return None
    tried = subprocess.run(
        [found, "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, check=False
    )
    if tried.returncode:
        return None
    return "one user a session" if os.geteuid() == 0 else "one user for all sessions"
