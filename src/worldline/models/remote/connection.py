"""The wire under an endpoint: the `openai` SDK over one pool of connections, with the key bound.

The key is no secret of the SDK's. A hook right before the wire adds it, to requests that go to the
very origin it belongs to, and takes off every header that is not needed there: the SDK would send
what `OPENAI_CUSTOM_HEADERS` or `OPENAI_ORG_ID` hold to any host. Redirects are not followed.
"""

from typing import TYPE_CHECKING, Any

from worldline.models.remote.keys import OPENAI_HOST, endpoint_url, is_loopback
from worldline.models.remote.options import Options

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_SENT = frozenset(
    {
        "host",
        "connection",
        "accept",
        "accept-encoding",
        "content-length",
        "content-type",
        "transfer-encoding",
        "user-agent",
    }
)
_SENT_TO_OPENAI = _SENT | {"openai-organization", "openai-project"}
_PORTS = {"http": 80, "https": 443}
_IDLE = 3.0
"""Seconds an idle connection is kept: less than the 5 after which common servers drop theirs."""


def connect(url: str, key: str | None, options: Options) -> "AsyncOpenAI":
    """A client of one base URL; it belongs to the running event loop."""
    import httpx2
    from openai import AsyncOpenAI

    parts = endpoint_url(url)
    host = parts.hostname or ""
    origin = (parts.scheme, host, parts.port or _PORTS[parts.scheme])
    sent = _SENT_TO_OPENAI if host == OPENAI_HOST else _SENT

    async def bind(request: "httpx2.Request") -> None:
        for name in [name for name in request.headers if name not in sent]:
            del request.headers[name]
        to = request.url
        if key is not None and (to.scheme, to.host, to.port or _PORTS.get(to.scheme)) == origin:
            request.headers["authorization"] = f"Bearer {key}"

    http = httpx2.AsyncClient(
        timeout=silence(options, options.read_timeout),
        limits=httpx2.Limits(
            max_connections=None,
            max_keepalive_connections=options.concurrency,
            keepalive_expiry=_IDLE,
        ),
        follow_redirects=False,
        trust_env=not is_loopback(host),  # no proxy between this machine and itself
        event_hooks={"request": [bind]},
    )
    return AsyncOpenAI(api_key="added-by-the-hook", base_url=url, max_retries=0, http_client=http)


def silence(options: Options, seconds: float) -> Any:
    """Timeouts of one request that may be silent for `seconds`."""
    import httpx2

    return httpx2.Timeout(seconds, connect=options.connect_timeout, pool=None)
