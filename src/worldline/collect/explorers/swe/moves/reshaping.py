"""Episodes that change code without changing what it does."""

import re

from worldline.collect.explorers.swe import words
from worldline.collect.explorers.swe.desk import Desk
from worldline.collect.explorers.swe.hands import Found, Step
from worldline.collect.explorers.swe.moves.reading import function_name


def rename(desk: Desk) -> Step[None]:
    """Give a function another name, miss a place perhaps, find it, run the tests."""
    rng, hands, source = desk.rng, desk.hands, desk.unit.source
    yield from desk.look_around(rng.randint(1, 3))
    found = yield from hands.search("def ", source)
    names = [(one, function_name(one.text)) for one in found]
    some = [(one, name) for one, name in names if len(name) > 4 and not name.startswith("__")]
    if not some:
        return
    one, name = rng.choice(some)
    new = rng.choice(
        [f"{name}_{words.noun(rng)}", words.action(rng), f"_{name}{rng.randint(2, 9)}"]
    )
    yield from desk.around(source, one.line)
    yield from desk.again(source)
    uses = yield from hands.search(name, ".")
    yield from _one_by_one(desk, one, name, new)
    yield from desk.test(desk.test_file())
    files = sorted({use.path for use in uses if use.path.endswith(".py")})
    if rng.random() < 0.3:
        yield from hands.blunder(source)
    swap = f"s/\\b{re.escape(name)}\\b/{new}/g"
    if rng.random() < 0.5 and 0 < len(files) < 12:
        yield from hands.run(f"sed -i '{swap}' {' '.join(files)}", "rename")
    else:
        yield from hands.run(
            f"grep -rlw {name} --include='*.py' . | xargs sed -i '{swap}'", "rename"
        )
    yield from hands.run(
        f"grep -rnw '{name}' --include='*.py' . | head -n {rng.randint(3, 9)}", "check"
    )
    yield from hands.run(f"sed -n '{one.line}p' {hands.named(source)}", "check the edit")
    yield from hands.run("git diff --stat", "look at the change")
    ran = yield from desk.test(desk.test_file())
    if not ran.well and rng.random() < 0.5:
        yield from hands.run(
            rng.choice(["git checkout .", "git restore .", "git stash"]), "take back"
        )
        yield from desk.around(source, one.line)
        return
    yield from desk.commit(f"Rename {name} to {new}")


def _one_by_one(desk: Desk, one: Found, name: str, new: str) -> Step[None]:
    """The definition first; what uses it is broken for now."""
    text = desk.hands.seen.get(one.path, {}).get(one.line)
    if text is None:
        return
    yield from desk.hands.edit_line(one.path, one.line, text, text.replace(name, new, 1))
    yield from desk.after(one.path, one.line)
