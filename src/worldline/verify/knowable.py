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
    if moment.before is not None:  # most of a state is as it was: none of its words is new
        known = {p.text for p in domain.parts(ledger, action, moment.before) or ()}
        texts = [one for one in texts if one not in known]
    text = "\n".join(texts)
    also = (action, *domain.vocabulary(ledger, action))
    fresh = moment.seen.unseen(text, moment.turn, also)
    if not fresh or domain.protocol(ledger, action) or domain.known(ledger, action):
        return []
    stripped = runtime.masked(text, domain.runtime)
    left = set(moment.seen.unseen(stripped, moment.turn, also))
    return list(dict.fromkeys(word for word in fresh if word in left and len(word) >= LEAST))
