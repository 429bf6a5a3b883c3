"""Tasks in a git repository with a history."""

import re

from worldline.environments.terminal import fixtures
from worldline.environments.terminal.fixtures import Words
from worldline.tasks.families.terminal.making import Draft, Family
from worldline.tasks.families.terminal.plain import digest


def _story(seed: int) -> tuple[str, list[tuple[str, str]]] | None:
    """The repository's folder, and (branch, command) of all that made its history."""
    files, (script,) = fixtures.make("git", seed), fixtures.setup("git", seed)
    if "git config user.name" not in script:
        return None
    branch, story = "main", []
    for command in script.split(" && "):
        started = re.fullmatch(r"git checkout -q (?:-b )?(\S+)", command)
        branch = started[1] if started else branch
        story.append((branch, command))
    return next(iter(files)).split("/")[0], story


def _restore(words: Words, seed: int) -> Draft | None:
    told = _story(seed)
    if told is None:
        return None
    top, story = told
    name, text = next(one for one in fixtures.make("git", seed).items() if one[0].endswith(".cfg"))
    name = name.partition("/")[2]
    commits = [
        n
        for n, (branch, command) in enumerate(story)
        if branch == "main" and "git commit" in command
    ]
    edits = [
        n
        for n, (branch, command) in enumerate(story)
        if branch == "main" and command.endswith(f" {name}")
    ]
    if not any(n < commits[-1] for n in edits):
        return None
    message = f"Restore {words.slug(' ')}"
    return Draft(
        f"In the repository ~/{top} bring back {name} exactly as it was in the very first commit, "
        f"and commit it (that file alone) on the branch main with the message: {message}",
        (
            f"cd ~/{top} && git rev-list --max-parents=0 HEAD",
            f"git checkout {{{{1:(?m)^([0-9a-f]{{40}})$}}}} -- {name} "
            f"&& git commit -q -m '{message}' {name}",
        ),
        wants=(
            (f"git -C ~/{top} show HEAD:{name} | md5sum | cut -c1-10", digest(text.decode())),
            (f"git -C ~/{top} log -1 --format=%s main", message),
        ),
        fixture="git",
    )


def _author(words: Words, seed: int) -> Draft | None:
    told = _story(seed)
    if told is None:
        return None
    top, story = told
    found = []
    for branch, command in story:
        commit = re.search(r"GIT_AUTHOR_NAME='([^']+)'.* -m '([^']+)'", command)
        if commit and branch == "main":
            found.append((commit[1], commit[2]))
    name, message = words.rng.choice(found)
    if len({author for author, _ in found}) < 2 or [m for _, m in found].count(message) > 1:
        return None
    file = f"{words.noun()}.txt"
    return Draft(
        f'Who is the author of the commit with the message "{message}" in ~/{top}? Write the full '
        f"name, and nothing else, to ~/{file}.",
        (
            f"git -C ~/{top} log --format='by: %an' --grep='{message}' | cat",
            f"echo '{{{{1:(?m)^by: (\\w+ \\w+)$}}}}' > ~/{file}",
        ),
        wants=((f"cat ~/{file}", name),),
        fixture="git",
    )


FAMILIES = (
    Family("restore", _restore, "dev", "hard", True),
    Family("author", _author, "test", "medium", True, 4),
)
