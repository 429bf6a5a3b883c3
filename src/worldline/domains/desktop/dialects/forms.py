"""The two dialects. Actions look the same in both."""

from collections.abc import Hashable, Mapping

from worldline.domains.base import Dialect
from worldline.domains.desktop import rows, xmltree
from worldline.domains.desktop.actions import Script, calls, parse_action, render_action
from worldline.domains.desktop.lines import scrolled
from worldline.domains.desktop.observations import Observation, observe, show
from worldline.domains.desktop.screen import aimed_at
from worldline.trajectory import Trajectory
from worldline.trees import Node, Tree, TreeForm, by_number

LOOKED_AT = 6
"""Turns that decide; a session does not change its form."""


def key(node: Node) -> Hashable:
    """What an element is called. Its place on the screen and in the list may change."""
    return node.kind, node.get("name") or node.get("text")


def target(action: str, tree: Tree) -> int | None:
    """The element at the first place that the action points at."""
    return aimed_at(tree, calls(action))


def _states(trajectory: Trajectory) -> list[str]:
    seen = [turn.observation for turn in trajectory.turns[:LOOKED_AT]]
    return [state for state in (trajectory.system.initial_state, *seen) if state]


def _is_xml(trajectory: Trajectory) -> bool:
    states = _states(trajectory)
    if any(state.startswith(rows.HEADER) for state in states):
        return False
    return any(state.lstrip().startswith("<") and 'cp:size="' in state for state in states)


TSV_TREE = TreeForm(
    parse=rows.parse,
    render=rows.render,
    key=key,
    handles=by_number(),
    main="name",
    order=rows.ORDER,
    target=target,
    near=scrolled,
)
XML_TREE = TreeForm(
    parse=xmltree.parse,
    render=xmltree.render,
    key=key,
    handles=by_number(xmltree.LAYOUT),
    main="name",
    order=xmltree.ORDER,
    target=target,
    near=scrolled,
)
TSV = Dialect(
    id="a11y-tsv",
    action=Script,
    parse_action=parse_action,
    render_action=render_action,
    observation=Observation,
    parse_observation=observe(rows.parse),
    render_observation=show(rows.render),
    detect=lambda trajectory: 0.1 if _is_xml(trajectory) else 0.9,
    tree=TSV_TREE,
)
XML = Dialect(
    id="xml",
    action=Script,
    parse_action=parse_action,
    render_action=render_action,
    observation=Observation,
    parse_observation=observe(xmltree.parse),
    render_observation=show(xmltree.render),
    detect=lambda trajectory: 0.95 if _is_xml(trajectory) else 0.05,
    recorded=False,
    tree=XML_TREE,
)
DIALECTS: Mapping[str, Dialect] = {dialect.id: dialect for dialect in (TSV, XML)}
