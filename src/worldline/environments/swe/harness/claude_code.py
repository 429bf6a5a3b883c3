"""``claude-code``: Read, Write, Edit, Bash, Glob and Grep."""

from typing import Any

from worldline.environments.base import Observed
from worldline.environments.swe.files import Folder
from worldline.environments.swe.harness.base import Refused, ToolHarness, ran
from worldline.environments.swe.harness.edits import matching, numbered, replaced, searched
from worldline.environments.swe.shell import Printed
from worldline.environments.swe.workspace import Workspace

LINES = 2_000
CHARS = 40_000
"""Characters of a file that are read at once."""
OUTPUT = 30_000
ROWS = 100


class ClaudeCode(ToolHarness):
    """The harness of ``claude-code``."""

    id = "claude-code"
    shell_tool = "Bash"
    per_second = 1_000.0

    def __init__(self, space: Workspace, options: dict[str, Any]) -> None:
        super().__init__(space, options)
        self._read: dict[str, str] = {}
        """Path -> content, as the agent last saw it through a tool."""

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """One of the file tools."""
        if name in ("Read", "Write", "Edit"):
            path = self.files.full(arguments["file_path"], self.cwd)
            return {"Read": self._reads, "Write": self._writes, "Edit": self._edits}[name](
                path, arguments
            )
        return self._globs(arguments) if name == "Glob" else self._greps(arguments)

    def _reads(self, path: str, arguments: dict[str, Any]) -> str:
        content = self._content(path)
        self._read[path] = content
        if not content:
            return "<system-reminder>The file is there, but it is empty.</system-reminder>"
        first, count = arguments.get("offset") or 1, arguments.get("limit")
        lines = content.split("\n")
        shown = lines[first - 1 : first - 1 + (count or LINES)]
        if not shown:
            told = f"The file has {len(lines)} lines, and none at the offset {first}."
            return f"<system-reminder>{told}</system-reminder>"
        text = numbered(shown, first, "\t")
        if len(text) > CHARS:
            raise Refused(
                f"The file has {len(text)} characters, more than {CHARS} are not read at once. "
                "Read a part of it with offset and limit, or search it with Grep."
            )
        return text

    def _content(self, path: str) -> str:
        kind = self.files.kind(path)
        if kind is None:
            raise Refused("File does not exist.")
        found = self.files.read(path)
        if isinstance(found, Folder):
            raise Refused("EISDIR: illegal operation on a directory, read")
        if found.binary:
            raise Refused("The file is binary; this tool reads text.")
        return found.text

    def _writes(self, path: str, arguments: dict[str, Any]) -> str:
        if self.files.kind(path) is not None:
            self._must_be_read(path)
        there = self.files.write(path, arguments["content"])
        self._read[path] = arguments["content"]
        if there:
            return f"The file {path} has been updated successfully."
        return f"File created successfully at: {path}"

    def _must_be_read(self, path: str) -> str:
        """The content, if the agent has seen it as it is now."""
        content = self._content(path)
        if path not in self._read:
            raise Refused("The file has not been read yet. Read it before you change it.")
        if self._read[path] != content:
            raise Refused("The file has changed since it was read. Read it again first.")
        return content

    def _edits(self, path: str, arguments: dict[str, Any]) -> str:
        old, new = arguments["old_string"], arguments["new_string"]
        if old == new:
            raise Refused("There is nothing to change: old_string and new_string are the same.")
        content = self._must_be_read(path)
        everywhere = arguments.get("replace_all") is True
        after, count = replaced(content, old, new, everywhere=everywhere)
        if count == 0:
            raise Refused(f"String to replace not found in file.\nString: {old}")
        if after == content:
            raise Refused(
                f"The string to replace stands {count} times in the file, and replace_all is "
                f"false. Give more of what is around it, or set replace_all.\nString: {old}"
            )
        self.files.write(path, after)
        self._read[path] = after
        return f"The file {path} has been updated successfully."

    def _globs(self, arguments: dict[str, Any]) -> str:
        folder = self.files.full(arguments.get("path") or ".", self.cwd)
        found = matching(self.files, folder, arguments["pattern"])
        return _rows(found, "No files found")

    def _greps(self, arguments: dict[str, Any]) -> str:
        path = self.files.full(arguments.get("path") or ".", self.cwd)
        if self.files.kind(path) is None:
            raise Refused(f"Path does not exist: {path}")
        mode = arguments.get("output_mode") or "files_with_matches"
        options = {"files_with_matches": ["-l"], "count": ["-c"]}.get(mode, ["-H"])
        options.append("-E")
        options += ["-i"] if arguments.get("-i") else []
        options += ["-n"] if mode == "content" and arguments.get("-n") else []
        for name in ("-A", "-B", "-C"):
            if mode == "content" and isinstance(arguments.get(name), int):
                options.append(f"{name}{arguments[name]}")
        if arguments.get("glob"):
            options.append(f"--include={arguments['glob']}")
        rows = searched(self.space, arguments["pattern"], path, options)
        rows = [row for row in rows if not (mode == "count" and row.endswith(":0"))]
        head = arguments.get("head_limit")
        if mode == "files_with_matches":
            found = _rows(rows[:head], "No files found")
            return f"Found {len(rows)} files\n{found}" if rows else found
        return _rows(rows[:head], "No matches found")

    def ran(self, printed: Printed, limit_s: float) -> Observed:
        """The output without blanks at its end; an exit code comes first where it failed."""
        output = printed.output.rstrip()
        if len(output) > OUTPUT:
            half = OUTPUT // 2
            lines = output[half:-half].count("\n")
            output = f"{output[:half]}\n\n... [{lines} lines truncated] ...\n\n{output[-half:]}"
        if printed.code is None:
            told = f"Exit code 143\nCommand timed out after {limit_s:g}s"
            output = f"{told}\n{output}" if output else told
        elif printed.code:
            output = (
                f"Exit code {printed.code}\n{output}" if output else f"Exit code {printed.code}"
            )
        return ran(printed, output)

    def failed(self, reason: str) -> str:
        """In the tags of a failed call."""
        return f"<tool_use_error>{reason}</tool_use_error>"


def _rows(found: list[str], nothing: str) -> str:
    if not found:
        return nothing
    more = len(found) - ROWS
    note = [f"({more} more are not shown; make the pattern or path narrower)"] * (more > 0)
    return "\n".join([*found[:ROWS], *note])
