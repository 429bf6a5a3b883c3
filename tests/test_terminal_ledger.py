"""The terminal's ledger computes; it never runs anything."""

import os
import subprocess
from pathlib import Path

import pytest

import worldline.domains.terminal
from tests.terminal_play import play
from worldline.domains.terminal import DOMAIN
from worldline.domains.terminal.shell import footprint
from worldline.trajectory import Turn

PACKAGE = Path(worldline.domains.terminal.__file__).parent


@pytest.fixture
def no_processes(monkeypatch):
    """Any attempt to start something fails the test."""

    def refuse(*args, **kwargs):
        raise AssertionError(f"tried to run {args}")

    for owner, names in (
        (subprocess, ("Popen", "run", "call", "check_output")),
        (os, ("system", "popen", "fork", "execv", "execve", "posix_spawn")),
    ):
        for name in names:
            monkeypatch.setattr(owner, name, refuse)


def test_nothing_of_an_action_is_executed(tmp_path, no_processes):
    canary, secret = tmp_path / "canary", tmp_path / "secret"
    secret.write_text("do not read")
    ledger = play()
    for action in (
        f"touch {canary}",
        f"echo x > {canary}",
        f"$(touch {canary})",
        f"cat {secret}",
        f"rm -rf {tmp_path}",
        f"python3 -c \"open('{canary}','w')\"",
    ):
        known = DOMAIN.known(ledger, action)
        assert known is None or "do not read" not in known.observation
        DOMAIN.checks(ledger, action, "x")
        ledger = DOMAIN.track(ledger, Turn(action=action, observation=""), "real")
        DOMAIN.facts(ledger, action, 1000)
    assert not canary.exists() and secret.read_text() == "do not read"


def test_no_module_of_the_domain_can_run_or_evaluate():
    for source in PACKAGE.rglob("*.py"):
        text = source.read_text()
        for word in ("subprocess", "os.system", "eval(", "exec(", "import os\n", "pickle"):
            assert word not in text, f"{source.name} holds {word!r}"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("ls", {}),
        ("cat a b > c", {"paths": ("./c",)}),
        ("cd x && echo y > z", {"cwd": True, "everything": True}),
        ("x=1", {"variables": True}),
        ("PATH=/bin", {"shell": True}),
        ("set -e", {"shell": True}),
        ("make &", {"everything": True, "background": True}),
        ("ls | while read f; do echo $f; done", {"variables": False}),
        ("rm -rf /a/*", {"paths": ("/a",)}),
        ("tee a", {"paths": ("./a",)}),
        ("cat x 2>/dev/null", {"everything": False, "paths": ()}),
        ("env FOO=1 make", {"everything": True}),
        ("/usr/bin/cat x", {"everything": False}),
        ("./cat x", {"everything": True}),
        ("sh -c 'cat x'", {"everything": False}),
        ("sh -c 'rm x'", {"paths": ("./x",)}),
        ("find a -exec cat {} ;", {"everything": False}),
        ("find a -exec sh -c 'rm {}' ;", {"everything": True}),
        ("find . -name *.py", {"everything": False}),
        ("find . $opts", {"everything": True}),
        ("ls | xargs cat", {"everything": False}),
        ("ls | xargs rm", {"everything": True}),
        ("sed 's/a/b/w out' f", {"everything": True}),
        ("awk '$1 > 3' f", {"everything": False}),
        ("awk '{system($0)}' f", {"everything": True}),
    ],
)
def test_footprints_bound_what_may_be_touched(action, expected):
    found = footprint.of_text(action, None)
    assert {name: getattr(found, name) for name in expected} == expected


def test_a_turn_costs_milliseconds_after_a_hundred():
    import time

    ledger = play([(f"echo {n} > f{n}", "") for n in range(100)])
    start = time.process_time()
    for n in range(20):
        DOMAIN.known(ledger, f"cat f{n}")
        ledger = DOMAIN.track(ledger, Turn(action=f"cat f{n}", observation=f"{n}\n"), "real")
    assert (time.process_time() - start) / 20 < 0.05
