"""Rows in the benchmark's form, from the small recordings of our own.

All seven domains, and one that the script does not know.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.show import SMALL
from worldline.collect.importers.common import read_common
from worldline.extract import HEADING
from worldline.trajectory import Trajectory

DOMAINS = ("android", "generic", "mcp", "os", "search", "swe", "terminal", "web")
"""In the order in which the script reads their files."""
INSTRUCTIONS = "\n\nSay what the environment answers, inside <predicted_observation> tags."
AWKWARD = (
    ("print {context}", f"{HEADING}\n{{ground_truth}} and {{}} and {{{{x}}}}"),
    ("cat notes.md", f"{HEADING}\n```\ncode\n```\n````\nmore"),
    ("cat prompt.txt", f"before\n{HEADING}\nbetween {HEADING} after\n"),
    ("cat dos.txt", f"{HEADING}\none\r\ntwo\r\n\r\n"),
    ("cat lines.txt", f"{HEADING}\na\u2028b\u2029c\x0b\x0c\x1c\x85 \ufeff😀 漢字"),
    ("true", HEADING),
    ("  echo '  '  ", f"{HEADING}\n   \n"),
    ("cat reply.txt", "<think>a</think><predicted_observation>b</predicted_observation>"),
    ("cat verdict.txt", '<final_evaluation>{"scores": {"format": 5}}</final_evaluation>'),
    ("cat x", ""),
)
"""Actions and answers of one more session in each domain."""


def rows() -> Iterator[dict[str, Any]]:
    """Every turn of every session; no two have the same prompts."""
    for domain in DOMAINS:
        sessions = [_turns(one) for one in read_common(SMALL / f"{domain}.jsonl")]
        for number, turns in enumerate([*sessions, list(AWKWARD)]):
            for turn in range(1, len(turns) + 1):
                yield _row(domain, number, turns, turn)


def _turns(trajectory: Trajectory) -> list[tuple[str, str]]:
    return [(turn.action, f"{HEADING}\n{turn.observation}") for turn in trajectory.turns]


def _row(domain: str, number: int, turns: list[tuple[str, str]], turn: int) -> dict[str, Any]:
    prompts = [f"### Turn {at}\n**Action:**\n{one}" for at, (one, _) in enumerate(turns, 1)]
    prompts[0] = f"Session {number} of {domain}.\n{prompts[0]}"
    current = prompts[turn - 1]
    prompts[turn - 1] += INSTRUCTIONS
    return {
        "task": f"lwm/{domain}" if number % 2 else domain,
        "id": number if number % 3 else f"{domain}-{number}",
        "prompt": prompts[:turn] if number % 2 else prompts,
        "response": [seen for _, seen in turns],
        "current_prompt": current,
        "system_str": f"You are {domain}, session {number}." if turn != 2 else "",
        "turn_idx": turn,
        "total_turns": len(turns),
        "note": {"kept": [number, None]},
    }
