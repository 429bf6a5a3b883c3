"""How a model's reply looked as a whole: what the released prompts for screens ask for.

Those prompts speak of "World Model Output Diagnostics" and name these eight figures; the official
script never sends them.
"""

import re

from worldline.bench.judge.given import Given
from worldline.domains.common import ANSWER_TAG

_START = re.compile(rf"<\s*+{ANSWER_TAG}\s*+>", re.IGNORECASE)
_END = re.compile(rf"<\s*+/\s*+{ANSWER_TAG}\s*+>", re.IGNORECASE)
_GUESSES = re.compile(
    r"\b(?:would|likely|probably|perhaps|maybe|might|could|possibly|presumably|assume|guess)\b",
    re.IGNORECASE,
)


def diagnostics(given: Given) -> dict[str, int | bool]:
    """Counts over the whole reply, thoughts in a field of their own included."""
    ours = given.line.get("worldline")
    raw = ours.get("raw") if isinstance(ours, dict) else None
    thoughts = raw.get("reasoning") if isinstance(raw, dict) else None
    reply = f"{thoughts}\n{given.gen}" if isinstance(thoughts, str) else given.gen
    seen = given.observation or ""
    words = [found[0].lower() for found in _GUESSES.finditer(reply)]
    return {
        "raw_speculative_word_count": len(words),
        "raw_would_word_count": words.count("would"),
        "raw_likely_word_count": words.count("likely"),
        "raw_nonfinal_chars": max(0, len(reply) - len(seen)),
        "response_start_tag_count": len(_START.findall(reply)),
        "response_end_tag_count": len(_END.findall(reply)),
        "extracted_no_output": given.observation is None,
        "extracted_output_chars": len(seen),
    }
