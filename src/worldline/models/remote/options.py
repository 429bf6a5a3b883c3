"""Options of a remote model, as they stand after the ``?`` of a spec."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from worldline import jsonl
from worldline.errors import UsageError
from worldline.models.remote.retry import Retry
from worldline.prediction import Usage

Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Count = Annotated[int, msgspec.Meta(ge=1, le=4_096)]
Price = Annotated[float, msgspec.Meta(ge=0)]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an endpoint is called. Times are in seconds, prices in dollars per million tokens."""

    timeout: Seconds = 1800.0
    """One attempt, from sending to the last byte."""
    read_timeout: Seconds = 600.0
    """The longest silence: before the first byte (a long prompt is being read) or between two."""
    connect_timeout: Seconds = 10.0
    deadline: Seconds = 3600.0
    """All attempts of one call together, waits included."""
    attempts: Count = 6
    backoff: Seconds = 0.5
    """Upper bound of the first wait between attempts; it doubles."""
    concurrency: Count = 64
    """Requests in flight at once, at most; fewer while the server pushes back."""
    cache: str | None = None
    """Folder of complete replies; the same request is then answered from it."""
    price_in: Price | None = None
    price_out: Price | None = None
    insecure: bool = False
    """Send a key over plain HTTP to another machine."""

    @property
    def retry(self) -> Retry:
        """The retry policy."""
        return Retry(attempts=self.attempts, deadline=self.deadline, backoff=self.backoff)

    def priced(self, usage: Usage) -> Usage:
        """`usage` with its cost, when prices are configured and the server counted."""
        if self.price_in is None and self.price_out is None:
            return usage
        if usage.prompt is None or usage.completion is None:
            return usage
        micro = usage.prompt * (self.price_in or 0) + usage.completion * (self.price_out or 0)
        return msgspec.structs.replace(usage, cost_usd=micro / 1e6)


def options(given: Mapping[str, Any]) -> Options:
    """Options from a spec or a configuration file; texts are converted.

    Raises:
        UsageError: an unknown option or a value that makes no sense; names it and the others.
    """
    for name in given:
        if name not in Options.__struct_fields__:
            raise UsageError(
                "a remote model has no such option",
                field=name,
                remedy=f"It has: {', '.join(Options.__struct_fields__)}.",
            )
    try:
        return jsonl.convert(dict(given), Options, strict=False)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at ")
        raise UsageError(
            f"{message[:1].lower()}{message[1:]}",
            field=path.strip("`").removeprefix("$.") or None,
            remedy="Times are seconds, prices dollars per million tokens.",
        ) from error
