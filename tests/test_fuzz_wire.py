"""What fuzzing asks of the wire: damage is answered, and whoever answers lives on."""

import io
import os
import subprocess
import sys

import pytest

from worldline import jsonl
from worldline.environments import host
from worldline.environments.base import Driver, Observed, Opening
from worldline.environments.process import RealityError, environment
from worldline.environments.wire import Answer, WireError, read
from worldline.errors import UsageError
from worldline.trajectory import SystemPrompt


def test_a_damaged_request_is_answered_and_the_host_lives_on():
    asks = (
        b'not json\n\n{"id": 7, "op": "dig"}\n{"id": 8, "op": "step"}\n{"id": 9, "op": "close"}\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "worldline.environments.host"],
        input=asks,
        capture_output=True,
        timeout=60,
        check=True,
    )
    answers = [read(line, Answer) for line in done.stdout.split(b"\n")[:-1]]
    codes = [one.error.code if one.error else None for one in answers]
    assert [one.id for one in answers] == [0, 0, 7, 8, 9]
    assert codes == ["WireError", "WireError", "WireError", "UsageError", None]
    assert answers[0].error and answers[0].error.message.startswith("is not JSON")


class Odd(Driver):
    """Its answers cannot be sent."""

    def __init__(self, options):
        pass

    def reset(self, seed):
        return Opening(domain="generic", dialect="text", system=SystemPrompt())

    def step(self, action, limit_s):
        return Observed(observation="a", info={"x": float("nan")})

    def snapshot(self):
        return {"made": object()}

    def close(self):
        pass


def test_an_answer_that_cannot_be_sent_is_an_error_with_its_reason(monkeypatch):
    monkeypatch.setattr(host, "load_driver", lambda name: Odd)
    asks = [{"op": "reset", "name": "odd"}, {"op": "step"}, {"op": "snapshot"}, {"op": "close"}]
    lines = b"".join(jsonl.dumps({"id": n, **one}) + b"\n" for n, one in enumerate(asks))
    out = io.BytesIO()
    host.serve(host.Host(), io.BytesIO(lines), out)
    answers = [read(line, Answer) for line in out.getvalue().split(b"\n")[:-1]]
    assert [one.ok for one in answers] == [True, False, False, True]
    told = [one.error.message for one in answers if one.error]
    assert all(one.startswith("cannot be sent") for one in told) and len(told) == 2


def test_what_is_no_answer_is_told_apart():
    for line in (b"", b"[", b"[]", b'{"id": 1}', b'{"id": 1, "ok": 1}'):
        with pytest.raises(WireError):
            read(line, Answer)


def test_options_that_are_no_json_are_refused_before_anything_starts():
    with environment("search", folder=object()) as real, pytest.raises(UsageError, match="sent"):
        real.reset()


ASTRAY = """#!{python}
import os, sys
sys.stdin.readline()
open({told!r}, "a").write(f"{{os.getpid()}}\\n")
print('{{"id": 99, "ok": true, "observation": "a", "status": "ok"}}', flush=True)
sys.stdin.read()
"""


def test_an_answer_to_another_request_ends_the_process_at_once(tmp_path, monkeypatch):
    script, told = tmp_path / "host", tmp_path / "told"
    script.write_text(ASTRAY.format(python=sys.executable, told=str(told)))
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    with environment("search") as real:
        for number in (1, 2):
            with pytest.raises(RealityError, match=f"answered 99 when asked {number}"):
                real.reset()
            pids = [int(line) for line in told.read_text().split()]
            assert len(set(pids)) == number
            for pid in pids:
                with pytest.raises(ProcessLookupError):
                    os.kill(pid, 0)
