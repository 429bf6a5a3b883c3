"""Blocking jobs on a few threads of our own, one queue before them.

The threads are daemons: a process that ends does not wait for a model to finish its sentence.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from worldline.errors import ModelError

T = TypeVar("T")


class Workers:
    """`count` threads that take jobs in the order they came."""

    def __init__(self, count: int, name: str) -> None:
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"{name}-{i}", daemon=True)
            for i in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Callable[[], T]) -> "Future[T]":
        """Queue a job. Cancelling its future takes it out of the queue while it waits there.

        Raises:
            ModelError: the threads have ended.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise ModelError("the model is closed", remedy="Open it again.")
            self._jobs.put((future, job))
        return future

    def close(self, timeout: float) -> bool:
        """End the threads after the jobs already queued; False if one is still at it by then."""
        with self._lock:
            self._closed = True
            for _ in self._threads:
                self._jobs.put(None)
        # The last reference to a model may be dropped by its own thread.
        others = [thread for thread in self._threads if thread is not threading.current_thread()]
        for thread in others:
            thread.join(timeout)
        return not any(thread.is_alive() for thread in others)

    def _work(self) -> None:
        while (item := self._jobs.get()) is not None:
            future, job = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(job())
            except BaseException as error:  # the one who waits for it decides
                future.set_exception(error)
            del future, job, item  # a thread that waits must not keep the last result alive
