"""The real terminal: a lasting bash on a pseudo-terminal inside the sandbox.

See docs/environments/terminal.md. This module imports nothing but what `doctor` needs.
"""

from collections.abc import Callable
from typing import Any

from worldline.environments.base import Kind, Need


def needs() -> tuple[Need, ...]:
    """What the machine must have: what the sandbox needs."""
    from worldline.environments.sandbox import needs as sandbox_needs

    return sandbox_needs()


def prepare(options: dict[str, Any], tell: Callable[[str], None]) -> None:
    """The sandbox's root: about two minutes the first time, nothing later."""
    from worldline.environments.sandbox import debian_root

    debian_root(tell)


KIND = Kind(
    name="terminal",
    driver="worldline.environments.terminal.driver:TerminalDriver",
    needs=needs,
    prepare=prepare,
    personal=lambda options: bool(options.get("files")),
)
