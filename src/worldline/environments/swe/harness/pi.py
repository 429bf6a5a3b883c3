"""``pi``: read, write, edit (several blocks at once) and bash."""

from typing import Any

from worldline.environments.base import Observed
from worldline.environments.swe.files import Folder
from worldline.environments.swe.harness.base import Refused, ToolHarness, ran
from worldline.environments.swe.shell import Printed

LINES = 2_000
BYTES = 50_000


class Pi(ToolHarness):
    """The harness of ``pi``."""

    id = "pi"
    shell_tool = "bash"

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """One of the file tools."""
        path = self.files.full(arguments["path"], self.cwd)
        if name == "read":
            return self._reads(path, arguments)
        if name == "write":
            content = arguments["content"]
            self.files.write(path, content)
            return f"Successfully wrote {len(content.encode())} bytes to {arguments['path']}"
        return self._edits(path, arguments)

    def _reads(self, path: str, arguments: dict[str, Any]) -> str:
        if self.files.kind(path) is None:
            raise Refused(f"ENOENT: no such file or directory, access '{path}'")
        found = self.files.read(path)
        if isinstance(found, Folder):
            raise Refused("EISDIR: illegal operation on a directory, read")
        lines = found.text.split("\n")
        first = arguments.get("offset") or 1
        if first > len(lines):
            raise Refused(f"Offset {first} is beyond end of file ({len(lines)} lines total)")
        shown = lines[first - 1 : first - 1 + min(arguments.get("limit") or LINES, LINES)]
        while len(shown) > 1 and sum(len(line) + 1 for line in shown) > BYTES:
            shown = shown[: len(shown) * 3 // 4]
        last, text = first + len(shown) - 1, "\n".join(shown)
        if last < len(lines):
            text += (
                f"\n\n[{len(lines) - last} more lines in file. Use offset={last + 1} to continue.]"
            )
        return text

    def _edits(self, path: str, arguments: dict[str, Any]) -> str:
        if self.files.kind(path) is None:
            raise Refused(f"File not found: {arguments['path']}")
        content = after = self.files.text(path)
        for number, edit in enumerate(arguments["edits"]):
            count = content.count(edit["oldText"]) if edit["oldText"] else 0
            if count != 1:
                told = "is not in the file" if count == 0 else f"stands there {count} times"
                raise Refused(f"edits[{number}].oldText {told}; it must stand there exactly once")
            if after.count(edit["oldText"]) != 1:
                raise Refused(f"edits[{number}] overlaps another edit")
            after = after.replace(edit["oldText"], edit["newText"])
        if after == content:
            raise Refused("The edits change nothing")
        self.files.write(path, after)
        return f"Successfully replaced {len(arguments['edits'])} block(s) in {arguments['path']}."

    def ran(self, printed: Printed, limit_s: float) -> Observed:
        """The output; nothing has its own words, a failure its exit code below."""
        output = printed.output
        if len(output) > BYTES:
            lines = output.count("\n")
            output = (
                f"{output[-BYTES:]}\n\n[The last {BYTES} characters of {lines} lines are shown]"
            )
        if printed.code is None:
            output = f"{output}\n\nCommand timed out after {limit_s:g} seconds".lstrip("\n")
        elif printed.code:
            output = f"{output or '(no output)'}\n\nCommand exited with code {printed.code}"
        return ran(printed, output or "(no output)")

    def failed(self, reason: str) -> str:
        """The plain reason."""
        return reason
