"""Programs that read what is typed: prompts, questions, text from the keyboard."""

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.phrases import rows

FILTERS = (
    "sort", "sort -r", "wc", "uniq -c", "tr a-z A-Z", "rev", "nl", "cat -A", "md5sum", "tac",
    "awk '{print NF}'", "grep -n a", "cut -c1-9", "sed 's/a/A/g'", "base64",
)  # fmt: skip


def repl(desk: Desk) -> Script:
    """A session of Python's prompt."""
    rng, words = desk.rng, desk.words
    start = rng.choice(("python3", "python3 -q", "python3 -i"))
    yield desk.type(f"{start}\n", why="open a Python prompt", wait=0.5)
    name, number = words.noun(), str(rng.randint(2, 99))
    first = f"{name} = {number}"
    for line in [first, *rows(desk, "python", 2, 5, noun1=name, num1=number)]:
        why = rng.choice((f"try {line}", "see what this gives", "compute it"))
        yield desk.type(f"{line}\n", why=why)
    if rng.random() < 0.5:
        call = words.ident()
        body = f"    return x * {rng.randint(2, 30)} - {rng.randint(1, 9)}\n"
        keys = (f"def {call}(x):\n", body, "\n", f"{call}({number})\n")
        yield desk.type(*keys, why=f"define {call} and call it")
    if rng.random() < 0.3:
        loop = f"for i in range({rng.randint(2, 5)}):\n    print(i, '{words.noun()}')\n\n"
        yield desk.type(loop, why="run a loop")
    leave = rng.choice(("exit()\n", "C-d", "quit()\n", "exit\n"))
    yield desk.type(leave, why="leave Python", wait=0.4)


def calculator(desk: Desk) -> Script:
    """bc as a calculator."""
    start = desk.rng.choice(("bc -q", "bc -ql", "bc"))
    yield desk.type(f"{start}\n", why="open a calculator", wait=0.3)
    for line in rows(desk, "bc", 2, 5):
        yield desk.type(f"{line}\n", why=f"work out {line}")
    yield desk.type(desk.rng.choice(("quit\n", "C-d")), why="leave the calculator")


def database(desk: Desk) -> Script:
    """SQLite's own prompt."""
    rng, words = desk.rng, desk.words
    table, field = words.noun(), words.one("fields")
    start = rng.choice(("sqlite3", f"sqlite3 {desk.fresh('db')}"))
    yield desk.type(f"{start}\n", why="open a database", wait=0.4)
    yield desk.type(f"CREATE TABLE {table} (name TEXT, {field} INTEGER);\n", why="make a table")
    for _ in range(rng.randint(1, 2)):
        pairs = ", ".join(f"('{words.noun()}', {rng.randint(1, 900)})" for _ in range(2))
        yield desk.type(f"INSERT INTO {table} VALUES {pairs};\n", why="add rows")
    for line in rows(desk, "sqlite", 2, 4, table=table, field=field):
        yield desk.type(f"{line}\n", why="ask the database")
    if "...>" in desk.last.screen.rstrip().rsplit("\n", 1)[-1]:
        yield desk.type(";\n", why="end the statement")
    leave = rng.choice((".quit\n", "C-d", ".exit\n"))
    yield desk.type(leave, why="leave the database")


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
        program = rng.choice(FILTERS)
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
    rng = desk.rng
    for line in rows(desk, "slow", 1, 1):
        yield desk.type(f"{line}\n", why="start it", wait=0.5)
    if rng.random() < 0.3 and not desk.last.ready:
        yield desk.type("", why="wait a little", wait=0.5)
    if not desk.last.ready:
        yield desk.type(rng.choice(("C-c", "C-c", "C-d", "C-\\")), why="stop it", wait=0.3)
    if desk.last.ready:
        yield desk.do(f'echo "{desk.words.noun()} code $?"', why="see its code")
