"""Choose the notes on a domain by how well a judge tells truth from invention with them.

Rows are drawn once by a seed, their sessions cut into two halves. All versions are scored on the
half for choosing; the best one and the first one are then scored on the other half, so that the
figure that is reported is not the one it was chosen by. A person accepts a version, nobody else.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from worldline import jsonl, manifests
from worldline.bench.judge.candidates import Candidate, Shelf
from worldline.bench.judge.halves import Halves
from worldline.bench.judge.propose import STYLES, Wrong, propose
from worldline.bench.judge.texts import Texts
from worldline.bench.manifest import MANIFEST_SCHEMA, manifest
from worldline.bench.score.intervals import Stratum, estimates
from worldline.bench.versus.chosen import Chosen
from worldline.bench.versus.pairs import Pair, Pairs
from worldline.bench.versus.run import versus
from worldline.bench.versus.table import SCORES, Cell
from worldline.bench.work import Watch
from worldline.errors import DataError, UsageError
from worldline.models.base import WorldModel
from worldline.models.chat import as_chat

Half = Literal["choose", "report"]


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """A version on one half."""

    candidate: Candidate
    characters: int
    cell: Cell

    @property
    def worth(self) -> float:
        """What it is chosen by: its accuracy, a row without a choice counted as a coin's."""
        share = self.cell.scored / self.cell.rows if self.cell.rows else 0.0
        return share * (self.cell.score or 0.0) + (1 - share) / 2


class Gain(msgspec.Struct, frozen=True):
    """A difference of accuracies, with its 95 % interval."""

    value: float
    interval: tuple[float, float] | None


class Optimised(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to."""

    domain: str
    judge: str
    table: tuple[Scored, ...]
    """All versions, on the half for choosing."""
    best: int
    """The version chosen; the first of those that are equally good."""
    first: Scored
    """Where it began, on the half for reporting."""
    found: Scored
    """The version chosen, on the half for reporting."""
    gain: Gain | None
    """By how much the version chosen is more accurate there."""
    failed: dict[str, str]
    """Round -> why it brought no version."""


class Search(NamedTuple):
    """How versions are found, beside those that are given."""

    candidates: Sequence[tuple[str, str]] = ()
    """(name, text) of versions to try."""
    proposer: WorldModel | None = None
    rounds: int = 0
    styles: Sequence[str] = STYLES
    """One a round, from the first again when they are used up."""


class Settings(NamedTuple):
    """How a judge is asked; see `worldline.bench.versus.run.versus`."""

    texts: Texts = Texts()
    """Where the first version comes from."""
    concurrency: int = 8
    tries: int = 3
    max_tokens: int | None = None
    seed: int | None = 0
    again: bool = False
    watch: Watch | None = None


DEFAULT = Settings()


async def optimise(
    domain: str,
    judge: WorldModel,
    halves: Halves,
    folder: Path,
    search: Search,
    settings: Settings = DEFAULT,
) -> Optimised:
    """Score versions of the notes and find the best. Run it again and it goes on.

    Args:
        halves: of `worldline.bench.judge.halves`.
        folder: see `worldline.bench.judge.candidates`.

    Errors as for `worldline.bench.versus.run.versus`.
    """
    shelf = Shelf(folder)
    _settle(folder, domain, judge, halves, search, settings)
    trial = _Trial(domain, judge, halves, shelf, settings)
    shelf.add(f"{settings.texts.notes(domain)}\n", "start")
    for name, text in search.candidates:
        shelf.add(text, f"file:{name}")
    given = [one for one in shelf.all if one.round is None]
    table = [await trial.score(one, "choose") for one in given]
    failed: dict[str, str] = {}
    for round in range(1, search.rounds + 1):
        parent, why = _best(table).candidate, ""
        found = shelf.of_round(round)
        if found is None:
            found, why = await _proposed(trial, parent, search, round)
        if found is None:
            failed[str(round)] = why
        else:
            table.append(await trial.score(found, "choose"))
    best = _best(table).candidate
    first, last = await trial.score(shelf.all[0], "report"), await trial.score(best, "report")
    made = Optimised(
        domain=domain,
        judge=judge.name,
        table=tuple(table),
        best=best.number,
        first=first,
        found=last,
        gain=_gain(*(shelf.choices(one.number, "report") for one in (shelf.all[0], best))),
        failed=failed,
    )
    jsonl.write(folder / "table.json", [as_json(made)])
    return made


class _Trial:
    """Where one version after the other is scored."""

    def __init__(
        self, domain: str, judge: WorldModel, halves: Halves, shelf: Shelf, settings: Settings
    ) -> None:
        self.domain, self.judge, self.halves, self.shelf = domain, judge, halves, shelf
        self.settings = settings

    async def score(self, one: Candidate, half: Half) -> Scored:
        """A version on one half."""
        rows, notes = getattr(self.halves, half), self.shelf.text(one.number)
        told = [{"name": f"{self.domain}.{half}", "sha": self.halves.sha}]
        how = self.settings
        report = await versus(
            Pairs("turing", told, iter(rows), len(rows)),
            self.judge,
            self.shelf.choices(one.number, half),
            texts=how.texts.with_notes(self.domain, notes),
            concurrency=how.concurrency,
            tries=how.tries,
            max_tokens=how.max_tokens,
            seed=how.seed,
            again=how.again,
            watch=how.watch,
        )
        return Scored(candidate=one, characters=len(notes), cell=report.table.all)


def as_json(found: Optimised) -> dict[str, Any]:
    """The table as JSON values."""
    return {"schema": "worldline.prompts/1", **msgspec.to_builtins(found)}


def _best(table: Iterable[Scored]) -> Scored:
    return max(table, key=lambda one: (one.worth, -one.candidate.number))


async def _proposed(
    trial: _Trial, parent: Candidate, search: Search, round: int
) -> tuple[Candidate | None, str]:
    """The version that a round brings, or why it brings none."""
    if search.proposer is None:
        raise UsageError("needs a model", field="rounds", remedy="Name one: --propose SPEC.")
    who, style = as_chat(search.proposer), search.styles[(round - 1) % len(search.styles)]
    shelf, seed = trial.shelf, trial.settings.seed
    cases = list(_wrong(shelf.choices(parent.number, "choose"), trial.halves.choose))
    number = None if seed is None else seed + 1_000 * round
    made = await propose(who, shelf.text(parent.number), cases, style, number)
    if made.notes is None:
        return None, made.reason or "no_notes"
    source, fields = f"model:{who.name}", {"parent": parent.number, "round": round, "style": style}
    return shelf.add(made.notes, source, **fields), ""


def _wrong(path: Path, rows: Sequence[Pair]) -> Iterator[Wrong]:
    """The cases on which one order at least did not choose the truth."""
    for pair, line in zip(rows, jsonl.read(path), strict=False):
        if jsonl.convert(line.value, Chosen).winner == "first":
            continue
        said = [ask["raw"] or "" for ask in line.value["asks"] if ask["side"] != "first"]
        yield Wrong(pair.given.action, pair.first, pair.second, said[0] if said else "")


def _gain(first: Path, best: Path) -> Gain | None:
    """By how much the best version chooses better than the first, on rows that both chose on."""
    import numpy as np

    one, other = ([jsonl.convert(v, Chosen) for _, v in jsonl.read(path)] for path in (first, best))
    both = [(a, b) for a, b in zip(one, other, strict=True) if a.winner and b.winner]
    if not both:
        return None
    apart = [[SCORES[b.winner or "tie"] - SCORES[a.winner or "tie"]] for a, b in both]
    found = estimates({"all": Stratum([a.session for a, _ in both], np.asarray(apart))}).micro
    return Gain(*found.of(0))


def _settle(
    folder: Path,
    domain: str,
    judge: WorldModel,
    halves: Halves,
    search: Search,
    settings: Settings,
) -> None:
    """Write what decides the run, or make sure that it is the same."""
    proposer = None if search.proposer is None else search.proposer.name
    wanted = manifest(
        "prompts optimise",
        domain=domain,
        rows=halves.sha,
        judge=judge.name,
        start=settings.texts.notes(domain),
        proposer=proposer,
        styles=list(search.styles),
        seed=settings.seed,
    )
    path = folder / "manifest.json"
    if not path.exists():
        manifests.write(path, wanted)
        return
    before = manifests.read(path, MANIFEST_SCHEMA, DataError("cannot be read", file=path))
    remedy = "Run it as it was run before, or give another folder."
    for field in ("domain", "rows", "judge", "start", "proposer", "styles", "seed"):
        was, now = before.get(field), wanted[field]
        manifests.must_agree(path, field, was, now, made="this folder was made", remedy=remedy)
