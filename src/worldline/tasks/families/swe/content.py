"""Families about files that only one session has: what they hold is told nowhere else."""

import random
from typing import Any

from worldline.environments.swe.repos import repos
from worldline.tasks.families.swe.making import (
    MORE,
    NOUNS,
    answers,
    fails,
    succeeds,
    task,
    told,
)
from worldline.tasks.task import Check, Probe, Task

BASH = "bash-returncode"


def tasks() -> list[Task]:
    """All of them."""
    found: list[Task] = []
    for make, many in ((printed, 5), (which, 5), (constant, 5), (rename, 4), (pin, 4), (add, 4)):
        found += [make(n, random.Random(f"swe:{make.__name__}:{n}")) for n in range(1, many + 1)]
    return found


def _repo(rng: random.Random) -> str:
    return rng.choice([one.name for one in repos().values() if not one.held_out])


def _options(repo: str, **files: str) -> dict[str, Any]:
    return {"repo": repo, "bug": "none", "files": dict(files)}


def printed(number: int, rng: random.Random) -> Task:
    """What a function of an unknown module returns."""
    repo, noun = _repo(rng), rng.choice(NOUNS)
    a, b, c = rng.randint(11, 97), rng.randint(101, 997), rng.randint(3, 9)
    given = rng.randint(1_000, 9_999)
    path, name = f"tools/{noun}_{number}.py", f"weigh_{noun}"
    body = (
        f'"""How a {noun} is weighed."""\n\n\nSCALE = {a}\nLIMIT = {b}\n\n\n'
        f"def {name}(amount):\n    for _ in range({c}):\n"
        f"        amount = (amount * SCALE + {c}) % LIMIT\n    return amount\n"
    )
    value = given
    for _ in range(c):
        value = (value * a + c) % b
    code = f"import runpy; print('is', runpy.run_path('{path}')['{name}']({given}))"
    return task(
        "printed",
        number,
        "train",
        told("printed", repo=repo, path=path, name=name, given=given),
        [f"cat {path}", f'python -c "{code}"', r"{{2:is (\d+)}}"],
        [answers(rf"(?:^|\D){value}(?:\D|$)")],
        options=_options(repo, **{path: body}),
        kind="answer",
    )


def which(number: int, rng: random.Random) -> Task:
    """Which of many functions returns a number."""
    repo, noun = _repo(rng), rng.choice(MORE)
    path = f"tables/{noun}_{number}.py"
    names = [f"{one}_{noun}" for one in rng.sample(NOUNS, 9)]
    values = rng.sample(range(1_000, 9_999), len(names))
    rows = [f'"""Tables of the {noun}."""']
    for name, value in zip(names, values, strict=True):
        half = rng.randint(1, 900)
        rows += ["", "", f"def {name}():", f"    return {value - half} + {half}"]
    wanted = rng.randrange(len(names))
    code = (
        f"import runpy; m = runpy.run_path('{path}'); "
        f"print([n for n, f in m.items() if n.endswith('_{noun}') and f() == {values[wanted]}])"
    )
    return task(
        "which",
        number,
        "dev",
        told("which", repo=repo, path=path, number=values[wanted]),
        [f'python -c "{code}"', r"{{1:\['(\w+)'\]}}"],
        [answers(rf"\b{names[wanted]}\b")],
        options=_options(repo, **{path: "\n".join(rows) + "\n"}),
        kind="answer",
    )


def constant(number: int, rng: random.Random) -> Task:
    """A value of a settings file becomes a literal of a module."""
    repo, noun = _repo(rng), rng.choice(NOUNS)
    settings, path = f"settings/{noun}.cfg", f"{noun}_setting_{number}.py"
    keys = [f"{noun}_{one}" for one in rng.sample(MORE, 6)]
    values = rng.sample(range(1_000, 99_999), len(keys))
    key = rng.randrange(len(keys))
    name = f"default_{keys[key]}"
    text = "".join(f"{one} = {value}\n" for one, value in zip(keys, values, strict=True))
    held = f"{{{{1:{keys[key]} = (\\d+)}}}}"
    write = f"cat > {path} <<'EOF'\ndef {name}():\n    return {held}\nEOF"
    code = f"import {path[:-3]} as m; print('gives', m.{name}())"
    probe = Probe(
        action=f'rm -rf settings; python -c "{code}"',
        checks=(Check(op="contains", arg={"value": f"gives {values[key]}\n"}),),
    )
    return task(
        "constant",
        number,
        "train",
        told("constant", repo=repo, settings=settings, path=path, name=name, key=keys[key]),
        [f"cat {settings}", write],
        [probe],
        options=_options(repo, **{settings: f"# settings of the {noun}\n{text}"}),
    )


def rename(number: int, rng: random.Random) -> Task:
    """The function that calls no other gets another name."""
    repo, noun = _repo(rng), rng.choice(MORE)
    path, new = f"helpers/{noun}_{number}.py", f"base_{noun}_{number}"
    names = [f"{one}_{noun}" for one in rng.sample(NOUNS, 5)]
    start, steps = rng.randint(100, 999), [rng.randint(2, 60) for _ in names[1:]]
    blocks = [f"def {names[0]}():\n    return {start}\n"]
    total, checks = start, []
    for before, name, more in zip(names, names[1:], steps, strict=False):
        blocks.append(f"def {name}():\n    return {before}() + {more}\n")
        total += more
        checks.append(f"m['{name}']() == {total}")
    order = blocks[1:]
    order.insert(rng.randint(0, len(order)), blocks[0])
    text = f'"""Helpers of the {noun}."""\n\n\n' + "\n\n".join(order)
    code = f"import runpy; m = runpy.run_path('{path}'); "
    find = (
        f"python - <<'EOF'\nimport ast\nfor one in ast.parse(open('{path}').read()).body:\n"
        "    if isinstance(one, ast.FunctionDef) and not any(\n"
        "        isinstance(node, ast.Call) for node in ast.walk(one)\n    ):\n"
        "        print('the function is', one.name)\nEOF"
    )
    held = r"{{1:the function is (\w+)}}"
    probes = [
        succeeds(BASH, f"python -c \"{code}assert m['{new}']() == {start}\""),
        succeeds(BASH, f'python -c "{code}assert {" and ".join(checks)}"'),
        fails(BASH, f"grep -rqw {names[0]} helpers"),
    ]
    return task(
        "rename",
        number,
        "dev",
        told("rename", repo=repo, path=path, name=new),
        [find, f"sed -i 's/\\b{held}\\b/{new}/g' {path}", f"cat {path}"],
        probes,
        options=_options(repo, **{path: text}),
    )


def pin(number: int, rng: random.Random) -> Task:
    """A test that holds a function to what it returns now."""
    repo, noun = _repo(rng), rng.choice(NOUNS)
    path, test = f"{noun}_quota_{number}.py", f"test_{noun}_quota_{number}.py"
    a, b, given = rng.randint(11, 97), rng.randint(101, 997), rng.randint(1_000, 9_999)
    function = f"{noun}_quota"
    text = (
        f'"""Quota of the {noun}."""\n\n\ndef {function}(amount):\n    return amount * {a} % {b}\n'
    )
    module = path[:-3]
    show = f"python -c \"import {module} as m; print('now', m.{function}({given}))\""
    held = r"{{1:now (\d+)}}"
    write = (
        f"cat > {test} <<'EOF'\nfrom {module} import {function}\n\n\n"
        f"def test_{function}():\n    assert {function}({given}) == {held}\nEOF"
    )
    spoil = f"sed -i 's/% {b}/% {b} + 1/' {path}; python -m pytest -q {test}"
    probes = [succeeds(BASH, f"python -m pytest -q {test}"), fails(BASH, spoil)]
    return task(
        "pin",
        number,
        "test",
        told("pin", repo=repo, path=path, function=function, test=test, given=given),
        [show, write, f"python -m pytest -q {test}"],
        probes,
        options=_options(repo, **{path: text}),
    )


def add(number: int, rng: random.Random) -> Task:
    """A module with a function that is described in words; nothing has to be seen for it."""
    repo, noun = _repo(rng), rng.choice(MORE)
    a, b = rng.randint(2, 9), rng.randint(2, 40)
    path, name = f"extra_{noun}_{number}.py", f"pick_{noun}"
    given = [rng.randint(1, 99) for _ in range(6)]
    what, body, rule = rng.choice(
        [
            (
                f"those of them that are greater than {b}, each times {a}, in their order",
                f"[one * {a} for one in items if one > {b}]",
                lambda v: [one * a for one in v if one > b],
            ),
            (
                f"the sum of their remainders on division by {a}, plus {b}",
                f"sum(one % {a} for one in items) + {b}",
                lambda v: sum(one % a for one in v) + b,
            ),
        ]
    )
    other = [rng.randint(1, 99) for _ in range(8)]
    code = f"import {path[:-3]} as m; assert m.{name}({other}) == {rule(other)}"
    write = f"cat > {path} <<'EOF'\ndef {name}(items):\n    return {body}\nEOF"
    return task(
        "add",
        number,
        "train",
        told("add", repo=repo, path=path, name=name, what=what, given=given, expected=rule(given)),
        [write, f"git add {path} && git commit -q -m 'Add {name}'"],
        [
            succeeds(BASH, f'python -c "{code}"'),
            succeeds(BASH, f'test -z "$(git status --porcelain)" && git cat-file -e HEAD:{path}'),
        ],
        options={"repo": repo, "bug": "none"},
        unseen=False,
        difficulty="easy",
    )
