"""The process an environment lives in: ``python -m worldline.environments.host``.

Requests come on stdin, answers go to what was stdout; anything else that prints, prints to stderr.
It ends, and cleans up, when stdin closes, at SIGTERM, and when the process that started it dies.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import IO, Any

from worldline.environments.base import Driver, Observed
from worldline.environments.registry import load_driver
from worldline.environments.wire import Answer, Ask, Trouble, WireError, read, written
from worldline.errors import UsageError, WorldlineError

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve one caller until it is gone."""
    asks, answers = private_stdio()
    heed_signals()
    die_with_parent()
    host = Host()
    try:
        try:
            serve(host, asks, answers)
        finally:
            no_more_signals()
    finally:  # reached too when SIGTERM comes between the two
        host.close()


def serve(host: "Host", asks: IO[bytes], answers: IO[bytes]) -> None:
    """Answer each line of `asks` with one of `answers`, until one asks to close or they end."""
    with suppress(BrokenPipeError):
        for line in asks:
            over, answer = _heard(host, line)
            answers.write(answer)
            answers.flush()
            if over:
                break


def _heard(host: "Host", line: bytes) -> tuple[bool, bytes]:
    """Whether that was the last request, and the answer: a damaged request has one too."""
    try:
        ask = read(line, Ask)
        answer = host.answer(ask)
        return ask.op == "close", written(answer)
    except WireError as error:
        return False, written(_failed(error.id, "WireError", f"{error}"))


def heed_signals() -> None:
    """SIGTERM ends the process and cleans up. Ctrl-C is the caller's to judge, who closes stdin.

    SIGINT is handled, not ignored: what is ignored stays so in every program started from here.
    """
    signal.signal(signal.SIGTERM, _ended)
    signal.signal(signal.SIGINT, lambda _signal, _frame: None)


def no_more_signals() -> None:
    """From here on nothing interrupts: a dying parent closes stdin *and* sends SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _ended(_signal: int, _frame: FrameType | None) -> None:
    no_more_signals()
    raise SystemExit(0)


def private_stdio() -> tuple[IO[bytes], IO[bytes]]:
    """Stdin and stdout for the wire alone: children and prints get /dev/null and stderr."""
    asks, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(asks, "rb"), os.fdopen(answers, "wb")


def die_with_parent() -> None:
    """SIGTERM when the parent dies (Linux); elsewhere the closed stdin must do."""
    parent = os.getppid()
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    except (AttributeError, OSError):
        return
    if os.getppid() != parent:
        raise SystemExit(0)


class Host:
    """Answers requests by asking a driver. A failed request leaves the host alive."""

    def __init__(self) -> None:
        self.driver: Driver | None = None
        self._made: tuple[str, dict[str, Any]] | None = None

    def answer(self, ask: Ask) -> Answer:
        """Carry out one request; trouble is an answer too."""
        try:
            return self._carry_out(ask)
        except WorldlineError as error:
            return _failed(ask.id, type(error).__name__, str(error))
        except Exception as error:  # the driver's fault, told as it is; the caller decides
            import traceback

            traceback.print_exc()
            return _failed(ask.id, type(error).__name__, f"{error}" or type(error).__name__)

    def _carry_out(self, ask: Ask) -> Answer:
        if ask.op == "close":
            self.close()
            return Answer(id=ask.id, ok=True, observation=None, status="ok")
        if ask.op == "reset":
            opening = self._driver(ask).reset(ask.seed)
            seen = opening.observation
            return Answer(id=ask.id, ok=True, observation=seen, status="ok", opening=opening)
        if self.driver is None:
            raise UsageError("has no session yet", remedy="Reset the environment first.")
        if ask.op == "snapshot":
            taken = self.driver.snapshot()
            return Answer(id=ask.id, ok=True, observation=None, status="ok", snapshot=taken)
        return _answered(ask, self.driver.step(ask.action, ask.limit_s))

    def _driver(self, ask: Ask) -> Driver:
        wanted = (ask.name, ask.options)
        if self.driver is None or self._made != wanted:
            self.close()
            self.driver, self._made = load_driver(ask.name)(ask.options), wanted
        return self.driver

    def close(self) -> None:
        """End the session."""
        driver, self.driver = self.driver, None
        if driver is not None:
            driver.close()


def _answered(ask: Ask, seen: Observed) -> Answer:
    return Answer(
        id=ask.id,
        ok=True,
        observation=seen.observation,
        status=seen.status,
        info=seen.info,
        reason=seen.reason,
        terminated=seen.terminated,
    )


def _failed(id: int, code: str, message: str) -> Answer:
    trouble = Trouble(code=code, message=message)
    return Answer(id=id, ok=False, observation=None, status="capture_failed", error=trouble)


if __name__ == "__main__":
    main()
