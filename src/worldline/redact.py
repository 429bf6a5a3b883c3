"""Secrets in text from elsewhere, replaced by typed marks before anything leaves this machine.

Patterns are linear-time: bounded repetitions or a single class, no nesting.
"""

import re
from collections import Counter

_PATTERNS = {
    "private_key": re.compile(
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----"
        r"[^-]{0,20000}"
        r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----"
    ),
    "aws_key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "google_key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}"),
    "api_key": re.compile(r"\bsk-[0-9A-Za-z_-]{20,200}"),
    "github_token": re.compile(
        r"\b(?:gh[pousr]_[0-9A-Za-z]{36,255}|github_pat_[0-9A-Za-z_]{22,255})"
    ),
    "slack_token": re.compile(r"\bxox[abprs]-[0-9A-Za-z-]{10,250}"),
    "bearer": re.compile(r"(?i)\b(?<=bearer )[0-9A-Za-z._~+/=-]{16,2000}"),
    "header_key": re.compile(r"(?i)(?<=x-api-key: )[0-9A-Za-z._~+/=-]{8,2000}"),
}


def redact(text: str) -> tuple[str, Counter[str]]:
    """The text with each secret replaced by ``[REDACTED:kind]``, and how many of each kind."""
    found: Counter[str] = Counter()
    for kind, pattern in _PATTERNS.items():
        text, count = pattern.subn(f"[REDACTED:{kind}]", text)
        if count:
            found[kind] += count
    return text, found
