"""Obstacles and chores: what is not allowed, slips, slow jobs, packing, patching, building."""

import re

from worldline.collect.explorers.terminal.acts import Act, Script
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.moves.edit import document
from worldline.collect.explorers.terminal.phrases import rows


def blocked(desk: Desk) -> Script:
    """Try what is not allowed, then do it another way."""
    for row in rows(desk, "blocked", 1, 1):
        first, _, second = row.partition(" ## ")
        yield desk.do(first, why=f"set {desk.words.noun()} up")
        yield desk.do(second, why="do it within what is allowed")


def typo(desk: Desk) -> Script:
    """Slip, read the complaint, do it right."""
    rng = desk.rng
    path = desk.pick()
    if path is None:
        return
    name, word = desk.at(path), desk.seen_word() or desk.words.noun()
    count = rng.randint(2, 15)
    right = rng.choice((
        f"grep -c {word} {name}", f"head -n {count} {name}", f"sort {name} | head -n {count}",
        f"cut -c1-{count} {name} | head -n 3", f"tail -n {count} {name} | cat -n",
        f"wc -l {name}", f"stat -c %s {name}",
    ))  # fmt: skip
    program, _, rest = right.partition(" ")
    spot = rng.randrange(len(program) - 1)
    swapped = program[:spot] + program[spot + 1] + program[spot] + program[spot + 2 :]
    upper = f"{right} |" if "|" in right else right.upper()  # two complaints come in any order
    wrong = rng.choice((
        f"{swapped} {rest}", right.replace(name, f"{name}x", 1), right.replace(" -", " --", 1),
        right.replace(name, f"{desk.words.noun()}/{name}", 1), upper,
    ))  # fmt: skip
    yield desk.do(wrong, why=f"look into {name}")
    yield desk.do(right, why="do it right")


def hang(desk: Desk) -> Script:
    """Start what does not end by itself, where no keys can be pressed; then see what is left."""
    if desk.screen:
        return
    for line in rows(desk, "hang", 1, 1):
        yield Act((line,), "start it", limit=1.0)
        word = desk.words.noun()
        line = desk.rng.choice((f"echo {word} $?", f"pwd; echo {word}", f"jobs; echo {word}"))
        yield desk.do(line, why="see whether the shell is still there")


def slow(desk: Desk) -> Script:
    """Start a job in the background, look at it, stop it or wait for it."""
    rng, words = desk.rng, desk.words
    name = words.noun()
    if rng.random() < 0.5:
        seconds = rng.randint(20, 900)
        yield desk.do(f"sleep {seconds} &", why=f"start the job {name}")
        yield desk.do(
            rng.choice(
                (
                    "jobs",
                    "jobs -r",
                    f"jobs | grep -c {seconds}",
                    f"pgrep -f 'sleep {seconds}' | wc -l",
                )
            ),
            why="see whether it runs",
        )
        yield desk.do(
            rng.choice(
                (
                    "kill %1; wait %1; echo $?",
                    "kill -9 %%; wait; jobs",
                    f"pkill -f 'sleep {seconds}'; wait; echo {name}",
                    "kill -s HUP %1; wait %1; echo $?",
                )
            ),
            why="stop it",
            wait=1.5,
        )
        yield desk.do(
            rng.choice(("jobs", f'echo "{name} left $(jobs | wc -l)"', "kill %1")), why="make sure"
        )
        return
    out, count = f"/tmp/{words.slug()}.log", rng.randint(2, 6)
    yield desk.do(
        f'(for i in $(seq {count}); do echo "{name} $i"; sleep 0.05; done > {out}) &',
        why="write a log in the background",
    )
    yield desk.do(f"wait; tail -n {rng.randint(1, count)} {out}", why="wait for it", wait=0.8)
    yield desk.do(
        rng.choice((f"wc -l {out}", f"grep -c {name} {out}", f"rm -v {out}")), why="check its log"
    )


def pack(desk: Desk) -> Script:
    """Pack some files, check the archive, unpack it elsewhere, compare."""
    rng, words = desk.rng, desk.words
    folder, archive = desk.fresh(""), words.slug()
    names = [desk.fresh("txt", "md") for _ in range(rng.randint(1, 3))]
    yield desk.do(f"mkdir {folder}", why=f"gather files in {folder}")
    for name in names:
        lines = desk.rows(2, 5)
        yield desk.do(document(f"{folder}/{name}", lines, desk.marker()), why=f"write {name}")
        desk.wrote(f"{folder}/{name}", lines)
    end, flag = rng.choice((("tar.gz", "z"), ("tar", ""), ("tar.xz", "J"), ("tar.bz2", "j")))
    yield desk.do(
        f"tar c{flag}f {archive}.{end} {folder} && tar tf {archive}.{end}", why="pack them"
    )
    if rng.random() < 0.5:
        yield desk.do(
            f"mkdir -p /tmp/{archive} && tar xf {archive}.{end} -C /tmp/{archive} "
            f"&& diff -r {folder} /tmp/{archive}/{folder} && echo equal",
            why="unpack and compare",
        )
    else:
        yield desk.do(
            f"rm -r {folder} && tar xf {archive}.{end} && cat {folder}/{rng.choice(names)}",
            why="lose them and take them back",
        )
    yield desk.do(
        rng.choice(
            (
                f"tar xf {archive}.{end} {folder}/{words.noun()}.txt",
                f"gzip -l {archive}.{end} 2>&1 | head -n 1",
                f"tar xOf {archive}.{end} {folder}/{names[0]} | wc -l",
                f"file {archive}.{end} | cut -d, -f1",
            )
        ),
        why="try something else with it",
    )


def patch(desk: Desk) -> Script:
    """Make two versions, a patch from one to the other, apply it, take it back."""
    rng, words = desk.rng, desk.words
    name, lines = desk.fresh("txt", "md"), desk.rows(4, 9)
    yield desk.do(document(name, lines, desk.marker()), why=f"write {name}")
    path = desk.wrote(name, lines)
    number, new = rng.randint(1, len(lines)), words.slug(" ")
    edit = rng.choice((f"{number}s/.*/{new}/", f"{number}d", f"{number}a {new}"))
    yield desk.do(
        f"sed '{edit}' {name} > {name}.new; diff -u {name} {name}.new | tail -n +3",
        why="see what would change",
    )
    yield desk.do(
        f"diff {name} {name}.new > {words.noun()}.patch; patch {name} < *.patch",
        why="apply it as a patch",
    )
    desk.made.pop(path, None)
    yield desk.do(
        rng.choice(
            (
                f"cmp {name} {name}.new && echo equal",
                f"cat {name}",
                f"patch -R {name} < *.patch && head -n {number} {name}",
                f"patch --forward {name} < *.patch",
            )
        ),
        why="check the result",
    )
    yield desk.do(
        f"rm -f *.patch *.rej *.orig {name}.new; ls | tail -n {rng.randint(2, 6)}", why="tidy up"
    )


def enter_build(desk: Desk) -> Script:
    """Go where the Makefile is and read it."""
    places = [path for path in desk.files if path.endswith("Makefile")]
    top = places[0].rpartition("/")[0] if places else ""
    yield desk.do(f"cd ~/{top}", "pwd", why="go where the Makefile is")
    desk.went(top)
    seen = yield desk.do("cat Makefile", why="read the Makefile")
    if places:
        desk.files[places[0]] = re.findall(r"[^\n]+", seen.text)
