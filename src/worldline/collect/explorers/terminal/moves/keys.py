"""Programs that hold the screen: started, talked to by keys, left again."""

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.phrases import Slots

ESCAPE = "Escape"


def repl(desk: Desk) -> Script:
    """A session of Python's prompt."""
    rng, words = desk.rng, desk.words
    yield desk.type(
        f"{rng.choice(('python3', 'python3 -q', 'python3 -i'))}\n",
        why="open a Python prompt",
        wait=0.5,
    )
    name, number = words.noun(), rng.randint(2, 99)
    lines = [
        f"{name} = {number}", f"{name} * {rng.randint(2, 20)}", f"print('{words.noun()}', {name})",
        f"[{name} + i for i in range({rng.randint(2, 6)})]", f"'{words.sentence().replace(chr(39), '')}'.split()[:{rng.randint(1, 4)}]",
        f"import math; round(math.sqrt({number}), {rng.randint(1, 5)})", f"{words.noun()}_{number}",
        f"{name} / 0", f"len('{words.slug()}')", f"sorted('{words.noun()}')", f"{{'{words.noun()}': {number}}}['{words.noun()}']",
        f"type({name}).__name__", f"_ if False else '{words.noun()}'.upper()", f"int('{words.noun()}')",
        f"'{words.slug()}'.replace('-', '_')", f"sum(range({number}))", f"hex({number * 7})", f"divmod({number * 9}, {rng.randint(2, 9)})",
    ]  # fmt: skip
    for line in [lines[0], *rng.sample(lines[1:], rng.randint(2, 4))]:
        yield desk.type(
            f"{line}\n", why=rng.choice((f"try {line}", "see what this gives", "compute it"))
        )
    if rng.random() < 0.5:
        call, by = words.ident(), rng.randint(2, 30)
        yield desk.type(
            f"def {call}(x):\n",
            f"    return x * {by} - {rng.randint(1, 9)}\n",
            "\n",
            f"{call}({number})\n",
            why=f"define {call} and call it",
        )
    if rng.random() < 0.3:
        yield desk.type(
            f"for i in range({rng.randint(2, 5)}):\n    print(i, '{words.noun()}')\n\n",
            why="run a loop",
        )
    yield desk.type(
        rng.choice(("exit()\n", "C-d", "quit()\n", "exit\n")), why="leave Python", wait=0.4
    )


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
    steps = [
        " ",
        "b",
        "G",
        "g",
        "j",
        "k",
        "d",
        "u",
        f"/{word}\n",
        "n",
        "N",
        f"{rng.randint(2, 60)}g",
        "=",
        f"?{word}\n",
        "PageDown",
        f"&{word}\n",
        "h",
        "-N\n",
    ]
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
        edits = (
            f":%s/{word}/{words.noun()}/g\n",
            "dd",
            "yyp",
            f"/{word}\n",
            f"o{words.sentence()}",
            f"ggO# {words.noun()}",
            "Go",
            "J",
            "u",
            f"A {words.noun()}",
            "xp",
            f":{rng.randint(1, 9)}\n",
            "3dw",
            ":set number\n",
        )
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


def calculator(desk: Desk) -> Script:
    """bc as a calculator."""
    rng = desk.rng
    yield desk.type(rng.choice(("bc -q\n", "bc -ql\n", "bc\n")), why="open a calculator", wait=0.3)
    forms = (
        f"{rng.randint(10, 999)} * {rng.randint(10, 999)}", f"scale={rng.randint(1, 9)}", f"{rng.randint(100, 9999)} / {rng.randint(3, 70)}",
        f"2 ^ {rng.randint(10, 120)}", f"x = {rng.randint(2, 90)}; x * x", f"sqrt({rng.randint(2, 900)})", f"obase={rng.choice((2, 8, 16))}; {rng.randint(5, 999)}",
        f"{rng.randint(1, 99)} / 0", "define f(n) { if (n < 2) return 1; return n * f(n - 1); }", f"f({rng.randint(3, 25)})", f"{rng.randint(1, 9)} +* 2",
    )  # fmt: skip
    for line in rng.sample(forms, rng.randint(2, 4)):
        yield desk.type(f"{line}\n", why=f"work out {line}")
    yield desk.type(rng.choice(("quit\n", "C-d")), why="leave the calculator")


def typed(desk: Desk) -> Script:
    """Text typed into a program that reads it, line by line."""
    rng, words = desk.rng, desk.words
    name, lines = desk.fresh(), desk.rows(2, 4)
    way = rng.randrange(4)
    if way == 0:
        yield desk.type(
            f"cat > {name}\n", *(f"{line}\n" for line in lines), why=f"type {name} in", wait=0.2
        )
        yield desk.type("C-d", why="end the text")
        yield from _checked(desk, name, lines)
    elif way == 1:
        program = rng.choice(
            (
                "sort",
                "sort -r",
                "wc",
                "uniq -c",
                "tr a-z A-Z",
                "rev",
                "nl",
                "cat -A",
                "md5sum",
                "awk '{print NF}'",
                "grep -n a",
                "tac",
            )
        )
        yield desk.type(f"{program}\n", why="feed a program by hand", wait=0.3)
        yield desk.type(*(f"{line}\n" for line in lines), why="type its input")
        yield desk.type("C-d", why="end the input", wait=0.3)
    elif way == 2:
        marker = desk.marker()
        yield desk.type(f"cat > {name} << {marker}\n", why="begin a here-document")
        for line in lines:
            yield desk.type(f"{line}\n", why="the next line of it")
        yield desk.type(f"{marker}\n", why="end it")
        yield from _checked(desk, name, lines)
    else:
        yield desk.type(f'echo "{words.sentence().replace("!", "")}\n', why="write a sentence")
        yield desk.type(
            rng.choice((f'{words.noun()}"\n', f"{words.noun()}\n", '"\n')), why="close the quote"
        )
        if not desk.last.ready:
            yield desk.type("C-c", why="give it up")


def _checked(desk: Desk, name: str, lines: list[str]) -> Script:
    if desk.last.ready:
        desk.wrote(name, lines)
        yield desk.do(
            desk.rng.choice((f"cat {name}", f"wc -l {name}", f"cat -n {name}")), why="check it"
        )


def asks(desk: Desk) -> Script:
    """A script that asks questions."""
    rng, words = desk.rng, desk.words
    name, one, two = desk.fresh("sh"), words.noun(), words.noun()
    kind = rng.randrange(4)
    bodies = (
        [
            f'read -p "{one}? " a',
            f'read -p "how many {two}s? " n',
            'for ((i = 1; i <= n; i++)); do echo "$a $i"; done',
        ],
        [
            f'PS3="which {one}? "',
            f"select x in {' '.join(words.some('nouns', 3))} quit; do",
            '  echo "you took $x"; [ "$x" = quit ] && break',
            "done",
        ],
        [
            f'read -sp "word for {one}: " w; echo',
            '[ ${#w} -ge 6 ] && echo "long enough" || { echo "too short" >&2; exit 3; }',
        ],
        [
            f'while read -rp "{one}> " line; do',
            '  case $line in quit) break ;; "") continue ;; *) echo "${line^^} ${#line}" ;; esac',
            "done",
            f'echo "{two} closed"',
        ],
    )
    lines = ["#!/bin/bash", *bodies[kind]]
    text = "\n".join([f"cat > {name} <<'EOF'", *lines, "EOF"])
    yield desk.do(text, why=f"write {name}")
    desk.wrote(name, lines)
    yield desk.type(f"bash {name}\n", why="run it", wait=0.3)
    for _ in range(5):
        if desk.last.ready:
            break
        answer = rng.choice(
            (words.noun(), str(rng.randint(1, 5)), str(rng.randint(1, 4)), "quit", words.slug())
        )
        yield desk.type(f"{answer}\n", why=f"answer {answer}")
    if not desk.last.ready:
        yield desk.type(rng.choice(("C-c", "C-d")), why="end it")
    if rng.random() < 0.5:
        given = "\\n".join((words.noun(), str(rng.randint(1, 3)), "quit"))
        yield desk.do(
            f"printf '{given}\\n' | bash {name}; echo \"code $?\"", why="answer from a pipe"
        )


def interrupt(desk: Desk) -> Script:
    """Start something slow and interrupt it."""
    rng, words = desk.rng, desk.words
    line = rng.choice((
        f"sleep {rng.randint(30, 900)}", "cat", f"while true; do echo {words.noun()}; sleep 0.4; done", f"tail -f {desk.at(desk.pick() or '')}",
        f"python3 -c 'import time; print(\"{words.noun()}\", flush=True); time.sleep({rng.randint(50, 300)})'", f"grep {words.noun()}",
        f"bash -c 'trap \"echo not yet {words.noun()}\" INT; sleep 20; echo {words.noun()}; sleep {rng.randint(20, 90)}'", f"read {words.noun()}",
        f"for i in $(seq {rng.randint(20, 90)}); do printf \"$i \"; sleep 0.2; done", "wc -l", f"python3 -c 'input(\"{words.noun()}: \")'",
    ))  # fmt: skip
    yield desk.type(f"{line}\n", why="start it", wait=0.5)
    if rng.random() < 0.3 and not desk.last.ready:
        yield desk.type("", why="wait a little", wait=0.5)
    if not desk.last.ready:
        yield desk.type(rng.choice(("C-c", "C-c", "C-d", "C-\\")), why="stop it", wait=0.3)
    if desk.last.ready:
        yield desk.do(f'echo "{words.noun()} code $?"', why="see its code")


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
    ways = (("Up", "Enter"), ("Up", "Up", "Enter"), ("C-r", one[:3], "Enter"), ("!!\n",), ("!echo:p\n",), ("Up", "C-a", "time ", "C-c"),
            ("Up", f" {words.noun()}", "Enter"), (f"^{two}^{words.noun()}^\n",), ("echo !$\n",), ("Up", "BSpace", "BSpace", "Enter"), ("Up", "C-u", "pwd\n"), (f"!{words.noun()}\n",))  # fmt: skip
    for way in rng.sample(ways, rng.randint(1, 3)):
        yield desk.type(*way, why="take a command from the history", wait=0.3)
    yield desk.do(f"history | tail -n {rng.randint(2, 6)}", why="see the history")


def follow(desk: Desk) -> Script:
    """Watch something that changes."""
    rng, words = desk.rng, desk.words
    log, word = f"/tmp/{words.slug()}.log", words.noun()
    yield desk.do(
        f"(for i in 1 2 3; do echo {word} $i; sleep 0.3; done > {log}) &",
        why="write a log in the background",
    )
    yield desk.type(f"tail -f {log}\n", why="follow it", wait=1.0)
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
    yield desk.type(
        rng.choice(("fg\n", "fg %1\n", "bg\n", "kill %1\n", "%1\n")), why="go back to it", wait=0.4
    )
    if not desk.last.ready:
        yield desk.type("C-c", why="stop it", wait=0.3)
    if not desk.last.ready:
        yield desk.type("C-d" if "less" not in line else "q", why="leave it", wait=0.3)
    yield desk.do("kill -9 %1; wait; jobs", why="leave nothing behind")


def database(desk: Desk) -> Script:
    """SQLite's own prompt."""
    rng, words = desk.rng, desk.words
    table, field = words.noun(), words.one("fields")
    yield desk.type(
        rng.choice(("sqlite3\n", f"sqlite3 {desk.fresh('db')}\n")), why="open a database", wait=0.4
    )
    yield desk.type(f"CREATE TABLE {table} (name TEXT, {field} INTEGER);\n", why="make a table")
    for _ in range(rng.randint(1, 2)):
        yield desk.type(
            f"INSERT INTO {table} VALUES ('{words.noun()}', {rng.randint(1, 900)}), ('{words.noun()}', {rng.randint(1, 900)});\n",
            why="add rows",
        )
    lines = (".tables\n", ".mode box\n", f"SELECT * FROM {table} ORDER BY {field};\n", f"SELECT sum({field})\nFROM {table};\n", ".schema\n", f"SELECT {words.noun()};\n", ".headers on\n", f"UPDATE {table} SET {field} = {field} + {rng.randint(1, 9)} WHERE name < 'm';\n", "SELECT changes();\n", f".{words.noun()}\n", f"SELECT count(*) FROM {table}\n")  # fmt: skip
    for line in rng.sample(lines, rng.randint(2, 4)):
        yield desk.type(line, why="ask the database")
    if "...>" in desk.last.screen.rsplit("\n", 2)[-1]:
        yield desk.type(";\n", why="end the statement")
    yield desk.type(rng.choice((".quit\n", "C-d", ".exit\n")), why="leave the database")
