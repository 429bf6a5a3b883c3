"""``opencode``: read, write, edit, bash, glob and grep."""

from typing import Any

from worldline.environments.base import Observed
from worldline.environments.swe.files import Folder
from worldline.environments.swe.harness.base import Refused, ToolHarness, ran
from worldline.environments.swe.harness.edits import matching, numbered, replaced, searched
from worldline.environments.swe.shell import Printed

LINES = 2_000
BYTES = 50_000
ROWS = 100


class OpenCode(ToolHarness):
    """The harness of ``opencode``."""

    id = "opencode"
    shell_tool = "bash"
    per_second = 1_000.0

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """One of the file tools."""
        if name in ("glob", "grep"):
            return self._searches(name, arguments)
        path = self.files.full(arguments["filePath"], self.cwd)
        if name == "read":
            return self._reads(path, arguments)
        if name == "write":
            self.files.write(path, arguments["content"])
            return "Wrote file successfully."
        return self._edits(path, arguments)

    def _reads(self, path: str, arguments: dict[str, Any]) -> str:
        if self.files.kind(path) is None:
            raise Refused(f"File not found: {path}")
        found = self.files.read(path)
        if isinstance(found, Folder):
            rows = [f"<path>{path}</path>", "<type>directory</type>", "<entries>", *found.names]
            return "\n".join([*rows, "", f"({len(found.names)} entries)", "</entries>"])
        if found.binary:
            raise Refused(f"Cannot read binary file: {path}")
        first = arguments.get("offset") or 1
        lines = found.text.removesuffix("\n").split("\n")
        shown = lines[first - 1 : first - 1 + (arguments.get("limit") or LINES)]
        if not shown:
            raise Refused(f"Offset {first} is out of range for this file ({len(lines)} lines)")
        while len(shown) > 1 and sum(len(line) + 1 for line in shown) > BYTES:
            shown = shown[: len(shown) * 3 // 4]
        last = first + len(shown) - 1
        note = f"(End of file - total {len(lines)} lines)"
        if last < len(lines):
            note = f"(Lines {first}-{last} of {len(lines)}; go on with offset={last + 1})"
        rows = [f"<path>{path}</path>", "<type>file</type>", "<content>"]
        return "\n".join([*rows, numbered(shown, first, ": "), "", note, "</content>"])

    def _edits(self, path: str, arguments: dict[str, Any]) -> str:
        old, new = arguments["oldString"], arguments["newString"]
        if old == new:
            raise Refused("oldString and newString must be different")
        if self.files.kind(path) is None:
            raise Refused(f"File not found: {path}")
        everywhere = arguments.get("replaceAll") is True
        content = self.files.text(path)
        after, count = replaced(content, old, new, everywhere=everywhere)
        if count == 0:
            raise Refused("oldString is not in the file; it must be given exactly as it stands")
        if after == content:
            raise Refused(f"oldString stands {count} times in the file; give more of its context")
        self.files.write(path, after)
        return "Edit applied successfully."

    def _searches(self, name: str, arguments: dict[str, Any]) -> str:
        folder = self.files.full(arguments.get("path") or ".", self.cwd)
        if name == "glob":
            found = matching(self.files, folder, arguments["pattern"])
        else:
            options = ["-n", "-H", "-E"]
            options += [f"--include={arguments['include']}"] if arguments.get("include") else []
            found = searched(self.space, arguments["pattern"], folder, options)
        if not found:
            return "No files found"
        more = len(found) - ROWS
        return "\n".join([*found[:ROWS], *[f"({more} more are not shown)"] * (more > 0)])

    def ran(self, printed: Printed, limit_s: float) -> Observed:
        """The plain output."""
        output = printed.output
        if len(output) > BYTES:
            output = f"{output[:BYTES]}\n\n<bash_metadata>\ncut after {BYTES} characters\n"
            output += "</bash_metadata>"
        if printed.code is None:
            output += f"\n\n<bash_metadata>\nstopped after {limit_s:g} s\n</bash_metadata>"
        return ran(printed, output)

    def failed(self, reason: str) -> str:
        """The plain reason."""
        return f"Error: {reason}"
