"""What the swe ledger claims, against a real bash and a real sed on this machine.

Random sessions are played in a folder, each command in a shell of its own; every claim made before
a command is compared with what really comes back. A claim that is wrong is a bug.
"""

import random
import subprocess

import pytest

from tests.swe_play import play, returned
from worldline.domains.swe import DOMAIN
from worldline.scenarios.terminal import take
from worldline.trajectory import Turn

WIDE_NAMES = ["loom.py", "./loom.py", "{here}/loom.py", "weft.py", "sub/knot.py", "link.py"]
WIDE_NAMES += ["gone.py", "{here}/sub/../weft.py", "{here}/way/knot.py", "way/new.py"]
WIDE_PLACES = ["", "", "cd {here} && ", "cd {here}/sub && ", "cd {here}/way && "]
WIDE_PLACES += ["cd {here}/none && ", "cd sub && "]
CLOSE_NAMES = ["{here}/loom.py", "{here}/loom.py", "{here}/sub/knot.py", "{here}/link.py"]
CLOSE_PLACES = ["", "", "cd {here} && ", "cd {here}/way && "]
PARTS = """\
sed -n '{a},{b}p' {n}
sed -n '{a},{b}p' {n}
sed -n {a}p {n}
head -{a} {n}
head -n {b} {n} | tail -n +{a}
tail -n +{a} {n}
cat {n} | sed -n '{a},{b}p'
cat -n {n} | head -{b}
grep -n x {n} | head -{a}
cat {n} | grep -n row
""".splitlines()
LOOKS = """\
sed -n '{a},$p' {n}
cat {n}
cat -n {n}
grep -n x {n}
grep -n -A 1 x {n}
wc -l {n}
ls
pwd
python3 -m nosuchmodule
""".splitlines()
EDITS = """\
sed -i '{a}s/row/ROW/' {n}
sed -i '{a}s/row/ROW/' {n}
sed -i 's/x/y z/g' {n}
sed -i {a}d {n}
sed -i '{a},{b}d' {n}
sed -i '{a}a\\  new x' {n}
sed -i '{a}inew' {n}
sed -i '{a}cnew' {n}
sed -i '{a}s/x/x\\nx/' {n}
sed -i 's/row/r\\nw/' {n}
echo x >> {n}
cat > {n} << 'EOF'
ln -sf loom.py {here}/link.py
""".splitlines()
CHANGES = """\
printf 'x\\ny' > {n}
cp {n} {n}
rm {n}
rm -f {n}
mkdir -p sub
""".splitlines()


def command(draw, here, wide):
    """A random command line; `wide`: of many kinds, else close reading and editing."""
    looks, changes = (PARTS + LOOKS, EDITS + CHANGES) if wide else (PARTS, EDITS)
    line = draw.choice(looks if draw.random() < 0.7 else changes)
    first = draw.randint(1, 9)
    line = line.replace("{a}", str(first)).replace("{b}", str(first + draw.randint(0, 4)))
    while "{n}" in line:
        line = line.replace("{n}", draw.choice(WIDE_NAMES if wide else CLOSE_NAMES), 1)
    if line.endswith("<< 'EOF'"):
        body = "".join(f"row {n} x\n" for n in range(draw.randint(1, 9)))
        line = f"{line}\n{body}EOF"
    return (draw.choice(WIDE_PLACES if wide else CLOSE_PLACES) + line).replace("{here}", here)


def run(line, folder):
    """What bash makes of a line, in the form of the dialect."""
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=20,
    )
    return returned(done.stdout.decode("utf-8", "replace"), done.returncode)


@pytest.mark.system
@pytest.mark.parametrize("seed", range(24))
def test_every_claim_holds_in_reality(seed, tmp_path):
    draw = random.Random(seed)
    (tmp_path / "sub").mkdir()
    text = "".join(f"row {n} {'x' if n % 3 else '  y'}\n" for n in range(1, 13))
    (tmp_path / "way").symlink_to("sub")
    (tmp_path / "loom.py").write_text(text)
    (tmp_path / "sub" / "knot.py").write_text(text.replace("row", "knot")[:-1])
    # a recording of others; a world of ours on a snapshot; a recording on a snapshot
    facts = take(tmp_path, at=str(tmp_path)).facts if seed % 3 else ()
    ledger, claimed = play(facts=facts, foreign=seed % 3 != 1), 0
    for _ in range(60):
        line = command(draw, str(tmp_path), seed % 2 == 0)
        known = DOMAIN.known(ledger, line)
        seen = run(line, tmp_path)
        if known is not None:
            claimed += 1
            assert known.observation == seen, (known.rule, line)
        errors = [one for one in DOMAIN.checks(ledger, line, seen) if one.severity == "error"]
        assert errors == [], line
        ledger = DOMAIN.track(ledger, Turn(action=line, observation=seen), "real")
    assert claimed or seed % 2 == 0
