"""Recordings of other tools: damage is named, and the good ones beside it are never lost."""

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from benchmarks.fuzz.chunks import raw
from benchmarks.fuzz.seeds import ours
from benchmarks.fuzz.targets import Broken, Target
from worldline import jsonl
from worldline.collect.importers import BadLine, importer
from worldline.errors import DataError
from worldline.trajectory import Trajectory, trajectory


@cache
def _folder(name: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f"worldline-fuzz-{name}-"))


def targets() -> Iterator[Target]:
    """Each format as a file of its own and among good ones."""
    for name, suffix in (("atif", "json"), ("sweagent", "traj"), ("asciinema", "cast")):
        kind = "casts" if name == "asciinema" else name
        seeds = tuple(one.strip() for one in ours(kind))
        yield Target(f"importers.{name} folder", among(name, suffix, seeds), lambda s=seeds: s)
        if name != "asciinema":
            yield Target(f"importers.{name} lines", between(name, seeds), lambda s=seeds: s)


def among(name: str, suffix: str, seeds: tuple[str, ...]) -> Callable[[str], None]:
    """A damaged file in a folder, good ones before and behind it."""
    folder = _folder(name)
    good: list[str] = []

    def run(text: str) -> None:
        if not good:
            for at, seed in enumerate((seeds[0], seeds[-1])):
                (folder / f"{'az'[at]}.{suffix}").write_text(seed, "utf-8")
            good.extend(told(one) for one in importer(name)(folder))
        path = folder / f"m.{suffix}"
        for data in raw(text):
            path.write_bytes(data)
            kept(name, folder, good, data)
        path.unlink()

    return run


def between(name: str, seeds: tuple[str, ...]) -> Callable[[str], None]:
    """A damaged line of a JSON Lines file, good ones before and behind it."""
    path = _folder(name) / "lines.jsonl"
    flat = [jsonl.dumps(jsonl.loads(one)) for one in seeds]

    def run(text: str) -> None:
        for data in raw(text):
            path.write_bytes(flat[0] + b"\n")
            good = [told(one) for one in importer(name)(path)]
            path.write_bytes(b"\n".join((flat[0], data, flat[0])))
            kept(name, path, [*good, *good], data)
        path.unlink()

    return run


def kept(name: str, path: Path, good: list[str], data: bytes) -> None:
    """What is read: all the good ones, and of the damaged one a trajectory or an error."""
    bad: list[BadLine] = []
    found = list(importer(name)(path, bad.append))
    for one in found:
        row = one.record()
        if trajectory(jsonl.loads(jsonl.dumps(row))) != one:
            raise Broken("a trajectory does not come back from its record")
    left = [told(one) for one in found]
    for one in good:
        if one not in left:
            raise Broken("a good recording is lost")
        left.remove(one)
    for one in bad:
        if not str(one.error) or one.error.file is None:
            raise Broken("an error names no file")
    if data.strip() and not left and not bad and data.strip() != b"[]":
        raise Broken("a recording is left out in silence")
    try:
        rest = list(importer(name)(path))
    except DataError as error:
        if not bad:
            raise Broken(f"without a handler: {error}") from error
    else:
        if bad or len(rest) != len(found):
            raise Broken("without a handler, damage is passed over")


def told(one: Trajectory) -> str:
    """A trajectory without its name, which depends on the file's."""
    return repr((one.domain, one.dialect, one.task, one.turns, one.system))
