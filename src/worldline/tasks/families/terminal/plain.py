"""Tasks that can be done without finding anything out: the instruction says all."""

import hashlib

from worldline.environments.terminal.fixtures import Words
from worldline.tasks.families.terminal.making import Draft, Family, lines


def digest(text: str) -> str:
    """What ``md5sum | cut -c1-10`` gives."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:10]


def _squares(words: Words, _: int) -> Draft:
    rng = words.rng
    name, first, step = f"{words.noun()}.sh", rng.randint(2, 30), rng.randint(2, 9)
    last = first + step * rng.randint(3, 9)
    text = lines([f"{n} {n * n}" for n in range(first, last + 1, step)])
    body = f'for n in $(seq {first} {step} {last}); do echo "$n $((n * n))"; done'
    return Draft(
        f"Write a bash script ~/{name} that prints the numbers from {first} to {last} in steps of "
        f"{step}, one a line, each followed by a blank and its square.",
        (f"echo '{body}' > ~/{name}", f"bash ~/{name}"),
        wants=((f"bash ~/{name} | md5sum | cut -c1-10", digest(text)),),
    )


def _modes(words: Words, _: int) -> Draft:
    names = words.some("nouns", 5)
    files = {f"bin/{name}.sh": f"echo {words.noun()}\n" for name in names[:3]}
    files |= {f"bin/{name}.txt": words.sentence() + "\n" for name in names[3:]}
    run, read = words.rng.choice((("700", "400"), ("750", "440"), ("755", "444"), ("711", "600")))
    return Draft(
        f"In ~/bin give every file that ends in .sh the mode {run}, and every other file there the "
        f"mode {read}.",
        (f"chmod {read} ~/bin/* && chmod {run} ~/bin/*.sh", "stat -c '%a %n' bin/*"),
        wants=(
            ("stat -c %a ~/bin/*.sh | sort | uniq -c | xargs", f"3 {run}"),
            ("stat -c %a ~/bin/*.txt | sort | uniq -c | xargs", f"2 {read}"),
        ),
        files=files,
    )


def _merge(words: Words, _: int) -> Draft:
    rng = words.rng
    pool = words.some("nouns", 30)
    files = {
        f"lists/{name}.txt": lines(rng.sample(pool, rng.randint(6, 14)))
        for name in words.some("places", 3)
    }
    all = sorted({row for text in files.values() for row in text.splitlines()})
    name = f"{words.noun()}.txt"
    return Draft(
        "Each file in ~/lists holds one word a line. Write all different words of all these "
        f"files, in alphabetical order, to ~/{name}, one a line.",
        (f"sort -u ~/lists/*.txt > ~/{name}", f"wc -l ~/{name}"),
        wants=((f"md5sum < ~/{name} | cut -c1-10", digest(lines(all))),),
        files=files,
    )


def _profile(words: Words, _: int) -> Draft:
    name = f"{words.noun()}_{words.one('fields')}".upper()
    value = words.slug(" ")
    return Draft(
        f"See to it that every login shell (bash -l) of this user has the exported variable {name} "
        f"with the value {value} (two words).",
        (f"echo 'export {name}=\"{value}\"' >> ~/.profile", f"bash -lc 'echo ${name}'"),
        wants=((f"bash -lc 'printenv {name}'", value),),
    )


def _tree(words: Words, _: int) -> Draft:
    top, *parts = words.some("nouns", 4)
    deep, text = f"{top}/{parts[0]}/{parts[1]}", words.sentence().replace("'", "")
    return Draft(
        f"Make the folder ~/{deep} and in it a file {parts[2]}.txt with the single line: {text}\n"
        f"Then make a symbolic link ~/{parts[2]} to that file.",
        (
            f"mkdir -p ~/{deep} && echo '{text}' > ~/{deep}/{parts[2]}.txt",
            f"ln -s ~/{deep}/{parts[2]}.txt ~/{parts[2]} && cat ~/{parts[2]}",
        ),
        wants=(
            (f"md5sum < ~/{deep}/{parts[2]}.txt | cut -c1-10", digest(text + "\n")),
            (f"readlink -f ~/{parts[2]}", f"/home/user/{deep}/{parts[2]}.txt"),
        ),
    )


FAMILIES = (
    Family("squares", _squares, "train", "easy", False),
    Family("modes", _modes, "train", "easy", False),
    Family("merge-lists", _merge, "dev", "easy", False, 4),
    Family("profile", _profile, "test", "medium", False, 4),
    Family("tree", _tree, "train", "easy", False, 4),
)
