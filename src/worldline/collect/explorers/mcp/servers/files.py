"""Goals at the filesystem server."""

import re

from worldline.collect.explorers.mcp.hand import Goal, Hand

HOME = "/home/user"
_TOLD = re.compile(r"^(/home/user/\S+) \(\d+ bytes\)$", re.MULTILINE)


def _paths(hand: Hand) -> list[str]:
    if "files" not in hand.pool:
        hand.pool["files"] = _TOLD.findall(hand.initial) or [f"{HOME}/README.md"]
    return hand.pool["files"]


def _file(hand: Hand) -> str:
    return hand.rng.choice(_paths(hand))


def _new(hand: Hand) -> str:
    words = hand.words
    kind = hand.rng.choice(("txt", "md", "json", "csv", "log", "py", "yaml"))
    folder = hand.known("folders", lambda: HOME) if hand.chance(0.5) else HOME
    return f"{folder}/{words.slug(hand.rng.choice('-_'))}.{kind}"


def look_around(hand: Hand) -> Goal:
    """List, go into a folder, read what is there."""
    tool = hand.rng.choice(("list_directory", "list_directory_with_sizes"))
    got = yield hand.call(tool, "list", path=hand.rng.choice((HOME, HOME, HOME + "/", "/")))
    folders = [line[6:].strip() for line in got.lines() if line.startswith("[DIR]")]
    if not folders:
        return
    folder = hand.keep("folders", f"{HOME}/{hand.rng.choice(folders)}")
    sort = {"sortBy": hand.rng.choice(("name", "size"))}
    if hand.chance(0.5):
        got = yield hand.call("list_directory_with_sizes", "list", path=folder, **sort)
    else:
        got = yield hand.call("list_directory", "list", path=folder)
    names = [line[7:].split("  ")[0].strip() for line in got.lines() if line.startswith("[FILE]")]
    for name in names[: hand.rng.randint(1, 3)]:
        path = hand.keep("files", f"{folder}/{name}")
        yield from _read(hand, path)


def _read(hand: Hand, path: str) -> Goal:
    draw = hand.rng.random()
    if draw < 0.55:
        yield hand.call("read_text_file", "read", path=path)
    elif draw < 0.75:
        lines = hand.rng.randint(1, 12)
        yield hand.call(
            "read_text_file", "read", path=path, **{hand.rng.choice(("head", "tail")): lines}
        )
    elif draw < 0.85:
        yield hand.call("read_file", "read", path=path)
    elif draw < 0.95:
        yield hand.call("get_file_info", "inspect", path=path)
    else:
        yield hand.call("read_text_file", "read", path=path, head=3, tail=2)


def write_and_change(hand: Hand) -> Goal:
    """A new file: read it back, edit it, move it, ask for the old one."""
    path, text = _new(hand), _content(hand)
    got = yield hand.call("write_file", "create", path=path, content=text)
    if got.failed:
        return
    hand.keep("files", path)
    yield hand.call("read_text_file", "read back", path=path)
    if hand.chance(0.7):
        yield from _edit(hand, path, text)
    if hand.chance(0.6):
        goal = _new(hand)
        yield hand.call("move_file", "rename", source=path, destination=goal)
        hand.drop("files", path)
        hand.keep("files", goal)
        yield from _read(hand, hand.rng.choice((path, goal, goal)))
    if hand.chance(0.4):
        yield hand.call("list_directory", "list", path=path.rpartition("/")[0])


def _edit(hand: Hand, path: str, text: str) -> Goal:
    words = [w for w in re.split(r"\s+", text) if len(w) > 3]
    old = hand.rng.choice(words) if words and hand.chance(0.75) else hand.words.sentence()
    new = hand.words.one("quality") if hand.chance(0.6) else hand.words.sentence()
    edits = [{"oldText": old, "newText": new}]
    if hand.chance(0.25):
        edits.append({"oldText": hand.rng.choice(words or ["x"]), "newText": hand.words.slug()})
    more = {"dryRun": True} if hand.chance(0.3) else {}
    yield hand.call("edit_file", "edit", path=path, edits=edits, **more)
    yield hand.call("read_text_file", "read back", path=path)


def edit_given(hand: Hand) -> Goal:
    """Read one of the files that were there, change a line of it."""
    path = _file(hand)
    got = yield hand.call("read_text_file", "read", path=path)
    lines = [line for line in got.lines() if len(line) < 200]
    if got.failed or not lines:
        return
    old = hand.rng.choice(lines)
    new = hand.rng.choice((f"{old} ({hand.words.one('status')})", hand.words.sentence(), ""))
    edits = [{"oldText": old, "newText": new}]
    yield hand.call("edit_file", "edit", path=path, edits=edits, dryRun=hand.chance(0.3))
    yield from _read(hand, path)


def folders(hand: Hand) -> Goal:
    """Make folders, fill them, look at the tree."""
    name = "/".join(hand.words.some("topic", hand.rng.randint(1, 3)))
    folder = (
        f"{hand.known('folders', lambda: HOME)}/{name}" if hand.chance(0.4) else f"{HOME}/{name}"
    )
    got = yield hand.call("create_directory", "create", path=folder)
    if got.failed:
        return
    hand.keep("folders", folder)
    for _ in range(hand.rng.randint(0, 2)):
        path = f"{folder}/{hand.words.slug()}.txt"
        yield hand.call("write_file", "create", path=path, content=hand.text())
        hand.keep("files", path)
    more = {"excludePatterns": [hand.rng.choice(("*.txt", "*.md", "**/*.log"))]}
    base = hand.rng.choice((folder, folder.rpartition("/")[0], HOME))
    yield hand.call("directory_tree", "tree", path=base, **(more if hand.chance(0.3) else {}))


def search(hand: Hand) -> Goal:
    """Find files by pattern, read one that was found."""
    pattern = hand.rng.choice(
        ("*.md", "**/*.csv", "**/*.txt", "**/*.json", "*.log", f"**/*{hand.words.one('thing')}*",
         f"**/{hand.words.one('quality')}*", "**/*")
    )  # fmt: skip
    got = yield hand.call(
        "search_files", "search", path=hand.known("folders", lambda: HOME), pattern=pattern
    )
    found = [line for line in got.lines() if line.startswith("/")]
    if found and not got.failed:
        yield from _read(hand, hand.keep("files", hand.rng.choice(found)))


def many(hand: Hand) -> Goal:
    """Several files at once, at times one that is not there."""
    paths = hand.rng.sample(_paths(hand), min(len(_paths(hand)), hand.rng.randint(2, 4)))
    if hand.chance(0.4):
        paths.append(_new(hand))
    yield hand.call("read_multiple_files", "read", paths=paths)


def refused(hand: Hand) -> Goal:
    """Places out of reach, files that are gone, folders read as files."""
    path = hand.rng.choice(
        ("/etc/passwd", "/root", f"{HOME}/../other/{hand.words.slug()}.txt", "~/.ssh/id_rsa",
         f"/var/log/{hand.words.one('unit')}.log", f"/tmp/{hand.words.slug()}", _new(hand), HOME)
    )  # fmt: skip
    tool = hand.rng.choice(("read_text_file", "list_directory", "get_file_info", "read_media_file"))
    yield hand.call(tool, "out of reach", path=path)
    if hand.chance(0.3):
        yield hand.call("list_allowed_directories", "ask for limits")
    if hand.chance(0.4):
        yield hand.call("move_file", "rename", source=_file(hand), destination=_file(hand))


def media(hand: Hand) -> Goal:
    """A file as binary data."""
    yield hand.call("read_media_file", "read", path=_file(hand))


def _content(hand: Hand) -> str:
    words = hand.words
    if hand.chance(0.25):
        rows = (f"{i},{words.one('thing')},{words.price()}" for i in range(hand.rng.randint(2, 30)))
        return "id,item,price\n" + "\n".join(rows) + "\n"
    return hand.text() + ("\n" if hand.chance(0.6) else "")


GOALS = (
    (2.0, look_around),
    (3.0, write_and_change),
    (1.5, edit_given),
    (1.5, folders),
    (1.2, search),
    (1.0, many),
    (1.0, refused),
    (0.3, media),
)
