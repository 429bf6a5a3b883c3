"""The dialects, put together: how each reads, writes, and is recognised."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

from worldline.domains.base import ActionError, Dialect
from worldline.domains.web import actions, pages, pycalls
from worldline.domains.web.actions import Deed
from worldline.domains.web.dialects import axline, browsergym, labelled, playwright
from worldline.domains.web.observations import Observation, observed, shown
from worldline.trajectory import Trajectory
from worldline.trees import Node, Tree, TreeForm, by_ref

LOOKED_AT = 4
"""Turns of a trajectory from which its dialect is guessed."""


class Form(NamedTuple):
    """One dialect's functions."""

    id: str
    action: type[Any]
    parse_action: Callable[[str], Any]
    render_action: Callable[[Any], str]
    deeds: Callable[[str], tuple[Deed, ...]]
    tree: TreeForm
    recorded: bool = True

    def dialect(self) -> Dialect:
        """The dialect as the registry knows it."""
        return Dialect(
            id=self.id,
            action=self.action,
            parse_action=self.parse_action,
            render_action=self.render_action,
            observation=Observation,  # pyright: ignore[reportArgumentType]
            parse_observation=lambda text: observed(self.tree.parse, text),
            render_observation=lambda observation: shown(self.tree.render, observation),
            detect=self.detect,
            recorded=self.recorded,
            tree=self.tree,
        )

    def detect(self, trajectory: Trajectory) -> float:
        """The share of its first texts that are states, and actions, of this dialect."""
        turns = trajectory.turns[:LOOKED_AT]
        states = [trajectory.system.initial_state, *(turn.observation for turn in turns)]
        given = [text for text in states if text]
        seen = sum(self.tree.parse(text) is not None for text in given) / max(len(given), 1)
        acts = sum(self._acts(turn.action) for turn in turns) / max(len(turns), 1)
        return (2 * seen + acts) / 3 if seen or acts else 0.0

    def _acts(self, action: str) -> bool:
        try:
            return bool(self.deeds(action))
        except ActionError:
            return False


def target_by_ref(deeds: Callable[[str], tuple[Deed, ...]]) -> Callable[[str, Tree], int | None]:
    """Finds what an action is aimed at: by id, else by the point, else what has the focus."""

    def target(action: str, tree: Tree) -> int | None:
        try:
            first = deeds(action)[0]
        except (ActionError, IndexError):
            return None
        if first.ref is not None:
            return pages.find(tree, first.ref)
        if first.at is not None:
            return pages.at_point(tree, *first.at)
        if first.verb.startswith("keyboard_"):
            focused = pages.page_of(tree).focused
            return None if focused is None else pages.find(tree, focused)
        return None

    return target


def _ax_key(node: Node) -> Hashable:
    return node.ref or (node.kind, node.get("name"))


BROWSERGYM = Form(
    id="browsergym",
    action=pycalls.Script,
    parse_action=actions.parse_script,
    render_action=pycalls.render,
    deeds=actions.deeds,
    tree=TreeForm(
        parse=browsergym.parse,
        render=browsergym.render,
        key=_ax_key,
        handles=by_ref,
        main=axline.MAIN,
        order=axline.ORDER,
        target=target_by_ref(actions.deeds),
    ),
)
LABELLED = Form(
    id="labelled",
    action=actions.Act,
    parse_action=labelled.parse_action,
    render_action=labelled.render_action,
    deeds=labelled.deeds,
    tree=TreeForm(
        parse=labelled.parse,
        render=labelled.render,
        key=labelled.key,
        handles=labelled.handles,
        main="name",
        order=labelled.ORDER,
        target=labelled.target,
    ),
)
PLAYWRIGHT = Form(
    id="playwright",
    action=playwright.Action,
    parse_action=playwright.parse_action,
    render_action=playwright.render_action,
    deeds=playwright.deeds,
    tree=TreeForm(
        parse=playwright.parse,
        render=playwright.render,
        key=playwright.key,
        handles=by_ref,
        main="name",
        order=playwright.ORDER,
        target=target_by_ref(playwright.deeds),
    ),
    recorded=False,
)
FORMS: Mapping[str, Form] = {form.id: form for form in (BROWSERGYM, LABELLED, PLAYWRIGHT)}
DIALECTS: Mapping[str, Dialect] = {name: form.dialect() for name, form in FORMS.items()}
