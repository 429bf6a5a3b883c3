"""Hands of ``aci``: an editor with a window, and a lasting shell."""

import random
import re
import shlex

from worldline.collect.explorers.base import Move
from worldline.collect.explorers.swe.hands import Found, Hands, Ran, Step
from worldline.collect.explorers.swe.tooled import ClaudeHands, OpenCodeHands, PiHands

_STATE = re.compile(r"\(Open file: [^\n]{0,400}\)\n\(Current[^\n]{0,400}\)\nbash-\$\s*\Z")
_BROKEN = ("def broken(", "return [", "if x ==", "class :", "for in range(3):", "x = (1,")


class AciHands(Hands):
    """The editor with a window, and a lasting shell."""

    dialect = "aci"

    def __init__(self, home: str, rng: random.Random, style: str) -> None:
        super().__init__(home, rng, "relative" if style == "cd" else style)
        self.open: str | None = None
        self.total = 0

    def printed(self, observation: str) -> Ran:
        """The output without the state below."""
        return Ran(_STATE.sub("", observation), None)

    def view(self, path: str, first: int, last: int) -> Step[dict[int, str]]:
        """Opens the file there, goes on, or uses the shell."""
        middle = min(first + (last - first) // 2, first + 60)
        if self.rng.random() < 0.2:
            return (yield from super().view(path, first, last))
        action = f"goto {middle}" if self.open == path else f"open {self.named(path)} {middle}"
        if self.open == path and self.rng.random() < 0.15:
            action = self.rng.choice(["scroll_up", "scroll_down"])
        return (yield from self._editor(path, action, "view"))

    def whole(self, path: str) -> Step[dict[int, str]]:
        """Opens the file."""
        return (yield from self._editor(path, f"open {self.named(path)}", "view"))

    def _editor(self, path: str, action: str, intent: str) -> Step[dict[int, str]]:
        result = yield Move(action, intent)
        text = result.observation or ""
        head = re.match(r"\[File: [^\n]{1,400} \((\d{1,7}) lines total\)\]", text)
        if head is None:
            return {}
        self.open, self.total = path, int(head[1])
        return self.learn(path, 1, text, numbered=True)

    def search(self, pattern: str, path: str) -> Step[list[Found]]:
        """By the editor's searches, or in the shell."""
        if self.rng.random() < 0.4:
            return (yield from super().search(pattern, path))
        file = path.endswith(".py")
        line = (
            f"{'search_file' if file else 'search_dir'} {shlex.quote(pattern)} {self.named(path)}"
        )
        result = yield Move(line, "search")
        rows = re.findall(r"(?m)^Line (\d{1,7}):(.*)$", result.observation or "")
        return [Found(path, int(number), text) for number, text in rows]

    def find(self, name: str) -> Step[list[str]]:
        """By the editor's search for files."""
        result = yield Move(f"find_file {shlex.quote(name)}", "find")
        rows = (result.observation or "").split("\n")
        return [one.removeprefix(f"{self.home}/") for one in rows if one.startswith("/")]

    def edit_line(self, path: str, number: int, old: str, new: str) -> Step[bool]:
        """One line of the open file, sometimes with the next one."""
        if self.open != path:
            yield from self._editor(path, f"open {self.named(path)} {number}", "view")
        last, rows = number, [new]
        following = self.seen.get(path, {}).get(number + 1)
        if following is not None and self.rng.random() < 0.3:
            last, rows = number + 1, [new, following]
        text = "\n".join([f"edit {number}:{last}", *rows, "end_of_edit"])
        result = yield Move(text, "edit")
        told = result.observation or ""
        if told.startswith("[File: "):
            self.learn(path, 1, told, numbered=True)
            return True
        return False

    def write(self, path: str, content: str) -> Step[bool]:
        """Creates the file and fills it; one that is there in the shell."""
        if self.rng.random() < 0.4 or path in self.seen:
            return (yield from super().write(path, content))
        yield from self._editor(path, f"create {self.named(path)}", "write")
        text = f"edit 1:1\n{content}end_of_edit"
        result = yield Move(text, "write")
        return (result.observation or "").startswith("[File: ")

    def blunder(self, path: str) -> Step[None]:
        """Lines that are not there, edits that break the syntax."""
        rng = self.rng
        line = rng.randint(3, 40)
        moves = [
            f"goto {rng.randint(20_000, 90_000)}",
            f"open {self.named(path)}{rng.randint(2, 9)}",
            f"edit {line}:{line}\n{rng.choice(_BROKEN)}\nend_of_edit",
            f"search_file {rng.choice(['zebra', 'quux', 'frobnicate'])}_{rng.randint(1, 99)}",
            f"create {self.named(path)}",
            "goto",
            f"find_file {rng.choice(['main', 'core', 'helpers'])}{rng.randint(1, 99)}.py",
        ]
        yield from self._editor(path, rng.choice(moves), "mistake")


HANDS: dict[str, type[Hands]] = {
    one.dialect: one for one in (Hands, ClaudeHands, AciHands, OpenCodeHands, PiHands)
}
"""Hands by dialect."""
