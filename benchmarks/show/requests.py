"""The tokens that a turn takes in full and in patch form, as the embedded model counts them."""

from collections.abc import Iterator
from functools import lru_cache

from worldline.domains.base import Domain
from worldline.models import load
from worldline.trajectory import Trajectory

CONTEXTS = (4096, 8192)
FORMS = ("full", "patch")
CHUNK = 8_000


class Counting:
    """The embedded model's tokenizer. Long texts are remembered."""

    def __init__(self) -> None:
        self.model = load("embedded?ctx=512")
        self.tokens = lru_cache(4096)(self.model.count)


def request_tokens(
    domain: Domain, trajectory: Trajectory, form: str, counting: Counting
) -> Iterator[int]:
    """Tokens of each turn's request with its whole history, and of its target."""
    return iter(())
