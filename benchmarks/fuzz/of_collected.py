"""What collecting leaves on the disk, and the page that shows it: torn files, hostile content."""

import re
import tempfile
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from benchmarks.fuzz.chunks import raw
from benchmarks.fuzz.of_trees import SPLIT
from benchmarks.fuzz.seeds import lines, ours
from benchmarks.fuzz.targets import Broken, Target
from worldline import jsonl
from worldline.collect.masks import masked
from worldline.collect.store import TRAJECTORIES, Store, kept, line_of
from worldline.corpus.page import page
from worldline.corpus.stats import stats
from worldline.errors import DataError, WorldlineError
from worldline.trajectory import Source, Trajectory, Turn, trajectory

DOMAINS = ("terminal", "swe", "mcp", "search")
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff\ud800-\udfff]")


def episode(name: str, text: str) -> Trajectory:
    """A small recorded episode."""
    turns = (Turn(action="ls", observation=text, info={"status": "ok", "exit_code": 0}),)
    meta = {"family": "files", "end": "done", "statuses": {"ok": 1}, "versions": {"a": "1"}}
    return Trajectory(id=name, domain="terminal", dialect="command", turns=turns, meta=meta)


GOOD = tuple(line_of(episode(name, "hay\n")) for name in ("a", "b"))
"""Lines as collecting writes them."""
ADDED = line_of(episode("z", "rake\n"))


def targets() -> Iterator[Target]:
    """A store's file, runtime metadata, the page."""
    damaged = tuple(line_of(episode(f"c{n}", s)).decode() for n, s in enumerate(ours("screens")))
    yield Target("collect.store", recovered, lambda: damaged)
    yield Target("collect.masks", unmasked, lambda: (*ours("screens"), *ours("observed")))
    pairs = tuple(
        SPLIT.join((a, b, a)) for a, b in zip(ours("pages"), ours("secrets"), strict=False)
    )
    yield Target("corpus.page", shown, lambda: (*pairs, *ours("screens")))
    yield Target("corpus.stats", counted, lambda: lines("trajectory"))


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="worldline-fuzz-store-"))


def recovered(text: str) -> None:
    """Damage behind good lines is cut off and kept aside, or named; nothing good is lost."""
    path = _folder() / TRAJECTORIES
    for data in raw(text):
        for after in (b"", b"\n", b"\n" + GOOD[0]):
            whole = b"".join(GOOD) + data + after
            path.write_bytes(whole)
            path.with_name(f"{TRAJECTORIES}.torn").unlink(missing_ok=True)
            recover(whole)


def recover(whole: bytes) -> None:
    """Open a damaged store and go on."""
    path, store = _folder() / TRAJECTORIES, Store(_folder())
    try:
        store.recover()
        if not store.done.keys() >= {"a", "b"}:
            raise Broken(f"only {sorted(store.done)} are taken up")
        whole_again(whole, path)
        store.add(ADDED, kept(ADDED))
    except DataError as error:
        if path.read_bytes() != whole:
            raise Broken("a file that is refused is changed") from error
        if error.line is None or error.line <= len(GOOD):
            raise Broken(f"line {error.line} is named, but damage begins later") from error
        return
    finally:
        store.close()
    again = Store(_folder())
    try:
        again.recover()
    finally:
        again.close()
    if again.done != store.done:
        raise Broken("what was added is not read again")


def whole_again(whole: bytes, path: Path) -> None:
    """What stays and what was set aside are together what was there."""
    aside = path.with_name(f"{TRAJECTORIES}.torn")
    stays, torn = path.read_bytes(), aside.read_bytes() if aside.exists() else b""
    if stays.rstrip(b"\n") + torn.rstrip(b"\n") != whole.rstrip(b"\n") and not (
        torn and stays + torn.rstrip(b"\n") == whole.rstrip(b"\n")
    ):
        raise Broken("bytes are lost")


def unmasked(text: str) -> None:
    """Runtime metadata of any text is masked, and counted."""
    for domain in DOMAINS:
        made = masked(domain, text)
        if made.characters == 0 and len(made.text) < len(text):
            raise Broken("text is lost and not counted")


def shown(text: str) -> None:
    """A page's tags are its own whatever it shows, and nothing on it acts."""
    made = page(stats([told(text)]), text[:80])
    if tags(made) != tags(page(stats([told("x" * len(text))]), "x")):
        raise Broken("content has become tags")
    if found := ACTING.search(made):
        raise Broken(f"{found[0]!r} is on the page")


def told(text: str) -> Trajectory:
    """A trajectory that is hostile everywhere."""
    parts = [*text.split(SPLIT), text, text]
    info = {"exit_code": 0, "intent": parts[0][:90], "status": parts[1][:90]}
    turn = Turn(action=parts[0], observation=parts[1], info=info)
    source = Source(kind="collected", licence=parts[2][:90])
    return Trajectory(
        id=parts[2][:90] or "x",
        domain="terminal",
        dialect=parts[0][:90] or "x",
        turns=(turn,),
        source=source,
        meta={"family": parts[1][:90]},
    )


class Tags(HTMLParser):
    """The tags of a page with the names of their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One more."""
        self.found.append(f"<{tag} {' '.join(name for name, _ in attrs)}")

    def handle_endtag(self, tag: str) -> None:
        """One ends."""
        self.found.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        """Nor is there any."""
        self.found.append("!--")


def tags(text: str) -> list[str]:
    """Every tag of a page, in order."""
    reader = Tags()
    reader.feed(text)
    reader.close()
    return reader.found


def counted(text: str) -> None:
    """Any trajectory can be counted and shown."""
    try:
        one = trajectory(jsonl.loads(text))
    except (ValueError, RecursionError, WorldlineError):
        return
    made = stats([one, one])
    page(made, "t")
    jsonl.dumps({name: each.families for name, each in made.domains.items()})
