"""Command lines of many kinds, from a seed, whose output is the same wherever they run."""

import random
from collections.abc import Callable

_WORDS = """
amber basalt cedar dune ember fjord grove heron inlet juniper kestrel lagoon meadow nettle
osprey pebble quarry raven sorrel thicket umber violet willow yarrow zephyr
"""
WORDS = _WORDS.split()
WIDE = ("日本語", "漢字の行", "한국어", "中文字符", "ｆｕｌｌ", "🙂🚀", "東京タワー")
NARROW = ("naïve", "Ærø", "señor", "Grüße", "Здравствуй", "Ελλάδα", "café", "Łódź", "→ ✓ ∑", "é́")
FILLS = ("x", "-", "=", "ab", "é", "日", "01234567", " .")

Made = Callable[[random.Random], str]


def lines(seed: int, count: int) -> list[str]:
    """`count` different command lines, each kind equally often."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    turn = 0
    while len(found) < count:
        found.setdefault(KINDS[turn % len(KINDS)](rng))
        turn += 1
    return list(found)


def _words(rng: random.Random, least: int = 1, most: int = 6) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(least, most)))


def _echo(rng: random.Random) -> str:
    return f"echo {_words(rng)}"


def _quoting(rng: random.Random) -> str:
    one, two = _words(rng), _words(rng)
    return rng.choice(
        (
            f'echo \'{one}   "{two}"\' "$HOME `echo {one}`"',
            f"printf '%s|' \"{one}\" '{two}' $(echo {one}); echo",
            f'echo "a\'b\\"c\\$d" {one}\\ \\ {two}',
            f"x='{one}'; echo \"${{x^^}} ${{#x}} ${{x// /_}} ${{x%% *}}\"",
            f"echo {{1..{rng.randint(3, 9)}}}{{a,b}} ~ $((RANDOM*0+{rng.randint(1, 99)}))",
            f"echo $'tab\\there\\nnext {one}\\x41'",
        )
    )


def _pipes(rng: random.Random) -> str:
    count = rng.randint(5, 60)
    return rng.choice(
        (
            f"seq {count} | paste -sd+ | tee /dev/stderr > t; bc < t; rm t",
            f"printf '%s\\n' {_words(rng, 4, 12)} | sort | uniq -c",
            f"seq {count} | awk '{{s+=$1; print NR\": \"s}}' | tail -n {rng.randint(1, 9)}",
            f"seq {count} | sed -n '{rng.randint(1, 5)}~{rng.randint(2, 4)}p' | tac | head -n 7",
            f"echo {_words(rng)} | tr a-z A-Z | rev",
            f"seq {count} | xargs -n {rng.randint(2, 8)} echo",
            f"printf '%s %d\\n' one 1 {rng.choice(WORDS)} {count} | column -t",
        )
    )


def _loops(rng: random.Random) -> str:
    count = rng.randint(2, 12)
    return rng.choice(
        (
            f"for i in $(seq {count}); do printf '%3d: %s\\n' $i {rng.choice(WORDS)}; done",
            f'i=0; while [ $i -lt {count} ]; do echo -n "$i "; i=$((i+1)); done; echo',
            f'f() {{ echo "<$1>"; [ $1 -gt 0 ] && f $(($1-1)); }}; f {count}',
            f"case {rng.choice(WORDS)} in [a-m]*) echo first;; *) echo second;; esac",
            f"select_one={count}; until [ $select_one -le 0 ]; do ((select_one-=3)); "
            "echo $select_one; done",
        )
    )


def _unicode(rng: random.Random) -> str:
    one = rng.choice(NARROW)
    many = rng.randint(2, 40)
    return rng.choice(
        (
            f"echo '{one} {rng.choice(NARROW)} {_words(rng)}'",
            f"for i in {{1..{many}}}; do printf '%s' '{one}'; done; echo '|'",
            f"printf '%-12s|%s\\n' '{one}' {rng.choice(WORDS)}",
        )
    )


def _wide(rng: random.Random) -> str:
    one = rng.choice(WIDE)
    many = rng.randint(2, 60)
    return rng.choice(
        (
            f"echo '{one}|{rng.choice(WIDE)}|{_words(rng)}'",
            f"for i in {{1..{many}}}; do printf '%s' '{one}'; done; echo '|'",
            f"printf 'a%sb\\tc\\n' '{one}'",
        )
    )


def _long(rng: random.Random) -> str:
    size = rng.choice((79, 80, 99, 100, 199, 200, 201, 399, 400, 401, rng.randint(200, 900)))
    return rng.choice(
        (
            f"printf '%{size}s|\\n' {rng.choice(WORDS)}",
            f"printf '{rng.choice(FILLS)}%.0s' $(seq {size}); echo",
            f"head -c {size} /dev/zero | tr '\\0' '{rng.choice('x-=#')}'; echo; echo {_words(rng)}",
            f"seq -s ' ' {size}",
        )
    )


def _tabs(rng: random.Random) -> str:
    one, two = rng.choice(WORDS), rng.choice(WORDS)
    return rng.choice(
        (
            f"printf '{one}\\t{two}\\t%d\\n' 1 22 333",
            f"printf '\\t\\t{one}\\n{two}\\t\\n'",
            f"printf '%s\\t' $(seq {rng.randint(10, 40)}); echo",
            f"printf 'a\\tb\\n' | expand -t {rng.randint(2, 12)}",
        )
    )


def _colours(rng: random.Random) -> str:
    one, code = rng.choice(WORDS), rng.randint(30, 37)
    return rng.choice(
        (
            f"printf '\\033[1;{code}m{one}\\033[0m plain \\033[4m{_words(rng)}\\033[m\\n'",
            f"printf '\\033[38;5;{rng.randint(16, 255)}m{one}\\033[0m\\n'",
            f"printf '\\033[38;2;10;{code};30m{one}\\033[0m|\\n'",
            f"mkdir -p c/{one}; touch c/b; ls --color=always c; rm -r c",
            f"echo {_words(rng)} | grep --color=always {rng.choice('aeio')}",
        )
    )


def _moves(rng: random.Random) -> str:
    one, two = rng.choice(WORDS), rng.choice(WORDS)
    return rng.choice(
        (
            f"printf '{one}\\r{two[:3]}\\n'",
            f"printf '{one}\\b\\b\\b{two}\\n'",
            f"for i in {{1..{rng.randint(2, 20)}}}; do printf '\\r%d%% done' $i; done; echo",
            f"printf '{one}\\033[{rng.randint(1, 4)}D{two}\\n'",
            f"printf '{one} {two}\\r\\033[K{two}\\n'",
            f"printf '{one}\\033[{rng.randint(1, 30)}C{two}\\n'",
            f"printf '{one}\\n{two}\\033[1A\\r>\\033[1B\\n'",
            f"printf '{one}{two}\\033[{rng.randint(2, 6)}D\\033[{rng.randint(1, 3)}P\\n'",
            f"printf '{one}\\033[5D\\033[2@{two[:2]}\\n'",
            f"printf '{one}\\033[{rng.randint(20, 90)}G{two}\\n'",
            f"printf '\\033]0;{one}\\007{two}\\n'",
            f"printf '{one}\\033[s{two}\\033[u!\\n'",
        )
    )


def _errors(rng: random.Random) -> str:
    one = rng.choice(WORDS)
    return rng.choice(
        (
            f"cat {one}.txt",
            f"{one}{rng.randint(1, 99)} --help",
            f"ls {one} /etc/hostname",
            f"cd /{one}",
            f"mkdir /{one}",
            f"echo {one} > /etc/{one}",
            "echo $((1/0))",
            f"grep -{rng.choice('Q%')} {one} /etc/passwd",
            f"python3 -c 'raise ValueError(\"{one}\")'",
            f"python3 -c '{{\"{one}\"}}[0]'",
            f"test {one} -eq 1",
            f"sort --{one}",
            f"jq . <<< '{{\"{one}\": [1, 2'",
            f"git -C /tmp {one}",
            f"tar xf {one}.tar",
        )
    )


def _unended(rng: random.Random) -> str:
    one = _words(rng)
    return rng.choice(
        (
            f"printf '{one}'",
            f"echo -n '{one}   '",
            f"printf 'a\\n\\n\\nb {one}'",
            f"printf '{one}\\n  '",
        )
    )


def _blanks(rng: random.Random) -> str:
    one, count = rng.choice(WORDS), rng.randint(1, 6)
    return rng.choice(
        (
            f"printf '{one}{' ' * count}\\n{' ' * count}\\n{one}\\n'",
            f"printf '\\n%.0s' {{1..{count}}}; echo {one}",
            f"printf '%-{count * 20}s\\n%s\\n' {one} end",
            f"echo; echo '  {one}'; echo",
        )
    )


def _many(rng: random.Random) -> str:
    count = rng.choice((45, 48, 49, 50, 51, 52, 100, 300))
    return rng.choice(
        (
            f"seq {count}",
            f'for i in $(seq {count}); do echo "line $i of {rng.choice(WORDS)}"; done',
            f"yes {rng.choice(WORDS)} | head -n {count}",
            f"seq {count} | sed 's/$/ {_words(rng)}/'",
        )
    )


def _files(rng: random.Random) -> str:
    one, two = rng.sample(WORDS, 2)
    count = rng.randint(3, 40)
    return rng.choice(
        (
            f"mkdir -p t/{one}/{two}; touch t/{one}/a t/b; tree t; rm -r t",
            f"mkdir t; touch t/{one}{{1..{count}}}; ls t; rm -r t",
            f"mkdir t; touch t/{{{one},{two}}}.txt; find t | sort; rm -r t",
            f"printf '{one}\\n{two}\\n' > t; cat -A t; wc t; rm t",
            f"printf '{one}\\n{two}\\n' > a; sed 's/[aeiou]/*/g' a > b; diff a b; rm a b",
            f"printf '%s\\n' {one} {two} > t; nl -ba t; md5sum t; rm t",
            f"cat <<'END'\n{_words(rng)}\n  $HOME {one}\nEND",
            f"echo {one} | od -c; echo {two} | xxd 2>/dev/null || hexdump -C <<< {two}",
        )
    )


def _programs(rng: random.Random) -> str:
    one, count = rng.choice(WORDS), rng.randint(2, 9)
    return rng.choice(
        (
            f'python3 -c \'import json; print(json.dumps({{"{one}": list(range({count}))}}, '
            "indent=1))'",
            f'jq . <<< \'{{"{one}": [{count}, "é", null]}}\'',
            f"jq -C . <<< '{{\"{one}\": [{count}, true]}}'",
            f'sqlite3 :memory: \'create table t(a,b); insert into t values({count},"{one}"); '
            "select * from t'",
            f'awk \'BEGIN {{ for (i=0; i<{count}; i++) printf "%-6d%s\\n", i*i, "{one}" }}\'',
            f"tput bold; echo {one}; tput sgr0",
            f"git init -q t; git -C t status; rm -rf t; echo {one}",
            f"echo '{count}^{count * 11}' | bc",
            f"cal -m {count} 2025 2>/dev/null || echo {one}",
            f"printf '%s\\n' {_words(rng, 6, 12)} | pr -{rng.randint(2, 3)} -t -w 60",
            f"echo {_words(rng, 6, 12)} {_words(rng, 6, 12)} | fold -s -w {rng.randint(20, 60)}",
        )
    )


KINDS: tuple[Made, ...] = (
    _echo,
    _quoting,
    _pipes,
    _loops,
    _unicode,
    _wide,
    _long,
    _tabs,
    _colours,
    _moves,
    _errors,
    _unended,
    _blanks,
    _many,
    _files,
    _programs,
)
