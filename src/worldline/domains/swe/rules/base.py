"""How a rule says what is broken, and where."""

from typing import Literal

from worldline.prediction import Violation


def broken(
    rule: str,
    message: str,
    because: tuple[str, ...] = (),
    severity: Literal["error", "warning"] = "error",
    span: tuple[int, int] | None = None,
) -> Violation:
    """A violation of a rule of this domain."""
    return Violation(
        rule=f"swe.{rule}", severity=severity, message=message, because=because, span=span
    )


def spot(observation: str, text: str | None) -> tuple[int, int] | None:
    """Where a piece of text stands in an observation, if it does."""
    at = observation.find(text) if text else -1
    return None if at < 0 or text is None else (at, at + len(text))
