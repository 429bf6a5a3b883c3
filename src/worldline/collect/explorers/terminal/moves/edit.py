"""Writing and changing files."""

import shlex

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.moves.look import check, peek


def document(name: str, lines: list[str], marker: str, *, more: bool = False) -> str:
    """A here-document that writes (or adds) these lines."""
    arrow = ">>" if more else ">"
    return "\n".join([f"cat {arrow} {name} <<'{marker}'", *lines, marker])


def write(desk: Desk) -> Script:
    """Write a file, then usually read it."""
    rng = desk.rng
    name, lines = desk.fresh(), desk.rows()
    text = "\n".join(lines)
    words = " ".join(shlex.quote(line) for line in lines)
    forms = [
        document(name, lines, desk.marker()),
        document(name, lines, desk.marker()),
        f"printf '%s\\n' {words} > {name}",
        f"echo {shlex.quote(text)} > {name}",
        f"printf '%s\\n' {words} | tee {name}",
    ]
    if rng.random() < 0.2:
        lines = lines[:1]
        forms = [
            f"echo {shlex.quote(lines[0])} > {name}",
            f"echo {shlex.quote(lines[0])} | tee {name}",
        ]
    line = rng.choice(forms)
    about = rng.choice((f"write {name}", f"put {len(lines)} lines into {name}", f"make {name}"))
    if not desk.screen and rng.random() < 0.3 and "<<" not in line:
        yield desk.do(f"{line} && {rng.choice(('cat', 'wc -l', 'head -n 2'))} {name}", why=about)
        desk.wrote(name, lines)
    else:
        yield desk.do(line, why=about)
        path = desk.wrote(name, lines)
        yield from check(desk, path)


def append(desk: Desk) -> Script:
    """Add lines to a file of one's own, then look at its end."""
    path = desk.own()
    if path is None:
        yield from write(desk)
        return
    rng, name = desk.rng, desk.at(path)
    lines = desk.rows(1, 3)
    words = " ".join(shlex.quote(line) for line in lines)
    forms = [f"printf '%s\\n' {words} >> {name}", document(name, lines, desk.marker(), more=True)]
    if len(lines) == 1:
        forms += [f"echo {words} >> {name}", f"echo {words} | tee -a {name}"]
    line = rng.choice(forms)
    tail = rng.choice(("", f" && tail -n {rng.randint(1, 4)} {name}", f" && wc -l {name}"))
    yield desk.do(line + ("" if "<<" in line else tail), why=f"add to {name}")
    desk.made[path] = desk.made[path] + lines
    if not tail or rng.random() < 0.4:
        yield from check(desk, path)


def change(desk: Desk) -> Script:
    """Change a file of one's own with sed, then look at it."""
    path = desk.own()
    word = desk.seen_word(path) if path else None
    if path is None or word is None:
        yield from write(desk)
        return
    rng, name, lines = desk.rng, desk.at(path), desk.made[path]
    number, new = rng.randint(1, len(lines)), desk.words.noun()
    before, after = lines[: number - 1], lines[number:]
    flag = rng.choice(("", "g"))
    forms = {
        f"sed -i 's/{word}/{new}/{flag}' {name}": [
            line.replace(word, new, -1 if flag else 1) for line in lines
        ],
        f"sed -i '{number}d' {name}": [*before, *after],
        f"sed -i '{number}a {new} {number}' {name}": ([*lines[:number], f"{new} {number}", *after]),
        f"sed -i '{number}s/.*/{new}/' {name}": [*before, new, *after],
        f"sed -i '/{word}/d' {name}": [line for line in lines if word not in line],
        f"sort -o {name} {name}": sorted(lines),
        f"sed -i '1i # {new}' {name}": [f"# {new}", *lines],
    }
    line = rng.choice(list(forms))
    if rng.random() < 0.35:
        yield desk.do(f"{line} && cat {name}", why=f"change {name} and read it")
    else:
        yield desk.do(line, why=f"change {name}")
        yield from check(desk, path)
    desk.made[path] = forms[line]
    if not forms[line]:
        del desk.made[path]


def revise(desk: Desk) -> Script:
    """Change a file that was found here: read it, replace a word seen in it, check."""
    path = desk.pick(".txt", ".md", ".cfg", ".ini", ".toml", ".yaml", ".env", ".py")
    if path is None:
        return
    yield from peek(desk, path)
    word = desk.seen_word(path)
    if word is None:
        return
    rng, name, new = desk.rng, desk.at(path), desk.words.noun()
    copy = f"/tmp/{desk.words.slug()}.orig"
    first = rng.choice((f"cp {name} {copy}", f"cp -v {name} {copy}"))
    second = rng.choice(
        (f"sed -i 's/{word}/{new}/' {name}", f"sed -i.bak 's/\\b{word}\\b/{new}/g' {name}",
         f"python3 -c 'import sys; p = sys.argv[1]; t = open(p).read(); "
         f'open(p, "w").write(t.replace("{word}", "{new}"))\' {name}',
         f"awk '{{gsub(/{word}/, \"{new}\")}} 1' {copy} > {name}")
    )  # fmt: skip
    yield desk.do(first, second, why=f"put {new} in place of {word}, keeping a copy")
    third = rng.choice(
        (
            f"diff {copy} {name}",
            f"grep -n {new} {name}",
            f"diff -u {copy} {name} | tail -n 8 | cut -c1-70",
        )
    )
    yield desk.do(third, why="check what changed")


def settle(desk: Desk) -> Script:
    """Make a folder, go there, write something, see the result, come back."""
    rng = desk.rng
    folder, before = desk.fresh(""), desk.cwd
    deep = folder if rng.random() < 0.6 else f"{folder}/{desk.words.noun()}"
    where = desk.here(deep)
    yield desk.do(f"mkdir -p {deep} && cd {deep}", "pwd", why=f"work in {deep}")
    desk.folders.add(where)
    desk.went(where)
    names = [desk.fresh() for _ in range(rng.randint(1, 3))]
    for name in names:
        lines = desk.rows(1, 4)
        yield desk.do(document(name, lines, desk.marker()), why=f"write {name}")
        desk.wrote(name, lines)
    yield desk.do(rng.choice(("ls", "ls -1", "ls -A", "ls | wc -l")), why="see what is there now")
    yield from check(desk, desk.here(rng.choice(names)))
    line, back = rng.choice(
        (
            ("cd - > /dev/null; pwd", before),
            ("cd ~ && pwd", ""),
            ("cd ..; pwd", where.rpartition("/")[0]),
        )
    )
    yield desk.do(line, why="come back")
    desk.went(back)


def rename(desk: Desk) -> Script:
    """Copy, move or remove a file of one's own, then check."""
    path = desk.own()
    if path is None:
        yield from write(desk)
        return
    rng, name, new = desk.rng, desk.at(path), desk.fresh()
    lines = desk.made[path]
    if rng.random() < 0.4:
        yield desk.do(f"cp {name} {new}", why=f"keep a copy as {new}")
        yield from check(desk, desk.wrote(new, lines))
    elif rng.random() < 0.7:
        yield desk.do(f"mv {name} {new}", why=f"call it {new}")
        desk.gone(path)
        yield from check(desk, desk.wrote(new, lines))
    else:
        yield desk.do(f"rm {name}", why=f"remove {name}")
        desk.gone(path)
        yield desk.do(
            rng.choice((f"cat {name}", f"ls {name}", f"wc -l {name}")), why="make sure it is gone"
        )


def replace(desk: Desk) -> Script:
    """Edit by a Python script from a here-document."""
    path = desk.own()
    if path is None or (word := desk.seen_word(path)) is None:
        yield from write(desk)
        return
    new, name = desk.words.slug(" "), desk.at(path)
    script = [
        "from pathlib import Path",
        f'place = Path("{desk.plain(path)}")',
        f'text = place.read_text().replace("{word}", "{new}")',
        f"place.write_text(text{desk.rng.choice(('', '.upper()', ' + text[:20]'))})",
        f'print(len(text), "characters, {desk.words.noun()}")',
    ]
    marker = desk.marker()
    yield desk.do(
        "\n".join([f"python3 - <<'{marker}'", *script, marker]), why=f"edit {name} by a script"
    )
    del desk.made[path]
    yield desk.do(f"cat {name}", why="check the result")
