"""The stub server in a process of its own, so that it and what is measured have a core each."""

import json
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from benchmarks.predict import TEXT
from benchmarks.stub import Call, Reply, Stub
from worldline.verify.compare import DIMENSIONS

VERDICT = "<final_evaluation>" + json.dumps({"scores": dict.fromkeys(DIMENSIONS, 4)})
VERDICT += "</final_evaluation>"


def as_asked(call: Call) -> str:
    """A verdict for whoever asks for one, else an observation of 400 characters."""
    return VERDICT if b"<final_evaluation>" in call.raw[:20_000] else TEXT


@contextmanager
def apart(made: Callable[..., Reply], *given: object) -> Iterator[str]:
    """The stub in another process; gives its address.

    Args:
        made: a function of a module, called there with `given`: what the stub answers.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, made, given), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        here.send(None)
        process.join()


def _serve(pipe: Connection, made: Callable[..., Reply], given: tuple[object, ...]) -> None:
    with Stub(made(*given)) as stub:
        pipe.send(stub.url)
        pipe.recv()
