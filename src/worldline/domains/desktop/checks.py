"""Rules that need no truth: what a screen cannot be, and what it hardly is.

An ``error`` claims that the observation is impossible as a screen of this dialect at this point;
what is only unlikely is a ``warning``. No error speaks up on the recordings. `still` holds what one
screen cannot be by itself, `moved` what it cannot be after another one, `terminals` what a terminal
cannot say.
"""

from collections.abc import Iterable, Iterator

from worldline.domains.base import Ledger
from worldline.domains.common import leaks
from worldline.domains.desktop import moved, still, terminals
from worldline.domains.desktop.actions import calls
from worldline.domains.desktop.ledger import parse
from worldline.domains.desktop.memo import memo_of
from worldline.domains.desktop.places import Breach, span_of
from worldline.prediction import Violation
from worldline.trees import Tree


def checks(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the screen after this action."""
    memo = memo_of(ledger)
    context = action if memo.tree is None else "\n".join([action, *_texts(memo.tree)])
    found = leaks(observation, context)
    tree = parse(ledger, observation)
    if tree is None:
        return found + _told(observation, [still.no_screen(ledger.dialect, observation)])
    found += _told(observation, still.breaches(tree, ledger.dialect, observation))
    if memo.tree is not None:
        made = calls(action)
        found += _told(observation, moved.breaches(memo.tree, tree, made, ledger))
        found += _told(observation, terminals.breaches(memo.tree, tree, made, memo.shell))
    return found


def _told(text: str, breaches: Iterable[Breach]) -> list[Violation]:
    return [
        Violation(
            rule=f"os.{one.rule}",
            severity=one.severity,
            message=one.message,
            span=span_of(text, one.at),
            because=one.because,
        )
        for one in breaches
    ]


def _texts(tree: Tree) -> Iterator[str]:
    for node in tree.nodes:
        yield from (text for key in ("name", "text") if isinstance(text := node.get(key), str))
