"""The parsers of each domain and dialect, and a domain's rules on hostile text."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import msgspec

from benchmarks.fuzz import of_trees
from benchmarks.fuzz.of_trees import SPLIT
from benchmarks.fuzz.seeds import of_dialect, text, trajectories
from benchmarks.fuzz.targets import Broken, Make, Target, same
from worldline import jsonl
from worldline.domains import domain as find_domain
from worldline.domains import names
from worldline.domains.base import ActionError, Dialect, Domain
from worldline.trajectory import SystemPrompt, Trajectory, Turn
from worldline.trees import Tree, TreeForm


def targets() -> Iterator[Target]:
    """Those of every installed domain."""
    for name in names():
        domain = find_domain(name)
        for dialect in domain.dialects.values():
            yield from _dialect(domain, dialect)
        yield Target(f"{name} detect", partial(detect, domain), partial(_sessions, name))
    if "mcp" in names():
        tools = [text(one.tools) for one in trajectories("mcp") if one.tools][:20]
        yield Target(
            "mcp tools", tool_list, lambda: tuple(t + SPLIT + '{"name": "a"}' for t in tools)
        )


def _dialect(domain: Domain, dialect: Dialect) -> Iterator[Target]:
    name = f"{domain.id}/{dialect.id}"

    def actions() -> tuple[str, ...]:
        return of_dialect(domain.id, dialect.id, "action")

    def seen() -> tuple[str, ...]:
        return of_dialect(domain.id, dialect.id, "observation")

    def turns() -> tuple[str, ...]:
        return tuple(a + SPLIT + o for a, o in zip(actions(), seen(), strict=False))

    yield Target(f"{name} action", partial(action, domain, dialect), actions)
    yield Target(f"{name} observation", partial(observation, dialect), seen)
    yield Target(f"{name} rules", partial(rules, domain, dialect), turns)
    if dialect.tree is not None:
        yield from _tree(name, dialect.tree, seen())


def _tree(name: str, form: TreeForm, seen: tuple[str, ...]) -> Iterator[Target]:
    states = tuple(one for one in seen if form.parse(one) is not None) or ("a",)
    state = min(states, key=lambda one: abs(len(one) - 1500))

    def pairs() -> tuple[str, ...]:
        others = (*states[1:], states[0])
        return tuple(a + SPLIT + b for a, b in zip(states, others, strict=True))

    def scripts() -> tuple[str, ...]:
        return of_trees.SCRIPTS + tuple(of_trees.diff(form, a, b) for a, b in pairwise(states))

    def grown() -> Iterator[tuple[str, Make]]:
        yield "a state grown", partial(_grown, form, state)
        yield "a grown state, each third node gone", partial(_thinned, form, state)

    def large() -> Iterator[tuple[str, Make]]:
        yield "a state grown", partial(_grown, form, state)

    yield Target(f"{name} state", partial(of_trees.look, form), lambda: states, more=large)
    yield Target(f"{name} diff", partial(of_trees.compare, form), pairs, more=grown)
    yield Target(f"{name} apply", partial(of_trees.carry, form, state), scripts)


def _grown(form: TreeForm, state: str, size: int) -> str:
    """A state of many nodes: those of a recorded one over and over."""
    tree = form.parse(state)
    nodes = tree.nodes if tree else ()
    return form.render(Tree(nodes * (size // max(len(state), 1) + 1)))


def _thinned(form: TreeForm, state: str, size: int) -> str:
    """A grown state, and the same without each third node."""
    before = _grown(form, state, size)
    tree = form.parse(before)
    kept = [node for number, node in enumerate(tree.nodes if tree else ()) if number % 3]
    return before + SPLIT + form.render(Tree(tuple(kept)))


def _sessions(name: str) -> tuple[str, ...]:
    found = tuple(
        SPLIT.join(part for turn in one.turns[:6] for part in (turn.action, turn.observation))
        for one in trajectories(name)[:24]
    )
    return tuple(text[:8000] for text in found) or ("a" + SPLIT + "b",)


def action(domain: Domain, dialect: Dialect, text: str) -> None:
    """An action renders back exactly after a dump, or is refused."""
    domain.from_line(text, dialect.id)
    jsonl.dumps(domain.info(text, dialect.id))
    try:
        parsed = dialect.parse_action(text)
    except ActionError:
        return
    dumped = jsonl.loads(jsonl.dumps(msgspec.to_builtins(parsed)))
    same(text, dialect.render_action(msgspec.convert(dumped, dialect.action)), "an action")


def observation(dialect: Dialect, text: str) -> None:
    """An observation renders back exactly after a dump."""
    dumped = jsonl.loads(jsonl.dumps(msgspec.to_builtins(dialect.parse_observation(text))))
    again = dialect.render_observation(msgspec.convert(dumped, dialect.observation))
    same(text, again, "an observation")


def rules(domain: Domain, dialect: Dialect, text: str) -> None:
    """A ledger takes any turn: nothing in it raises."""
    said, _, seen = text.partition(SPLIT)
    system = SystemPrompt(initial_state=seen[: len(seen) // 2] or None)
    trajectory = Trajectory(id="f", domain=domain.id, dialect=dialect.id, system=system)
    ledger = domain.open(trajectory)
    domain.reset_text(system, ledger)
    for _ in range(2):
        domain.protocol(ledger, said)
        domain.known(ledger, said)
        domain.facts_text(domain.facts(ledger, said, 2400))
        domain.checks(ledger, said, seen)
        ledger = domain.track(ledger, Turn(action=said, observation=seen), "real")
    for style in ("full", "compact"):
        if not isinstance(domain.system_text(trajectory, style), str):
            raise Broken("a system prompt is no text")


def detect(domain: Domain, text: str) -> None:
    """Any trajectory has a dialect."""
    parts = text.split(SPLIT)
    turns = tuple(
        Turn(action=a, observation=o) for a, o in zip(parts[::2], parts[1::2], strict=False)
    )
    found = domain.detect(Trajectory(id="f", domain=domain.id, dialect="text", turns=turns))
    if found not in domain.dialects:
        raise Broken(f"{found!r} is no dialect")


def tool_list(text: str) -> None:
    """Tools that are JSON objects of any shape can be opened, called and described."""
    listed, _, said = text.partition(SPLIT)
    try:
        value = jsonl.loads(listed)
    except (ValueError, RecursionError):
        return
    if not isinstance(value, list):
        return
    tools = tuple(one for one in value if isinstance(one, dict))
    trajectory = Trajectory(id="f", domain="mcp", dialect="json", tools=tools)
    domain = find_domain("mcp")
    ledger = domain.open(trajectory)
    domain.protocol(ledger, said)
    domain.system_text(trajectory, "full")
    domain.system_text(trajectory, "compact")
    domain.facts_text(domain.facts(ledger, said, 2400))
