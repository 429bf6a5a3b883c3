"""A git repository, alone and with the files it lies in."""

import shlex
from typing import NamedTuple

from worldline.environments.mcp.fixtures import make
from worldline.tasks.families.mcp.making import (
    HOME,
    LINE,
    Draft,
    Family,
    Seeded,
    call,
    holds,
    seen,
)

REPO = f"{HOME}/project"
ADDED = rf"\+([A-Z]{LINE}*\.)"
"""A sentence that a diff adds; of a file's name the third character is a blank."""

MODIFIED = r"modified:\s+([^\s\\]+)"
"""The path that a status says was changed."""


class Commit(NamedTuple):
    """A commit: its message, the paths it was given, the branch it is on."""

    message: str
    paths: tuple[str, ...]
    branch: str


class History(NamedTuple):
    """What the fixture's script does: commits in order, and the change that is left."""

    commits: list[Commit]
    path: str
    line: str

    @property
    def main(self) -> list[Commit]:
        """Commits of main, the newest first."""
        return [one for one in reversed(self.commits) if one.branch == "main"]

    @property
    def feature(self) -> Commit | None:
        """The commit of the other branch."""
        return next((one for one in self.commits if one.branch != "main"), None)


def history(of: Seeded) -> History:
    """Read off the script that makes the repository."""
    script = make("repository", of.seed).commands[0][-1]
    branch, paths, commits, change = "main", (), [], ("", "")
    for line in script.splitlines():
        words = shlex.split(line)
        match words:
            case ["git", "checkout", "-q", *more]:
                branch = more[-1]
            case ["git", "add", "--", *more]:
                paths = tuple(more)
            case ["git", "commit", "-q", "-m", message]:
                commits.append(Commit(message, paths, branch))
            case ["echo", text, ">>", path]:
                change = (path, text)
            case _:
                pass
    return History(commits, *change)


def git(tool: str, **arguments: object) -> str:
    """A call about the repository."""
    return call(f"git_{tool}", repo_path=REPO, **arguments)


def _added(of: Seeded) -> Draft | None:
    commits = history(of).main
    if len(commits) < 3:
        return None
    at = of.rng.randrange(1, len(commits))
    chosen = commits[at]
    path = chosen.paths[0]
    if len({one.message for one in commits}) < len(commits):
        return None
    if any(path in one.paths for one in commits if one != chosen):
        return None
    revision = seen(1, rf"(?s)^(?:.*?Commit: ){{{at + 1}}}([0-9a-f]+)")
    return Draft(
        f"Which commit of {REPO} added the file {path}? Answer with the commit's message.",
        (
            git("log", max_count=20),
            git("show", revision=revision),
            seen(2, rf"    ([A-Z]{LINE}+)"),
        ),
        answer=chosen.message,
    )


def _uncommitted(of: Seeded) -> Draft:
    found = history(of)
    return Draft(
        f"In {REPO} one file has a change that is not committed: a sentence was added to it. What "
        "does it say? Answer with the sentence, word for word.",
        (git("diff_unstaged"), seen(1, ADDED)),
        answer=found.line,
    )


def _branched(of: Seeded) -> Draft | None:
    found = history(of).feature
    if found is None:
        return None
    name = f"release/{of.words.slug('-')}"
    other = seen(1, r"feature/[\w-]+")
    return Draft(
        f"{REPO} has one branch besides main. Create a branch {name} that starts where that one "
        "is. Stay on main.",
        (
            git("branch", branch_type="local"),
            git("create_branch", branch_name=name, base_branch=other),
        ),
        probes=(
            holds(git("show", revision=name), f"    {found.message}"),
            holds(git("branch", branch_type="local"), "* main", name),
        ),
    )


def _restored(of: Seeded) -> Draft:
    found = history(of)
    path = seen(1, MODIFIED)
    edit = {"oldText": f"\n{seen(2, ADDED)}", "newText": ""}
    return Draft(
        f"In {REPO} one file has a change that is not committed: a line was added at its end. Take "
        "that line out of the file again, so that the working tree is as it was committed. Commit "
        "and stage nothing.",
        (
            git("status"),
            git("diff_unstaged"),
            call("edit_file", path=f"{REPO}/{path}", edits=[edit]),
        ),
        probes=(
            holds(git("status"), "nothing to commit, working tree clean"),
            holds(git("log", max_count=1), f"Message: {found.main[0].message}"),
        ),
    )


def _committed(of: Seeded) -> Draft:
    """The message has to name the file, which has to be found."""
    found = history(of)
    path = seen(1, MODIFIED)
    verb = of.words.one("verb").capitalize()
    return Draft(
        f"In {REPO} one file has a change that is not committed. Commit it on main, with the "
        f"message '{verb} FILE', where FILE is the path of that file in the repository.",
        (git("status"), git("add", files=[path]), git("commit", message=f"{verb} {path}")),
        probes=(
            holds(git("show", revision="main"), f"    {verb} {found.path}", f"+{found.line}"),
            holds(git("status"), "On branch main", "nothing to commit, working tree clean"),
        ),
    )


GIT = ("git",)
FAMILIES = (
    Family("commit-ask", _added, GIT, "test", "medium", size=2),
    Family("change-ask", _uncommitted, GIT, "train", "easy", size=2),
    Family("branch-new", _branched, GIT, "train", "medium", size=2),
    Family("change-undo", _restored, ("git", "filesystem"), "train", "hard", size=2),
    Family("change-commit", _committed, GIT, "dev", "medium", size=2),
)
