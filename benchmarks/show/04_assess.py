"""The trust report: on recordings of ours, on a real MCP server, and its count against a person's.

The real server is one of the list, run as it is on this machine, as a user's own would be.
"""

import subprocess
import sys
import tempfile
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from benchmarks.show import Show
from benchmarks.verify.sessions import LIES, lies
from worldline import jsonl
from worldline.bench.suite import HOME
from worldline.environments.mcp.install import ensure
from worldline.storage import read_trajectories, write_trajectories
from worldline.verify.measure import score

TURNS = 12
SESSIONS = 4


def check(show: Show) -> None:
    _by_hand(show)
    with tempfile.TemporaryDirectory() as folder:
        traces = Path(folder) / "ours.jsonl"
        some = read_trajectories(HOME / "trajectories" / "terminal.jsonl.gz")
        short = sorted(some, key=lambda one: sum(len(t.observation) for t in one.turns))
        write_trajectories(traces, short[:SESSIONS])
        _report(show, "trace of ours", [str(traces)], Path(folder) / "trace")
        packages = ensure("python-new", print)
        command = f"env PYTHONPATH={packages} {sys.executable} -m mcp_server_time"
        told = [f"--mcp={command} --local-timezone UTC", "--episodes=2"]
        _report(show, "real MCP server", told, Path(folder) / "server")


def _by_hand(show: Show) -> None:
    """Claims and lies of 20 real predictions, as a person counts them."""
    counted = tomllib.loads((LIES / "counted.toml").read_text("utf-8"))
    found = {one.id: one for name in ("terminal", "swe") for one in lies(name)}
    ours = [0, 0]
    same = 0
    for id, wanted in counted.items():
        card = score(found[id].moment, found[id].lie)
        ours = [ours[0] + card.lies, ours[1] + card.claims]
        same += [card.lies, card.claims] == wanted
        if [card.lies, card.claims] != wanted:
            print(f"{id}: {card.lies} of {card.claims}, by hand {wanted[0]} of {wanted[1]}")
    hand = [sum(one[at] for one in counted.values()) for at in (0, 1)]
    print(f"lie rate {ours[0] / ours[1]:.1%} ({ours}), by hand {hand[0] / hand[1]:.1%} ({hand})")
    show.measure("rows counted as by hand", same, better="higher", floor=20, n=len(counted))
    apart = abs(ours[0] / ours[1] - hand[0] / hand[1])
    show.measure("lie rate apart from a count by hand", apart, better="lower", floor=0, n=hand[1])


def _report(show: Show, what: str, told: list[str], out: Path) -> None:
    command = [sys.executable, "-m", "worldline", "assess", *told, "--out", str(out)]
    command += ["--turns", str(TURNS), "--max-tokens", "128", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    found: dict[str, Any] = jsonl.loads(done.stdout) if done.returncode == 0 else {}
    for arm in found.get("arms", []):
        rate = arm["rate"]
        share = rate["lies"] / max(rate["claims"], 1)
        print(f"{what}, {arm['name']}: lie rate {share:.1%} of {rate['claims']} claims")
        show.measure(f"{what}, lie rate {arm['name']}", share, better="lower", n=rate["claims"])
    page = out / "report.html"
    text = _text(page.read_text("utf-8")) if page.is_file() else ""
    whole = all(word in text for word in ("lie rate", "Fidelity", "impossible", "grounded"))
    turns = found.get("turns", 0)
    show.measure(f"{what}, turns", turns, better="higher", floor=TURNS, n=turns)
    show.measure(f"{what}, page", whole, better="higher", floor=1, n=1)


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def _text(page: str) -> str:
    parser = _Words()
    parser.feed(page)
    return " ".join(parser.words)
