"""Whether a truth could have been known: nothing but the session says what an environment holds.

A row is knowable when its ledger knows the answer, or when each word of the content was there
before: in the action, in the state given at the start or in an earlier observation, or when it is
one of the words that the environment itself always uses. Single digits and runtime metadata are
never held against a row. What is left over nobody could have said: the row is *unknowable*.
"""

from typing import TYPE_CHECKING

from worldline.domains.parts import Part
from worldline.verify import runtime

if TYPE_CHECKING:
    from worldline.verify.measure import Moment

LEAST = 2
"""Characters of a word that must be known from somewhere."""


def unknown_words(moment: "Moment", parts: list[Part] | None) -> list[str]:
    """Words of the truth that nothing before the turn determines, in order, without repeats.

    Args:
        parts: of the truth.
    """
    domain, ledger, action = moment.domain, moment.ledger, moment.action
    texts = [moment.truth] if parts is None else [p.text for p in parts if p.kind == "content"]
    also = (action, *domain.vocabulary(ledger, action))
    text = "\n".join(texts)
    fresh = moment.seen.unseen(text, moment.turn, also)
    if not fresh:
        return []
    if domain.protocol(ledger, action) is not None or domain.known(ledger, action) is not None:
        return []
    masked = runtime.masked(text, domain.runtime)
    left = set(fresh if masked == text else moment.seen.unseen(masked, moment.turn, also))
    return [word for word in fresh if word in left and len(word) >= LEAST]
