"""Steps a second of the real environments on the explorers' own actions, against what people use.

All in one run, taking turns, in sandboxes with the same files; see benchmarks/environments.py.
"""

from benchmarks.environments import Took, calls, commands, keystrokes, rate, spread
from benchmarks.show import Show

EPISODES = 12


def check(show: Show) -> None:
    typed, plain, called = keystrokes(EPISODES), commands(EPISODES), calls(EPISODES)
    _told("keystrokes", typed, ["tmux"])
    _told("plain commands", plain, ["pexpect", "pexpect, no pause"])
    _told("MCP calls", called, ["plain client"])
    tmux = rate(typed, "tmux")  # the same actions, in the form its harness takes them
    _ratio(show, "keystrokes against tmux", rate(typed) / tmux, 10, 20, typed)
    ratio = rate(plain) / rate(plain, "pexpect")
    _ratio(show, "plain commands against pexpect", ratio, 10, 20, plain)
    ratio = rate(called) / rate(called, "plain client")
    _ratio(show, "MCP calls against a plain client", ratio, 0.8, 0.95, called)


def _told(what: str, took: list[Took], others: list[str]) -> None:
    print(f"{what}: {rate(took):.1f} steps/s over {len(took)} episodes")
    for name in others:
        low, high = spread(took, name)
        told = f"{rate(took, name):.1f} steps/s (ratio by episode {low:.1f} to {high:.1f})"
        print(f"  {name}: {told}")


def _ratio(
    show: Show, what: str, value: float, floor: float | None, goal: float | None, took: list[Took]
) -> None:
    n = sum(one.steps for one in took)
    show.measure(what, value, better="higher", floor=floor, goal=goal, n=n)
