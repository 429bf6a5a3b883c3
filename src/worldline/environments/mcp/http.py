"""A server on this machine, reached over streamable HTTP."""

import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from worldline.environments.mcp.connection import Reach
from worldline.errors import UsageError


def checked(url: str) -> str:
    """The URL of a server on this machine.

    Raises:
        UsageError: it leads elsewhere, or is none.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
        parts = urlsplit("")
    if not local or parts.scheme not in ("http", "https"):
        raise UsageError(
            f"expected the http URL of a server on this machine, got {url!r}",
            field="url",
            remedy="Write it as http://127.0.0.1:PORT/mcp.",
        )
    return url


@asynccontextmanager
async def streams(reach: Reach) -> AsyncIterator[Any]:
    """The SDK's message streams; the environment's proxies are not used."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    limits = httpx2.Timeout(30.0, read=None)
    assert reach.url is not None
    async with (
        httpx2.AsyncClient(timeout=limits, trust_env=False) as client,
        streamable_http_client(reach.url, http_client=client, max_sse_event_size=reach.ceiling) as (
            read,
            write,
        ),
    ):
        yield read, write
