"""What a rule looks at: an observation, the action it answers, and the page before."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from worldline.domains.base import Ledger
from worldline.domains.web import pages
from worldline.domains.web.actions import QUIET, Deed, writes
from worldline.domains.web.dialects import browsergym
from worldline.domains.web.ledger import doings
from worldline.domains.web.measures import status
from worldline.domains.web.memo import Memo, form_of, memo_of
from worldline.prediction import Violation
from worldline.trees import Node, Tree, parsed

SHORT = 60


class Case(NamedTuple):
    """One observation to be checked, read once for all rules."""

    dialect: str
    memo: Memo
    action: str
    deeds: tuple[Deed, ...]
    text: str
    tree: Tree
    before: Tree | None
    """The page that the action acts on."""
    page: pages.Page
    failed: bool
    """Whether the observation says that the action failed."""

    @property
    def deed(self) -> Deed | None:
        """The action's only deed; `None` if it has several, or none."""
        return self.deeds[0] if len(self.deeds) == 1 else None

    @property
    def stays(self) -> bool:
        """Whether the page must be the one before: nothing can have led to another one."""
        if self.before is None or not self.memo.settled or self.memo.page.url != self.page.url:
            return False
        return self.failed or self.typed or self.quiet

    @property
    def quiet(self) -> bool:
        """Whether the action can change nothing that the page holds."""
        return bool(self.deeds) and all(deed.verb in QUIET for deed in self.deeds)

    @property
    def typed(self) -> bool:
        """Whether the action only fills in fields, and does not submit them."""
        return writes(self.action, self.deeds)

    def target(self, tree: Tree | None = None) -> Node | None:
        """The element that the only deed is aimed at, in the observation (or another tree)."""
        deed, tree = self.deed, tree or self.tree
        at = pages.find(tree, deed.ref) if deed is not None and deed.ref else None
        return None if at is None else tree.nodes[at]

    def value(self, ref: str, tree: Tree | None = None) -> str | None:
        """What the field with this id holds."""
        tree = tree or self.tree
        at = pages.find(tree, ref)
        return None if at is None else pages.value_of(tree, at)

    def where(self, ref: str) -> tuple[int, int] | None:
        """The line on which the element with this id stands first."""
        mark = f"[ref={ref}]" if self.dialect == "playwright" else f"[{ref}]"
        return line_with(self.text, mark)

    def broken(
        self,
        rule: str,
        message: str,
        span: tuple[int, int] | None = None,
        severity: Literal["error", "warning"] = "error",
        because: Sequence[str] = (),
    ) -> Violation:
        """A violation of a rule."""
        return Violation(
            rule=rule, severity=severity, message=message, span=span, because=tuple(because)
        )


Rule = Callable[[Case], Iterator[Violation]]


def case_of(ledger: Ledger, action: str, text: str, tree: Tree) -> Case:
    """The case of an observation that is a page."""
    memo = memo_of(ledger)
    failed = browsergym.failed(tree) or status(ledger.dialect, text) == "error"
    return Case(
        dialect=ledger.dialect,
        memo=memo,
        action=action,
        deeds=doings(ledger, action),
        text=text,
        tree=tree,
        before=parsed(form_of(ledger).tree, memo.text) if memo.text else None,
        page=pages.page_of(tree),
        failed=failed,
    )


def line_with(text: str, mark: str) -> tuple[int, int] | None:
    """The span of the first line that holds a mark."""
    at = text.find(mark)
    if at < 0:
        return None
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def short(text: object) -> str:
    """A text as a message quotes it."""
    return repr(str(text)[:SHORT])
