"""The machine that numbers are from: what it is, and how much of it other work took meanwhile."""

import os
import platform
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("worldline", "xllamacpp", "openai", "httpx2", "msgspec", "pyarrow")


def machine() -> str:
    """Where and when: cores, processor, versions, date."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"**The machine.** {os.cpu_count()} cores, {_processor()}, {platform.system()}; Python "
        f"{platform.python_version()}; {packages}. Measured on {date.today().isoformat()}."
    )


class Neighbours:
    """Watches, from when it is made, the processor time of all that is not this process."""

    def __init__(self) -> None:
        self.load = os.getloadavg()[0]
        self._start = time.monotonic()
        self._others = _others()

    def told(self) -> str:
        """How busy the machine was; processes started meanwhile are ours once they have ended."""
        text = f"Load average before the run: {self.load:.1f}"
        now = _others()
        if now is None or self._others is None:
            return f"{text}."
        cores = max(0.0, now - self._others) / (time.monotonic() - self._start)
        return f"{text}; other work took {cores:.1f} of {os.cpu_count()} cores during it."


def _others() -> float | None:
    """Processor seconds so far, of the whole machine less our own; `None` where Linux is not."""
    try:
        fields = Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()
    except OSError:
        return None
    user, nice, system, _idle, _waiting, interrupts, soft, stolen = map(int, fields[1:9])
    busy = user + nice + system + interrupts + soft + stolen
    return busy / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
