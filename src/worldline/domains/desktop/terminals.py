"""What a terminal cannot say after what it said before, and what was typed since."""

from collections.abc import Iterator, Sequence

from worldline.domains.base import Ledger
from worldline.domains.desktop import screen, shell
from worldline.domains.desktop.actions import Call
from worldline.domains.desktop.lines import WINDOW, columns
from worldline.domains.desktop.places import Breach, placed
from worldline.domains.terminal import DOMAIN as SHELL
from worldline.trajectory import Turn
from worldline.trees import Node, Tree

_SWITCHES = frozenset(
    (*"twndlkqxczr", "pageup", "pagedown", "tab", "f4", "f11"),
)
"""Keys that may, held with others, clear, close, change or leave a terminal."""


def breaches(
    before: Tree, tree: Tree, made: Sequence[Call], known: Ledger | None
) -> Iterator[Breach]:
    """Everything that the only terminal of a screen breaks."""
    old, new = shell.only(before), shell.only(tree)
    if old is None or not made:
        return
    typed = "\n".join(text for call in made if (text := shell.typed_into(call)))
    quiet = shell.idle(made)
    if new is None:
        if quiet:
            yield from _left(before, tree, old[0])
        return
    if not placed(before.nodes[old[0]], tree.nodes[new[0]]):
        return
    yield from _untouched(old[1], new[1], typed, quiet=quiet)
    if _same_shell(made):
        if not shell.may_clear(typed):
            yield from _scrollback(old[1], new[1], tree.nodes[new[0]])
        if not shell.may_turn(typed):
            yield from _prompt(old[1], new[1])
    yield from _output(before, tree, made, known)


def _same_shell(made: Sequence[Call]) -> bool:
    """Whether no key may have led to another tab, window or program."""
    for call in made:
        name = call.name.rpartition(".")[2]
        keys = {str(key).lower() for key in call.args}
        if name in ("hotkey", "keyDown") and keys & _SWITCHES:
            return False
        if call.maybe or call.name.startswith(("subprocess.", "os.")):
            return False
    return True


def _left(before: Tree, tree: Tree, at: int) -> Iterator[Breach]:
    """A terminal does not close while nothing is done and its shell waits for input."""
    lines = [line for i, ls in screen.terminals(before) if i == at for line in ls]
    waits = screen.PROMPT.fullmatch(screen.prompt(lines) or "") is not None
    if waits and len(tree.nodes) < len(before.nodes) / 2:
        yield Breach("closed", "the terminal is gone, though nothing was done")


def _trimmed(lines: Sequence[str]) -> list[str]:
    end = max((i + 1 for i, line in enumerate(lines) if line.strip()), default=0)
    return [line.rstrip() for line in lines[:end]]


def _untouched(
    old: Sequence[str], new: Sequence[str], typed: str, *, quiet: bool
) -> Iterator[Breach]:
    """A shell that waits for input, and that nobody typed into, says nothing of its own."""
    was, now = _trimmed(old), _trimmed(new)
    if len(was) != len(now) or was == now or not screen.PROMPT.fullmatch(was[-1]):
        return
    wrong = [n for w, n in zip(was, now, strict=True) if w != n]
    elsewhere = was[-1] == now[-1] and not _shown(typed, now) and not shell.may_clear(typed)
    alike = len(wrong) <= len(was) / 2 or (quiet and len(wrong) == 1)
    if alike and (quiet or elsewhere) and screen.PROMPT.fullmatch(now[-1]):
        said = f"nothing was typed, and the terminal says {wrong[0][:60]!r} where it did not"
        yield Breach("idle", said, wrong[0])


def _shown(typed: str, lines: Sequence[str]) -> bool:
    text = "\n".join(lines)
    return any(line.strip() and line.strip() in text for line in typed.split("\n"))


def _scrollback(old: Sequence[str], new: Sequence[str], terminal: Node) -> Iterator[Breach]:
    """What a terminal has printed stays as it is until it scrolls out of sight."""
    was, now = _trimmed(old), _trimmed(new)
    prompts = [i for i, line in enumerate(was) if screen.PROMPT.fullmatch(line)]
    if not prompts or len(was) > WINDOW:
        return
    past, prompt = was[: prompts[-1]], was[prompts[-1]]
    if not now:
        yield Breach("scrollback", "the terminal is empty, and nothing cleared it")
        return
    for k in range(len(past) + 1):  # from line k on, cut where the window begins
        again = [*past[k:], prompt]
        shown = now[: len(again)]
        if len(shown) == len(again) and _follows(again, shown):
            return
        if not k and not _full(new, terminal):
            break
    else:
        return  # all of it may have scrolled out of sight
    wrong = next((n for w, n in zip([*past, prompt], now, strict=False) if w != n), now[-1])
    yield Breach(
        "scrollback", f"what the terminal showed before is another text: {wrong[:60]!r}", wrong
    )


def _follows(again: Sequence[str], shown: Sequence[str]) -> bool:
    first = again[0] == shown[0] or (len(again) == 1 and shown[0].startswith(again[0]))
    first = first or (bool(shown[0]) and again[0].endswith(shown[0]))
    if not first or again[1:-1] != shown[1:-1]:
        return False
    return len(again) == 1 or shown[-1].startswith(again[-1])


def _full(lines: Sequence[str], terminal: Node) -> bool:
    """Whether a window is full of text, so that older lines may be out of sight."""
    rows = terminal.get("rows")
    if not isinstance(rows, int):
        return True
    width = columns(terminal.get("size"))
    return sum(max(1, -(-len(line) // width)) for line in _trimmed(lines)) >= rows - 1


def _prompt(old: Sequence[str], new: Sequence[str]) -> Iterator[Breach]:
    """The same shell is the same user's, in the same directory, unless it was told to change."""
    was = [match for line in old if (match := screen.PROMPT.fullmatch(line))]
    now = [match for line in new if (match := screen.PROMPT.fullmatch(line))]
    if not was or not now:
        return
    before, after = _who(was[-1][0]), _who(now[-1][0])
    if before != after:
        yield Breach(
            "prompt",
            f"the prompt was {before!r} and is {after!r}, which nothing led to",
            now[-1][0],
            because=("cwd:cwd",),
        )


def _who(line: str) -> str:
    match = screen.PROMPT.fullmatch(line)
    end = match.start("command") if match is not None else len(line)
    return line[:end].strip()


def _output(
    before: Tree, tree: Tree, made: Sequence[Call], known: Ledger | None
) -> Iterator[Breach]:
    """A command prints what follows from what this shell was seen to do."""
    lines = shell.submitted(before, made)
    done = shell.ran(tree, lines) if lines else None
    ledger = known or SHELL.open(shell.START)
    for command, output in done or ():
        told = SHELL.known(ledger, command)
        if told is not None and not told.consistent_only:
            wanted, shown = _rows(told.observation), _rows(output)
            if wanted != shown:
                wrong = next((s for w, s in zip(wanted, shown, strict=False) if w != s), command)
                said = f"{command[:60]!r} prints {' '.join(wanted)[:80]!r} ({told.rule})"
                yield Breach("output", said, wrong)
                return
        turn = Turn(action=command, observation=output)
        ledger = SHELL.track(ledger, turn, "model")


def _rows(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]
