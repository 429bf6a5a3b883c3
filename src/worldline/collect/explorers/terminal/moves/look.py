"""Looking around, reading, and reading back what was written."""

from worldline.collect.explorers.terminal.acts import Act, Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.phrases import phrase


def survey(desk: Desk) -> Script:
    """Learn what there is."""
    rng = desk.rng
    first = rng.choice(
        ("ls -la", "ls", "ls -lh", "pwd; ls", "ls -F | tr -d '/'", "ls -1A", "ls -l")
    )
    seen = yield desk.do(first, why=rng.choice(("see what is here", "look around first")))
    desk.listed("", seen.text)
    depth, count = rng.randint(2, 5), rng.randint(25, 60)
    second = rng.choice(
        (
            f"find . -type f | head -n {count}",
            f"find . -maxdepth {depth} -type f | sort | head -n {count}",
            f"find . -type f -not -path '*/.git/*' | sort | head -{count}",
            f"find ~ -maxdepth {depth} -type f -not -path '*/.git/*' | head -n {count}",
            f"find . -maxdepth {depth} -not -path '*/.git*' -type f -name '*.*' | tail -n {count}",
        )
    )
    seen = yield desk.do(second, why=rng.choice(("list the files", "see which files there are")))
    desk.found(seen.text)
    for _ in range(rng.randint(1, 3)):
        yield from peek(desk, desk.pick())


def peek(desk: Desk, path: str | None) -> Script:
    """Read some lines of a file, unless they were seen already."""
    if path is None or desk.files.get(path) or path in desk.made:
        return
    rng, name = desk.rng, desk.at(path)
    count = rng.randint(3, 25)
    line = rng.choice(
        (f"head -n {count} {name}", f"head -{count} {name}", f"sed -n '1,{count}p' {name}",
         f"cat {name} | head -n {count}",
         f"cut -c1-{rng.randint(60, 120)} {name} | head -n {count}")
    )  # fmt: skip
    seen = yield desk.do(
        line, why=rng.choice((f"see what {name} holds", f"read the start of {name}"))
    )
    desk.sampled(path, seen.text)


def say(desk: Desk, name: str) -> Script:
    """One to three phrases of a group as one act."""
    rng = desk.rng
    count = rng.choice((1, 1, 1, 2, 2, 3)) if desk.screen else 1
    chosen = [phrase(desk, name) for _ in range(count)]
    slow = any(word in one.line for one in chosen for word in ("sleep", "timeout", "wait"))
    wait = 1.5 if slow else 0.1
    seen = yield Act(tuple(one.line for one in chosen), chosen[0].why, wait)
    if "find" in chosen[0].line and count == 1:
        desk.found(seen.text)


def browse(desk: Desk) -> Script:
    """Go into a folder, look around, read something there."""
    folder = desk.folder()
    if folder is None:
        return
    where = desk.at(folder)
    if desk.chance(0.5):
        seen = yield desk.do(f"cd {where}", "pwd", why=f"go to {where}")
        if "No such file" in seen.text or "Not a directory" in seen.text:
            desk.folders.discard(folder)
            return
        desk.went(folder)
        seen = yield desk.do(desk.rng.choice(("ls", "ls -l", "ls -A")), why="see what is here")
        desk.listed(folder, seen.text)
    else:
        seen = yield desk.do(f"ls -1 {where}", why=f"see what {where} holds")
        desk.listed(folder, seen.text)
    inside = [
        path for path in desk.files if path.startswith(f"{folder}/") and desk.rng.random() < 0.8
    ]
    if inside:
        yield from peek(desk, desk.rng.choice(inside))


def home(desk: Desk) -> Script:
    """Come back to the home."""
    if desk.cwd:
        line = desk.rng.choice(("cd ~", "cd", "cd ~ && pwd", 'cd "$HOME"; pwd', "cd /home/user"))
        yield desk.do(line, why="go back to the home")
        desk.went("")


def readback(desk: Desk) -> Script:
    """Check a file that the explorer wrote itself."""
    path = desk.own()
    if path is not None:
        yield from check(desk, path)


def check(desk: Desk, path: str) -> Script:
    """Read a file of one's own, now and then in two ways."""
    yield from _check(desk, path)
    if desk.chance(0.35):
        yield from _check(desk, path)


def _check(desk: Desk, path: str) -> Script:
    rng, name = desk.rng, desk.at(path)
    lines = desk.made.get(path) or []
    count = len(lines)
    word = desk.seen_word(path) or desk.words.noun()
    one, two = rng.randint(1, max(1, count)), rng.randint(1, max(1, count))
    ways = [
        (f"cat {name}", f"check what {name} holds now"),
        (f"cat {name}", f"verify {name}"),
        (f"wc -l {name}", "count its lines"),
        (f"wc -l < {name}", "count its lines"),
        (f"wc -w {name}", "count its words"),
        (f"wc -c {name}", "count its bytes"),
        (f"head -n {one} {name}", "check its beginning"),
        (f"tail -n {one} {name}", "check its end"),
        (f"tail -n +{one} {name}", f"read it from line {one}"),
        (f"grep -n {word} {name}", f"see where {word} stands"),
        (f"grep -c {word} {name}", f"count lines with {word}"),
        (f"grep -v {word} {name}", f"see the lines without {word}"),
        (f"sed -n '{min(one, two)},{max(one, two)}p' {name}", "read some of its lines"),
        (f"sed -n {one}p {name}", f"read line {one}"),
        (f"cat -n {name}", "read it with numbers"),
        (f"cat {name} | head -n {one} | tail -n 1", f"read line {one}"),
        (f"tac {name}", "read it from the end"),
        (f"rev {name} | head -n {one}", "read it backwards"),
        (f"sort -u {name} | wc -l", "count different lines"),
        (f"uniq -c {name}", "count repeated lines"),
        (f"tr a-z A-Z < {name}", "see it in capitals"),
        (f"cut -d' ' -f{rng.randint(1, 3)} {name}", "see one field"),
        (f"md5sum {name}", "take its checksum"),
        (f"sha256sum {name}", "take its checksum"),
        (f"base64 {name}", "encode it"),
        (f"cp {name} /tmp/{desk.words.noun()}.bak && cat {name}", "keep a copy and read it"),
        (f"test -s {name} && echo '{word} there'", "check that it has content"),
    ]  # fmt: skip
    line, why = rng.choice(ways)
    if desk.screen and rng.random() < 0.25:
        more, _ = rng.choice(ways)
        yield desk.do(line, more, why=why)
    else:
        yield desk.do(line, why=why)
