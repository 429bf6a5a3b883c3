"""`Environment`: a real environment in a process of its own, with the face of a blocking world.

    with environment("terminal") as real:
        real.reset(seed=7)
        print(real.step("ls -la").observation)

A step that hangs past its limit, or a driver that dies, ends the process: the result says
``infra_error`` and why, and the next `reset` starts a new one. Nothing of a session outlives it.
"""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import Any, Self

from worldline.environments.base import Opening
from worldline.environments.registry import kind
from worldline.environments.wire import Answer, Ask, WireError, read, written
from worldline.errors import UsageError, WorldlineError
from worldline.prediction import StepResult
from worldline.trajectory import Source, Trajectory, Turn

STEP_S = 30.0
GRACE_S = 15.0
"""How much longer than its limit a step may take before its process is ended."""
RESET_S = 120.0


class RealityError(WorldlineError):
    """A real environment could not do what was asked."""


class _Gone(Exception):
    """The process ended or hangs."""


class Environment:
    """A real environment. Used by one caller at a time.

    Args:
        name: a domain's id, as ``terminal``.
        options: options of its driver (docs/environments.md).
        limit_s: seconds a step may take if it does not say.
    """

    def __init__(
        self, name: str, options: dict[str, Any] | None = None, *, limit_s: float = STEP_S
    ) -> None:
        self.kind = kind(name)
        self.options = options or {}
        self.limit_s = limit_s
        self.opening: Opening | None = None
        self.turns: list[Turn] = []
        self.seed = 0
        self.seq = 0
        self.branch = "main"
        self._ids = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - as long as this
        self._rest = b""

    # the face of a world

    def reset(self, seed: int = 0) -> StepResult:
        """A fresh session.

        Raises:
            RealityError: it cannot be had; says why and what to do.
        """
        self.opening, self.turns, self.seed, self.seq = None, [], seed, 0
        start = time.monotonic()
        ask = {"op": "reset", "name": self.kind.name, "seed": seed, "options": self.options}
        try:
            answer = self._ask(ask, RESET_S)
        except _Gone as gone:
            raise RealityError(f"{self.kind.name}: {gone}", remedy=self._remedy()) from gone
        if answer.error is not None or answer.opening is None:
            told = answer.error.message if answer.error else "no opening"
            raise RealityError(f"{self.kind.name}: {told}")
        self.opening = answer.opening
        return self._result(answer, time.monotonic() - start)

    def step(self, action: str, limit_s: float | None = None) -> StepResult:
        """Take one action; trouble is a typed outcome, never an observation."""
        if self.opening is None:
            raise UsageError("has no session", remedy="Call reset first.")
        limit = self.limit_s if limit_s is None else limit_s
        start = time.monotonic()
        self.seq += 1
        try:
            answer = self._ask({"op": "step", "action": action, "limit_s": limit}, limit + GRACE_S)
        except _Gone as gone:
            self.opening = None
            return self._trouble(str(gone), time.monotonic() - start)
        took = time.monotonic() - start
        if answer.error is not None:
            return self._trouble(f"{answer.error.code}: {answer.error.message}", took)
        if answer.observation is not None:
            info = {"duration_s": round(took, 4), **answer.info}
            if answer.status != "ok":
                info["status"] = answer.status
            self.turns.append(Turn(action=action, observation=answer.observation, info=info))
        return self._result(answer, took)

    def snapshot(self) -> dict[str, Any]:
        """The state now, as a snapshot record.

        Raises:
            RealityError: it cannot be read.
        """
        try:
            answer = self._ask({"op": "snapshot"}, RESET_S)
        except _Gone as gone:
            raise RealityError(f"{self.kind.name}: {gone}") from gone
        if answer.snapshot is None:
            told = answer.error.message if answer.error else "no snapshot"
            raise RealityError(f"{self.kind.name}: {told}")
        return answer.snapshot

    def trajectory(self, id: str = "", **meta: Any) -> Trajectory:
        """What happened since the reset. Steps without an observation are not among the turns."""
        opening = self.opening
        if opening is None:
            raise UsageError("has no session", remedy="Call reset first.")
        return Trajectory(
            id=id or f"{opening.domain}-{self.seed}",
            domain=opening.domain,
            dialect=opening.dialect,
            system=opening.system,
            tools=opening.tools,
            turns=tuple(self.turns),
            source=Source(kind="collected", name=f"worldline/{self.kind.name}", seed=self.seed),
            meta={**opening.meta, **meta},
        )

    def close(self) -> None:
        """End the session and its process."""
        process, self._process, self.opening = self._process, None, None
        if process is None:
            return
        with suppress(OSError, ValueError):
            assert process.stdin is not None
            process.stdin.close()  # the host cleans up and ends
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        self._kill(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # the process

    def _ask(self, ask: dict[str, Any], limit_s: float) -> Answer:
        process = self._started()
        self._ids += 1
        try:
            line = written(Ask(id=self._ids, **ask))
        except WireError as error:
            raise UsageError(f"{error}", remedy="Options are JSON values.") from error
        try:
            assert process.stdin is not None
            process.stdin.write(line)
            process.stdin.flush()
            answer = self._read(process, time.monotonic() + limit_s)
            if answer.id != self._ids:
                raise _Gone(f"answered {answer.id} when asked {self._ids}")
        except (OSError, _Gone) as error:
            why = str(error) if isinstance(error, _Gone) else "its process ended"
            self._process = None
            self._kill(process)
            raise _Gone(f"{why}{self._last_words()}") from None
        except BaseException:  # Ctrl-C between question and answer: the wire is out of step
            self._process = None
            self._kill(process)
            raise
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._rest = b""
            self._log.seek(0)
            self._log.truncate()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "worldline.environments.host"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                start_new_session=True,
            )
        return self._process

    def _read(self, process: subprocess.Popen[bytes], until: float) -> Answer:
        assert process.stdout is not None
        out = process.stdout.fileno()
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            left = until - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                raise _Gone("did not answer in time")
            data = os.read(out, 1 << 20)
            if not data:
                raise _Gone("its process ended")
            parts.append(data)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        try:
            return read(line, Answer)
        except WireError as error:
            raise _Gone(f"its answer {error}") from error

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            process.terminate()  # the host cleans up
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S / 3)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read()[-4000:].decode("utf-8", "replace").strip().split("\n")
        return f": {lines[-1]}" if lines[-1] else ""

    def _remedy(self) -> str:
        return "`worldline doctor` says what it needs."

    def _result(self, answer: Answer, took: float) -> StepResult:
        return StepResult(
            observation=answer.observation,
            outcome=answer.status,
            origin="real",
            terminated=answer.terminated,
            seq=self.seq,
            branch=self.branch,
            latency_s=took,
            reason=answer.reason,
        )

    def _trouble(self, reason: str, took: float) -> StepResult:
        return StepResult(
            observation=None,
            outcome="infra_error",
            origin="real",
            seq=self.seq,
            branch=self.branch,
            latency_s=took,
            reason=reason,
        )


def environment(name: str, *, limit_s: float = STEP_S, **options: Any) -> Environment:
    """A real environment by its domain's id; see `Environment`."""
    return Environment(name, options, limit_s=limit_s)
