"""Episodes that make something new: a function, tests, a script."""

import random

from worldline.collect.explorers.swe import words
from worldline.collect.explorers.swe.desk import Desk
from worldline.collect.explorers.swe.hands import Step
from worldline.collect.explorers.swe.moves.reading import module_of


class Helper:
    """A small function that works, a version of it that does not, and what it gives."""

    def __init__(self, rng: random.Random) -> None:
        self.name = words.action(rng)
        a, b = rng.randint(2, 9), rng.randint(1, 20)
        self.values = [rng.randint(-20, 60) for _ in range(rng.randint(3, 7))]
        bodies = [
            (
                f"[value * {a} for value in items if value > {b}]",
                "list",
                lambda v: [x * a for x in v if x > b],
            ),
            (
                f"sum(value % {a} for value in items) + {b}",
                "int",
                lambda v: sum(x % a for x in v) + b,
            ),
            (
                f"sorted(items, key=lambda value: (value % {a}, value))",
                "list",
                lambda v: sorted(v, key=lambda x: (x % a, x)),
            ),
            (
                f"[items[at : at + {a}] for at in range(0, len(items), {a})]",
                "list",
                lambda v: [v[i : i + a] for i in range(0, len(v), a)],
            ),
            (
                f"max(items, default={b}) - min(items, default={a})",
                "int",
                lambda v: max(v, default=b) - min(v, default=a),
            ),
            (
                f"{{value: value // {a} for value in items}}",
                "dict",
                lambda v: {x: x // a for x in v},
            ),
            (
                f"[value for value in items if value % {a} != {b % a}]",
                "list",
                lambda v: [x for x in v if x % a != b % a],
            ),
        ]
        self.body, self.returns, rule = rng.choice(bodies)
        self.expected = rule(self.values)
        self.flawed = rng.choice(
            [
                f"list({self.body})[:-1]",
                f"{self.body.replace('items', 'item', 1)}",
                f"not {self.body}",
            ]
        )

    def lines(self, body: str, note: str) -> list[str]:
        """The function."""
        head = f"def {self.name}(items: list[int]) -> {self.returns}:"
        return [head, f'    """{note}"""', f"    return {body}"]


def add_function(desk: Desk) -> Step[None]:
    """A function at the end of a module, wrong at first perhaps, with a test; then committed."""
    rng, hands, source = desk.rng, desk.hands, desk.unit.source
    helper = Helper(rng)
    yield from desk.look_around(rng.randint(1, 3))
    yield from hands.search("^def |^class " if rng.random() < 0.4 else "def ", source)
    yield from hands.run(f"tail -n {rng.randint(3, 25)} {hands.named(source)}", "view")
    flawed = rng.random() < 0.5
    note = f"Used by the {words.noun(rng)}."
    rows = ["", "", *helper.lines(helper.flawed if flawed else helper.body, note)]
    yield from hands.append(source, "\n".join(rows) + "\n")
    yield from hands.run(f"tail -n {rng.randint(3, 8)} {hands.named(source)}", "check the edit")
    module = module_of(desk)
    call = f"from {module} import {helper.name}; print({helper.name}({helper.values}))"
    yield from desk.experiment(call)
    path = f"test_{helper.name}.py"
    yield from hands.write(path, _test(module, helper))
    if rng.random() < 0.7:
        yield from hands.run(f"cat {hands.named(path)}", "check the edit")
    ran = yield from desk.test(path)
    if flawed or not ran.well:
        found = yield from hands.search(helper.name, source)
        at = max((one.line for one in found), default=0)
        if at:
            yield from hands.view(source, at, at + 3)
            old = f"    return {helper.flawed if flawed else helper.body}"
            yield from hands.edit_line(source, at + 2, old, f"    return {helper.body}")
            yield from desk.after(source, at)
        yield from desk.test(path)
    yield from desk.experiment(call)
    yield from desk.commit(f"Add {helper.name}")


def _test(module: str, helper: Helper) -> str:
    rows = (
        f"from {module} import {helper.name}",
        "",
        "",
        f"def test_{helper.name}():",
        f"    assert {helper.name}({helper.values}) == {helper.expected}",
        "",
        "",
        f"def test_{helper.name}_keeps_its_argument():",
        f"    items = {helper.values}",
        f"    {helper.name}(items)",
        f"    assert items == {helper.values}",
    )
    return "\n".join(rows) + "\n"


def write_tests(desk: Desk) -> Step[None]:
    """Tests of a function of the library, with an expectation that is wrong first."""
    rng, hands = desk.rng, desk.hands
    module = module_of(desk)
    yield from desk.look_around(rng.randint(1, 3))
    example = desk.test_file()
    yield from hands.view(example, 1, rng.randint(15, 60))
    yield from desk.again(example)
    path = f"test_{words.word(rng)}_{rng.randint(1, 99)}.py"
    count, wanted = rng.randint(2, 5), rng.randint(1, 400)
    tests = []
    for number in range(count):
        name, least = words.action(rng), rng.randint(0, 12)
        tests.append(f"def test_{name}():\n    assert len(dir(module)) > {least + number}\n")
    tests.append(f"def test_size():\n    assert len(dir(module)) == {wanted}\n")
    head = f'"""{words.word(rng)}: what {module} offers."""\n\nimport {module} as module\n'
    yield from hands.write(path, "\n\n".join([head, *tests]))
    yield from desk.again(path)
    yield from desk.test(path)
    ran = yield from desk.experiment(f"import {module} as module; print(len(dir(module)))")
    right = ran.output.strip().split("\n")[-1]
    if not right.isdecimal():
        return
    found = yield from hands.search("dir(module)) ==", path)
    at = found[-1].line if found else 0
    if at:
        old = f"    assert len(dir(module)) == {wanted}"
        yield from desk.before(path, at)
        yield from hands.edit_line(path, at, old, f"    assert len(dir(module)) == {right}")
        yield from desk.after(path, at)
    yield from desk.test(path)
    yield from desk.test(f"{path}::test_size", terse=True)
    if rng.random() < 0.5:
        yield from hands.run(f"git mv {path} {desk.folder}/ || mv {path} {desk.folder}/", "move")
        yield from desk.test(f"{desk.folder}/{path}")
    yield from desk.commit(f"Tests of {module}")


def write_script(desk: Desk) -> Step[None]:
    """A script beside the library: written, run, its mistakes seen and repaired."""
    rng, hands = desk.rng, desk.hands
    helper, module = Helper(rng), module_of(desk)
    path = f"{words.action(rng)}_{rng.randint(1, 99)}.py"
    yield from desk.look_around(rng.randint(1, 3))
    slips = [
        ("import sys", "import sys, no_such_module_here"),
        ("print(result)", "print(resutl)"),
        (f"{helper.name}(numbers)", f"{helper.name}(numbers, {rng.randint(1, 9)})"),
        ("for word in sys.argv[1:]]", "for word in sys.argv[1:]"),
        ("int(word)", "int(word) / 0"),
    ]
    right = _script(module, helper, words.word(rng))
    old, new = rng.choice(slips)
    broken = right.replace(old, new, 1)
    yield from hands.write(path, broken)
    if rng.random() < 0.7:
        yield from desk.again(path)
    given = " ".join(map(str, helper.values))
    yield from hands.run(f"python {path} {given}", "run")
    if rng.random() < 0.5:
        yield from hands.run(f"python -m py_compile {path} && echo fine", "run")
    rows, wrong = right.split("\n"), broken.split("\n")
    at = next(n for n, (a, b) in enumerate(zip(rows, wrong, strict=True), 1) if a != b)
    yield from hands.view(path, max(at - 3, 1), at + 3)
    yield from hands.edit_line(path, at, wrong[at - 1], rows[at - 1])
    yield from desk.after(path, at)
    if rng.random() < 0.4:
        yield from hands.whole(path)
        yield from hands.run(f"head -n {rng.randint(2, 9)} {hands.named(path)}", "check the edit")
    yield from hands.run(f"python {path} {given}", "run")
    yield from hands.run(f"python {path} {rng.randint(0, 99)} {words.noun(rng)}", "run")
    yield from hands.run(
        f"echo '{given}' | xargs python {path} > out_{rng.randint(1, 99)}.txt; cat out_*.txt", "run"
    )
    if rng.random() < 0.4:
        yield from hands.run(f"time python {path} {rng.randint(1, 9)}", "run")
    yield from hands.run(f"chmod +x {path} && ls -l {path} && ./{path} {given}", "run")
    if rng.random() < 0.5:
        yield from desk.commit(f"Add {path}")
    else:
        yield from hands.run(f"rm -v {path} out_*.txt; git status --short", "tidy up")


def _script(module: str, helper: Helper, label: str) -> str:
    rows = (
        f'"""{label}: numbers given as words."""',
        "",
        "import sys",
        "",
        f"import {module} as library",
        "",
        "",
        *helper.lines(helper.body, f"For {label}."),
        "",
        "",
        "numbers = [int(word) for word in sys.argv[1:]]",
        f"result = {helper.name}(numbers)",
        "print(result)",
        f"print('{label}', len(numbers), library.__name__)",
    )
    return "\n".join(rows) + "\n"
