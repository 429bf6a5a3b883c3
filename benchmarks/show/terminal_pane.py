"""A tmux pane in a sandbox like the terminal's own: what a terminal that people use shows."""

import base64
import os
import subprocess
import time
from types import TracebackType
from typing import Self

from worldline.domains.terminal.dialects.terminus2 import PROMPT
from worldline.environments.sandbox import Sandbox, debian_root
from worldline.environments.terminal.driver import ENV
from worldline.environments.terminal.plain import SETUP, SHELL, quoted
from worldline.environments.terminal.tty import TERM

LIMIT_S = 20.0
OVER = "tmux -L pane wait-for -S over"
SERVE = "while read -r line; do eval \"$line\"; echo '<<over>>'; done"


class Pane:
    """A pane of `columns` x `rows` with a long history.

    Args:
        typed: an interactive bash with prompt and echo; else one that runs commands as the dialect
            ``command`` does.
    """

    def __init__(self, columns: int, rows: int, *, typed: bool) -> None:
        self.box = Sandbox(debian_root(), env=ENV)
        self._server = self.box.popen(
            ["sh", "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        shell = f"stty -echo; exec {' '.join(SHELL)}"
        if typed:
            shell = f"export PROMPT_COMMAND='{OVER}'; exec bash"
        self.ask(
            "tmux -L pane -f /dev/null start-server \\; set -g history-limit 100000 \\; "
            f"set -g default-terminal {TERM} \\; set -g status off \\; "
            f'new-session -d -x {columns} -y {rows} "unset TMUX TMUX_PANE; {shell}"'
        )
        if not typed:
            time.sleep(0.3)
            self._paste(SETUP.replace(b"'\n", f"; {OVER}'\n".encode()))
        self.ask("tmux -L pane wait-for over")
        self._settled(typed)

    def ask(self, line: str) -> str:
        """What a line of sh prints, run beside the pane."""
        server = self._server
        assert server.stdin is not None and server.stdout is not None
        os.write(server.stdin.fileno(), line.encode() + b"\n")
        said = b""
        until = time.monotonic() + LIMIT_S
        while not said.endswith(b"<<over>>\n"):
            said += os.read(server.stdout.fileno(), 1 << 16)
            if time.monotonic() > until:
                raise TimeoutError(f"tmux does not answer to {line!r}")
        return said.removesuffix(b"<<over>>\n").decode("utf-8", "replace")

    def _paste(self, data: bytes) -> None:
        text = base64.b64encode(data).decode()
        self.ask(f"echo {text} | base64 -d | tmux -L pane load-buffer - \\; paste-buffer -r")

    def _settled(self, prompted: bool) -> None:
        """Wait until the pane shows all that came: the prompt, if there is one."""
        before = None
        while (now := self.screen()) != before or (
            prompted and not PROMPT.search(now.rpartition("\n")[2])
        ):
            before = now
            time.sleep(0.01)

    def run(self, command: str) -> str:
        """What the pane shows of a command's output, wrapped lines joined."""
        self.ask("tmux -L pane send-keys -R \\; clear-history")
        self._paste(quoted(command))
        self.ask("tmux -L pane wait-for over")
        self._settled(False)
        return self.ask("tmux -L pane capture-pane -J -p -S -").rstrip("\n")

    def enter(self, line: str) -> str:
        """The rows of the pane, those that scrolled off included, after typing a line."""
        self._paste(line.encode())
        self.ask("tmux -L pane wait-for over")
        self._settled(True)
        return self.screen()

    def send(self, keys: str) -> None:
        """Type as terminal harnesses do: text as it is, a line end as Enter, names as keys."""
        literal = keys.endswith("\n") or len(keys) > 6
        text = base64.b64encode(keys.rstrip("\n").encode()).decode()
        enter = " \\; send-keys Enter" if keys.endswith("\n") else ""
        kind = "-l --" if literal else "--"
        self.ask(f'tmux -L pane send-keys {kind} "$(echo {text} | base64 -d)"{enter}')

    def screen(self) -> str:
        """The rows of the pane, those that scrolled off included."""
        return self.ask("tmux -L pane capture-pane -p -S -").rstrip("\n")

    def close(self) -> None:
        """End it."""
        self.box.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
