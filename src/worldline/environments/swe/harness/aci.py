"""``aci``: one lasting bash, and a file editor with a window of numbered lines."""

import posixpath
import shlex
import time
from collections.abc import Callable
from typing import Any

from worldline.domains.terminal.actions import Call
from worldline.domains.terminal.dialects.aci import EditorForm
from worldline.environments.base import Observed
from worldline.environments.swe.files import FileTrouble, Folder
from worldline.environments.swe.harness.base import Harness, Refused, ran
from worldline.environments.swe.harness.edits import searched
from worldline.environments.swe.harness.window import Window, rows_of
from worldline.environments.swe.workspace import Workspace

_FORM = EditorForm()
MOST = 100
"""Files that a search lists."""
_EDITED = (
    "File updated. Look whether the change is as it should be (indentation, nothing twice), "
    "and edit again if it is not."
)
_BROKEN = "The edit was not made: the file would no longer be Python."


class Aci(Harness):
    """The harness of ``aci``. Option ``state``: every answer ends with the open file, the current
    directory and a prompt."""

    id = "aci"

    def __init__(self, space: Workspace, options: dict[str, Any]) -> None:
        super().__init__(space, options)
        self.window: Window | None = None
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "open": self._open,
            "goto": self._goto,
            "scroll_up": lambda words: self._scroll(-1),
            "scroll_down": lambda words: self._scroll(1),
            "create": self._create,
            "search_file": self._search_file,
            "search_dir": self._search_dir,
            "find_file": self._find_file,
        }

    def act(self, action: str, limit_s: float) -> Observed:
        """A command of the editor, or a command line."""
        self.files.until = time.monotonic() + limit_s
        (deed,) = _FORM.deeds(action)
        if isinstance(deed, Call) and deed.name == "submit":
            return self._shown(Observed(observation="Submitted.\n", terminated=True))
        if isinstance(deed, Call) and deed.name == "edit" and "first" in deed.arguments:
            return self._shown(Observed(observation=self._told(lambda: self._edit(deed))))
        words = _words(action) if not isinstance(deed, Call) else None
        if isinstance(deed, Call):
            words = [deed.name, *deed.arguments.get("words", [])]
        command = self._commands.get(words[0]) if words else None
        if command is None or words is None:
            printed = self.shell.run(action, limit_s)
            return self._shown(ran(printed, _cut(printed.output)))
        return self._shown(Observed(observation=self._told(lambda: command(words[1:]))))

    def _told(self, command: Callable[[], str]) -> str:
        try:
            return command() + "\n"
        except Refused as refused:
            return f"{refused}\n"
        except FileTrouble as trouble:
            return f"{trouble.reason}\n"

    def _shown(self, seen: Observed) -> Observed:
        if not self.options.get("state"):
            return seen
        open_file = self.window.path if self.window else "n/a"
        state = f"(Open file: {open_file})\n(Current directory: {self.cwd})\nbash-$"
        text = f"{seen.observation or ''}{state}"
        return Observed(
            observation=text, status=seen.status, info=seen.info, terminated=seen.terminated
        )

    # the editor

    def _rows(self, path: str) -> list[str]:
        found = self.files.read(path)
        if isinstance(found, Folder):
            raise Refused(f"Error: {path} is a directory. You can only open files.")
        return rows_of(found.text)

    def _open(self, words: list[str]) -> str:
        if not words:
            raise Refused('Usage: open "<file>" [<line>]')
        path = self.files.full(words[0], self.cwd)
        if self.files.kind(path) is None:
            raise Refused(f"File {words[0]} not found")
        rows = self._rows(path)
        line = _number(words[1], len(rows)) if len(words) > 1 else None
        self.window = Window(path).at(line, len(rows))
        return self.window.view(rows)

    def _opened(self) -> tuple[Window, list[str]]:
        if self.window is None:
            raise Refused("No file open. Use the open command first.")
        if self.files.kind(self.window.path) is None:
            raise Refused(f"File {self.window.path} not found")
        return self.window, self._rows(self.window.path)

    def _goto(self, words: list[str]) -> str:
        window, rows = self._opened()
        if len(words) != 1:
            raise Refused("Usage: goto <line>")
        self.window = window.at(_number(words[0], len(rows)), len(rows))
        return self.window.view(rows)

    def _scroll(self, way: int) -> str:
        window, rows = self._opened()
        self.window = window.moved(way, len(rows))
        return self.window.view(rows)

    def _create(self, words: list[str]) -> str:
        if len(words) != 1:
            raise Refused("Usage: create <file>")
        path = self.files.full(words[0], self.cwd)
        if self.files.kind(path) is not None:
            raise Refused(f"Error: File '{words[0]}' already exists.")
        if self.files.kind(posixpath.dirname(path)) != "dir":
            raise Refused(f"Error: the directory of '{words[0]}' does not exist.")
        self.files.write(path, "\n")
        self.window = Window(path)
        return self.window.view([""])

    def _edit(self, deed: Call) -> str:
        window, rows = self._opened()
        first, last, new = (deed.arguments[name] for name in ("first", "last", "lines"))
        if not 1 <= first <= max(len(rows), 1) or last < first:
            raise Refused(f"Error: lines {first} to {last} are not in the file ({len(rows)} lines)")
        after = [*rows[: first - 1], *new, *rows[last:]]
        trouble = self._syntax(window.path, after)
        moved = window.at(first, len(after))
        if trouble is not None:
            raise Refused(
                _refusal(trouble, moved.view(after), window.at(first, len(rows)).view(rows))
            )
        self.files.write(window.path, "".join(f"{row}\n" for row in after))
        self.window = moved
        return f"{moved.view(after)}\n{_EDITED}"

    def _syntax(self, path: str, rows: list[str]) -> str | None:
        if not path.endswith(".py"):
            return None
        return self.files.syntax("".join(f"{row}\n" for row in rows))

    # searches

    def _search_file(self, words: list[str]) -> str:
        if not 1 <= len(words) <= 2:
            raise Refused("Usage: search_file <search_term> [<file>]")
        path = self.files.full(words[1], self.cwd) if len(words) == 2 else self._opened()[0].path
        if self.files.kind(path) != "file":
            raise Refused(f"Error: File name {path} not found. Please provide a valid file name.")
        rows = self._rows(path)
        found = [(n, row) for n, row in enumerate(rows, 1) if words[0] in row]
        if not found:
            raise Refused(f'No matches found for "{words[0]}" in {path}')
        if len(found) > MOST:
            raise Refused(f'More than {MOST} lines matched for "{words[0]}" in {path}. Narrow it.')
        lines = [f"Line {n}:{row}" for n, row in found]
        head = f'Found {len(found)} matches for "{words[0]}" in {path}:'
        return "\n".join([head, *lines, f'End of matches for "{words[0]}" in {path}'])

    def _search_dir(self, words: list[str]) -> str:
        if not 1 <= len(words) <= 2:
            raise Refused("Usage: search_dir <search_term> [<dir>]")
        folder = self.files.full(words[1] if len(words) == 2 else ".", self.cwd)
        if self.files.kind(folder) != "dir":
            raise Refused(f"Directory {words[1] if len(words) == 2 else folder} not found")
        rows = searched(self.space, words[0], folder, ["-c", "-F"])
        counts = [row.rpartition(":") for row in rows if not row.endswith(":0")]
        if not counts:
            raise Refused(f'No matches found for "{words[0]}" in {folder}')
        if len(counts) > MOST:
            raise Refused(
                f'More than {MOST} files matched for "{words[0]}" in {folder}. Narrow it.'
            )
        total = sum(int(count) for _, _, count in counts)
        lines = [f"{name} ({count} matches)" for name, _, count in counts]
        head = f'Found {total} matches for "{words[0]}" in {folder}:'
        return "\n".join([head, *lines, f'End of matches for "{words[0]}" in {folder}'])

    def _find_file(self, words: list[str]) -> str:
        if not 1 <= len(words) <= 2:
            raise Refused("Usage: find_file <file_name> [<dir>]")
        folder = self.files.full(words[1] if len(words) == 2 else ".", self.cwd)
        if self.files.kind(folder) != "dir":
            raise Refused(f"Directory {words[1] if len(words) == 2 else folder} not found")
        command = f"find {shlex.quote(folder)} -type f -name {shlex.quote(words[0])} | sort"
        found = [row for row in self.shell.run(command, 10.0).output.split("\n") if row]
        if not found:
            raise Refused(f'No matches found for "{words[0]}" in {folder}')
        return "\n".join([f'Found {len(found)} matches for "{words[0]}" in {folder}:', *found])


def _words(action: str) -> list[str] | None:
    """The words of a line that names a command of the editor with unquoted patterns."""
    if "\n" in action.strip() or any(mark in action for mark in ";|&<>$`"):
        return None
    try:
        return shlex.split(action)
    except ValueError:
        return None


def _number(word: str, total: int) -> int:
    if not word.isdecimal() or len(word) > 9:
        raise Refused("Error: the line number must be a whole number")
    if not 1 <= int(word) <= total:
        raise Refused(f"Error: the line number must be from 1 to {total}")
    return int(word)


def _refusal(trouble: str, after: str, before: str) -> str:
    rule = "-" * 49
    parts = (_BROKEN, "", "ERRORS:", f"- {trouble}", "", "The file would have been", rule, after)
    more = (rule, "", "The file is", rule, before, rule, "Nothing was changed.")
    return "\n".join([*parts, *more])


def _cut(output: str) -> str:
    if len(output) <= 30_000:
        return output
    return f"{output[:15_000]}\n[{len(output) - 30_000} characters left out]\n{output[-15_000:]}"
