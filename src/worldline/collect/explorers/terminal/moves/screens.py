"""Programs that draw the screen, and the shell's own keys."""

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.phrases import Slots

ESCAPE = "Escape"


def pager(desk: Desk) -> Script:
    """Read a file or a manual in a pager."""
    rng = desk.rng
    path = desk.pick()
    if path is None or rng.random() < 0.3:
        slots = Slots(desk)
        line, about = slots.fill("man @prog1@"), slots.fill("the manual of @prog1@")
    elif "git" in desk.memo and rng.random() < 0.5:
        line, about = "git log", "the history"
    else:
        option = rng.choice(("", "", "-N ", "-S ", f"+{rng.randint(2, 30)} ", "-i "))
        line, about = f"less {option}{desk.at(path)}", f"{path} page by page"
    yield desk.type(f"{line}\n", why=f"read {about}", wait=0.6)
    if desk.last.ready:
        return
    word = desk.seen_word() or desk.words.noun()
    number = rng.randint(2, 60)
    typed = [f"/{word}\n", f"?{word}\n", f"&{word}\n", f"{number}g"]
    steps = [" ", *"bGgjkdunN=h", "PageDown", "-N\n", *typed]
    for step in rng.sample(steps, rng.randint(2, 4)):
        yield desk.type(step, why=rng.choice(("go on reading", f"look for {word}", "move on")))
        if desk.last.ready:
            return
    yield desk.type("q", why="leave the pager")


def vim(desk: Desk) -> Script:
    """Write or change a file in vi."""
    rng, words = desk.rng, desk.words
    program = rng.choice(("vi", "vim.tiny", "vi -u NONE", "vim", "view"))
    if desk.made and rng.random() < 0.5:
        path = rng.choice(list(desk.made))
        name = desk.at(path)
        yield desk.type(f"{program} {name}\n", why=f"change {name} in an editor", wait=0.6)
        if desk.last.ready:
            return
        word = desk.seen_word(path) or words.noun()
        other = words.noun()
        edits = (
            f":%s/{word}/{other}/g\n", "dd", "yyp", f"/{word}\n", f"o{words.sentence()}",
            f"ggO# {other}", "Go", "J", "u", f"A {other}", "xp", f":{rng.randint(1, 9)}\n", "3dw",
            ":set number\n",
        )  # fmt: skip
        for edit in rng.sample(edits, rng.randint(1, 3)):
            yield desk.type(edit, ESCAPE, why="edit", wait=0.3)
        del desk.made[path]
    else:
        name, lines = desk.fresh(), desk.rows(2, 5)
        path = desk.here(name)
        yield desk.type(f"{program} {name}\n", why=f"write {name} in an editor", wait=0.6)
        if desk.last.ready:
            return
        yield desk.type("i", "\n".join(lines), why="type the text", wait=0.3)
        yield desk.type(ESCAPE, why="end typing")
        desk.files.setdefault(path, [])
    leave = rng.choice((":wq\n", ":wq\n", ":x\n", "ZZ", ":q\n", ":q!\n", ":w\n"))
    yield desk.type(leave, why="leave the editor", wait=0.3)
    if not desk.last.ready:
        yield desk.type(ESCAPE, ":q!\n", why="leave without saving", wait=0.3)
    yield desk.do(f"cat {desk.at(path)}", why="check the file")


def nano(desk: Desk) -> Script:
    """Write a file in nano."""
    rng, words = desk.rng, desk.words
    name, lines = desk.fresh(), desk.rows(2, 4)
    if desk.made and rng.random() < 0.4:
        path = rng.choice(list(desk.made))
        name = desk.at(path)
        desk.made.pop(path)
    yield desk.type(
        f"nano {rng.choice(('', '', '-l ', '-w '))}{name}\n", why=f"open {name} in nano", wait=0.6
    )
    if desk.last.ready:
        return
    typing = [key for line in lines for key in (line, "Enter")]
    yield desk.type(*typing, why="type the text", wait=0.3)
    extra = rng.choice(("", "C-k", f"C-w{words.noun()}", "C-u", "C-c", "Up"))
    if extra.startswith("C-w"):
        yield desk.type("C-w", f"{words.noun()}\n", why="search")
    elif extra:
        yield desk.type(extra, why="edit a little")
    if rng.random() < 0.7:
        yield desk.type("C-o", "Enter", why="save", wait=0.3)
        yield desk.type("C-x", why="leave nano", wait=0.3)
    else:
        yield desk.type("C-x", rng.choice(("n", "y", "C-c")), why="leave nano", wait=0.3)
        if not desk.last.ready:
            yield desk.type("Enter", why="confirm", wait=0.3)
    if not desk.last.ready:
        yield desk.type("C-x", "n", why="leave nano without saving", wait=0.3)
    yield desk.do(f"cat {name}", why="check the file")


def complete(desk: Desk) -> Script:
    """Completion by the tab key."""
    rng = desk.rng
    path = desk.pick()
    start = desk.plain(path)[: rng.randint(2, 5)] if path else desk.words.noun()[:2]
    program = rng.choice(("cat", "ls", "wc -l", "head -n 2", "file"))
    yield desk.type(f"{program} {start}", "Tab", why="let the shell complete the name")
    if rng.random() < 0.4:
        yield desk.type("Tab", why="see the choices")
    yield desk.type(rng.choice(("Enter", "Enter", "C-u", "C-c")), why="go on")
    if not desk.last.ready:
        yield desk.type("C-c", why="clear the line")


def recall(desk: Desk) -> Script:
    """The history by keys."""
    rng, words = desk.rng, desk.words
    one, two = words.noun(), words.noun()
    yield desk.do(f"echo {one} {rng.randint(1, 99)}", f"echo {two} | rev", why="run two commands")
    other = words.noun()
    ways = (
        ("Up", "Enter"), ("Up", "Up", "Enter"), ("C-r", one[:3], "Enter"), ("!!\n",),
        ("!echo:p\n",), ("Up", "C-a", "time ", "C-c"), ("Up", f" {other}", "Enter"),
        (f"^{two}^{other}^\n",), ("echo !$\n",), ("Up", "BSpace", "BSpace", "Enter"),
        ("Up", "C-u", "pwd\n"), (f"!{other}\n",),
    )  # fmt: skip
    for way in rng.sample(ways, rng.randint(1, 3)):
        yield desk.type(*way, why="take a command from the history", wait=0.3)
    yield desk.do(f"history | tail -n {rng.randint(2, 6)}", why="see the history")


def follow(desk: Desk) -> Script:
    """Watch something that changes."""
    rng, words = desk.rng, desk.words
    log, word = f"/tmp/{words.slug()}.log", words.noun()
    yield desk.do(
        f"(for i in 1 2 3; do echo {word} $i; sleep 0.2; done > {log}) &",
        why="write a log in the background",
    )
    yield desk.type(f"tail -f {log}\n", why="follow it", wait=1.5)
    yield desk.type("", why="wait for more", wait=0.5)
    yield desk.type("C-c", why="stop following", wait=0.3)
    yield desk.do(
        rng.choice((f"wc -l < {log}", f"tail -n {rng.randint(1, 3)} {log}", f"rm {log}; jobs")),
        why="see what came",
    )


def suspend(desk: Desk) -> Script:
    """Stop a program by the keyboard and go on with it."""
    rng, words = desk.rng, desk.words
    path = desk.pick()
    line = rng.choice(
        (
            f"sleep {rng.randint(50, 900)}",
            "python3",
            f"less {desk.at(path)}" if path else "cat",
            "cat",
            "bc -q",
        )
    )
    yield desk.type(f"{line}\n", why="start it", wait=0.4)
    yield desk.type("C-z", why="suspend it", wait=0.3)
    yield desk.do("jobs", f"echo {words.noun()}", why="do something else")
    ways = ("fg\n", "fg %1\n", "kill %1\n", "%1\n", *["bg\n"] * line.startswith("sleep"))
    yield desk.type(rng.choice(ways), why="go back to it", wait=0.4)
    if not desk.last.ready:
        yield desk.type("C-c", why="stop it", wait=0.3)
    if not desk.last.ready:
        yield desk.type("C-d" if "less" not in line else "q", why="leave it", wait=0.3)
    yield desk.do("kill -9 %1; wait; jobs", why="leave nothing behind")
