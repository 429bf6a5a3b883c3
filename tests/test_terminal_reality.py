"""What the terminal's ledger claims, against a real bash on this machine.

Random sessions are played in an empty folder; every claim made before a command is compared with
what bash then prints. A claim that is wrong is a bug, whatever the command.
"""

import os
import random
import select
import subprocess
import uuid

import pytest

from tests.terminal_play import play
from worldline.domains.terminal import DOMAIN
from worldline.scenarios.terminal import take
from worldline.trajectory import Turn

NAMES = ["a", "b.txt", "c.py", "d", "x", "sub", "sub/a", "sub/deep/q", "w/k", "'e f'", "link"]
TEXTS = ["hi", "'two  words'", '"q $X"', "-n x", "*", "é", '"it\'s"', "$(echo in)", "100%", "''"]
PIPES = [
    "wc",
    "wc -l",
    "sort",
    "head -1",
    "tail -n 1",
    "grep o",
    "tr a-z A-Z",
    "cat -n",
    "rev",
    "tac",
]
READS = """\
cat {n}
cat {n} {n}
head -n 2 {n}
tail -n +2 {n}
wc {n}
wc -l {n} {n}
grep o {n}
grep -c o {n}
sed -n 2p {n}
sed 1d {n}
cut -c1-3 {n}
sort {n}
uniq -c {n}
md5sum {n}
ls
ls {n}
ls -a
ls -la
echo *
cat *.txt
[ -f {n} ] && echo yes || echo no
pwd
find . -type f | sort
stat -c %s {n}
echo {t}
printf '%s|\\n' {t} {t}
cat {n} | {p}
echo {t} | {p} | {p}
nosuch {n}
cat {n} 2>/dev/null
echo $X $?
base64 {n}
cat < {n}
""".splitlines()
WRITES = """\
echo {t} > {n}
echo {t} >> {n}
touch {n}
mkdir w
mkdir -p w/v
rm {n}
rm -rf {n}
cp {n} {n}
mv {n} {n}
ln -s {n} {n}
chmod +x {n}
sed -i s/o/0/ {n}
echo {t} | tee {n}
cd {n}
cd ..
X={t}
export X=v
> {n}
cat {n} > {n}
mkdir -p w && cd w && echo {t} > k
(cd sub && echo in > a)
cp -r sub w
for i in 1 2; do echo $i > a; done
sort {n} -o {n}
cat {n} | tee {n}
truncate -s 0 {n}
""".splitlines()
WRITES.append("cat > {n} <<'E'\none\n two $X\nE")


class Bash:
    """A lasting bash without configuration, both streams together."""

    def __init__(self, folder):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
        )

    def run(self, command):
        mark = uuid.uuid4().hex
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\necho {mark}\n".encode())
        self.process.stdin.flush()
        out = b""
        while not out.endswith(f"{mark}\n".encode()):
            assert select.select([self.process.stdout], [], [], 5)[0], f"{command!r} hangs"
            out += os.read(self.process.stdout.fileno(), 65_536)
        return out[: -len(mark) - 1].decode("utf-8", "replace")

    def close(self):
        self.process.kill()
        self.process.communicate()


def bare(text):
    return "\n".join(line.rstrip(" \t\r") for line in text.split("\n")).rstrip("\n")


def command(draw):
    template = draw.choice(READS if draw.random() < 0.6 else WRITES)
    while "{" in template and any(mark in template for mark in ("{n}", "{t}", "{p}")):
        for mark, some in (("{n}", NAMES), ("{t}", TEXTS), ("{p}", PIPES)):
            template = template.replace(mark, draw.choice(some), 1)
    return template


@pytest.mark.system
@pytest.mark.parametrize("seed", range(24))
def test_claims_hold_in_a_real_bash(tmp_path, seed):
    draw = random.Random(seed)
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "b.txt").write_text("alpha\nfoo bar\nzoo\n")
    (tmp_path / "sub" / "a").write_text("in sub\nno end")
    (tmp_path / "link").symlink_to("b.txt")
    facts = take(tmp_path, at=str(tmp_path)).facts if seed % 2 else ()
    ledger = play(facts=facts)
    bash = Bash(tmp_path)
    claimed = 0
    try:
        for _ in range(60):
            action = command(draw)
            known = DOMAIN.known(ledger, action)
            seen = bash.run(action)
            if known is not None:
                claimed += 1
                assert bare(known.observation) == bare(seen), f"{action!r} ({known.rule})"
            errors = [v for v in DOMAIN.checks(ledger, action, seen) if v.severity == "error"]
            assert not errors, f"{action!r}: {errors[0].message}"
            ledger = DOMAIN.track(ledger, Turn(action=action, observation=seen), "real")
    finally:
        bash.close()
    assert claimed
