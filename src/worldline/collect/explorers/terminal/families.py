"""Families of episodes: which homes they happen in, which moves they are made of."""

from collections.abc import Callable
from typing import NamedTuple

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.moves import (
    base,
    coding,
    edit,
    keys,
    look,
    recover,
    repo,
    screens,
    scripts,
    shop,
    work,
)  # fmt: skip

MoveScript = Callable[[Desk], Script]
ALL = (
    "archives", "config", "data", "database", "encodings", "git", "large", "make", "nested",
    "notes", "python", "scripts", "weblogs",
)  # fmt: skip


class FamilyKind(NamedTuple):
    """A kind of episode.

    Args:
        phrases: the group of phrases its single commands come from.
        fixtures: homes it may happen in.
        moves: its scripts with their shares.
        say: the share of single phrases.
        weight: how often it comes.
        held_out: for the benchmark alone.
        screen: only where keys can be typed.
        enter: what is done after the first look, as going into the repository.
    """

    phrases: str
    fixtures: tuple[str, ...]
    moves: tuple[tuple[MoveScript, float], ...] = ()
    say: float = 3.0
    weight: float = 1.0
    held_out: bool = False
    screen: bool = False
    enter: MoveScript | None = None


WRITING = (
    (edit.write, 1.0), (edit.append, 1.2), (edit.change, 1.2), (edit.rename, 0.6),
    (look.readback, 1.5),
)  # fmt: skip
SOME = ((edit.write, 0.9), (edit.append, 0.5), (edit.rename, 0.2), (look.readback, 1.3))

KINDS: dict[str, FamilyKind] = {
    "inspect": FamilyKind(
        "files", ALL, ((look.browse, 1.2), (look.home, 0.4), *SOME), 3.0, 1.1
    ),
    "edit": FamilyKind(
        "files", ("notes", "config", "python+notes", "scripts", "empty", "git+config"),
        (*WRITING, (edit.settle, 1.0), (edit.revise, 1.2), (edit.replace, 0.7)), 1.0, 1.4,
    ),
    "text": FamilyKind(
        "text", ("weblogs", "notes", "data+notes", "large", "weblogs+data", "nested", "config"),
        ((edit.revise, 0.3), *SOME), 4.0, 1.3,
    ),
    "search": FamilyKind(
        "search", ("nested", "nested+notes", "python+nested", "config", "encodings", "weblogs"),
        ((look.browse, 0.5), (edit.settle, 0.4), *SOME), 4.0,
    ),
    "git": FamilyKind(
        "git", ("git", "git+notes"),
        ((repo.cycle, 1.5), (repo.branch, 0.9), (repo.conflict, 0.5), (repo.history, 1.0),
         (repo.stash, 0.4), (look.readback, 0.6), (edit.append, 0.5)), 4.0, 1.2, enter=repo.enter,
    ),
    "python": FamilyKind(
        "python", ("python", "python+data", "data", "scripts", "python+notes"),
        ((coding.fix, 1.6), (coding.module, 0.8), (coding.table, 0.8), (coding.grow, 0.6), *SOME),
        3.0, 1.3,
    ),
    "shell": FamilyKind(
        "shell", ("scripts", "notes+scripts", "data", "empty", "weblogs"),
        ((scripts.write, 1.4), (scripts.broken, 1.2), (scripts.run, 0.8), (work.hang, 0.2), *SOME),
        4.0, 1.3,
    ),
    "errors": FamilyKind(
        "errors", ALL,
        ((work.blocked, 0.8), (work.typo, 1.0), (scripts.broken, 0.5), (work.hang, 0.5), *SOME),
        5.0, 1.1,
    ),
    "env": FamilyKind(
        "env", ("empty", "config", "scripts", "notes"),
        ((base.variables, 1.5), (base.walk, 1.2), (base.aliases, 0.5), (edit.settle, 0.5), *SOME),
        4.0,
    ),
    "jobs": FamilyKind(
        "jobs", ("empty", "scripts", "notes"),
        ((work.slow, 1.2), (work.hang, 0.7), *SOME), 3.0, 0.7,
    ),
    "archive": FamilyKind(
        "archive", ("archives", "archives+notes", "notes", "nested+archives"),
        ((work.pack, 1.0), *SOME), 4.0, 1.0,
    ),
    "compare": FamilyKind(
        "compare", ("notes", "data", "config", "nested", "python"),
        ((work.patch, 1.2), (edit.revise, 0.8), *SOME), 4.0, held_out=True,
    ),
    "sqlite": FamilyKind(
        "sqlite", ("database", "database+data"), ((shop.create, 0.7), (shop.shell, 0.7), *SOME), 4.0
    ),
    "build": FamilyKind(
        "make", ("make",), ((edit.write, 0.4), (edit.append, 0.4), (look.readback, 0.5)), 4.0,
        held_out=True, enter=work.enter_build,
    ),
    "links": FamilyKind(
        "links", ("notes", "scripts", "nested", "config", "encodings"),
        ((scripts.write, 0.5), *SOME), 4.0, 0.8, held_out=True,
    ),
    "system": FamilyKind(
        "system", ("empty", "notes", "config"), ((base.variables, 0.4), *SOME), 5.0, 0.9
    ),
    "data": FamilyKind(
        "data", ("data", "data+database"), ((coding.table, 1.0), *SOME), 4.0, 1.0, held_out=True
    ),
    "long": FamilyKind("long", ("large", "weblogs", "large+notes"), SOME, 4.0, 0.8),
    "keys": FamilyKind(
        "long", ("notes", "python", "large", "scripts", "weblogs", "git"),
        ((keys.repl, 1.2), (screens.pager, 1.0), (screens.vim, 1.0), (screens.nano, 0.8),
         (keys.calculator, 0.6), (keys.typed, 1.0), (keys.asks, 1.0), (keys.interrupt, 1.0),
         (screens.complete, 0.6), (screens.recall, 0.6), (screens.follow, 0.5),
         (screens.suspend, 0.6), (keys.database, 0.6), (look.readback, 0.8)),
        1.5, 1.4, screen=True,
    ),
}  # fmt: skip


def play(desk: Desk, family: str) -> Script:
    """An episode of a family."""
    kind, rng = KINDS[family], desk.rng
    budget = rng.randint(18, 34)
    yield from _counted(desk, look.survey(desk))
    if kind.enter is not None:
        yield from _counted(desk, kind.enter(desk))
    moves: list[MoveScript | None] = [None, *(move for move, _ in kind.moves)]
    shares = [kind.say, *(share for _, share in kind.moves)]
    while desk.count < budget:
        (move,) = rng.choices(moves, shares)
        desk.memo["move"] = f"{family}.{move.__name__ if move else 'phrase'}"
        script = move(desk) if move else look.say(desk, kind.phrases)
        yield from _counted(desk, script)
        yield from _counted(desk, recover.settle(desk))


def _counted(desk: Desk, script: Script) -> Script:
    """The script, its acts counted."""
    seen = None
    while True:
        try:
            act = next(script) if seen is None else script.send(seen)
        except StopIteration:
            return
        desk.count += 1 if desk.screen else len(act.lines)
        seen = yield act
