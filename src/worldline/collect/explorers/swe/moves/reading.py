"""Episodes that only read: how does this code work?"""

from worldline.collect.explorers.swe import words
from worldline.collect.explorers.swe.desk import Desk
from worldline.collect.explorers.swe.hands import Found, Step

_WORDS = ("if", "for", "return", "raise", "self", "else", "while", "assert", "import")


def survey(desk: Desk) -> Step[None]:
    """Outline a file, read some of its functions, see who uses them, try them out."""
    rng, hands, source = desk.rng, desk.hands, desk.unit.source
    yield from desk.look_around(rng.randint(2, 5))
    found = yield from desk.outline(source)
    if not found:
        found = yield from hands.search("def ", source)
    if not found:
        return
    for one in rng.sample(found, min(len(found), rng.randint(2, 4))):
        yield from _read(desk, one)
    if rng.random() < 0.5:
        yield from hands.whole(desk.test_file())
    if rng.random() < 0.3:
        yield from hands.blunder(source)
    yield from _measure(desk, found)
    yield from _notes(desk, found)
    if rng.random() < 0.5:
        yield from desk.test(desk.test_file())


def _read(desk: Desk, one: Found) -> Step[None]:
    rng, hands = desk.rng, desk.hands
    yield from desk.around(one.path, one.line)
    for _ in range(rng.randint(1, 3)):
        yield from desk.again(one.path)
    name = function_name(one.text)
    if rng.random() < 0.6 and name:
        where = rng.choice([".", desk.folder, desk.test_file()])
        yield from hands.search(f"{name}(", where)
    if rng.random() < 0.4 and name:
        module = module_of(desk)
        code = rng.choice(
            [
                f"import inspect, {module} as m; print(inspect.signature(m.{name}))",
                f"import {module} as m; print(m.{name}.__doc__)",
                f"import {module} as m; print(len(dir(m)) % {rng.randint(2, 99)})",
                f"import {module} as m; print(m.{name}({rng.randint(-9, 99)}))",
                f"from {module} import {name}; print({name}([{rng.randint(0, 99)}]))",
                f"import {module} as m; print([n for n in dir(m) if len(n) == {len(name)}])",
            ]
        )
        yield from desk.experiment(code)


def _measure(desk: Desk, found: list[Found]) -> Step[None]:
    rng, source = desk.rng, desk.hands.named(desk.unit.source)
    one = rng.choice(found)
    name = function_name(one.text) or "def"
    lines = [
        f"awk 'NR>={one.line} && NR<={one.line + rng.randint(2, 20)}' {source}",
        f"sed -n '{one.line}p;{one.line + rng.randint(1, 9)}p' {source}",
        f"grep -n -A{rng.randint(1, 6)} '{name}' {source} | head -n {rng.randint(5, 40)}",
        f"grep -o 'def [a-z]*' {source} | sort | uniq -c | sort -rn | head -n {rng.randint(3, 20)}",
        f"grep -c '{rng.choice(_WORDS)}' {source}",
        f"tail -n +{one.line} {source} | head -n {rng.randint(2, 20)}",
        f"sed -n '{one.line},{one.line + rng.randint(5, 30)}p' {source} | wc -{rng.choice('lwc')}",
    ]
    for line in rng.sample(lines, rng.randint(2, 4)):
        yield from desk.hands.run(line, "measure")


def _notes(desk: Desk, found: list[Found]) -> Step[None]:
    """Write down what was found, read it again, add to it."""
    rng, hands = desk.rng, desk.hands
    path = f"{words.noun(rng)}_notes_{rng.randint(1, 99)}.md"
    chosen = rng.sample(found, min(len(found), rng.randint(2, 5)))
    rows = [f"# {desk.unit.source}, {words.word(rng)}", ""]
    rows += [f"- line {one.line}: {function_name(one.text) or one.text.strip()}" for one in chosen]
    yield from hands.write(path, "\n".join(rows) + "\n")
    yield from hands.whole(path)
    if rng.random() < 0.6:
        yield from hands.append(path, f"- see also {words.word(rng)}\n")
        yield from hands.run(f"tail -n {rng.randint(1, 4)} {hands.named(path)}", "read notes")
    yield from hands.run(f"wc -l {hands.named(path)}", "read notes")
    if rng.random() < 0.5:
        yield from hands.run(f"rm {hands.named(path)} && git status --short", "tidy up")


def function_name(text: str) -> str:
    """The name in a line that defines a function or class."""
    after = text.strip().removeprefix("async ").partition(" ")[2]
    name = after.partition("(")[0].partition(":")[0].strip()
    return name if name.isidentifier() else ""


def module_of(desk: Desk) -> str:
    """The module of the source file, as it is imported."""
    path = desk.unit.source.removeprefix("src/").removesuffix(".py")
    return path.removesuffix("/__init__").replace("/", ".")
