"""The rungs: a model and what its answers are grounded in."""

from pathlib import Path
from typing import NamedTuple

CONTEXT, REPLY = 4096, 256
"""Tokens of context, and of them for the reply, of every rung."""


class Arm(NamedTuple):
    """One rung. `FILE` in it stands for the recorded trajectories of the domain."""

    name: str
    model: str
    ground: str
    told: str

    def of(self, file: Path) -> "Arm":
        """The rung on the recordings of one domain."""
        return self._replace(
            model=self.model.replace("FILE", str(file)),
            ground=self.ground.replace("FILE", str(file)),
        )


ARMS = (
    Arm("copy", "copy", "none", "the observation before, again"),
    Arm("retrieval", "retrieval:FILE", "none", "the nearest recorded turn of the train split"),
    Arm("embedded raw", "embedded?form=full", "none", "the embedded model, prompted raw"),
    Arm(
        "embedded grounded",
        "embedded",
        "ledger,snapshot",
        "the same model inside Worldline: known answers, facts, edits of trees",
    ),
)
BY_NAME = {arm.name: arm for arm in ARMS}
