"""The index of a corpus in the cache: made once, whole or not at all.

    index = opened(corpus(options))

It lies in ``search/<sha of the recipe>/`` of the cache folder: the same documents, the same index.
Making the default one takes some minutes (and 75 MB from Debian's mirror before). `prepare` does it
on first use, before a session begins; a session only makes that of a folder of one's own.
"""

import fcntl
import hashlib
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.environments.search import COMMAND, debs, fields, sources
from worldline.environments.search.debs import CorpusError, Had
from worldline.environments.search.progress import Progress
from worldline.environments.search.reading import LEAD, Document, read
from worldline.environments.search.recipe import FORMAT, Options, tools, wanted
from worldline.paths import cache_dir

HEAP = 64_000_000
BATCH = 64
MANY = 300
"""From this many files on, they are read by several processes."""
REMEDY = f"Make it with `{COMMAND}`."
ONCE = "making the search index: this takes some minutes and happens once"
Tell = Callable[[str], None]


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """What is searched: `sha` names it; `packages` are versions, empty for a `folder`."""

    sha: str
    packages: dict[str, str]
    folder: str | None = None

    @property
    def place(self) -> Path:
        """Where its index lies."""
        return cache_dir() / "search" / self.sha[:16]


def corpus(options: Options) -> Corpus:
    """The corpus of these options, from what is here already; nothing is fetched.

    Raises:
        CorpusError: a package is not here.
    """
    if options.folder is not None:
        folder = Path(options.folder)
        sha = jsonl.sha({"format": FORMAT, "folder": sources.folder_sha(folder)})
        return Corpus(sha=sha, packages={}, folder=options.folder)
    found = _had(options)
    sha = jsonl.sha({"format": FORMAT, "packages": {n: h.sha256 for n, h in found.items()}})
    return Corpus(sha=sha, packages=sources.versions(found))


def _had(options: Options) -> dict[str, Had]:
    names = [one.name for one in (*wanted(options), *tools())]
    found = {name: debs.had(name) for name in names}
    missing = [name for name, one in found.items() if one is None]
    if missing:
        raise CorpusError(f"the documents are not here: {', '.join(missing)}", remedy=REMEDY)
    return {name: one for name, one in found.items() if one is not None}


def prepare(given: Options, tell: Tell) -> Corpus:
    """Fetch what is missing and make the index if it is not there."""
    for one in () if given.folder is not None else (*wanted(given), *tools()):
        debs.fetch(one.name, tell)
    found = corpus(given)
    make(found, given, tell)
    return found


def opened(found: Corpus) -> Any:
    """The index of a corpus.

    Raises:
        CorpusError: it has not been made.
    """
    import tantivy

    if not (found.place / "done.json").is_file():
        raise CorpusError("the search index has not been made", remedy=REMEDY)
    return tantivy.Index.open(str(found.place / "index"))


def make(found: Corpus, options: Options, tell: Tell) -> None:
    """Make the index of a corpus, unless it is there."""
    place = found.place
    place.parent.mkdir(parents=True, exist_ok=True)
    with _locked(place.with_suffix(".lock")):
        if (place / "done.json").is_file():
            return
        for left in place.parent.glob(f"{place.name}.making-*"):
            shutil.rmtree(left, ignore_errors=True)  # we hold the lock: nobody is at work there
        with tempfile.TemporaryDirectory(
            dir=place.parent, prefix=f"{place.name}.making-", ignore_cleanup_errors=True
        ) as made:
            counts = _make(Path(made), options, tell)
            told = {**msgspec.to_builtins(found), "documents": counts}
            jsonl.write(Path(made) / "done.json", [told])
            shutil.rmtree(place, ignore_errors=True)
            Path(made).rename(place)
            Path(made).mkdir()  # for the context manager to remove


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def counts(found: Corpus) -> dict[str, int]:
    """How many documents of each source are in the index."""
    told = jsonl.loads((found.place / "done.json").read_bytes())
    return dict(told["documents"])


def _make(place: Path, options: Options, tell: Tell) -> dict[str, int]:
    import tantivy

    (place / "index").mkdir()
    index = tantivy.Index(fields.schema(), path=str(place / "index"))
    writer = index.writer(heap_size=HEAP, num_threads=1)  # one thread: one order of documents
    held: dict[str, int] = {}
    seen: set[bytes] = set()
    addresses: set[str] = set()
    chosen = wanted(options)
    if chosen:
        tell(ONCE)
    progress = Progress(chosen, tell)
    for document in _documents(options, place, progress):
        content = hashlib.sha256(document.text.encode("utf-8", "replace")).digest()
        if content in seen or document.url in addresses:
            continue
        seen.add(content)
        addresses.add(document.url)
        writer.add_document(fields.record(document))
        held[document.source] = held.get(document.source, 0) + 1
        progress.document()
    writer.commit()
    writer.wait_merging_threads()
    if not held:
        raise CorpusError(
            f"holds no page of {LEAD} characters or more",
            file=options.folder,
            remedy="Give a folder with longer documents.",
        )
    tell(f"indexed {sum(held.values()):,} documents")
    return held


def _documents(options: Options, place: Path, progress: Progress) -> Iterator[Document]:
    if options.folder is not None:
        yield from _read_all(sources.of_folder(Path(options.folder)))
        return
    found = _had(options)
    reader = next(one for one in tools() if one.name == "mandoc")
    mandoc = debs.program(found["mandoc"], reader.file, place)
    for package in wanted(options):
        progress.package()
        yield from _read_all(sources.of_package(found[package.name], package, mandoc))
    if mandoc is not None and mandoc.parent == place:
        mandoc.unlink()


def _read_all(raw: Iterable[sources.Raw | Document]) -> Iterator[Document]:
    """Documents in the order of their files, read by two processes where there are many."""
    pending = iter(raw)
    first = list(islice(pending, MANY))
    if len(first) < MANY or isinstance(first[0], Document):
        yield from _read_some(first)
        for one in pending:
            yield from _read_some([one])
        return
    batches = iter(lambda: list(islice(pending, BATCH)), [])
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1), mp_context=context) as pool:
        heads = [first[at : at + BATCH] for at in range(0, len(first), BATCH)]
        for done in pool.map(_read_some, [*heads, *batches]):
            yield from done


def _read_some(batch: list[sources.Raw | Document]) -> list[Document]:
    made = (one if isinstance(one, Document) else read(*one) for one in batch)
    return [one for one in made if one is not None]
