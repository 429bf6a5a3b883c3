"""Side by side with the official AgentWorldBench script, as of commit cd0aa83dc7a9.

* `checkout`: prompts and templates from a checkout of its repository, parsed, never run.
* `prompts`: judging with them, in our way (`Official`) or in the script's own (`Compatible`).
* `replies`: how the script reads generations, markers and verdicts.
* `arithmetic`: the figures it prints.

docs/official.md says what is equal, and what differs on purpose.
"""

COMMIT = "cd0aa83dc7a9c733695eb9c4652e0a68b6e6ecde"
"""Whose reading and arithmetic `replies` and `arithmetic` follow."""
