"""The workers as the main process sees them: started, asked, replaced when they crash, ended."""

import asyncio
import sys
import tempfile
from contextlib import suppress
from typing import Self

import msgspec

from worldline import jsonl
from worldline.collect.plan import Plan
from worldline.collect.worker import Answer

EPISODE_S = 1800.0
"""Seconds an episode may take before its worker is replaced."""
END_S = 30.0
"""Seconds a worker has to clean up."""


class Lost(Exception):
    """A worker ended, or hangs, in the middle of an episode."""


class Hand:
    """One worker process. It is started when it is first asked, and anew after a crash."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._process: asyncio.subprocess.Process | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the hand
        self._busy = False

    async def play(self, number: int) -> tuple[Answer, bytes]:
        """One episode: what became of it, and its line.

        Raises:
            Lost: the worker is gone; the next call starts another.
        """
        try:
            self._busy = True
            process = await self._started()
            found = await asyncio.wait_for(self._asked(process, number), EPISODE_S)
            self._busy = False
            return found
        except (TimeoutError, asyncio.IncompleteReadError, OSError, ValueError) as error:
            late = isinstance(error, TimeoutError)
            why = f"took more than {EPISODE_S:g} s" if late else "its worker ended"
            await self.close()
            raise Lost(f"{why}{self._last_words()}") from None

    async def close(self) -> None:
        """End the worker and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        if self._busy:
            with suppress(ProcessLookupError):
                process.terminate()
        try:
            await asyncio.wait_for(process.wait(), END_S)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()  # its environment notices
            await process.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        try:
            await asyncio.shield(self.close())
        finally:
            self._log.close()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None:
            self._log.seek(0)
            self._log.truncate()
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "worldline.collect.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._log,
                start_new_session=True,  # Ctrl-C is for the main process to judge
            )
            self._tell(self._process, msgspec.to_builtins(self._plan))
        return self._process

    def _tell(self, process: asyncio.subprocess.Process, value: object) -> None:
        assert process.stdin is not None
        process.stdin.write(jsonl.dumps(value) + b"\n")

    async def _asked(
        self, process: asyncio.subprocess.Process, number: int
    ) -> tuple[Answer, bytes]:
        assert process.stdin is not None and process.stdout is not None
        self._tell(process, {"number": number})
        await process.stdin.drain()
        head = await process.stdout.readuntil(b"\n")
        answer = jsonl.convert(jsonl.loads(head), Answer)
        if answer.number != number:
            raise ValueError("an answer to another question")
        return answer, await process.stdout.readexactly(answer.size)

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read()[-4000:].decode("utf-8", "replace").strip().split("\n")
        return f": {lines[-1]}" if lines[-1] else ""
