"""What an explorer knows in one session, and the steps all its episodes are made of."""

import random
import re
import shlex
from typing import NamedTuple

from worldline.collect.explorers.swe import words
from worldline.collect.explorers.swe.hands import Found, Hands, Ran, Step
from worldline.environments.swe.mutants import Mutant
from worldline.environments.swe.repos import Repo, Unit

_SUMMARY = re.compile(r"(?m)^(?:FAILED|ERROR) ([^\s:]{1,300}(?:::[^\n]{1,300}?)?)(?: - |$)")
_NAMES = ("return", "self", "None", "raise", "yield", "while", "lambda", "isinstance", "assert")


class Desk(NamedTuple):
    """One session.

    Args:
        unit: the source file this episode is about, with its tests.
        bug: what is wrong in it, if anything (the fixture says so).
    """

    hands: Hands
    rng: random.Random
    repo: Repo
    unit: Unit
    bug: Mutant | None

    @property
    def folder(self) -> str:
        """The source file's folder."""
        return self.unit.source.rpartition("/")[0] or "."

    def test_file(self) -> str:
        """One of the test files."""
        if self.bug is not None and self.bug.tests:
            return self.rng.choice(self.bug.tests)
        return self.rng.choice(self.unit.tests)

    # looking around

    def look_around(self, times: int) -> Step[None]:
        """Commands that show what there is."""
        for template in self.rng.sample(words.listed("orient"), times):
            line = words.filled(template, self.rng, **self.places())
            yield from self.hands.run(line, "look around")

    def places(self) -> dict[str, str]:
        """What templates of commands are filled with."""
        return {
            "file": self.hands.named(self.unit.source),
            "test": self.hands.named(self.test_file()),
            "folder": self.folder,
            "word": self.rng.choice([*_NAMES, words.noun(self.rng)]),
            "stem": self.unit.source.rpartition("/")[2].removesuffix(".py"),
        }

    def outline(self, path: str) -> Step[list[Found]]:
        """The functions and classes of a file."""
        pattern = self.rng.choice(["def ", "def [a-z]", "^class ", "^def ", "    def "])
        found = yield from self.hands.search(pattern, path)
        return [one for one in found if "def " in one.text or "class " in one.text]

    def around(self, path: str, line: int) -> Step[dict[int, str]]:
        """Some lines around one."""
        first = max(1, line - self.rng.randint(2, 25))
        return (yield from self.hands.view(path, first, line + self.rng.randint(4, 40)))

    def again(self, path: str) -> Step[None]:
        """A closer look at a part of what was shown just before."""
        numbers = sorted(self.hands.seen.get(path, {}))
        if len(numbers) < 4:
            return
        at = self.rng.randrange(len(numbers) - 3)
        first = numbers[at]
        last = first
        while last + 1 in self.hands.seen[path] and last - first < self.rng.randint(2, 14):
            last += 1
        if self.rng.random() < 0.75:
            name = self.hands.named(path)
            yield from self.hands.run(f"sed -n '{first},{last}p' {name}", "look closer")
        else:
            yield from self.hands.view(path, first, last)

    def before(self, path: str, line: int) -> Step[None]:
        """Often one looks at the place once more before changing it."""
        if self.rng.random() < 0.7:
            first = max(line - self.rng.randint(2, 9), 1)
            yield from self.hands.view(path, first, line + self.rng.randint(2, 9))

    def after(self, path: str, line: int) -> Step[None]:
        """What an edit made of the place."""
        near, name = self.rng.randint(0, 4), self.hands.named(path)
        kind = self.rng.random()
        if kind < 0.65:
            first = max(line - near, 1)
            yield from self.hands.run(f"sed -n '{first},{line + near}p' {name}", "check the edit")
        elif kind < 0.78:
            yield from self.hands.run("git diff", "check the edit")
        if self.rng.random() < 0.4:
            yield from self.hands.view(path, max(line - near - 1, 1), line + near + 1)

    # running

    def test(self, target: str, *, terse: bool = False) -> Step[Ran]:
        """Run tests in one of the ways people do."""
        rng = self.rng
        flags = rng.choice(
            ["-q", "-q", "-x -q", "-q --tb=short", "-q --tb=line", "-v", "--tb=no -q"]
        )
        flags = "-q" if terse else flags
        tail = "" if terse else rng.choice(["", "", "", f" 2>&1 | tail -n {rng.randint(4, 60)}"])
        runner = rng.choice(["python -m pytest", "pytest", "python -m pytest"])
        return (
            yield from self.hands.run(f"{runner} {flags} {shlex.quote(target)}{tail}", "run tests")
        )

    def experiment(self, code: str) -> Step[Ran]:
        """Run a few lines of Python."""
        if self.rng.random() < 0.5 and "\n" not in code and "'" not in code:
            return (yield from self.hands.run(f"python -c '{code}'", "try out"))
        return (yield from self.hands.run(f"python - <<'EOF'\n{code}\nEOF", "try out"))

    def commit(self, subject: str) -> Step[None]:
        """Look at the change, and commit it."""
        if self.rng.random() < 0.7:
            diff = self.rng.choice(["git diff", "git diff --stat", "git diff -U1", "git status -s"])
            yield from self.hands.run(diff, "look at the change")
        subject = subject.replace("'", "")
        how = self.rng.choice(
            ["git commit -am", "git add -A && git commit -m", "git commit -q -am"]
        )
        yield from self.hands.run(f"{how} '{subject}'", "commit")
        if self.rng.random() < 0.5:
            show = ["git log --oneline -n 3", "git show --stat HEAD", "git show", "git status"]
            yield from self.hands.run(self.rng.choice(show), "look at the commit")

    def subject(self, function: str) -> str:
        """What a commit says."""
        template = self.rng.choice(words.listed("subjects"))
        places = {**self.places(), "function": function, "word": words.word(self.rng)}
        return words.filled(template, self.rng, **places)


def failing(output: str) -> list[str]:
    """Ids of tests that a run says failed."""
    return [match[1].strip() for match in _SUMMARY.finditer(output)]


def traced(output: str, source: str) -> list[int]:
    """Lines of a source file that a traceback goes through."""
    return [int(n) for n in re.findall(rf"(?m)^{re.escape(source)}:(\d{{1,7}}):", output)]
