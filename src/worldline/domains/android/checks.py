"""Rules that need no truth: what a screen cannot be, given the action and the session.

An ``error`` is a claim that the observation is impossible. On recorded screens none of them speaks.
`still` holds what one screen cannot be by itself, `moved` what it cannot be after another one.
"""

from collections.abc import Iterable
from functools import partial

import msgspec

from worldline.domains.android import moved, still
from worldline.domains.android.memo import form_of, memo_of, screen_of
from worldline.domains.android.places import Breach, span_of
from worldline.domains.base import Ledger
from worldline.domains.common import leaks
from worldline.prediction import Violation


def checks(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the answer to this action at this point."""
    form, memo = form_of(ledger), memo_of(ledger)
    typed = [one.text for one in memo.typed]
    found = leaks(observation, "\n".join([action, memo.state or "", *typed]))
    deed, screen = form.deed(action), form.screen(observation)
    if deed is None:
        return found
    if screen is None:
        whole = (0, len(observation))
        error = _violation("no_screen", "error", "this is no screen of the session's dialect")
        return [*found, msgspec.structs.replace(error, span=whole)]
    told = partial(_told, observation, ledger.dialect)
    found += told(still.breaches(screen, ledger.dialect, form.first, memo))
    before = screen_of(ledger)
    if before is not None:
        found += told(moved.breaches(before, screen, deed, ledger))
    return found


def _told(text: str, dialect: str, breaches: Iterable[Breach]) -> list[Violation]:
    return [
        msgspec.structs.replace(
            _violation(one.rule, one.severity, one.message),
            span=span_of(text, dialect, one.at),
            because=one.because,
        )
        for one in breaches
    ]


def _violation(rule: str, severity: str, message: str) -> Violation:
    return Violation(
        rule=f"android.{rule}",
        severity="error" if severity == "error" else "warning",
        message=message,
    )
