"""A coding session at work: the terminal's shell on paper, and files that were seen in part."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import msgspec

from worldline.domains.base import Ledger
from worldline.domains.swe.dialects import FORMS
from worldline.domains.swe.parts import MAX_FILES, Part, aged, content_of
from worldline.domains.swe.past import Past
from worldline.domains.terminal import session as terminal
from worldline.domains.terminal.dialects.form import Form
from worldline.domains.terminal.shell.bounds import Footprint
from worldline.domains.terminal.shell.filefacts import join, volatile
from worldline.domains.terminal.shell.grammar import NotUnderstood, literal, parse
from worldline.facts import Fact, FactOrigin, fact


class Memo(terminal.Memo, frozen=True, kw_only=True):
    """What a ledger of the swe domain remembers besides its facts."""

    parts: Mapping[str, Part] = {}
    """Path -> the lines of it that have been shown."""
    answers: Mapping[str, str] = {}
    """Path -> how a tool last confirmed a change of that file, while nothing else touched it."""
    edited: frozenset[str] = frozenset()
    """Paths of files that tools have changed since they were last read by one."""
    hearsay: bool = False
    """Some of `parts` was only said by a model."""
    past: Past = Past()


class Session(terminal.Session):
    """The working copy of a ledger of the swe domain."""

    forms: ClassVar[Mapping[str, Form]] = FORMS

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger)
        memo: Memo = ledger.memo
        self.parts = dict(memo.parts)
        self.answers = dict(memo.answers)
        self.edited = set(memo.edited)
        self.hearsay = memo.hearsay
        self.past = memo.past
        self.elsewhere: dict[str, terminal.Seen] = {}
        self.wrote = False
        """Something may have been written in this turn."""

    def ledger(self) -> Ledger:
        """The ledger after this turn."""
        made = super().ledger()
        fields = {name: getattr(made.memo, name) for name in made.memo.__struct_fields__}
        memo = Memo(
            **fields,
            parts=self.parts,
            answers=self.answers,
            edited=frozenset(self.edited),
            hearsay=self.hearsay,
            past=self.past,
        )
        return msgspec.structs.replace(made, memo=memo)

    def note_write(self) -> None:
        """Some file was written: lines shown before may have changed."""
        super().note_write()
        self.wrote = True
        self.parts = {path: aged(part) if part.fresh else part for path, part in self.parts.items()}
        self.hearsay = False

    def apply(self, footprint: Footprint, origin: FactOrigin) -> None:
        """What may have changed is no longer certain to be changed in the same way again."""
        super().apply(footprint, origin)
        gone = (*footprint.paths, *footprint.links)
        self.answers = {
            key: one
            for key, one in self.answers.items()
            if not footprint.everything
            and not any(f"{key}/".startswith(f"{path.rstrip('/')}/") for path in gone)
        }

    def forget_answers(self) -> None:
        """Answers given elsewhere are forgotten too."""
        super().forget_answers()
        self.elsewhere = {text: seen for text, seen in self.elsewhere.items() if seen.lasting}

    def part_ways(self) -> None:
        """While the current directory is not known, a name in it and a full path may be the same
        file: after a write, only what is known from this turn is certain."""
        if self.cwd is not None or not self.wrote:
            return
        kept = {id: one for id, one in self.files.changed.items() if one.turn == self.turn}
        relative = {id for id in kept if id.startswith("file:.")}
        self.files.touch_everything()
        if not relative or len(relative) == len(kept):
            self.files.changed.update(kept)
            self.files.stale -= kept.keys()

    def locate(self, path: str) -> str | None:
        """The full path of a file as tools name it; `None` where it is not certain."""
        full = join(str(self.cwd.value) if self.cwd else None, path)
        if full is None or volatile(full) or self.files.crosses_link(full):
            return None
        return full

    def keep(self, path: str, part: Part | None, origin: FactOrigin) -> None:
        """Keep what is now known of a file shown in part."""
        if part is None:
            return
        self.parts.pop(path, None)
        self.parts[path] = part
        self.hearsay = self.hearsay or origin == "model"
        while len(self.parts) > MAX_FILES:
            del self.parts[next(iter(self.parts))]
        whole = content_of(part)
        if whole is not None and self.files.content(path) is None:
            value: dict[str, Any] = {"type": "file", "content": whole}
            if self.files.regular(path):
                value["plain"] = True
            self.files.put(path, value, origin)

    @contextmanager
    def at(self, prefix: str, place: Fact) -> Iterator[None]:
        """Work in another current directory, where `prefix` led; answers are kept by its text."""
        here, mine = self.cwd, self.seen
        self.elsewhere = {text: one for text, one in mine.items() if not text.startswith(prefix)}
        self.seen = {
            text[len(prefix) :]: one for text, one in mine.items() if text.startswith(prefix)
        }
        same = here is not None and here.value == place.value
        # only where a shell begins is certainly no link
        self.cwd, self.files.cwd = place, str(place.value) if same else None
        try:
            yield
        finally:
            self.seen = {
                **self.elsewhere,
                **{prefix + text: one for text, one in self.seen.items()},
            }
            self.elsewhere = {}
            self.cwd, self.files.cwd = here, str(here.value) if here else None

    def placed(self, path: str) -> Fact:
        """The directory that a command line went to, for as long as it runs."""
        if self.cwd is not None and self.cwd.value == path:
            return self.cwd
        return fact("cwd", "cwd", path, origin="action", turn=self.turn)

    def enters(self, path: str) -> bool:
        """Whether `cd path` certainly works."""
        return (self.cwd is not None and self.cwd.value == path) or self.files.kind(path) == "dir"


def led(text: str) -> tuple[str, str] | None:
    """(``cd DIR && ``, DIR) at the start of a command line that goes to an absolute path first, and
    then runs commands that depend on nothing else; `None` where it is not so plain."""
    if not text.lstrip().startswith("cd /"):
        return None
    cut = text.find("&&")
    if cut < 0:
        return None
    start = cut + 2 + len(text[cut + 2 :]) - len(text[cut + 2 :].lstrip(" "))
    try:
        first = parse(text[:cut])
        rest = parse(text[start:])
    except NotUnderstood:
        return None
    if len(first.pipelines) != 1 or len(first.pipelines[0].commands) != 1 or not first.plain:
        return None
    command = first.pipelines[0].commands[0]
    words = [literal(word) for word in command.words]
    path = words[1] if len(words) == 2 and words[0] == "cd" else None
    plain = not command.redirects and not command.assigns
    if (
        path is None
        or path.startswith("//")
        or not plain
        or any(one.joint == "&" for one in rest.pipelines)
    ):
        return None
    full = join(None, path)
    return (text[:start], full) if full is not None and rest.pipelines else None
