"""The shell's own state: variables, folders, shortcuts."""

from worldline.collect.explorers.terminal.acts import Script
from worldline.collect.explorers.terminal.desk import Desk


def variables(desk: Desk) -> Script:
    """Set variables, use them, change them."""
    rng, words = desk.rng, desk.words
    name = f"{words.noun()}_{words.one('fields')}"
    name = name.upper() if rng.random() < 0.6 else name
    value = rng.choice(
        (words.slug(), str(rng.randint(1, 9999)), f"/srv/{words.noun()}", words.noun())
    )
    export = rng.choice(("export ", "", "export "))
    yield desk.do(f"{export}{name}={value}", f'echo "${name}"', why=f"set {name} and check it")
    desk.vars[name] = value
    other, kept = rng.choice(list(desk.vars.items()))
    uses = (
        f'echo "${{{name}}}-{words.noun()}"',
        f'echo "${other} ${name}"',
        f"echo {words.noun()} ${name} ${other}",
        f'echo "{words.noun()}: ${{{other}}}"',
        f'[ "${name}" = "{kept}" ] && echo same || echo different',
        f"printf '%s=%s\\n' {name} \"${name}\"",
        f'printenv {name}; echo "code $?"',
        f"bash -c 'echo \"child: ${name}\"'",
        f"env | grep ^{name}",
        f'echo "${{#{name}}} ${{{name}:0:3}} ${{{name}%?}}"',
        f'echo "${name}" >> {desk.fresh("env")} && cat *.env',
    )
    for line in rng.sample(uses, rng.randint(1, 3)):
        yield desk.do(line, why=f"use {name}")
    if rng.random() < 0.4:
        new = words.slug("_")
        yield desk.do(f"{name}={new}", f"echo ${name}", why=f"change {name}")
        desk.vars[name] = new
    elif rng.random() < 0.3:
        yield desk.do(f"unset {name}", f'echo "[${name}]"', why=f"drop {name}")
        desk.vars.pop(name, None)


def walk(desk: Desk) -> Script:
    """Go through folders and say where it is."""
    rng = desk.rng
    for _ in range(rng.randint(1, 3)):
        folder = desk.folder()
        if folder is None:
            deep = f"{desk.fresh('')}/{desk.words.noun()}"
            yield desk.do(f"mkdir -p {deep}", f"ls {deep.partition('/')[0]}", why=f"make {deep}")
            folder = desk.here(deep)
            desk.folders |= {folder, folder.rpartition("/")[0]}
        where = desk.at(folder)
        seen = yield desk.do(f"cd {where}", "pwd", why=f"go to {where}")
        if "No such file" in seen.text or "Not a directory" in seen.text:
            desk.folders.discard(folder)
            continue
        desk.went(folder)
        if rng.random() < 0.5:
            seen = yield desk.do(
                rng.choice(("ls", "ls -p", "ls -t | head -n 5")), why="see what is here"
            )
            desk.listed(folder, seen.text)
    if rng.random() < 0.6 and desk.cwd:
        yield desk.do(rng.choice(("cd", "cd ~")), "pwd", why="go home")
        desk.went("")
    elif desk.cwd:
        yield desk.do("cd ..", 'echo "$PWD"', why="go up")
        desk.went(desk.cwd.rpartition("/")[0])


def aliases(desk: Desk) -> Script:
    """Make shortcuts and functions, use them."""
    rng, words = desk.rng, desk.words
    name, word, number = words.noun(), words.noun(), rng.randint(2, 9)
    if rng.random() < 0.5:
        body = rng.choice(
            (f"echo {word}", "ls -1", "wc -l", f"seq {number} |", "date -d 2016-02-29 +")
        )
        yield desk.do(f"alias {name}='{body}'", why=f"make a shortcut {name}")
        yield desk.do(
            f"{name} {rng.choice(('', word, '*.txt', '%F', 'tail -n 1'))}".strip(), why="use it"
        )
        yield desk.do(
            rng.choice((f"type {name}", f"alias {name}", f"unalias {name}; {name}")), why="see it"
        )
        return
    body = rng.choice((
        f'echo "{word}: $1 of $#"', f'local n=${{1:-{number}}}; echo $((n * {number}))',
        f'for w in "$@"; do echo "{word} $w"; done',
        f'[ -n "$1" ] && return {number}; echo "{word}?"',
    ))  # fmt: skip
    yield desk.do(
        f"{name}() {{ {body}; }}", f"{name} {number} {words.noun()}", why=f"define {name}"
    )
    yield desk.do(f'{name}; echo "code $?"', why="call it without arguments")
    yield desk.do(
        rng.choice((f"declare -f {name}", f"type {name}", f"unset -f {name}; {name}")), why="see it"
    )
