"""The real MCP environment: servers driven over stdio or HTTP with the official SDK.

See docs/environments/mcp.md. This module imports nothing but what `doctor` needs.
"""

import shutil
import sys
from collections.abc import Callable
from typing import Any

from worldline.environments.base import Kind, Need


def needs() -> tuple[Need, ...]:
    """What the machine must have; the sandbox's own needs come with it."""
    from worldline.environments.sandbox import needs as sandbox_needs

    return (
        *sandbox_needs(),
        Need("mcp", _sdk, f"{sys.executable} -m pip install 'worldline[envs]'"),
        Need("npm", lambda: shutil.which("npm"), "apt-get install -y nodejs npm", optional=True),
    )


def prepare(options: dict[str, Any], tell: Callable[[str], None]) -> None:
    """The sandbox's root and the servers asked for: minutes the first time, nothing later."""
    from worldline.environments.mcp.install import prepare as install

    install(options, tell)


def _sdk() -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mcp")
    except PackageNotFoundError:
        return None


KIND = Kind(
    name="mcp",
    driver="worldline.environments.mcp.driver:McpDriver",
    needs=needs,
    prepare=prepare,
    personal=lambda options: bool(options.get("command") or options.get("url")),
)
