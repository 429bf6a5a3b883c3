"""Shell scripts: written, made to run, mended; and those that were found here."""

import re

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.moves.coding import drawn, sed
from worldline.collect.explorers.terminal.moves.edit import document
from worldline.collect.explorers.terminal.moves.look import check, peek


def write(desk: Desk) -> Script:
    """Write a script, try to run it, make it executable, run it with arguments."""
    rng, words = desk.rng, desk.words
    text, bad, good = drawn(desk, "scripts.sh.txt")
    name = desk.fresh("sh")
    path = desk.here(name)
    yield desk.do(document(name, text.split("\n"), desk.marker()), why=f"write {name}")
    desk.wrote(name, text.split("\n"))
    if rng.random() < 0.4:
        yield desk.do(f"./{name}", why="run it")
    yield desk.do(
        rng.choice(
            (
                f"chmod +x {name} && ./{name}",
                f"chmod 755 {name}; ./{name} {words.noun()}",
                f"bash {name} {words.noun()} {rng.randint(2, 9)}",
            )
        ),
        why="make it run",
    )
    if bad:
        yield desk.do(f"sed -i 's|{sed(bad)}|{sed(good)}|' {name}", why="mend it")
        desk.made[path] = text.replace(bad, good, 1).split("\n")
    use = rng.choice((words.noun(), str(rng.randint(2, 99)), "", f"{words.noun()} {words.noun()}"))
    yield desk.do(f'bash {name} {use}; echo "code $?"', why="run it again")
    if rng.random() < 0.3:
        yield from check(desk, path)


def broken(desk: Desk) -> Script:
    """A script that does not even parse: see where, mend it."""
    rng, words = desk.rng, desk.words
    name, word, count = desk.fresh("sh"), words.noun(), rng.randint(2, 9)
    bodies = (
        ([f"for i in $(seq {count}); do", f'  echo "{word} $i"'], "done"),
        ([f"if [ -d {word} ]; then", f"  echo {word}", "else", f"  echo no {word}"], "fi"),
        ([f"while read -r line; do echo \"{word}: $line\""], f"done <<< '{words.noun()}'"),
        ([f"{word}() {{", f"  echo {words.noun()} $1"], "}; " + f"{word} {count}"),
        ([f"case {word} in", f"  {word[0]}*) echo starts ;;", "  *) echo not ;;"], "esac"),
        ([f'echo "{words.sentence()}'], '"'),
        ([f"x=$(( {count} * {rng.randint(2, 99)}", ], "))"),
    )  # fmt: skip
    lines, end = rng.choice(bodies)
    lines = ["#!/bin/bash", f"# {words.sentence()}", *lines]
    yield desk.do(document(name, lines, desk.marker()), why=f"write {name}")
    desk.wrote(name, lines)
    yield desk.do(rng.choice((f"bash {name}", f"bash -n {name}", f"sh {name}")), why="run it")
    yield desk.do(f"echo '{end}' >> {name} && bash {name}", why="add what is missing")
    desk.made[desk.here(name)] = [*lines, end]
    if rng.random() < 0.4:
        yield from check(desk, desk.here(name))


def run(desk: Desk) -> Script:
    """Read a script that was found here, run it, follow what it complains of."""
    path = desk.pick(".sh")
    if path is None:
        yield from write(desk)
        return
    rng, name = desk.rng, desk.at(path)
    yield from peek(desk, path)
    seen = yield desk.do(f"bash -n {name}", why=f"check {name} before running it")
    line = re.findall(r"line (\d+)", seen.text)
    if line:
        at = int(line[-1])
        yield desk.do(
            f"tail -n {rng.randint(2, 6)} {name}; sed -n '{max(1, at - 1)},{at}p' {name}",
            why="see the place",
        )
        return
    if "read -rp" in " ".join(desk.files.get(path, [])):
        given = f"{desk.words.noun()}\\n{rng.choice((rng.randint(1, 6), 'many'))}\\n"
        yield desk.do(
            f"printf '{given}' | bash {name}; echo \"code $?\"", why="answer its questions"
        )
        return
    word = rng.choice((desk.words.noun(), desk.seen_word(path) or "", str(rng.randint(1, 5))))
    seen = yield desk.do(f'bash {name} {word}; echo "code $?"', why=f"run {name}", wait=1.5)
    found = re.search(r"line (\d+): (\w+): command not found", seen.text)
    if found:
        yield desk.do(
            f"sed -i '{found[1]}s/{found[2]}/echo/' {name} && bash {name} 2>&1 | tail -n 4",
            why=f"mend line {found[1]}",
        )
