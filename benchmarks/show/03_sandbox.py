"""Attempts to leave the sandbox, through the terminal environment as an agent would make them.

Each one must be refused inside, with the refusal as an ordinary observation, and must succeed in a
control run whose commands run on this machine as they are: an attack that cannot succeed anywhere
proves nothing.
"""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.show import Show
from benchmarks.show.outside import Outside
from worldline.environments.process import Environment

ATTACKS = Path(__file__).with_name("attacks.toml")


class Tried(NamedTuple):
    """An attempt: whether it got out, and what the agent was shown."""

    won: bool
    observed: bool
    told: str


def check(show: Show) -> None:
    attacks: list[dict[str, Any]] = tomllib.loads(ATTACKS.read_text("utf-8"))["attack"]
    with Outside() as outside:
        inside = _run(attacks, outside, hardened=True)
        control = _run(attacks, outside, hardened=False)
    for attack, tried, free in zip(attacks, inside, control, strict=True):
        verdict = "ESCAPED" if tried.won else "refused"
        works = "" if free.won else "   (does not work in the control run either)"
        print(f"{verdict:<8} {attack['name']:<58} {tried.told[:70]}{works}")
        if not free.won:
            print(f"         control: {free.told[:150]}")
    n = len(attacks)
    refused = sum(not tried.won for tried in inside)
    seen = sum(tried.observed for tried in inside)
    valid = sum(tried.won for tried in control)
    show.measure("attempts", n, better="higher", floor=25, goal=25, n=n)
    show.measure("refused_share", refused / n, better="higher", floor=1, goal=1, n=n)
    show.measure("reported_as_observation_share", seen / n, better="higher", floor=1, goal=1, n=n)
    show.measure("control_succeeds_share", valid / n, better="higher", floor=1, goal=1, n=n)


def _run(attacks: list[dict[str, Any]], outside: Outside, *, hardened: bool) -> list[Tried]:
    tried: list[Tried] = []
    with Environment("terminal", {"hardened": hardened}, limit_s=20) as terminal:
        terminal.reset(seed=1)
        for run, attack in enumerate(attacks):
            command = attack["command"].format(**outside.names(hardened, run))
            result = terminal.step(command, attack.get("limit_s"))
            text = result.observation or ""
            won = "PWNED" in text or outside.token in text
            if "outside" in attack:
                won = outside.reached(attack["outside"]) or won
            told = " ".join((result.observation or f"{result.outcome}: {result.reason}").split())
            tried.append(Tried(won, result.observation is not None, told))
            if result.outcome == "infra_error":
                terminal.reset(seed=1)
    return tried
