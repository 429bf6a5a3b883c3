"""How small the next state is as an edit, and how many turns fit a small context.

Every recorded turn between two states of a tree dialect: the edit script in tokens of the embedded
model, and how many lines of the state before are in the state after (as a multiset; a line is the
node as the dialect's own parse writes it, with its indentation, without list index or handle). The
script counted here is the one that `roundtrip` carries out: the shortest of the present state or of
one that comes back. Where at least 70 % of the lines
survive, most of the state is a copy: there the edit must be short.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import product

from benchmarks.show import Show, walk
from benchmarks.show.requests import CONTEXTS, FORMS, Counting, request_tokens
from benchmarks.show.stats import share_interval
from worldline.domains.base import Dialect, Domain
from worldline.trajectory import Trajectory
from worldline.trees import TreeForm, diff_past
from worldline.trees.line import write

SURVIVE = 0.7
SHORT = 256
"""Tokens of an edit script that a small model can write."""
PROMISED = {"web": (0.80, 0.90), "android": (0.90, 0.97), "os": (0.35, 0.60)}
"""Domain -> floor and goal of the share of short edits where most lines survive."""


HISTORY = {"whole": "with all turns before", "alone": "with the turn before alone"}
"""What a request holds beside system text, action and target."""


@dataclass
class Sizes:
    """The turns of one dialect, or of one domain."""

    turns: list[tuple[str, float, int, int]] = field(default_factory=list)
    """(cluster, share of lines that survive, tokens of the edit, tokens of the new state)."""
    fits: dict[tuple[str, str, int], list[tuple[str, bool]]] = field(default_factory=dict)
    """(whole or alone, form, context) -> (cluster, whether the turn fits)."""

    def add(self, other: "Sizes") -> None:
        """Take in another dialect's turns."""
        self.turns += other.turns
        for key, rows in other.fits.items():
            self.fits.setdefault(key, []).extend(rows)

    def short(self, survive: float) -> list[tuple[str, bool]]:
        """Whether the edit is short, in turns where so many lines survive."""
        return [(one[0], one[2] <= SHORT) for one in self.turns if one[1] >= survive]


def check(show: Show) -> None:
    counting = Counting()
    for domain in walk.installed(show):
        whole = Sizes()
        for name, group in walk.by_dialect(domain, walk.recordings(show, domain.id)).items():
            dialect = domain.dialects.get(name)
            if dialect is None or not group:
                continue
            sizes = measured(domain, dialect, group, counting)
            table(f"{domain.id}/{name}", sizes)
            whole.add(sizes)
        measures(show, domain.id, whole)


def measured(
    domain: Domain, dialect: Dialect, group: list[Trajectory], counting: Counting
) -> Sizes:
    """The turns of one dialect."""
    sizes = Sizes()
    for trajectory in group:
        for step in walk.steps(trajectory, dialect):
            assert dialect.tree is not None
            script = diff_past(dialect.tree, step.earlier, step.before, step.after)
            kept = surviving(dialect.tree, step.before, step.after)
            tokens = counting.tokens(script), counting.tokens(step.after)
            sizes.turns.append((trajectory.cluster, kept, *tokens))
        for form in FORMS if dialect.tree else FORMS[:1]:
            for tokens in request_tokens(domain, trajectory, form, counting):
                for context, (what, size) in product(CONTEXTS, tokens._asdict().items()):
                    rows = sizes.fits.setdefault((what, form, context), [])
                    rows.append((trajectory.cluster, size <= context))
    return sizes


def surviving(form: TreeForm, before: str, after: str) -> float:
    """The share of the lines of a state that are in the next."""
    old, new = lines(form, before), lines(form, after)
    return (old & new).total() / old.total() if old else 0.0


def lines(form: TreeForm, state: str) -> Counter[str]:
    """The nodes of a state as lines, without handles."""
    tree = form.parse(state)
    nodes = tree.nodes if tree else ()
    return Counter(" " * node.depth + write(node, form.main, ref=False) for node in nodes)


def table(name: str, sizes: Sizes) -> None:
    """What a person wants to see of one dialect."""
    if sizes.turns:
        print(
            f"\n{name:24}{'turns':>7}{'short':>8}   tokens of the edit: median, 75 %, 90 %, worst"
        )
        for title, survive in ((f">= {SURVIVE:.0%} survive", SURVIVE), ("all", 0.0)):
            rows = [one for one in sizes.turns if one[1] >= survive]
            if rows:
                edits = sorted(one[2] for one in rows)
                marks = [edits[int(q * (len(edits) - 1))] for q in (0.5, 0.75, 0.9, 1.0)]
                short = sum(size <= SHORT for size in edits) / len(edits)
                print(f"  {title:22}{len(rows):7}{short:8.1%}   {marks}")
        states = sorted(one[3] for one in sizes.turns)
        print(f"  {'the new state, whole':22}{'':15}   median {states[len(states) // 2]} tokens")
    else:
        print(f"\n{name}")
    for context, form in product(CONTEXTS, FORMS):
        shares = [
            f"{share_interval(sizes.fits[what, form, context])[0]:.1%} {words}"
            for what, words in HISTORY.items()
            if (what, form, context) in sizes.fits
        ]
        if shares:
            print(f"  {form:5} fits {context}: {', '.join(shares)}")


def measures(show: Show, domain: str, sizes: Sizes) -> None:
    """The measures of one domain."""
    floor, goal = PROMISED.get(domain, (None, None))
    if domain in PROMISED or sizes.turns:
        for title, survive in (("survive >= 70 %", SURVIVE), ("all turns", 0.0)):
            rows = sizes.short(survive)
            value, low, high = share_interval(rows)
            promised = survive > 0
            show.measure(
                f"{domain} edit <= {SHORT} tokens, {title}",
                value,
                better="higher",
                floor=floor if promised else None,
                goal=goal if promised else None,
                n=len(rows),
                lo=round(low, 4),
                hi=round(high, 4),
                recorded=True,
            )
    for (what, form, context), rows in sorted(sizes.fits.items()):
        value, low, high = share_interval(rows)
        show.measure(
            f"{domain} fits {context} {HISTORY[what]}, {form}",
            value,
            better="higher",
            n=len(rows),
            lo=round(low, 4),
            hi=round(high, 4),
            recorded=True,
        )
