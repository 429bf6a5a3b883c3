"""How a coding agent does things with the tools of a dialect: actions out, what they showed in.

Everything is a generator of moves that is sent what each gave; its value is what was learned.
"""

import json
import random
import re
import shlex
from collections.abc import Generator
from typing import Any, ClassVar, NamedTuple, TypeVar

from worldline.collect.explorers.base import Move
from worldline.domains.swe.dialects.bash_returncode import (
    Elided,
    Unwrapped,
    Whole,
    parse_returned,
)
from worldline.domains.swe.observations import render
from worldline.prediction import StepResult

T = TypeVar("T")
Step = Generator[Move, StepResult, T]
"""Moves in turn, each answered by what it gave, and a value at the end."""


class Ran(NamedTuple):
    """What a command printed, and its exit code where the dialect tells it."""

    output: str
    code: int | None

    @property
    def well(self) -> bool:
        """It did not fail, as far as one can see."""
        return self.code in (0, None) and "rror: " not in self.output[-2_000:]


class Found(NamedTuple):
    """A line that a search found."""

    path: str
    line: int
    text: str


_HIT = re.compile(r"(?:\./)?([^:\n]{1,300}):(\d{1,7}):(.*)")


class Hands:
    """A shell and nothing else; other dialects do some things with tools of their own.

    Args:
        home: the repository.
        style: how commands name its files: ``cd`` (going there first), ``absolute``, ``relative``.
    """

    dialect: ClassVar[str] = "bash-returncode"

    def __init__(self, home: str, rng: random.Random, style: str) -> None:
        self.home, self.rng, self.style = home, rng, style
        self.seen: dict[str, dict[int, str]] = {}
        """Path in the repository -> lines by number, as last shown."""

    # a command

    def command(self, line: str) -> str:
        """The action that runs a command line."""
        return line

    def run(self, line: str, intent: str, limit_s: float | None = None) -> Step[Ran]:
        """Run a command line in the repository."""
        sent = f"cd {self.home} && {line}" if self.style == "cd" else line
        result = yield Move(self.command(sent), intent, limit_s)
        return self.printed(result.observation or "")

    def printed(self, observation: str) -> Ran:
        """Output and exit code of a command."""
        found = parse_returned(observation)
        if isinstance(found, Unwrapped):
            return Ran(observation, None)
        if isinstance(found.body, Whole):
            return Ran(render(found.body.pieces), found.code)
        assert isinstance(found.body, Elided)
        return Ran(f"{render(found.body.head)}\n{render(found.body.tail)}", found.code)

    def named(self, path: str) -> str:
        """A file of the repository as commands name it."""
        full = f"{self.home}/{path}" if self.style == "absolute" else path
        return shlex.quote(full)

    # looking

    def view(self, path: str, first: int, last: int) -> Step[dict[int, str]]:
        """Some lines of a file."""
        name, kind = self.named(path), self.rng.random()
        if kind < 0.7:
            line, numbered = f"sed -n '{first},{last}p' {name}", False
        elif kind < 0.85:
            line, numbered = f"cat -n {name} | sed -n '{first},{last}p'", True
        else:
            line, numbered = f"tail -n +{first} {name} | head -n {last - first + 1}", False
        ran = yield from self.run(line, "view")
        return self.learn(path, first, ran.output, numbered=numbered)

    def whole(self, path: str) -> Step[dict[int, str]]:
        """A whole file."""
        ran = yield from self.run(f"cat {self.named(path)}", "view")
        return self.learn(path, 1, ran.output, numbered=False)

    def learn(self, path: str, first: int, text: str, *, numbered: bool) -> dict[int, str]:
        """Keep the lines that were shown."""
        rows = text.removesuffix("\n").split("\n")
        shown: dict[int, str] = {}
        for number, row in enumerate(rows, first):
            match = re.match(r" *(\d{1,7})(?:\t|→|:\s?|\|)(.*)", row) if numbered else None
            if match:
                shown[int(match[1])] = match[2]
            elif not numbered:
                shown[number] = row
        self.seen.setdefault(path, {}).update(shown)
        return shown

    def search(self, pattern: str, path: str) -> Step[list[Found]]:
        """Lines that a pattern matches, in a file or folder."""
        flags = "-n" if path.endswith(".py") else self.rng.choice(["-rn", "-rn --include='*.py'"])
        ran = yield from self.run(
            f"grep {flags} {shlex.quote(pattern)} {self.named(path)}", "search"
        )
        return hits(ran.output, path, self.home)

    def find(self, name: str) -> Step[list[str]]:
        """Files by name."""
        where = self.home if self.style == "absolute" else "."
        ran = yield from self.run(
            f"find {where} -name {shlex.quote(name)} -not -path '*/.git/*'", "find"
        )
        return [one.removeprefix(f"{self.home}/").removeprefix("./") for one in ran.output.split()]

    # changing

    def edit_line(self, path: str, number: int, old: str, new: str) -> Step[bool]:
        """One line becomes another; whether that worked."""
        kind = self.rng.random()
        if kind < 0.6 and not set(old + new) & set("\\&|'\n"):
            script = f"{number}s|{_basic(old.strip())}|{new.strip()}|"
            ran = yield from self.run(f"sed -i '{script}' {self.named(path)}", "edit")
        elif kind < 0.8:
            ran = yield from self.run(_python_edit(self.named(path), number, new), "edit")
        else:
            ran = yield from self.run(_patch(path, number, old, new), "edit")
        done = ran.code == 0
        if done:
            self.seen.setdefault(path, {})[number] = new
        return done

    def write(self, path: str, content: str) -> Step[bool]:
        """A file written anew."""
        ran = yield from self.run(f"cat > {self.named(path)} <<'EOF'\n{content}EOF", "write")
        rows = content.removesuffix("\n").split("\n")
        self.seen[path] = dict(enumerate(rows, 1))
        return ran.code in (0, None)

    def append(self, path: str, content: str) -> Step[bool]:
        """Lines at the end of a file."""
        ran = yield from self.run(f"cat >> {self.named(path)} <<'EOF'\n{content}EOF", "append")
        return ran.code in (0, None)

    def blunder(self, path: str) -> Step[None]:
        """A mistake in the use of the tools themselves."""
        name = self.named(path)
        lines = [
            f"sed -n '10,' {name}",
            f"grep -n '[' {name}",
            f"cat {name}x",
            f"head -n ten {name}",
            f"sed -i 's/a/b' {name}",
            f"python -c 'print(open(\"{path}\").read()[:{self.rng.randint(20, 400)}]'",
            f"tail -{self.rng.randint(3, 12)}k {name}",
        ]
        yield from self.run(self.rng.choice(lines), "mistake")


def hits(output: str, path: str, home: str) -> list[Found]:
    """The rows of a `grep -n`, with or without names of files."""
    found: list[Found] = []
    for row in output.split("\n")[:2_000]:
        alone = re.match(r"(\d{1,7}):(.*)", row)
        if alone:
            found.append(Found(path, int(alone[1]), alone[2]))
            continue
        match = _HIT.match(row)
        if match:
            found.append(Found(match[1].removeprefix(f"{home}/"), int(match[2]), match[3]))
    return found


def _basic(text: str) -> str:
    """A text as a basic regular expression."""
    return re.sub(r"([.*^$\[])", r"\\\1", text)


def _python_edit(name: str, number: int, new: str) -> str:
    rows = (
        "python - <<'EOF'",
        "import pathlib",
        f"path = pathlib.Path({name!r})" if "'" not in name else f"path = pathlib.Path({name})",
        "lines = path.read_text().split('\\n')",
        f"lines[{number - 1}] = {new!r}",
        "path.write_text('\\n'.join(lines))",
        "EOF",
    )
    return "\n".join(rows)


def _patch(path: str, number: int, old: str, new: str) -> str:
    rows = (
        "git apply --unidiff-zero - <<'EOF'",
        f"--- a/{path}",
        f"+++ b/{path}",
        f"@@ -{number} +{number} @@",
        f"-{old}",
        f"+{new}",
        "EOF",
    )
    return "\n".join(rows)


def call(name: str, **arguments: Any) -> str:
    """A tool call as text."""
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
