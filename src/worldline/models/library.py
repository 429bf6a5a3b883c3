"""What `worldline model list | pull | path` and `worldline doctor` stand on."""

from pathlib import Path

import msgspec

from worldline.models import weights
from worldline.models.weights import EMBEDDED, cached

__all__ = ["Entry", "cached", "entries", "path", "pull"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One model that Worldline can fetch. `bytes` is its size as fetched."""

    name: str
    spec: str
    """What to write after ``--model``."""
    licence: str
    bytes: int
    cached: bool
    source: str


def entries() -> list[Entry]:
    """All models that come along; asks no network."""
    return [
        Entry(
            name=EMBEDDED.name,
            spec="embedded",
            licence=EMBEDDED.licence,
            bytes=EMBEDDED.size,
            cached=cached() is not None,
            source=EMBEDDED.source,
        )
    ]


def pull(*, verify: bool = False) -> Path:
    """Fetch the embedded model if it is not here, ready to start; the path of its file.

    Args:
        verify: read every byte of what is here, and fetch it again if it is damaged.

    Progress goes to stderr.

    Raises:
        ModelError: it is not here and cannot be fetched.
    """
    weights.fetch(verify=verify)
    return weights.fast()


def path() -> Path:
    """The embedded model's file, as it came; fetched if it is not here. Raises like `pull`."""
    return weights.ready()
