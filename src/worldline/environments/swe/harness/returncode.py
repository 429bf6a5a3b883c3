"""``bash-returncode``: a fresh bash a command, its exit code and output in tags."""

import json
from collections.abc import Sequence

from worldline.domains.base import ActionError
from worldline.domains.swe.actions import parse_call
from worldline.domains.swe.dialects.bash_returncode import SHOWN
from worldline.environments.base import Observed
from worldline.environments.swe.harness.base import Harness, ran
from worldline.environments.swe.shell import Printed

HALF = SHOWN // 2
WARNING = (
    "The output is too long to be shown whole: below are its beginning and its end.",
    "To see a part of a file, use head, tail or sed -n; make searches narrower;",
    "or send the output to a file and look for what you need in there.",
)


class Returncode(Harness):
    """The harness of ``bash-returncode``."""

    id = "bash-returncode"
    lasting = False

    def act(self, action: str, limit_s: float) -> Observed:
        """Run the command; a tool call named ``bash`` may hold it."""
        command = _command(action)
        printed = self.shell.run(command, limit_s)
        return ran(printed, envelope(printed, command, limit_s))


def _command(action: str) -> str:
    if action.lstrip().startswith("{"):
        try:
            call = parse_call(action)
        except ActionError:
            return action
        command = call.arguments.get("command")
        if call.name == "bash" and isinstance(command, str):
            return command
    return action


def envelope(printed: Printed, command: str, limit_s: float) -> str:
    """The observation of a command."""
    output = printed.output
    if printed.code is None:
        told = json.dumps(command, ensure_ascii=False)
        stopped = f"The command {told} ran longer than {limit_s:g} seconds and was stopped."
        head = f"<exception>{stopped}</exception>\n<returncode>-1</returncode>\n"
    else:
        head = f"<returncode>{printed.code}</returncode>\n"
    if len(output) < SHOWN:
        return f"{head}<output>\n{output}</output>"
    return head + elided(output, WARNING)


def elided(output: str, warning: Sequence[str]) -> str:
    """Head and tail of long output; cut between characters, never within one."""
    rows = ["<warning>", *warning, "</warning><output_head>", output[:HALF], "</output_head>"]
    rows += ["<elided_chars>", f"{len(output) - SHOWN} characters elided", "</elided_chars>"]
    return "\n".join([*rows, "<output_tail>", output[-HALF:], "</output_tail>"])
