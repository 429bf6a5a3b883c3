"""Hands with tools: claude-code, opencode and pi call them, aci has an editor."""

import random
import re
from typing import Any, ClassVar

from worldline.collect.explorers.base import Move
from worldline.collect.explorers.swe.hands import Found, Hands, Ran, Step, call, hits
from worldline.domains.swe.dialects import FORMS
from worldline.domains.swe.dialects.form import Tools


class ToolHands(Hands):
    """Tools that read and edit files; most things may also be done in the shell."""

    dialect: ClassVar[str] = "claude-code"
    shell: ClassVar[str] = "Bash"
    names: ClassVar[dict[str, str]] = {
        "read": "Read",
        "write": "Write",
        "edit": "Edit",
        "path": "file_path",
        "old": "old_string",
        "new": "new_string",
    }
    by_shell = 0.3
    """Share of looks that are done in the shell."""

    def __init__(self, home: str, rng: random.Random, style: str) -> None:
        super().__init__(home, rng, "relative" if style == "cd" and rng.random() < 0.5 else style)
        self.known: set[str] = set()

    def command(self, line: str) -> str:
        """A call of the shell."""
        return call(self.shell, command=line)

    def printed(self, observation: str) -> Ran:
        """What the dialect's form reads of it."""
        form = FORMS[self.dialect]
        assert isinstance(form, Tools)
        result = form.printed(observation)
        return Ran(observation if result.output is None else result.output, result.code)

    def full(self, path: str) -> str:
        """A file of the repository as tools name it."""
        return f"{self.home}/{path}"

    def view(self, path: str, first: int, last: int) -> Step[dict[int, str]]:
        """By the reading tool, or in the shell."""
        if path in self.known and self.rng.random() < self.by_shell:
            return (yield from super().view(path, first, last))
        given: dict[str, Any] = {"offset": first, "limit": last - first + 1}
        if self.rng.random() < 0.25:
            given = {}
        return (yield from self._read(path, given))

    def whole(self, path: str) -> Step[dict[int, str]]:
        """By the reading tool."""
        return (yield from self._read(path, {}))

    def _read(self, path: str, given: dict[str, Any]) -> Step[dict[int, str]]:
        arguments = {self.names["path"]: self.full(path), **given}
        result = yield Move(call(self.names["read"], **arguments), "view")
        self.known.add(path)
        return self.shown(path, given.get("offset") or 1, result.observation or "")

    def shown(self, path: str, first: int, observation: str) -> dict[int, str]:
        """The lines that a read showed."""
        return self.learn(path, first, observation, numbered=True)

    def edit_line(self, path: str, number: int, old: str, new: str) -> Step[bool]:
        """By the editing tool, with as many lines around as make the text the only one."""
        if path not in self.known and self.rng.random() < 0.8:
            yield from self.view(path, max(number - 6, 1), number + 6)
        for around in (0, 2, 6) if self.rng.random() < 0.5 else (1, 6):
            before, after = self._around(path, number, old, new, around)
            result = yield Move(self.swap(path, before, after), "edit")
            told = result.observation or ""
            if self.changed(told):
                self.seen.setdefault(path, {})[number] = new
                return True
            if "read" in told.lower():
                yield from self.view(path, max(number - 8, 1), number + 8)
        return False

    def _around(self, path: str, number: int, old: str, new: str, around: int) -> tuple[str, str]:
        seen = self.seen.get(path, {})
        first = last = number
        while first > number - around and first - 1 in seen:
            first -= 1
        while last < number + around and last + 1 in seen:
            last += 1
        rows = {n: seen[n] for n in range(first, last + 1) if n != number}
        made = [
            "\n".join({**rows, number: one}[n] for n in range(first, last + 1))
            for one in (old, new)
        ]
        return made[0], made[1]

    def swap(self, path: str, old: str, new: str) -> str:
        """The call that replaces a text."""
        names = self.names
        return call(
            names["edit"], **{names["path"]: self.full(path), names["old"]: old, names["new"]: new}
        )

    def changed(self, told: str) -> bool:
        """Whether an edit or a write says that it was made."""
        return bool(re.match(r"The file |File created|Edit applied|Wrote file|Successfully", told))

    def write(self, path: str, content: str) -> Step[bool]:
        """By the writing tool."""
        names = self.names
        arguments = {names["path"]: self.full(path), "content": content}
        result = yield Move(call(names["write"], **arguments), "write")
        self.known.add(path)
        self.seen[path] = dict(enumerate(content.removesuffix("\n").split("\n"), 1))
        return self.changed(result.observation or "")

    def blunder(self, path: str) -> Step[None]:
        """Wrong names of tools and arguments, texts that are not there."""
        names, rng = self.names, self.rng
        wrong = f"    return {rng.choice('abcdefgh')}_{rng.randint(10, 99)}"
        moves = [
            call(
                names["read"],
                **{names["path"]: self.full(path.replace(".py", f"{rng.randint(2, 9)}.py"))},
            ),
            call(names["read"], path_name=self.full(path)),
            call(
                names["read"],
                **{names["path"]: self.full(path), "offset": rng.randint(9_000, 99_000)},
            ),
            call(f"{names['read']}{rng.choice(['File', 'Lines', 'All'])}", path=path),
            self.swap(path, wrong, wrong + " + 1"),
            self.swap(path, "    return", "    yield"),
            f"{names['read']} {path}",
        ]
        yield Move(rng.choice(moves), "mistake")


class ClaudeHands(ToolHands):
    """Tools of ``claude-code``."""

    def search(self, pattern: str, path: str) -> Step[list[Found]]:
        """By the searching tool, or in the shell."""
        if self.rng.random() < 0.4:
            return (yield from super().search(pattern, path))
        given: dict[str, Any] = {"pattern": pattern, "path": self.full(path)}
        mode = self.rng.choice(["content", "content", "files_with_matches", "count"])
        given["output_mode"] = mode
        if mode == "content":
            given["-n"] = True
            if self.rng.random() < 0.2:
                given["-C"] = self.rng.randint(1, 4)
            if self.rng.random() < 0.2:
                given["head_limit"] = self.rng.randint(5, 40)
        result = yield Move(call("Grep", **given), "search")
        return hits(result.observation or "", path, self.home) if mode == "content" else []

    def find(self, name: str) -> Step[list[str]]:
        """By the globbing tool."""
        result = yield Move(call("Glob", pattern=f"**/{name}"), "find")
        rows = (result.observation or "").split("\n")
        return [one.removeprefix(f"{self.home}/") for one in rows if one.startswith("/")]


class OpenCodeHands(ToolHands):
    """Tools of ``opencode``."""

    dialect = "opencode"
    shell = "bash"
    names: ClassVar[dict[str, str]] = {
        "read": "read",
        "write": "write",
        "edit": "edit",
        "path": "filePath",
        "old": "oldString",
        "new": "newString",
    }

    def search(self, pattern: str, path: str) -> Step[list[Found]]:
        """By the searching tool."""
        result = yield Move(call("grep", pattern=pattern, path=self.full(path)), "search")
        return hits(result.observation or "", path, self.home)

    def find(self, name: str) -> Step[list[str]]:
        """By the globbing tool."""
        result = yield Move(call("glob", pattern=f"**/{name}"), "find")
        rows = (result.observation or "").split("\n")
        return [one.removeprefix(f"{self.home}/") for one in rows if one.startswith("/")]


class PiHands(ToolHands):
    """Tools of ``pi``."""

    dialect = "pi"
    shell = "bash"
    names: ClassVar[dict[str, str]] = {"read": "read", "write": "write", "path": "path"}

    def full(self, path: str) -> str:
        """Relative or absolute."""
        return path if self.style == "relative" else super().full(path)

    def shown(self, path: str, first: int, observation: str) -> dict[int, str]:
        """The text as it is."""
        text = re.sub(r"\n\n\[\d{1,7} more lines in file[^\n]{0,80}\]\Z", "", observation)
        return self.learn(path, first, text, numbered=False)

    def swap(self, path: str, old: str, new: str) -> str:
        """One block."""
        return call("edit", path=self.full(path), edits=[{"oldText": old, "newText": new}])

    def blunder(self, path: str) -> Step[None]:
        """As others, with its own names."""
        rng = self.rng
        moves = [
            call("read", path=self.full(path) + "x"),
            call("read", file=path),
            call("edit", path=self.full(path), edits=[]),
            self.swap(path, "return", "yield"),
            self.swap(path, f"value_{rng.randint(100, 999)}", "value"),
            call("grep", pattern="def ", path=path),
        ]
        yield Move(rng.choice(moves), "mistake")
