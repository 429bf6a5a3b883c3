"""The session a person sees: prompt, streaming, `:commands`, and the table at the end.

Whatever the simulated environment says goes through `visible`: shown, never obeyed.
"""

import os
import shutil
import sys
from collections.abc import Awaitable, Sequence
from typing import Any

import msgspec

from worldline.cli import commands
from worldline.cli.common import emit
from worldline.cli.outline import change, outline
from worldline.cli.table import origin_note, table, usage_note
from worldline.errors import UsageError, WorldlineError
from worldline.prediction import StepResult
from worldline.trees import TreeForm, parsed
from worldline.visible import first_line, visible
from worldline.world import World

MARKS = {"+": "\x1b[32m", "~": "\x1b[33m", "#": "\x1b[36m", ">": "\x1b[36m"}
"""Colours of what has changed in an outline."""
DIM, BOLD, YELLOW, RED, RESET = "\x1b[2m", "\x1b[1m", "\x1b[33m", "\x1b[31m", "\x1b[0m"


class Console:
    """Drives one session and prints what happens in it."""

    def __init__(self, world: World, *, as_json: bool = False) -> None:
        self.world = world
        self.as_json = as_json
        self.color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self.steps: list[tuple[str, StepResult, str]] = []
        """Each line as typed, what came of it, and that in a few words."""
        self.last: StepResult | None = world.state.last

    # scripts

    async def run(self, actions: Sequence[str]) -> int:
        """Take the actions one after the other; 0 when each brought an observation."""
        failed = False
        if not self.as_json:
            self.greet()
            first = None if self.world.seq else (await self.world.reset()).observation
            self.show_state(first or None)
        for line in actions:
            if line.startswith(":"):
                if self.as_json:
                    raise UsageError(
                        f"{line!r} is a command for people, and --json is for programs",
                        field="--script",
                        remedy="Leave it out, or run without --json. An action that begins so "
                        "is written with a blank before it, in a .jsonl script.",
                    )
                try:
                    commands.run(self, line)
                except WorldlineError as error:
                    self.put(f"{line}: {visible(str(error))}\n", RED)
                    failed = True
                continue
            if not self.as_json:
                self.put(f"> {visible(line)}\n", BOLD)
            result = await self.step(line)
            failed = failed or result.outcome != "ok"
        if not self.as_json and self.steps:
            table(self.steps)
        return 1 if failed else 0

    # a person

    async def interact(self) -> int:
        """Read actions from the terminal until the person leaves."""
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import FileHistory

        from worldline.paths import state_dir

        history = state_dir() / f"sim-{self.world.domain.id}.history"
        prompt: PromptSession[str] = PromptSession(
            history=FileHistory(str(history)),
            completer=WordCompleter(list(commands.COMMANDS), sentence=True),
            complete_while_typing=False,
        )
        self.greet()
        self.put("Type an action, or :help. Nothing is run on this machine.\n", DIM)
        if not self.world.seq:
            self.show_state((await self.world.reset()).observation or None)
        while True:
            try:
                line = await prompt.prompt_async(self.prompt_text())
            except KeyboardInterrupt:
                continue
            except EOFError:
                return 0
            if line.strip() in (":quit", ":q", ":exit"):
                return 0
            await self.turn(line)

    async def turn(self, line: str) -> None:
        """One typed line: a command of ours, or an action."""
        try:
            if line.startswith(":"):
                commands.run(self, line)
            elif line.strip():
                if line.strip() in ("exit", "quit"):
                    self.note("(said to the environment; :quit leaves)")
                await self.interruptible(self.step(line))
        except WorldlineError as error:
            self.put(f"{visible(str(error))}\n", RED)

    async def interruptible(self, work: Awaitable[Any]) -> None:
        """Run a step that Ctrl-C cancels; the branch then stays where it was."""
        import asyncio
        import signal

        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            self.put("\ncancelled; nothing has happened\n", YELLOW)
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    def prompt_text(self) -> str:
        """Domain, branch and step, as the prompt of the session."""
        branch = "" if self.world.branch == "main" else f" {self.world.branch}"
        return f"{self.world.domain.id}{branch} [{self.world.seq}]> "

    # steps

    async def step(self, line: str) -> StepResult:
        """Take one action and show what came of it."""
        action = self.world.domain.from_line(line, self.world.state.ledger.dialect)
        stream = _Stream(self) if not self.as_json and sys.stdout.isatty() else None
        before = self.world.now or ""
        if self.tree is not None:
            stream = None  # a state is read as an outline, once it is there
        result = await self.world.step(action, stream.put if stream else None)
        self.last = result
        said = first_line(result.observation, 44)
        if (
            self.tree is not None
            and result.observation
            and (found := change(self.tree, before, result.observation))
        ):
            said = first_line(found.told(), 44)
        self.steps.append((line, result, said))
        if self.as_json:
            emit({"action": action, **msgspec.to_builtins(result)})
        else:
            self.show(result, streamed=stream.text if stream else "", change=(before, action))
        return result

    @property
    def tree(self) -> TreeForm | None:
        """How this session's states are trees, if they are."""
        return self.world.domain.dialect(self.world.state.ledger.dialect).tree

    def show(
        self, result: StepResult, *, streamed: str = "", change: tuple[str, str] = ("", "")
    ) -> None:
        """The observation (unless just that was streamed) and a line on where it came from.

        Args:
            change: the state before and the action, for a state that is shown as an outline.
        """
        if streamed and not streamed.endswith("\n"):
            self.put("\n")
        if result.observation is None:
            self.show_failure(result, seen=bool(streamed))
            return
        if not streamed or streamed.strip() != result.observation.strip():
            if streamed:
                self.note("(that was a first attempt; the answer is:)")
            self.show_state(result.observation, *change)
        made = result.prediction
        again = f"asked {made.attempts} times" if made and made.attempts > 1 else ""
        parts = [
            f"{result.seq}",
            origin_note(result),
            f"{result.latency_s:.1f} s",
            usage_note(result),
            again,
        ]
        self.put(f"[{' · '.join(part for part in parts if part)}]\n", DIM)
        for violation in result.violations:
            color = RED if violation.severity == "error" else YELLOW
            told = visible(f"{violation.rule}: {violation.message}")
            self.put(f"{violation.severity}: {told}\n", color)

    def show_failure(self, result: StepResult, *, seen: bool) -> None:
        """What there is of a failed answer, and what its failure means."""
        partial = (result.prediction.raw or {}).get("content") if result.prediction else None
        if partial and not seen:
            self.show_text(str(partial)[:2000])
        error = (result.prediction.raw or {}).get("error") if result.prediction else None
        told = f": {visible(str(error.get('message')))}" if isinstance(error, dict) else ""
        why = f" ({visible(result.reason)}{told})" if result.reason else ""
        self.put(f"no observation: {result.outcome}{why}. ", RED)
        self.put("The session stays where it was; try again or go another way.\n", RED)

    def show_state(self, text: str | None, before: str = "", action: str = "") -> None:
        """An observation: as an outline where states are trees, else as it is."""
        if text == "":
            self.note("(empty)")
        if not text or self.tree is None or parsed(self.tree, text) is None:
            self.show_text(text)
            return
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        for line in outline(self.tree, text, before=before, action=action).split("\n"):
            shown = visible(line)
            cut = width is not None and len(shown) >= width
            self.put(
                (f"{shown[: width - 1]}…" if cut and width else shown) + "\n",
                MARKS.get(line[:1], ""),
            )

    def show_text(self, text: str | None) -> None:
        """Text of the environment, made safe."""
        if text:
            self.put(visible(text) + ("" if text.endswith("\n") else "\n"))

    def put(self, text: str, style: str = "") -> None:
        """Print already safe text."""
        styled = f"{style}{text}{RESET}" if style and self.color else text
        sys.stdout.write(styled.encode("utf-8", "replace").decode("utf-8"))
        sys.stdout.flush()

    def note(self, text: str) -> None:
        """A word of ours, not of the environment."""
        self.put(f"{text}\n", DIM)

    def go(self, world: World) -> None:
        """Continue on this branch."""
        self.world = world
        self.last = world.state.last

    def greet(self) -> None:
        """What the session is, in one line."""
        head = self.world.session.head
        ground = ",".join(head.ground) or "none (prompted raw)"
        self.put(
            visible(
                f"Simulated {self.world.domain.title} ({head.trajectory.dialect}) by "
                f"{self.world.model.name}; grounded in {ground}; seed {head.seed}\n"
            ),
            DIM,
        )
        if self.world.examples is not None and self.world.examples.all_shown:
            self.note("No splits.json beside the recordings: all of them may be shown as examples.")
        example = self.world.domain.examples.get(head.trajectory.dialect)
        if example:
            self.note(f"An action, for example: {visible(example)}")
        if self.tree is not None and not self.world.now:
            self.note("There is no screen yet: the first action brings one, or give --state FILE.")


class _Stream:
    """Prints an observation as it comes; safe even where pieces split a line end."""

    def __init__(self, console: Console) -> None:
        self.console, self.text, self.held = console, "", ""

    def put(self, piece: str) -> None:
        self.text += piece
        text = self.held + piece
        self.held = "\r" if text.endswith("\r") else ""
        self.console.put(visible(text.removesuffix("\r") if self.held else text))
