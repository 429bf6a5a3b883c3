"""Python work: write, run, read the traceback, fix, run again."""

import re
from functools import cache
from importlib.resources import files

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.moves.edit import document
from worldline.collect.explorers.terminal.moves.look import peek
from worldline.collect.explorers.terminal.phrases import Slots

CASTS = ("float", "float", "int", "len")
REPORTS = (
    '    print(f"{name:<20} {sum(values):10.2f}")',
    "    print(name, len(values), max(values))",
    '    print(name, round(sum(values) / len(values), 2), sep="\\t")',
)


@cache
def snippets(name: str) -> tuple[tuple[str, str, str], ...]:
    """Programs of a file in `templates`: (text, what to replace to mend it, by what)."""
    place = files(__name__.rpartition(".moves")[0]).joinpath("templates", name)
    found = []
    for part in place.read_text(encoding="utf-8").split("\n====\n"):
        head, _, text = part.partition("\n")
        bad, _, good = head.removeprefix("#fix ").partition(" => ")
        found.append((text.strip("\n"), bad, good))
    return tuple(found)


def drawn(desk: Desk, name: str) -> tuple[str, str, str]:
    """One of them with its slots filled."""
    text, bad, good = desk.rng.choice(snippets(name))
    slots = Slots(desk)
    return slots.fill(text), slots.fill(bad), slots.fill(good)


def sed(text: str) -> str:
    """A text as part of a sed expression between bars."""
    return re.sub(r"([\\&|.*\[\]^$])", r"\\\1", text).replace("'", "'\\''")


def fix(desk: Desk) -> Script:
    """Write a program with a fault, run it, mend it, run it again."""
    rng = desk.rng
    text, bad, good = drawn(desk, "faulty.py.txt")
    name = desk.fresh("py")
    path = desk.here(name)
    yield desk.do(document(name, text.split("\n"), desk.marker()), why=f"write {name}")
    desk.wrote(name, text.split("\n"))
    run = rng.choice(("python3", "python3", "python3 -u", "/usr/bin/python3"))
    seen = yield desk.do(f"{run} {name}", why=f"run {name}", wait=0.5)
    line = re.findall(r"line (\d+)", seen.text)
    if line and rng.random() < 0.6:
        at = int(line[-1])
        yield desk.do(
            rng.choice((f"sed -n '{max(1, at - 2)},{at + 1}p' {name}", f"sed -n {at}p {name}",
                        f"cat -n {name} | sed -n '{at}p'", f"head -n {at} {name} | tail -n 2")),
            why=f"read around line {at}",
        )  # fmt: skip
    if not bad:
        return
    if rng.random() < 0.7:
        yield desk.do(f"sed -i 's|{sed(bad)}|{sed(good)}|' {name}", why="mend it")
    else:
        mended = text.replace(bad, good, 1).split("\n")
        yield desk.do(document(name, mended, desk.marker()), why=f"write {name} again, mended")
    desk.made[path] = text.replace(bad, good, 1).split("\n")
    tail = rng.choice(
        (
            "",
            "",
            '; echo "code $?"',
            " | tail -n 3",
            f" > /tmp/{desk.words.slug()}.out 2>&1; tail -n 2 /tmp/*.out",
        )
    )
    yield desk.do(f"{run} {name}{tail}", why="run it again", wait=0.5)
    if rng.random() < 0.3:
        yield desk.do(
            rng.choice((f"wc -l {name}", f"grep -n def {name}", f"cat {name}")),
            why="look at the final text",
        )


def module(desk: Desk) -> Script:
    """Write a module and a test for it, run the test, look closer."""
    rng, words = desk.rng, desk.words
    name, call = words.ident(), words.ident()
    one, two = rng.randint(2, 40), rng.randint(2, 40)
    body = rng.choice(
        (
            f"return value * {one} + {two}",
            f"return [value] * {one % 7}",
            f"return str(value).zfill({one % 9})",
        )
    )
    lines = [f'"""{words.sentence()}"""', "", "", f"def {call}(value):", f"    {body}"]
    yield desk.do(document(f"{name}.py", lines, desk.marker()), why=f"write the module {name}")
    desk.wrote(f"{name}.py", lines)
    want = rng.choice(
        (str(one * two + two), f"[{two}] * {one % 7}", f"'{two:0{one % 9 or 1}}'", str(one))
    )
    title = f"class {words.noun().title()}Test(unittest.TestCase):"
    test = [
        "import unittest", f"from {name} import {call}", "", title,
        "    def test_value(self):", f"        self.assertEqual({call}({two}), {want})", "",
        "    def test_text(self):", f"        self.assertIsNotNone({call}('{words.noun()}'))",
    ]  # fmt: skip
    yield desk.do(document(f"test_{name}.py", test, desk.marker()), why="write a test")
    desk.wrote(f"test_{name}.py", test)
    flag = rng.choice(("", " -v", " -f"))
    yield desk.do(
        f"python3 -m unittest{flag} test_{name} 2>&1 | grep -v '^Ran'", why="run the test", wait=0.6
    )
    use = rng.choice(
        (
            f"print({call}({one}), {call}({two}))",
            f"print({call}('{words.noun()}'))",
            f"{call}()",
            f"help({call})",
        )
    )
    yield desk.do(f'python3 -c "from {name} import {call}; {use}"', why="try it by hand", wait=0.4)


def table(desk: Desk) -> Script:
    """Read a table's header, then count or add up by a script."""
    path = desk.pick(".csv")
    if path is None:
        yield from fix(desk)
        return
    yield from peek(desk, path)
    header = (desk.files.get(path) or [""])[0].lstrip("\ufeff").split(",")
    if len(header) < 3:
        return
    rng, name = desk.rng, desk.fresh("py")
    key, value = rng.choice(header), rng.choice(header[1:])
    lines = [
        "import csv", "from collections import defaultdict", "", "groups = defaultdict(list)",
        f'with open("{desk.plain(path)}") as source:', "    for row in csv.DictReader(source):",
        f'        groups[row["{key}"]].append({rng.choice(CASTS)}(row["{value}"]))',
        f"for name, values in sorted(groups.items())[:{rng.randint(3, 12)}]:",
        rng.choice(REPORTS),
    ]  # fmt: skip
    yield desk.do(document(name, lines, desk.marker()), why=f"group {value} by {key}")
    desk.wrote(name, lines)
    seen = yield desk.do(f"python3 {name}", why="run it", wait=0.5)
    if "ValueError" in seen.text or "TypeError" in seen.text:
        other = rng.choice(("len", "str"))
        yield desk.do(
            f"sed -i 's/append([a-z]*(/append({other}(/' {name} && python3 {name} | tail -n 4",
            why="take it as text",
            wait=0.5,
        )
    elif rng.random() < 0.5:
        yield desk.do(
            f"python3 {name} | sort -k2 -n | tail -n {rng.randint(1, 5)}",
            why="see the largest",
            wait=0.5,
        )


def grow(desk: Desk) -> Script:
    """Run a program that was found here, read what it says, look into it."""
    path = desk.pick(".py")
    if path is None:
        return
    rng, name = desk.rng, desk.at(path)
    seen = yield desk.do(f"python3 {name}", why=f"run {name}", wait=0.5)
    if not seen.ready:
        return
    line = re.findall(r"line (\d+)", seen.text)
    number = int(line[-1]) if line else rng.randint(5, 20)
    seen = yield desk.do(
        f"sed -n '{max(1, number - rng.randint(2, 8))},{number + rng.randint(0, 6)}p' {name}",
        why="read the place",
    )
    desk.sampled(path, seen.text)
    word = desk.seen_word(path)
    if word:
        yield desk.do(
            f"grep -n {word} {name} | cut -c1-{rng.randint(50, 90)}",
            why=f"see where {word} is used",
        )
