"""What a session remembers of its browser."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from worldline.domains.base import Ledger
from worldline.domains.web.actions import FILLS, Deed
from worldline.domains.web.forms import FORMS, Form
from worldline.domains.web.pages import Page, find, value_of
from worldline.facts import FactOrigin
from worldline.trees import Tree

MAX_SEEN = 12
MAX_VISITS = 60


class Seen(NamedTuple):
    """A page as it was last shown."""

    url: str
    title: str
    text: str
    turn: int
    origin: FactOrigin


class Visits(NamedTuple):
    """The addresses of one tab in order, and which of them it is at."""

    urls: tuple[str, ...] = ()
    at: int = -1

    def moved(self, url: str, verbs: Sequence[str]) -> "Visits":
        """After a page with this address was shown, following actions with these verbs."""
        if self.at >= 0 and self.urls[self.at] == url:
            return self
        if "go_back" in verbs and self.at > 0 and self.urls[self.at - 1] == url:
            return self._replace(at=self.at - 1)
        ahead = self.at + 1
        if "go_forward" in verbs and ahead < len(self.urls) and self.urls[ahead] == url:
            return self._replace(at=ahead)
        urls = (*self.urls[:ahead], url)[-MAX_VISITS:]
        return Visits(urls, len(urls) - 1)

    def to(self, step: int) -> str | None:
        """The address `step` away; `None` where there is none, or none is known."""
        there = self.at + step
        return self.urls[there] if 0 <= there < len(self.urls) else None


class Memo(msgspec.Struct, frozen=True):
    """The current page (the text without an error above it) and the way to it."""

    text: str | None = None
    page: Page = Page()
    origin: FactOrigin = "given"
    visits: Mapping[int, Visits] = {}
    """By the tab's number; forgotten when tabs come or go, for then they are renumbered."""
    seen: tuple[Seen, ...] = ()
    filled: Mapping[str, str] = {}
    """What the agent wrote or chose, by the element's id, while its page stays."""
    stood: frozenset[str] = frozenset()
    """Ids of these that still held it when the page was seen again: what a page makes of a text, it
    has made of it by then."""
    restless: bool = False
    """Whether the last action may have led to another page, which may still be on its way."""
    settled: bool = True
    """Whether the last action can have set nothing going, but for text that it wrote."""
    flips: frozenset[str] = frozenset()
    """Ids of elements that a click has ticked or unticked while their page stayed."""
    offered: str = ""
    """The session's own description of its actions."""

    @property
    def here(self) -> Visits:
        """The visits of the active tab."""
        return self.visits.get(self.page.active or 0, Visits())


def memo_of(ledger: Ledger) -> Memo:
    """The ledger's memo; an empty one for a ledger that was not opened by this domain."""
    return ledger.memo if isinstance(ledger.memo, Memo) else Memo()


def form_of(ledger: Ledger) -> Form:
    """The form of the ledger's dialect."""
    return FORMS[ledger.dialect]


def shown(
    memo: Memo,
    tree: Tree,
    page: Page,
    text: str,
    deeds: Sequence[Deed],
    turn: int,
    origin: FactOrigin,
    *,
    settled: bool = True,
    flips: frozenset[str] = frozenset(),
) -> Memo:
    """The memo after a page was shown."""
    stays = page.url == memo.page.url
    filled = {
        ref: value for ref, value in memo.filled.items() if stays and find(tree, ref) is not None
    }
    stood = {ref for ref, value in filled.items() if _held(tree, ref) == value}
    for deed in deeds:
        stood.discard(deed.ref or "")
        if (
            deed.verb in FILLS
            and deed.ref
            and deed.text is not None
            and find(tree, deed.ref) is not None
        ):
            filled[deed.ref] = deed.text
    visits = dict(memo.visits) if len(page.tabs) == len(memo.page.tabs) or not memo.visits else {}
    if page.url:
        active = page.active or 0
        verbs = [deed.verb for deed in deeds]
        visits[active] = visits.get(active, Visits()).moved(page.url, verbs)
    return msgspec.structs.replace(
        memo,
        text=text,
        page=page,
        origin=origin,
        visits=visits,
        filled=filled,
        stood=frozenset(stood),
        restless=any(deed.may_navigate for deed in deeds),
        settled=settled,
        flips=(memo.flips | flips) if stays else frozenset(),
        seen=_remembered(memo.seen, Seen(page.url or "", page.title or "", text, turn, origin)),
    )


def _held(tree: Tree, ref: str) -> str | None:
    at = find(tree, ref)
    return None if at is None else value_of(tree, at)


def _remembered(seen: tuple[Seen, ...], new: Seen) -> tuple[Seen, ...]:
    if not new.url:
        return seen
    return (*(one for one in seen if one.url != new.url), new)[-MAX_SEEN:]
