"""What the explorer knows: files it saw or made, where it is, variables, samples of content."""

import posixpath
import random
import re
import shlex

from worldline.collect.explorers.terminal.acts import Act, Seen
from worldline.environments.terminal.fixtures.words import Words

HOME = "/home/user"
PLAIN = ("README", "Makefile", "INDEX", "CONTENTS", "crontab", "hosts", "LICENSE")
"""Names without an ending that are no folders."""
BINARY = ("gz", "tar", "xz", "zip", "db", "bin", "tgz", "bz2")


class Desk:
    """An episode's memory. Paths are relative to the home.

    Args:
        rng: decides everything.
        screen: whether the dialect types keys on a screen, so that programs can be talked to.
    """

    def __init__(self, rng: random.Random, *, screen: bool) -> None:
        self.rng, self.words, self.screen = rng, Words(rng), screen
        self.cwd = ""
        self.files: dict[str, list[str]] = {}
        """Files that are there, with the lines that were seen of them."""
        self.folders: set[str] = set()
        self.made: dict[str, list[str]] = {}
        """Files the explorer wrote itself, with their lines."""
        self.vars: dict[str, str] = {}
        self.memo: dict[str, str] = {}
        """What a family of moves wants to remember."""
        self.last = Seen((), "")
        self.taken: set[str] = set()
        self.count = 0
        """Actions taken so far."""

    # making acts

    def do(self, *lines: str, why: str = "", wait: float = 0.1, intent: str = "") -> Act:
        """Command lines."""
        return Act(lines, why, wait, intent=intent)

    def type(self, *keys: str, why: str = "", wait: float = 0.2, intent: str = "") -> Act:
        """Keys, for programs that hold the screen."""
        return Act(keys, why, wait, keys=True, intent=intent)

    def chance(self, share: float) -> bool:
        """Whether something happens that happens so often."""
        return self.rng.random() < share

    # names and contents of its own

    def fresh(self, *ends: str) -> str:
        """A name of a file that is not there yet, in the current folder."""
        rng, words = self.rng, self.words
        ends = ends or ("txt", "txt", "txt", "md", "log", "out", "list", "cfg", "dat")
        while True:
            sep = rng.choice("-_")
            name = rng.choice(
                (words.noun(), words.slug(sep), f"{words.noun()}{sep}{rng.randint(1, 99)}")
            )
            end = rng.choice(ends)
            name = f"{name}.{end}" if end else name
            if name not in self.taken:
                self.taken.add(name)
                return name

    def rows(self, low: int = 3, high: int = 8) -> list[str]:
        """Lines as notes and lists have them."""
        rng, words = self.rng, self.words
        count = rng.randint(low, high)
        forms = (
            lambda: words.sentence(),
            lambda: f"{words.noun()} {rng.randint(1, 500)}",
            lambda: f"{words.noun()},{words.one('places')},{rng.randint(1, 99)}",
            lambda: f"{words.one('fields')} = {rng.randint(0, 9999)}",
            lambda: f"- {words.one('verbs')} the {words.slug(' ')}",
            lambda: f"{words.date()} {words.one('verbs')} {words.noun()}",
            lambda: words.noun(),
        )
        form = rng.choice(forms)
        return [form() for _ in range(count)]

    def marker(self) -> str:
        """The word that ends a here-document."""
        return self.rng.choice(("EOF", "EOF", "EOF", "END", "TXT", self.words.noun().upper()))

    # where it is

    def at(self, path: str) -> str:
        """A way to write the path of something in the home, from where it is."""
        roll = self.rng.random()
        if roll < 0.12:
            return f"~/{quoted(path)}" if path else "~"
        if roll < 0.2:
            return quoted(f"{HOME}/{path}".rstrip("/"))
        near = posixpath.relpath(path or ".", self.cwd or ".")
        return quoted(f"./{near}" if near.startswith("-") else near)

    def plain(self, path: str) -> str:
        """The path from where it is, not quoted."""
        return posixpath.relpath(path or ".", self.cwd or ".")

    def here(self, name: str) -> str:
        """The path in the home of a name given in the current folder."""
        return posixpath.normpath(posixpath.join(self.cwd, name)).removeprefix("./")

    def went(self, folder: str) -> None:
        """It changed to a folder of the home."""
        self.cwd = "" if folder in (".", "") else folder

    # what it saw and made

    def wrote(self, name: str, lines: list[str], *, more: bool = False) -> str:
        """It wrote a file of the current folder (added to it, with `more`); gives its path."""
        path = self.here(name)
        known = self.made.get(path) if more else []
        if known is not None:
            self.made[path] = known + lines
        self.files.setdefault(path, [])
        return path

    def gone(self, path: str) -> None:
        """A file was moved or removed."""
        self.files.pop(path, None)
        self.made.pop(path, None)

    def listed(self, folder: str, text: str) -> None:
        """Learn from what `ls` in any of its forms printed of a folder."""
        for row in text.splitlines()[:200]:
            if row.startswith("total ") or row.endswith(":") or "No such file" in row:
                continue
            long = re.match(
                r"([dl-])[rwxsStT-]{9}\S*\s+\d+\s+\S+\s+\S+\s+\S+\s+\S+ +\S+ +\S+ (.*)", row
            )
            names = [long[2]] if long else re.findall(r"'[^']+'|\S+", row)
            for name in names:
                name = name.partition(" -> ")[0].strip("'").rstrip("*")
                if name not in (".", "..", ""):
                    self._learn(posixpath.join(folder, name), bool(long and long[1] == "d"))

    def found(self, text: str) -> None:
        """Learn from paths, one a line, as `find .` prints them."""
        for row in text.splitlines()[:400]:
            if re.fullmatch(r"(\./|/home/user/|~/)?[^:*?\"<>|]{1,200}", row) and " -> " not in row:
                path = row.removeprefix("./").removeprefix(f"{HOME}/").removeprefix("~/")
                if not row.startswith("/") or row.startswith(HOME):
                    whole = path if row.startswith(("/", "~")) else posixpath.join(self.cwd, path)
                    self._learn(whole, False)

    def _learn(self, path: str, folder: bool) -> None:
        path = posixpath.normpath(path)
        if path == "." or path.startswith(("..", "/")) or "/.git/" in f"/{path}/":
            return
        name = posixpath.basename(path)
        parent = posixpath.dirname(path)
        while parent:
            self.folders.add(parent)
            parent = posixpath.dirname(parent)
        if folder or ("." not in name.strip(".") and name not in PLAIN):
            self.folders.add(path)
        else:
            self.files.setdefault(path, [])

    def sampled(self, path: str, text: str) -> None:
        """Lines of a file were seen."""
        rows = [row for row in text.splitlines() if row.strip()][:60]
        if path in self.files and not self.files[path] and "No such file" not in text:
            self.files[path] = rows

    # choosing

    def pick(self, *ends: str, sampled: bool = False) -> str | None:
        """A file with one of these endings (a text file, if none are given)."""
        found = [
            path
            for path, lines in self.files.items()
            if (lines or not sampled or self.made.get(path))
            and (path.endswith(ends) if ends else not path.endswith(BINARY))
        ]
        return self.rng.choice(found) if found else None

    def own(self) -> str | None:
        """A file it wrote itself and knows the content of."""
        return self.rng.choice(list(self.made)) if self.made else None

    def folder(self) -> str | None:
        """A folder it saw."""
        return self.rng.choice(sorted(self.folders)) if self.folders else None

    def seen_word(self, path: str | None = None) -> str | None:
        """A word that stands in a file it saw lines of."""
        lines = self.made.get(path or "") or self.files.get(path or "") or []
        if not path:
            lines = [line for some in [*self.files.values(), *self.made.values()] for line in some]
        words = re.findall(r"[A-Za-z]{4,14}", " ".join(lines[:80]))
        return self.rng.choice(words) if words else None


def quoted(text: str) -> str:
    """A word of the shell."""
    return shlex.quote(text)
