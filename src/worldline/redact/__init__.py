"""Secrets and personal data in text, replaced before anything leaves this machine.

    redact("x-api-key: 8f2k0...")    ->    ("x-api-key: [REDACTED:header_key]", {"header_key": 1})

* `secrets` finds keys, tokens and passwords: our own shapes and detectors of detect-secrets.
* `people` finds who a text names: logins, hosts, addresses, identities of git.
* `worldline.collect.scrub` does both, consistently, to whole records.

Everything here works on decoded text, never on serialised bytes, and takes time linear in its
length (RE2). What is replaced never holds a quote, a backslash or a blank that belongs to its
surroundings, so that JSON *inside* a text stays JSON too.
"""

from worldline.redact.secrets import mark, redact, secrets
from worldline.redact.spans import Finding, replaced

__all__ = ["Finding", "mark", "redact", "replaced", "secrets"]
