"""A scripted session in each of the seven domains on the embedded model, as a person would run it.

Each starts from a small state of our own (`sim7/`) and goes through ``worldline sim --script``. A
step may fail, in a typed way: a small model rambles, or writes a script that edits nothing. A
session is complete when each of its steps came to an end and said how.
"""

import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.show import Show, walk
from worldline import jsonl
from worldline.scenarios.snapshot import Snapshot, write_snapshot
from worldline.visible import first_line

HERE = Path(__file__).parent / "sim7"
ROOT = HERE.parents[2]
MODEL = "embedded?max_tokens=160"
SEED = "7"
LIMIT_S = 120
WIDTH = 96


class Played(NamedTuple):
    """One session: its steps as the command line printed them, and what went wrong if it did."""

    domain: str
    wanted: int
    steps: list[dict[str, Any]]
    error: str
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether each action brought an observation or a typed reason why not."""
        return not self.error and len(self.steps) == self.wanted > 0


def check(show: Show) -> None:
    found = []
    for domain in walk.SEVEN:
        played = play(domain)
        tell(played)
        found.append(played)
    steps = [step for played in found for step in played.steps]
    told = [step for step in steps if step["observation"] is not None]
    asked = [step for step in steps if step["origin"] == "model"]
    print(f"\norigins: {dict(Counter(step['origin'] for step in steps))}")
    whole = sum(played.complete for played in found)
    show.measure("sessions completed", whole, better="higher", floor=7, goal=7, n=len(found))
    share = len(told) / len(steps) if steps else 0.0
    show.measure("steps with an observation", share, better="higher", n=len(steps))
    failed = [step for step in steps if step["observation"] is None]
    show.measure("typed failures", len(failed), better="lower", n=len(steps))
    untyped = sum(not step["reason"] for step in failed)
    show.measure("failures without a reason", untyped, better="lower", floor=0, n=len(steps))
    patches = sum(form(step) == "patch" for step in asked)
    show.measure("asked for an edit", patches, better="higher", n=len(asked))
    seconds = sum(played.seconds for played in found)
    show.measure("seconds", seconds, better="lower", floor=360, goal=180, n=len(found))


def play(domain: str) -> Played:
    """One session through the command line."""
    plan = tomllib.loads((HERE / f"{domain}.toml").read_text("utf-8"))
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "worldline", "sim", domain, "--model", MODEL]
        command += ["--seed", SEED, "--json", *options(domain, plan, Path(folder))]
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return Played(domain, len(plan["actions"]), [], f"over {LIMIT_S} s", LIMIT_S)
    steps = [jsonl.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    # Exit code 1 says that some step brought no observation.
    error = "" if done.returncode in (0, 1) and steps else done.stderr.strip()[-300:] or "no steps"
    return Played(domain, len(plan["actions"]), steps, error, time.monotonic() - start)


def options(domain: str, plan: dict[str, Any], folder: Path) -> list[str]:
    """Where a session starts, and its actions."""
    script = folder / "script.jsonl"
    jsonl.write(script, plan["actions"])
    given = ["--script", str(script), "--dialect", plan["dialect"]]
    if "task" in plan:
        given += ["--task", plan["task"]]
    if "folder" in plan:
        given += ["--snapshot", plan["folder"]]
    if "tools" in plan:
        given += ["--tools", plan["tools"]]
    if "state" in plan:
        shot = Snapshot(
            domain=domain,
            dialect=plan["dialect"],
            text=plan["state"],
            tokens=len(plan["state"]) // 3,
            taken_at="2026-01-01T00:00:00Z",
        )
        write_snapshot(folder / "state.json", shot)
        given += ["--snapshot", str(folder / "state.json")]
    return given


def tell(played: Played) -> None:
    """The session, a few lines a step."""
    mark = "" if played.complete else f"  NOT COMPLETE: {played.error or 'steps are missing'}"
    print(f"\n{played.domain}: {len(played.steps)} of {played.wanted} steps{mark}")
    for step in played.steps:
        print(f"  > {first_line(step['action'].replace(chr(10), '; '), WIDTH)}")
        text = step["observation"]
        if text is None:
            print(f"    no observation: {step['outcome']} ({first_line(step['reason'], 60)})")
        else:
            print(f"    {first_line(text, WIDTH)}  ({len(text)} characters)")
        broken = [one["rule"] for one in step["violations"]]
        how = f"{step['origin']} · {form(step)} · {step['latency_s']:.1f} s"
        print(f"    [{how}{' · breaks ' + ', '.join(broken) if broken else ''}]")


def form(step: dict[str, Any]) -> str:
    """The form in which a model was asked; ``-`` where none was."""
    made = step.get("prediction")
    if made is None or step["origin"] != "model":
        return "-"
    return str(made["fit"]["form"])
