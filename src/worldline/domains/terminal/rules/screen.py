"""What belongs to a screen: its title, the prompts, the echo of what is typed."""

import json
import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from worldline.domains.terminal.actions import Deed, Run
from worldline.domains.terminal.dialects.terminus2 import (
    PROMPT,
    TITLES,
    WIDTH,
    Screen,
    parse_screen,
)
from worldline.domains.terminal.observations import ALTERED
from worldline.domains.terminal.rules.asked import Claim
from worldline.domains.terminal.session import Session, parsed
from worldline.domains.terminal.shell import footprint
from worldline.domains.terminal.shell.grammar import literal
from worldline.domains.terminal.shell.tables import TABLES

_MODEST = {"awk", "sed", "find", "sort", "git", "stat", "tar"}
for _table in ("reads", "plain", "moment", "operands", "silent"):
    _MODEST |= set(TABLES[_table])
_MODEST -= {"top", "man", "ping", "read", "watch", "less", "yes", "wait", "sleep"}


def screen(session: Session, deeds: list[Deed], observation: str) -> Iterator[Claim]:
    """What a screen that follows on a waiting prompt must show."""
    shown = parse_screen(observation)
    runs = [deed.text for deed in deeds if isinstance(deed, Run)]
    if not shown.titles and (session.look.title or session.harness.ours):
        first = observation.partition("\n")[0]
        yield Claim("frame", f"a screen begins with its title, as {TITLES[0]!r}", first)
    known = session.look.prompt is not None and runs and len(runs) == len(deeds)
    if not known or "Current Terminal Screen:" in shown.titles:
        return
    before = session.look.prompt or ""
    if any(one.prompt != before and before.endswith(one.prompt) for one in shown.shown):
        return  # output without a line end stood before the prompt that is known
    cwd = str(session.cwd.value) if session.cwd else None
    bounds = [footprint.of_text(text, cwd) for text in runs]
    steady = not any(one.nested or one.shell or one.variables for one in bounds)
    yield from _echoed(session, runs, observation)
    if not all(map(_modest, runs)):
        return  # another program may start a shell of its own
    if steady and not session.altered:
        yield from _same_shell(session, shown)
    moves = any(one.cwd for one in bounds)
    if not session.altered:
        yield from _moved(session, runs, shown) if moves else _stayed(session, shown)


def _echoed(session: Session, runs: list[str], observation: str) -> Iterator[Claim]:
    """What was typed at a waiting prompt is echoed, command after command."""
    before = session.look.prompt or ""
    first = runs[0].split("\n")[0]
    echoed = session.busy or f"{before} {first}".rstrip() in observation
    if len(first) + len(before) < WIDTH and not echoed:  # a job may have come between
        yield Claim("echo", f"the command {first[:60]!r} is not echoed behind its prompt")
        return
    if session.busy or ALTERED.search(observation):
        return
    rows = {row.rstrip() for row in observation.split("\n")}
    for earlier, text in pairwise(runs):
        if not _modest(earlier) or "\n" in text:
            return
        short = len(text) + len(before) < WIDTH - 20 and text.strip() and "\t" not in text
        ends = f" {text}".rstrip()
        if short and not any(row.endswith((ends, text.strip())) for row in rows):
            yield Claim("echo", f"the command {text[:60]!r} was typed, but is not echoed")
            return


def _modest(text: str) -> bool:
    """Whether a command line ends by itself and leaves the terminal as it is."""
    script = parsed(text)
    if script is None or not script.plain:
        return False
    names = [literal(one.words[0]) for one in script.commands() if one.words]
    return all(name in _MODEST for name in names) and "<<" not in text


def _waiting(shown: Screen) -> str | None:
    """The prompt that waits at the end."""
    last = shown.shown[-1] if shown.shown else None
    waits = last is not None and not last.typed.strip() and not any(map(str.strip, last.lines))
    return last.prompt if last is not None and waits else None


def _same_shell(session: Session, shown: Screen) -> Iterator[Claim]:
    """The user and the machine of the prompt stay the same."""
    last, shell = _waiting(shown), session.look.shell
    if last is None or not shell or "@" not in shell or "@" not in last:
        return
    if not last.partition(":")[0].endswith(shell):  # output without a line end may stand before it
        yield Claim("prompt", f"the shell is {shell}'s, but the prompt says {last}", last)


def _stayed(session: Session, shown: Screen) -> Iterator[Claim]:
    last = next((one.prompt for one in reversed(shown.shown) if not one.typed.strip()), None)
    match, old = PROMPT.fullmatch(last or ""), PROMPT.fullmatch(session.look.prompt or "")
    if match and old and match["path"] != old["path"]:
        yield Claim("cwd", f"nothing changed the directory, but the prompt says {last}", last)


def _moved(session: Session, runs: list[str], shown: Screen) -> Iterator[Claim]:
    """After ``cd NAME`` the prompt names that directory, or the old one if it complained."""
    old, new = PROMPT.fullmatch(session.look.prompt or ""), PROMPT.fullmatch(_waiting(shown) or "")
    if not old or not new or old["path"] is None or new["path"] is None or len(runs) > 1:
        return
    target = _target(runs[0])
    if target is None:
        return
    wanted = _after(old["path"], target)
    home = session.people.get("home")
    if wanted is None or (wanted[:1] == "/" and home is None):
        return
    if wanted[:1] == "/" and home is not None and f"{wanted}/".startswith(f"{home.value}/"):
        wanted = "~" + wanted[len(str(home.value)) :]
    complained = any("cd: " in row for one in shown.shown for row in one.lines)
    allowed = {old["path"]} if complained else {wanted}
    if new["path"] not in allowed and not (complained and new["path"] == wanted):
        yield Claim(
            "cwd",
            f"from {old['path']}, {runs[0][:60]!r} leads to {wanted}, not {new['path']}",
            new[0],
        )


def _target(text: str) -> str | None:
    """Where a line that is one ``cd`` goes, as written; ``~``: home."""
    script = parsed(text)
    commands = list(script.commands()) if script is not None and script.plain else []
    if len(commands) != 1 or commands[0].redirects or commands[0].assigns:
        return None
    words = [literal(word) for word in commands[0].words]
    if words[:1] != ["cd"] or len(words) > 2:
        return None
    name = "~" if len(words) == 1 else words[1]
    plain = name is not None and re.fullmatch(r"[\w./+@~-]{1,200}", name) and name[:1] not in "-~"
    return name if plain or len(words) == 1 else None


def _after(path: str, target: str) -> str | None:
    if target == "~":
        return "~"
    joined = posixpath.normpath(posixpath.join(path, target))
    above = ".." in target.split("/") and (path[:1] == "~" and joined[:1] != "~")
    return None if above or joined == "." or joined.startswith("//") else joined


def place(observation: str, line: str | None) -> tuple[int, int] | None:
    """Where a line stands in an observation, as it is or as JSON writes it."""
    if not line:
        return None
    for text in (line, json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1]):
        at = observation.rfind(text)
        if at >= 0:
            return at, at + len(text)
    return None
