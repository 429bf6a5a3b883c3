"""The answers that `benchmarks.speculation` decodes: recorded turns of the test split, or our own.

*Copied*: the next state of a tree dialect, with the state before it in the prompt, at least 70 % of
its lines also in that, and something changed. Both are cut after a line so that they fit; what is
decoded begins at a line drawn at random. *Else*: turns of the other domains as they come, whatever
they copy, and prose.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from benchmarks.speculation import LONGEST, PIECE, Case
from worldline import jsonl
from worldline.messages import Message

Count = Callable[[str], int]
TREES = ("web", "android", "os")
OTHERS = ("terminal", "mcp", "swe", "search")
STATE, PAST = 800, 200
"""Tokens of a state, and of a turn in the other domains."""
SURVIVE = 0.7
SHOWN = Message("system", "You are a screen. Answer with its next state, nothing else.")
MACHINE = Message("system", "You are a machine. Answer with what it gives back, nothing else.")
PROSE = (
    "Write a long story about a lighthouse and its keeper.",
    "Explain to a child how a river finds its way to the sea.",
)


def copied(folder: Path | None, count: Count, each: int) -> Iterator[Case]:
    """States to decode, the domains in turns: at most `each` of a domain."""
    lists = [
        islice(_spread(_states(folder, domain, count)), each) if folder else own_states(domain)
        for domain in TREES
    ]
    return _in_turns(lists)


def elsewhere(folder: Path | None, count: Count, each: int) -> Iterator[Case]:
    """Recorded turns of the other domains, in turns: at most `each` of one."""
    if folder is None:
        return iter(())
    return _in_turns([islice(_spread(_turns(folder, domain, count)), each) for domain in OTHERS])


def prose() -> Iterator[Case]:
    """Where nothing is copied for certain: the model may say what it likes."""
    for text in PROSE:
        yield Case("prose", text, (Message("user", text),))


def rows(folder: Path, domain: str) -> Iterator[dict[str, Any]]:
    """Recorded trajectories of the test split."""
    splits = jsonl.loads((folder / "splits.json").read_bytes())
    with (folder / f"{domain}.jsonl").open("rb") as file:
        for line in file:
            row = jsonl.loads(line)
            if splits.get(row["id"]) == "test":
                yield row


def _states(folder: Path, domain: str, count: Count) -> Iterator[Case]:
    for row in rows(folder, domain):
        before = row["initial_state"]
        for turn in row["turns"]:
            state, after = turn["state_before"] or before, turn["observation"]
            before = after
            case = state and state_case(domain, row["id"], state, turn["action"], after, count)
            if case:
                yield case


def state_case(
    kind: str, cluster: str, state: str, action: str, after: str, count: Count
) -> Case | None:
    """A case if the next state is long enough, has changed and is mostly a copy."""
    state, after = lines_within(state, STATE, count), lines_within(after, STATE, count)
    if state == after or survival(state, after) < SURVIVE:
        return None
    begun, truth = split(after, count, seed=f"{cluster} {action}")
    if count(truth) < 2 * PIECE:
        return None
    messages = (
        SHOWN,
        Message("user", "look"),
        Message("assistant", state),
        Message("user", lines_within(action, PAST, count)),
    )
    return Case(kind, cluster, messages, begun, truth)


def split(text: str, count: Count, seed: str) -> tuple[str, str]:
    """(what comes before a line drawn at random, the rest); about `LONGEST` tokens remain."""
    lines = text.split("\n")
    left, last = 0, len(lines)
    while last > 1 and left < LONGEST:
        last -= 1
        left += count(lines[last]) + 1
    at = random.Random(seed).randint(1, last)
    return "\n".join(lines[:at]) + "\n", "\n".join(lines[at:])


def _turns(folder: Path, domain: str, count: Count) -> Iterator[Case]:
    for row in rows(folder, domain):
        messages = [MACHINE]
        for turn in row["turns"][:8]:
            messages.append(Message("user", lines_within(turn["action"], PAST, count)))
            truth = lines_within(turn["observation"], PAST, count)
            if len(messages) > 4 and count(truth) >= 2 * PIECE:
                yield Case(domain, row["id"], (messages[0], *messages[-5:]), truth=truth)
            messages.append(Message("assistant", truth))


def _spread(cases: Iterator[Case]) -> Iterator[Case]:
    """One case of each cluster, then the second of each, and so on."""
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.cluster].append(case)
    return _in_turns(groups.values())


def _in_turns(lists: Iterable[Iterable[Case]]) -> Iterator[Case]:
    return (case for group in zip_longest(*lists) for case in group if case is not None)


def lines_within(text: str, limit: int, count: Count) -> str:
    """The first lines of a text, in at most about so many tokens (a first line always)."""
    kept, total = [], 0
    for line in text[: 12 * limit].split("\n"):
        total += count(line) + 1
        if kept and total > limit:
            break
        kept.append(line)
    return "\n".join(kept)


def survival(before: str, after: str) -> float:
    """Share of the lines after that were there before."""
    there, lines = Counter(before.split("\n")), Counter(after.split("\n"))
    return sum(min(there[line], n) for line, n in lines.items()) / lines.total()


def own_states(kind: str) -> Iterator[Case]:
    """Small states of our own, two of a kind, for machines without recorded ones."""
    line = {
        "web": "\t[{n}] link 'Part {n} of {m}, {w}', clickable, visible",
        "android": 'UI element {n}: {{"text": "{w} {m}", "is_clickable": true, "index": {n}}}',
        "os": "push-button\t{w} {n}\t\t\t(40, {m})\t(120, 30)",
    }[kind]
    words = ("bolt", "washer", "hinge", "spring", "lever", "wheel", "valve")
    for shift in (0, 3):
        state = [
            line.format(n=n, m=(n * 37 + shift) % 89 + 10, w=words[(n * n + shift) % 7])
            for n in range(30)
        ]
        after = [text if n % 6 != shift else text.upper() for n, text in enumerate(state)]
        messages = (
            SHOWN,
            Message("user", "look"),
            Message("assistant", "\n".join(state)),
            Message("user", "press"),
        )
        begun, truth = "\n".join(after[:8]) + "\n", "\n".join(after[8:])
        yield Case(kind, f"own-{kind}-{shift}", messages, begun, truth)
