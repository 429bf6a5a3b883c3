"""Goals at the git server; with the filesystem server beside it, work is written too."""

import re

from worldline.collect.explorers.mcp.hand import Goal, Hand

REPO = "/home/user/project"
_TOLD = re.compile(r"^/home/user/project/(\S+) \(\d+ bytes\)$", re.MULTILINE)
_HASH = re.compile(r"\b[0-9a-f]{40}\b")
_BRANCH = re.compile(r"^[* ] (\S+)$", re.MULTILINE)


def _tracked(hand: Hand) -> list[str]:
    if "tracked" not in hand.pool:
        hand.pool["tracked"] = _TOLD.findall(hand.initial) or ["README.md"]
    return hand.pool["tracked"]


def _revision(hand: Hand) -> str:
    simple = ("HEAD", "HEAD~1", "HEAD~2", "main", "HEAD^")
    draw = hand.rng.random()
    if draw < 0.45 and hand.pool.get("commits"):
        commit = hand.rng.choice(hand.pool["commits"])
        return commit if hand.chance(0.6) else commit[:8]
    if draw < 0.65 and hand.pool.get("branches"):
        return hand.rng.choice(hand.pool["branches"])
    return hand.rng.choice(simple) if draw < 0.9 else hand.words.slug("-")


def status(hand: Hand) -> Goal:
    """What is changed, in one of its forms."""
    yield hand.call("git_status", "status", repo_path=REPO)
    tool = hand.rng.choice(("git_diff_unstaged", "git_diff_staged"))
    more = {"context_lines": hand.rng.randint(0, 8)} if hand.chance(0.5) else {}
    yield hand.call(tool, "diff", repo_path=REPO, **more)


def history(hand: Hand) -> Goal:
    """The log, then one of its commits."""
    more: dict[str, object] = {"max_count": hand.rng.randint(1, 12)} if hand.chance(0.7) else {}
    if hand.chance(0.25):
        more["start_timestamp"] = hand.rng.choice(
            ("2025-05-11", "2025-05-13T00:00:00", "3 weeks ago")
        )
    if hand.chance(0.15):
        more["end_timestamp"] = hand.rng.choice(("2025-05-12", "2025-06-30", "2025-05-14T12:00:00"))
    got = yield hand.call("git_log", "log", repo_path=REPO, **more)
    for commit in _HASH.findall(got.text)[:8]:
        hand.keep("commits", commit)
    for _ in range(hand.rng.randint(0, 2)):
        yield hand.call("git_show", "show", repo_path=REPO, revision=_revision(hand))


def compare(hand: Hand) -> Goal:
    """The working tree against a revision."""
    more = {"context_lines": hand.rng.randint(0, 6)} if hand.chance(0.4) else {}
    yield hand.call("git_diff", "diff", repo_path=REPO, target=_revision(hand), **more)


def branches(hand: Hand) -> Goal:
    """List branches, make one, go there and back."""
    kind = hand.rng.choice(("local", "all", "remote", "local"))
    more = {"contains": _revision(hand)} if hand.chance(0.25) else {}
    got = yield hand.call("git_branch", "branches", repo_path=REPO, branch_type=kind, **more)
    for name in _BRANCH.findall(got.text):
        hand.keep("branches", name)
    if hand.chance(0.7):
        name = f"{hand.rng.choice(('feature', 'fix', 'wip', 'docs'))}/{hand.words.slug('-')}"
        more = {"base_branch": _revision(hand)} if hand.chance(0.4) else {}
        got = yield hand.call(
            "git_create_branch", "create", repo_path=REPO, branch_name=name, **more
        )
        if not got.failed:
            hand.keep("branches", name)
    target = hand.known("branches", lambda: "main") if hand.chance(0.8) else hand.words.slug("-")
    got = yield hand.call("git_checkout", "switch", repo_path=REPO, branch_name=target)
    if hand.chance(0.6):
        yield hand.call("git_status", "status", repo_path=REPO)


def commit(hand: Hand) -> Goal:
    """Change something if one can, stage it, commit it, look at it."""
    path = hand.rng.choice(_tracked(hand))
    if "write_file" in hand.tools:
        if hand.chance(0.5):
            path = f"{hand.rng.choice(('', 'src/', 'docs/'))}{hand.words.slug()}.md"
        text = "\n".join(hand.words.sentence() for _ in range(hand.rng.randint(1, 6))) + "\n"
        yield hand.call("write_file", "change", path=f"{REPO}/{path}", content=text)
        hand.keep("tracked", path)
        if hand.chance(0.4):
            yield hand.call("git_diff_unstaged", "diff", repo_path=REPO)
    files = [path] if hand.chance(0.6) else hand.rng.choice((["."], [path, hand.words.slug()]))
    yield hand.call("git_add", "stage", repo_path=REPO, files=files)
    if hand.chance(0.4):
        yield hand.call("git_diff_staged", "diff", repo_path=REPO)
    if hand.chance(0.2):
        yield hand.call("git_reset", "unstage", repo_path=REPO)
        yield hand.call("git_status", "status", repo_path=REPO)
        return
    verb, thing = hand.words.one("verb"), hand.words.one("thing")
    message = hand.rng.choice((f"{verb.capitalize()} the {thing}", hand.words.sentence()))
    if hand.chance(0.2):
        message += "\n\n" + hand.words.paragraph()
    got = yield hand.call("git_commit", "commit", repo_path=REPO, message=message)
    for found in _HASH.findall(got.text):
        hand.keep("commits", found)
    yield hand.call("git_show", "show", repo_path=REPO, revision="HEAD")


def lost(hand: Hand) -> Goal:
    """Somewhere that is no repository."""
    path = hand.rng.choice(
        ("/home/user", "/tmp", f"/home/user/{hand.words.slug()}", "project", f"{REPO}/src")
    )
    tool = hand.rng.choice(("git_status", "git_log", "git_diff_unstaged"))
    yield hand.call(tool, "out of reach", repo_path=path)


GOALS = (
    (1.5, status),
    (2.0, history),
    (1.2, compare),
    (2.0, branches),
    (2.2, commit),
    (0.5, lost),
)
