"""`worldline bench make`: a benchmark out of collected trajectories.

Of each trajectory the first turn, the last, and some uniformly from the middle are evaluated; of
each domain, families and dialects take turns, so that none fills it. Everything follows from the
seed and the trajectories' ids.
"""

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from worldline import __version__, jsonl
from worldline.bench.card import card
from worldline.bench.suite import INDEX, Entry, Evaluated, Position
from worldline.errors import DataError, UsageError
from worldline.storage import SUFFIXES, file_of, read_trajectories, write_trajectories
from worldline.trajectory import Trajectory

MANIFEST_SCHEMA = "worldline.bench/1"
LARGEST = 8 << 20
"""Bytes that a benchmark may take, compressed."""


class LeftOut(NamedTuple):
    """Trajectories that could not be chosen: too short, or (if not) too long."""

    short: int
    long: int


class Made(NamedTuple):
    """What was made: evaluated turns and trajectories by domain, and bytes in all."""

    rows: dict[str, int]
    trajectories: dict[str, int]
    size: int
    left_out: LeftOut


class Choice(NamedTuple):
    """How trajectories and turns are chosen.

    Args:
        trajectories: of each domain, at most.
        rows: evaluated turns of each trajectory, at most: the first, the last, the rest between.
        shortest: turns a trajectory must have.
        longest: characters it may have; the longest would fill the file.
        seed: of the choice.
    """

    trajectories: int = 90
    rows: int = 4
    shortest: int = 5
    longest: int = 120_000
    seed: int = 0


def make(sources: Sequence[Path], folder: Path, choice: Choice = Choice()) -> Made:  # noqa: B008
    """Write a benchmark.

    Args:
        sources: trajectory files, or folders that ``worldline collect`` wrote.
        folder: a new folder, or one that holds a benchmark to be replaced.

    Raises:
        UsageError: a folder that holds something else, or nothing to choose from.
        DataError: a file is broken, or the benchmark would be too large.
    """
    _may_write(folder)
    chosen, left_out = _chosen(sources, choice)
    if not chosen:
        why = "".join(f"; {said}" for said in told(left_out, choice))
        raise UsageError(f"hold no trajectory to choose{why}", field="sources", remedy=_REMEDY)
    (folder / "trajectories").mkdir(parents=True, exist_ok=True)
    for old in (folder / "trajectories").glob("*.jsonl*"):
        old.unlink()
    for domain, items in chosen.items():
        path = folder / "trajectories" / f"{domain}.jsonl.gz"
        write_trajectories(path, (item.trajectory for item in items))
    every = [item for items in chosen.values() for item in items]
    index = [msgspec.to_builtins(entry) for item in every for entry in _entries(item)]
    jsonl.write(folder / INDEX, index)
    jsonl.write(folder / "splits.json", [{item.trajectory.id: "test" for item in every}])
    manifest = _manifest(folder, every, choice)
    jsonl.write(folder / "manifest.json", [manifest])
    (folder / "card.md").write_text(card(manifest, every), "utf-8")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > LARGEST:
        raise DataError(
            f"takes {size:,} bytes; at most {LARGEST:,} are allowed",
            file=folder,
            remedy="Choose fewer or shorter trajectories (--trajectories, --longest).",
        )
    return Made(manifest["rows"], manifest["trajectories"], size, left_out)


def told(left_out: LeftOut, choice: Choice) -> Iterator[str]:
    """What was left out and why, in words; nothing where nothing was."""
    if left_out.short:
        yield f"{left_out.short:,} left out: shorter than {choice.shortest:,} turns (--shortest)"
    if left_out.long:
        yield f"{left_out.long:,} left out: longer than {choice.longest:,} characters (--longest)"


_REMEDY = "Collect some first: worldline collect DOMAIN --held-out --episodes 100 --out DIR"


def _may_write(folder: Path) -> None:
    try:
        taken = any(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise jsonl.unwritable(folder, error) from error
    if taken and not (folder / INDEX).exists():
        raise UsageError(
            "holds something that is no benchmark", file=folder, remedy="Name a new folder."
        )


def _read(source: Path) -> Iterator[Trajectory]:
    path = file_of(source)
    if not path.exists() or not path.name.endswith(SUFFIXES):
        raise UsageError("is no trajectory file or collected folder", file=path, remedy=_REMEDY)
    yield from read_trajectories(path)


def _chosen(sources: Iterable[Path], choice: Choice) -> tuple[dict[str, list[Evaluated]], LeftOut]:
    """By domain: trajectories in the order they were chosen, with their turns."""
    pools: dict[str, dict[tuple[str, str], list[Trajectory]]] = {}
    short = long = 0
    for source in sources:
        for one in _read(source):
            if len(one.turns) < choice.shortest:
                short += 1
            elif _length(one) > choice.longest:
                long += 1
            else:
                kind = (str(one.meta.get("family", "")), one.dialect)
                pools.setdefault(one.domain, {}).setdefault(kind, []).append(one)
    chosen = {
        domain: [
            Evaluated(one, _turns(one, choice))
            for one in _in_turn(pools[domain], choice.trajectories, choice.seed)
        ]
        for domain in sorted(pools)
    }
    return chosen, LeftOut(short, long)


def _in_turn(
    pool: dict[tuple[str, str], list[Trajectory]], most: int, seed: int
) -> list[Trajectory]:
    queues = [
        sorted(ones, key=lambda one: _order(seed, one.id)) for _, ones in sorted(pool.items())
    ]
    taken: list[Trajectory] = []
    while len(taken) < most and any(queues):
        for queue in queues:
            if queue and len(taken) < most:
                taken.append(queue.pop(0))
    return sorted(taken, key=lambda one: one.id)


def _order(seed: int, id: str) -> bytes:
    text = f"{seed}|{id}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=8).digest()


def _turns(one: Trajectory, choice: Choice) -> tuple[int, ...]:
    total = len(one.turns)
    between = range(2, total)
    choices = random.Random(_order(choice.seed, one.id))
    middle = choices.sample(between, min(max(choice.rows - 2, 0), len(between)))
    ends = (1, total) if choice.rows > 1 else (1,)
    return tuple(sorted({*ends, *middle}))


def _length(one: Trajectory) -> int:
    return sum(len(turn.action) + len(turn.observation) for turn in one.turns)


def _entries(item: Evaluated) -> Iterator[Entry]:
    one, total = item.trajectory, len(item.trajectory.turns)
    for turn in item.turns:
        position: Position = "first" if turn == 1 else "last" if turn == total else "middle"
        yield Entry(
            id=f"{one.id}#{turn}",
            trajectory=one.id,
            domain=one.domain,
            dialect=one.dialect,
            family=str(one.meta.get("family", "")),
            turn=turn,
            of=total,
            position=position,
        )


def _manifest(folder: Path, every: Sequence[Evaluated], choice: Choice) -> dict[str, Any]:
    files = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (*sorted((folder / "trajectories").iterdir()), folder / INDEX)
    }
    return {
        "schema": MANIFEST_SCHEMA,
        "version": __version__,
        "choice": choice._asdict(),
        "trajectories": _count(every, lambda _: 1),
        "rows": _count(every, lambda item: len(item.turns)),
        "sha256": files,
    }


def _count(every: Sequence[Evaluated], weight: Any) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in every:
        domain = item.trajectory.domain
        counts[domain] = counts.get(domain, 0) + weight(item)
    return counts
