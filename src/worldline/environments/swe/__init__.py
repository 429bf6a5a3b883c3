"""Coding agents' tools on real repositories, with their real tests and seeded bugs.

Repositories are source distributions of well-known packages, pinned by hash; each becomes a git
repository in the sandbox's home. See docs/environments/swe.md.
"""

from collections.abc import Callable
from typing import Any

from worldline.environments.base import Kind, Need


def _needs() -> tuple[Need, ...]:
    from worldline.environments.sandbox import needs

    return needs()


def _prepare(options: dict[str, Any], tell: Callable[[str], None]) -> None:
    """The Debian root, then the repositories and pytest: about two minutes once, 10 MB to fetch."""
    from worldline.environments.swe.store import prepare

    prepare(tell)


KIND = Kind(
    name="swe",
    driver="worldline.environments.swe.driver:SweDriver",
    needs=_needs,
    prepare=_prepare,
    personal=lambda _: False,
)
