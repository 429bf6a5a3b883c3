"""The text forms of the Android domain, by id."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from worldline.domains.android import actions, states
from worldline.domains.android.deeds import Deed, deed
from worldline.domains.android.dialects import droidbot, elements, rows
from worldline.domains.android.nodes import MAIN, ORDER, handles, handles_from_1, key
from worldline.domains.android.observations import Observation, reader, writer
from worldline.domains.android.screen import Screen
from worldline.domains.base import ActionError, Dialect
from worldline.trajectory import Trajectory
from worldline.trees import Tree, TreeForm

LOOKED_AT = 4
"""Turns that decide; a session does not change its form."""


class Form(NamedTuple):
    """What is special about a dialect."""

    id: str
    parse: Callable[[str], Tree | None]
    render: Callable[[Tree], str]
    action: Callable[[str], actions.Action]
    mark: Callable[[str], bool]
    """Whether a text is a screen of this dialect, judged by how it begins."""
    acts: Callable[[str], bool]
    """Whether a text looks like an action of this dialect and no other."""
    recorded: bool = True
    first: int = 0
    """The number of the first element."""

    def deed(self, action: str) -> Deed | None:
        """What an action means; `None` when it is none."""
        try:
            return deed(self.action(action))
        except ActionError:
            return None

    def screen(self, text: str | None) -> Screen | None:
        """What a text shows; `None` when it is no screen."""
        return None if text is None else _screen(self.id, text)

    def dialect(self) -> Dialect:
        """The dialect as the rest of Worldline knows it."""
        return Dialect(
            id=self.id,
            action=actions.Action,
            parse_action=self.action,
            render_action=actions.render,
            observation=Observation,
            parse_observation=reader(self.parse),
            render_observation=writer(self.render),
            detect=self._detect,
            recorded=self.recorded,
            tree=TreeForm(
                self.parse,
                self.render,
                key,
                handles_from_1 if self.first else handles,
                MAIN,
                ORDER,
                self._target,
            ),
        )

    def _detect(self, trajectory: Trajectory) -> float:
        turns = trajectory.turns[:LOOKED_AT]
        shown = [trajectory.system.initial_state, *(turn.observation for turn in turns)]
        if any(self.mark(text) for text in shown if text):
            return 0.95
        return 0.5 if any(self.acts(turn.action) for turn in turns) else 0.1

    def _target(self, action: str, tree: Tree) -> int | None:
        meant = self.deed(action)
        found = Screen(tree, self.first).aimed_at(meant) if meant else None
        return found.at if found else None


@lru_cache(maxsize=32)
def _screen(id: str, text: str) -> Screen | None:
    form = FORMS[id]
    tree = form.parse(text)
    return None if tree is None else Screen(tree, form.first)


def _droidbot_action(text: str) -> actions.Action:
    if text.lstrip().startswith("{"):
        return actions.parse_json(text)
    return actions.parse_command(text)


def _is(parse: Callable[[str], Any]) -> Callable[[str], bool]:
    def acts(text: str) -> bool:
        try:
            parse(text)
        except ActionError:
            return False
        return True

    return acts


def _views(text: str) -> bool:
    return states.begins(text) and "\nAccessibility Tree:" in text


FORMS: Mapping[str, Form] = {
    form.id: form
    for form in (
        Form(
            "ui-elements",
            elements.parse,
            elements.render,
            actions.parse_json,
            lambda text: text.startswith("UI element 0: {"),
            lambda text: '"action_type"' in text,
        ),
        Form(
            "droidbot",
            droidbot.parse,
            droidbot.render,
            _droidbot_action,
            lambda text: text.startswith(droidbot.HEAD) or _views(text),
            lambda text: '"event_type"' in text or _is(actions.parse_command)(text),
        ),
        Form(
            "json",
            rows.parse,
            rows.render,
            actions.parse_json,
            lambda text: rows.parse(text[:2000]) is not None,
            lambda text: '"action"' in text and text.lstrip().startswith("{"),
            recorded=False,
        ),
        Form(
            "phone",
            states.parse,
            states.render,
            actions.parse_calls,
            lambda text: states.begins(text) and not _views(text),
            _is(actions.parse_calls),
            recorded=False,
            first=1,
        ),
    )
}
"""One form per dialect."""
