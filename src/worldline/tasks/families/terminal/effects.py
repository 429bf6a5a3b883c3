"""Tasks that change something, for which something has to be found out first."""

import re
from collections import defaultdict

from worldline.environments.terminal import fixtures
from worldline.environments.terminal.fixtures import Words
from worldline.tasks.families.terminal.making import Draft, Family, keyed, lines, most, only
from worldline.tasks.families.terminal.plain import digest


def _marker(_: Words, seed: int) -> Draft | None:
    files = fixtures.make("nested", seed)
    codes = re.findall(rb"(?m)^MARK (\w+)$", b"".join(files.values()))
    if len(codes) != 1:
        return None
    return Draft(
        "Exactly one file below the home has a line that begins with MARK. Write the code that "
        "follows on that line, and nothing else, to ~/mark.txt.",
        ("grep -rh '^MARK' .", r"echo {{1:(?m)^MARK (\w+)$}} > ~/mark.txt"),
        wants=(("cat ~/mark.txt", codes[0].decode()),),
        fixture="nested",
    )


def _best_region(_: Words, seed: int) -> Draft | None:
    files = fixtures.make("data", seed)
    name = only(files, "_sales.csv")
    assert name is not None
    totals: dict[str, int] = defaultdict(int)
    for row in files[name].decode().splitlines()[1:]:
        fields = row.split(",")
        totals[fields[1]] += int(fields[3])
    found = most(totals)
    if found is None:
        return None
    return Draft(
        "A CSV file below the home, its name ending in _sales.csv, lists sales. Which region sold "
        "the most units? Write its name, a blank and its total of units to ~/best.txt.",
        (
            "find . -name '*_sales.csv'",
            "awk -F, 'NR > 1 {s[$2] += $4} END {for (k in s) print k, s[k]}' "
            "{{1:(?m)^(\\./\\S+_sales\\.csv)$}} | sort -k2nr | head -n 1",
            r"echo '{{2:(?m)^([A-Z]\w+ \d+)$}}' > ~/best.txt",
        ),
        wants=(("cat ~/best.txt", f"{found[0]} {found[1]}"),),
        fixture="data",
    )


def _same_port(words: Words, seed: int) -> Draft | None:
    files = {name: text.decode() for name, text in fixtures.make("config", seed).items()}
    ports = {}
    for name, text in files.items():
        found = re.search(r"(?im)^[^\n#]*port\b\W*(\d+)", text)
        if found and name.count("/") >= 2:
            ports[name.split("/")[-2]] = (name, found[1])
    if len(ports) < 3:
        return None
    one, two = words.rng.sample(sorted(ports), 2)
    place, old = ports[two]
    new = ports[one][1]
    if old == new or files[place].count(old) != 1:
        return None
    changed = files[place].replace(old, new)
    before, after = rf"(?m)/{two}/[^:\n]+:[^\d\n]*(\d+)", rf"(?m)/{one}/[^:\n]+:[^\d\n]*(\d+)"
    return Draft(
        f"Below the home there is configuration of several services, a folder for each. Give the "
        f"service {two} the port that the service {one} has, and change nothing else.",
        (
            "grep -ri 'port[^a-z]' .",
            f"sed -i 's/{{{{1:{before}}}}}/{{{{1:{after}}}}}/' ~/{place}",
        ),
        wants=((f"md5sum < ~/{place} | cut -c1-10", digest(changed)),),
        fixture="config",
    )


SLIPS = (
    ("sort", "sotr"),
    ("grep", "gerp"),
    ("echo", "ehco"),
    ("head", "haed"),
    ("cut", "ctu"),
    ("wc", "cw"),
)


def _slip(words: Words, _: int) -> Draft:
    rng = words.rng
    right, wrong = rng.choice(SLIPS)
    folder, script, data = words.noun(), f"{words.noun()}.sh", f"{words.noun()}.list"
    rows = [f"{name} {rng.randint(1, 400)}" for name in words.some("nouns", rng.randint(6, 12))]
    count = rng.randint(2, 4)
    body = [
        "#!/bin/bash",
        f"# {words.sentence()}",
        f"cd ~/{folder} || exit 1",
        f"echo '{words.noun()} report'",
        f"grep '[0-9]' {data} | sort -k2 -n > /tmp/{data}.sorted",
        f"best=$(cut -d' ' -f1 /tmp/{data}.sorted | head -n {count} | xargs)",
        f"many=$(wc -l < {data})",
        'echo "$best $many"',
    ]
    spots = [n for n, row in enumerate(body) if n > 2 and re.search(rf"\b{right}\b", row)]
    spot = rng.choice(spots)
    broken = [*body]
    broken[spot] = re.sub(rf"\b{right}\b", wrong, body[spot], count=1)
    best = [row.split()[0] for row in sorted(rows, key=lambda row: (int(row.split()[1]), row))]
    return Draft(
        f"bash ~/{folder}/{script} complains and gives a wrong result: one command in it is "
        "misspelt. Correct the script.",
        (
            f"bash ~/{folder}/{script}",
            f"sed -i '{{{{1:line (\\d+): \\w+: command not found}}}}s/"
            f"{{{{1:line \\d+: (\\w+): command not found}}}}/{right}/' ~/{folder}/{script}",
        ),
        wants=(
            (f"bash ~/{folder}/{script} 2>&1 | tail -n 1", f"{' '.join(best[:count])} {len(rows)}"),
            (f"bash ~/{folder}/{script} 2> /dev/null | wc -l", "2"),
        ),
        files={f"{folder}/{script}": lines(broken), f"{folder}/{data}": lines(rows)},
    )


def _amount(words: Words, _: int) -> Draft:
    rng = words.rng
    folder, data = words.noun(), f"{words.noun()}.txt"
    rows = [[name, str(rng.randint(10, 9999))] for name in words.some("nouns", rng.randint(8, 20))]
    total = sum(int(amount) for _, amount in rows)
    bad = rng.choice(rows)
    at = rng.randint(1, len(bad[1]) - 1)
    bad[1] = bad[1][:at] + rng.choice("lOIkxz") + bad[1][at:]
    program = [
        f'"""{words.sentence()}"""', "from pathlib import Path", "", "total = 0",
        f'for row in (Path(__file__).parent / "{data}").read_text().splitlines():',
        "    name, amount = row.split()", "    total += int(amount)", 'print("total", total)',
    ]  # fmt: skip
    slip = r"{{1:base 10: '(\w+)'}}"
    return Draft(
        f"python3 ~/{folder}/total.py adds up the amounts of a list, but stops at one amount into "
        "which a letter has slipped. Remove that letter from the list.",
        (
            f"python3 ~/{folder}/total.py",
            f"sed -i \"s/{slip}/$(echo '{slip}' | tr -dc 0-9)/\" ~/{folder}/{data}",
        ),
        wants=((f"python3 ~/{folder}/total.py 2>&1 | tail -n 1", f"total {total}"),),
        files={
            f"{folder}/total.py": lines(program),
            f"{folder}/{data}": lines([" ".join(row) for row in rows]),
        },
    )


def _titles(words: Words, _: int) -> Draft:
    folder = words.noun()
    names = [f"{words.noun()}{number}" for number in range(1, words.rng.randint(4, 5))]
    titles = [words.slug(" ") for _ in names]
    files = {
        f"{folder}/{name}.txt": lines([f"Title: {title.title()}", "", *words.sentences(2, 5)])
        for name, title in zip(names, titles, strict=True)
    }
    moves = [
        f"mv ~/{folder}/{name}.txt ~/{folder}/$(echo '"
        f"{{{{1:{name}\\.txt:Title: ([A-Z]\\w+ [A-Z]\\w+)}}}}' | tr 'A-Z ' 'a-z-').txt"
        for name in names
    ]
    wanted = sorted(f"{title.replace(' ', '-')}.txt" for title in titles)
    return Draft(
        f"Each file in ~/{folder} begins with a line Title: and two words. Rename every file to "
        "these two words in small letters, joined by a dash, with .txt behind.",
        (f"cd ~ && grep -H '^Title:' {folder}/*", *moves),
        wants=((f"ls ~/{folder} | LC_ALL=C sort | xargs", " ".join(wanted)),),
        files=files,
    )


def _part(words: Words, _: int) -> Draft:
    folder, out = words.slug(), words.noun()
    names = [f"{number:02}-{words.noun()}" for number in range(1, words.rng.randint(4, 6))]
    gone = words.rng.choice(names)
    parts = {name: words.sentence() for name in names}
    stub = f"{words.noun()} to come"
    rule = " ".join(f"parts/{name}.txt" for name in names)
    book = lines([stub if name == gone else parts[name] for name in names])
    files = {f"{folder}/parts/{name}.txt": parts[name] + "\n" for name in names if name != gone}
    files[f"{folder}/Makefile"] = f"{out}.txt: {rule}\n\tcat {rule} > $@\n"
    return Draft(
        f"make in ~/{folder} fails because one of the parts is missing. Add that part with the "
        f"single line: {stub}\nThen build.",
        (
            f"make -C ~/{folder}",
            f"cd ~/{folder} && echo '{stub}' > {{{{1:target '(parts/[\\w.-]+)'}}}} && make",
        ),
        wants=((f"md5sum < ~/{folder}/{out}.txt | cut -c1-10", digest(book)),),
        files=files,
    )


def _vault(words: Words, _: int) -> Draft:
    name, word, code = f"{words.noun()}.py", words.slug("_"), words.code(7)
    hidden = "".join(chr(ord(mark) ^ 3) for mark in code)
    program = [
        f'"""{words.sentence()}"""', "import sys", "",
        f"word = {word[::-1]!r}[::-1]", "print('Type this word:', word, flush=True)",
        "if sys.stdin.readline().strip() != word:", "    sys.exit('That was not the word.')",
        f"print('The code is', ''.join(chr(ord(c) ^ 3) for c in {hidden!r}))",
    ]  # fmt: skip
    ask, tell = r"Type this word: (\w+)", r"The code is (\w+)"
    write = f"echo '{{{{2:{tell}}}}}' > ~/code.txt"
    return Draft(
        f"python3 ~/{name} asks for something and then tells a code. Write the code, and nothing "
        "else, to ~/code.txt.",
        (f"python3 ~/{name} < /dev/null", f"echo {{{{1:{ask}}}}} | python3 ~/{name}", write),
        wants=(("cat ~/code.txt", code),),
        files={name: lines(program)},
        typed=(keyed(f"python3 ~/{name}\n"), keyed(f"{{{{1:{ask}}}}}\n"), keyed(f"{write}\n")),
    )


FAMILIES = (
    Family("marker", _marker, "train", "easy", True),
    Family("best-region", _best_region, "train", "medium", True),
    Family("same-port", _same_port, "train", "medium", True),
    Family("slip", _slip, "train", "medium", True),
    Family("missing-part", _part, "dev", "medium", True, 4),
    Family("titles", _titles, "test", "medium", True),
    Family("amount", _amount, "test", "medium", True),
    Family("vault", _vault, "test", "hard", True, 4),
)
