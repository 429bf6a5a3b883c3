"""Work in a git repository."""

import re

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.moves.edit import document
from worldline.collect.explorers.terminal.phrases import rows


def enter(desk: Desk) -> Script:
    """Go into the repository that was found."""
    tops = sorted({path.split("/")[0] for path in desk.files if "/" in path}) or [""]
    for top in tops:
        seen = yield desk.do(f"cd ~/{top}", "git status", why=f"see whether {top} is a repository")
        desk.went(top)
        if "not a git repository" not in seen.text:
            break
    seen = yield desk.do(
        f"git log --oneline -n {desk.rng.randint(4, 12)} | cat", why="read the history"
    )
    hashes(desk, seen.text)


def hashes(desk: Desk, text: str) -> None:
    """Remember a commit that was seen."""
    found = re.findall(r"(?m)^[*|\\/ ]*(?:commit )?([0-9a-f]{7,40})\b", text)
    if found:
        desk.memo["hash"] = desk.rng.choice(found)


def introduce(desk: Desk) -> Script:
    """Say who commits, where git asks for it."""
    if "tell me who you are" not in desk.last.screen:
        return
    words = desk.words
    config = desk.rng.choice(("git config", "git config", "git config --global"))
    yield desk.do(
        f"{config} user.name '{words.person()}' && {config} user.email {words.mail()}",
        desk.rng.choice(
            (
                "git config user.name",
                "git config --get user.email",
                "git commit -q --amend --no-edit; git log -1 --format=%an | cat",
            )
        ),
        why="say who commits here",
    )


def _message(desk: Desk) -> str:
    return f"{desk.words.one('verbs').capitalize()} {desk.words.slug(' ')}"


def cycle(desk: Desk) -> Script:
    """Change something, look at the difference, commit, look at the history."""
    rng, words = desk.rng, desk.words
    path = desk.pick(".txt", ".md", ".cfg", ".py")
    if path and rng.random() < 0.6:
        name = desk.at(path)
        yield desk.do(
            f"echo '{words.noun()} = {rng.randint(1, 999)}' >> {name}", why=f"change {name}"
        )
        yield desk.do(
            rng.choice(
                ("git diff | cat", f"git diff --stat -- {name} | cat", "git diff -U0 | tail -n 3")
            ),
            why="see the difference",
        )
    else:
        name, lines = desk.fresh("txt", "md"), desk.rows(2, 5)
        yield desk.do(document(name, lines, desk.marker()), why=f"add {name}")
        desk.wrote(name, lines)
        yield desk.do(
            rng.choice(("git status -s", "git status", "git status --porcelain")),
            why="see the state",
        )
    yield desk.do(
        f"git add {rng.choice((name, name, '-A'))}",
        f"git commit -m '{_message(desk)}'",
        why="commit it",
    )
    yield from introduce(desk)
    seen = yield desk.do(
        rng.choice(
            (
                f"git log --oneline -n {rng.randint(1, 4)} | cat",
                "git show --stat | cat",
                "git log -1 --format='%s (%an)' | cat",
            )
        ),
        why="check the history",
    )
    hashes(desk, seen.text)


def branch(desk: Desk) -> Script:
    """Work on a branch and merge it."""
    rng, words = desk.rng, desk.words
    name = rng.choice(
        (words.slug(), f"{words.noun()}/{words.one('verbs')}", f"fix-{rng.randint(1, 400)}")
    )
    new, lines = desk.fresh("txt", "md"), desk.rows(1, 3)
    yield desk.do(
        rng.choice((f"git checkout -b {name}", f"git switch -c {name}")), why=f"start {name}"
    )
    yield desk.do(document(new, lines, desk.marker()), why=f"write {new}")
    desk.wrote(new, lines)
    yield desk.do(
        f"git add {new} && git commit -q -m '{_message(desk)}' && git branch | cat",
        why="commit on the branch",
    )
    if "tell me who you are" in desk.last.screen:
        yield from introduce(desk)
        commit = f"git commit -q -m '{_message(desk)}'; git log --oneline -n 2 | cat"
        yield desk.do(commit, why="commit now")
    yield desk.do(
        rng.choice(
            (
                "git checkout main",
                "git switch -q main; git branch --show-current",
                "git checkout -q -",
            )
        ),
        why="go back",
    )
    yield desk.do(
        rng.choice(
            (
                f"git diff --stat main {name} | cat",
                f"ls {new}",
                f"git log --oneline main..{name} | cat",
            )
        ),
        why="compare",
    )
    if rng.random() < 0.75:
        flag = rng.choice(("", " --no-ff -m '" + _message(desk) + "'", " --squash"))
        yield desk.do(f"git merge{flag} {name}", why=f"merge {name}")
        yield desk.do(
            rng.choice(
                (f"git branch -d {name}", f"cat {new}", "git log --oneline --graph -n 4 | cat")
            ),
            why="check and tidy up",
        )
    else:
        yield desk.do(rng.choice((f"git branch -d {name}", f"git branch -D {name}")), why="drop it")
        desk.gone(desk.here(new))


def conflict(desk: Desk) -> Script:
    """Change the same line on two branches, merge, solve the conflict."""
    rng, words = desk.rng, desk.words
    path = desk.pick(".cfg", ".txt", ".md")
    if path is None:
        return
    name, side, line = desk.at(path), words.slug(), rng.randint(1, 3)
    yield desk.do(
        "git stash -q; git checkout -q main; git branch --show-current", why="start from main"
    )
    for branch, start in ((side, f"git checkout -q -b {side}"), ("main", "git checkout -q main")):
        edit = f"sed -i '{line}s/.*/{words.slug(' ')}/' {name}"
        commit = f"git commit -qam '{_message(desk)}'"
        look = rng.choice(("git status -sb", "git log --oneline -n 1 | cat"))
        yield desk.do(
            f"{start} && {edit} && {commit}; {look}", why=f"change line {line} on {branch}"
        )
    seen = yield desk.do(f"git merge {side}", why=f"merge {side}")
    if "CONFLICT" not in seen.text:
        return
    marks = f"grep -n -A4 '<<<<<<<' {name}"
    look = rng.choice(("git diff | cat", marks, f"head -n 20 {name}", "git status"))
    yield desk.do(look, why="see the conflict")
    if rng.random() < 0.25:
        yield desk.do("git merge --abort; git status -s", why="give it up")
        return
    clean = f"sed -i '/^[<=>]\\{{7\\}}/d' {name}"
    solve = rng.choice((f"git checkout --ours {name}", f"git checkout --theirs {name}", clean))
    commit = f"git commit -q -m '{_message(desk)}'"
    graph = "git log --oneline --graph -n 3 | cat"
    yield desk.do(f"{solve} && git add {name} && {commit}; {graph}", why="solve it")
    yield desk.do(f"sed -n '{line},{line + 1}p' {name}", why="check the line")


def history(desk: Desk) -> Script:
    """Pick a commit that was seen and look into it."""
    rng = desk.rng
    if "hash" not in desk.memo:
        seen = yield desk.do(
            f"git log --all --oneline -n {rng.randint(3, 15)} | cat", why="read the history"
        )
        hashes(desk, seen.text)
    commit = desk.memo.get("hash", "HEAD~1")
    for line in rows(desk, "commit", 1, 3, hash=commit):
        yield desk.do(line, why=f"look into {commit[:7]}")
    path = desk.pick(".txt", ".md", ".cfg", ".py")
    if path and rng.random() < 0.5:
        name = desk.plain(path)
        yield desk.do(
            f"git checkout {commit} -- '{name}'",
            "git status -s",
            why=f"take {name} from {commit[:7]}",
        )
    elif rng.random() < 0.3:
        yield desk.do(
            f"git checkout -q {commit}; git status | head -n 2; git checkout -q -", why="visit it"
        )
    seen = yield desk.do(
        f"git log --oneline --all -n {rng.randint(3, 15)} | cat", why="choose the next commit"
    )
    hashes(desk, seen.text)


def stash(desk: Desk) -> Script:
    """Put changes aside and take them back."""
    rng, words = desk.rng, desk.words
    path = desk.pick(".txt", ".md", ".cfg")
    if path is None:
        return
    name, text = desk.at(path), words.sentence().replace("'", "")
    yield desk.do(f"echo '{text}' >> {name} && git status -s", why=f"change {name}")
    yield desk.do(f"git stash push -m '{words.slug(' ')}'", why="put it aside")
    look = rng.choice(("git stash list | cat", "git status -s", "git stash show | cat"))
    yield desk.do(look, why="see what is stashed")
    back = ("git stash pop", "git stash apply; git stash drop", f"git stash branch {words.slug()}")
    yield desk.do(rng.choice((*back, "git stash drop")), why="go on with it")
