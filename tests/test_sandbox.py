"""The sandbox: an agent's own machine, from which nothing gets out and of which nothing stays."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from worldline.environments.sandbox import Bind, Change, Limits, Sandbox, cgroup, debian_root
from worldline.errors import UsageError

pytestmark = pytest.mark.system


@pytest.fixture
def box() -> Iterator[Sandbox]:
    with Sandbox(debian_root()) as made:
        yield made


def sh(box: Sandbox, command: str) -> tuple[str, int]:
    done = box.run(["bash", "-c", command])
    return (done.stdout + done.stderr).decode(), done.returncode


def test_a_session_is_a_plain_user_on_a_debian_of_its_own(box: Sandbox) -> None:
    told, _ = sh(box, "id -un; pwd; hostname; . /etc/os-release; echo $ID")
    assert told.split() == ["user", "/home/user", "box", "debian"]


def test_files_put_there_belong_to_the_agent_and_have_a_fixed_time(box: Sandbox) -> None:
    box.put({"notes.txt": "hello\n", "deep/er/data.bin": b"\x00\xff", "empty/": ""})
    told, code = sh(
        box, "cat notes.txt; stat -c '%U %Y' notes.txt deep; ls -A empty; echo x >> notes.txt"
    )
    assert (told, code) == ("hello\nuser 1748736000\nuser 1748736000\n", 0)


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", ""])
def test_a_file_outside_the_home_is_refused(box: Sandbox, name: str) -> None:
    with pytest.raises(UsageError):
        box.put({name: b""})


def test_a_link_the_agent_made_is_not_followed_when_files_are_put(
    box: Sandbox, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)
    sh(box, f"ln -s {tmp_path} way; ln -s {tmp_path}/x note")
    for name in ("way/x", "note"):
        with pytest.raises(OSError):
            box.put({name: b"out"})
    assert not list(tmp_path.iterdir())


def test_what_a_session_changed_is_listed(box: Sandbox) -> None:
    box.put({"kept.txt": "a", "gone.txt": "b"})
    sh(box, "rm gone.txt; mkdir made; echo 1 > made/one; echo 2 > /tmp/two")
    found = box.changes()
    assert Change("/home/user/made/one", "made") in found
    assert Change("/tmp/two", "made") in found
    assert not [one for one in found if "gone.txt" in one.path]


def test_binds_are_read_only(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("works\n")
    tmp_path.chmod(0o755)
    with Sandbox(debian_root(), binds=[Bind(tmp_path, "/opt/tools")]) as box:
        told, code = sh(box, "cat /opt/tools/tool; echo x > /opt/tools/new")
    assert "works" in told and "Read-only" in told and code != 0
    assert not (tmp_path / "new").exists()


def test_there_is_no_network_and_no_way_to_more_rights(box: Sandbox) -> None:
    told, _ = sh(
        box,
        "grep -c : /proc/net/dev; grep CapEff /proc/self/status; "
        "unshare -U true; mount -t tmpfs x /mnt",
    )
    assert told.startswith("1\nCapEff:\t0000000000000000\n")
    assert "unshare failed" in told and "must be superuser" in told


def test_limits_hold() -> None:
    limits = Limits(disk_mb=16, processes=20)
    with Sandbox(debian_root(), limits=limits) as box:
        told, _ = sh(
            box, "head -c 50000000 /dev/zero > big; for i in $(seq 40); do sleep 9 & done; wait -n"
        )
    assert "No space left" in told
    assert "Resource temporarily unavailable" in told or "fork" in told


def test_two_sessions_share_nothing() -> None:
    root = debian_root()
    with Sandbox(root) as one, Sandbox(root) as two:
        sh(one, "echo secret > /tmp/mine; echo secret > mine")
        told, _ = sh(two, "ls /tmp /home/user; ps ax | grep -c bwrap")
    assert "mine" not in told


def test_a_program_that_hangs_is_killed_with_all_it_started(box: Sandbox) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        box.run(["bash", "-c", "sleep 7654 & sleep 7654"], timeout=0.3)
    assert not alive("sleep 7654")


def test_nothing_is_left_when_the_process_is_killed(tmp_path: Path) -> None:
    """SIGKILL leaves no time to clean up: mounts and processes must go by themselves."""
    before = mounts()
    code = (
        "import sys\n"
        "from worldline.environments.sandbox import Sandbox, debian_root\n"
        "box = Sandbox(debian_root())\n"
        "box.put({'x': b'y'})\n"
        "box.popen(['sleep', '7655'])\n"
        "print('up', flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    assert soon(lambda: alive("sleep 7655"))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert soon(lambda: not alive("sleep 7655"))
    assert soon(lambda: not swept(process.pid))  # by the next session
    assert mounts() == before


BUSY = """
import subprocess
from functools import partial
from worldline.environments.sandbox import cgroup
group = cgroup.make(1 << 26)
subprocess.Popen(["sleep", "{seconds}"], preexec_fn=partial(cgroup.join, group))
cgroup.remove(group)
print(group, group.exists(), flush=True)
{then}
"""


def makes_groups() -> bool:
    group = cgroup.make(1 << 26)
    cgroup.remove(group)
    return group is not None


def busy(seconds: float, then: str = "") -> tuple[Path, bool]:
    """The group of a session with a process that outlives it, and whether it was busy."""
    code = BUSY.format(seconds=seconds, then=then)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    path, there = done.stdout.split()
    return Path(path), there == "True"


def test_a_control_group_that_is_busy_when_its_session_ends_goes_with_the_next_one() -> None:
    if not makes_groups():
        return  # nothing to leave on this machine
    wait = "import time; time.sleep(1); cgroup.remove(cgroup.make(1 << 26)); import os; os._exit(0)"
    group, there = busy(0.3, wait)
    assert there and not group.exists()


def test_a_control_group_that_is_busy_when_the_process_ends_is_waited_for() -> None:
    if not makes_groups():
        return
    group, there = busy(0.5)
    assert there and not group.exists()


def mounts() -> str:
    """Mounts of the machine, as a new process sees them."""
    table = subprocess.run(
        ["cat", "/proc/1/mounts"], capture_output=True, text=True, check=True
    ).stdout
    return "\n".join(line for line in table.split("\n") if "worldline" in line)


def swept(pid: int) -> list[Path]:
    Sandbox(debian_root()).close()
    return list(Path("/sys/fs/cgroup").glob(f"*/worldline-{pid}-*"))


def soon(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 20
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()


def alive(args: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().replace(b"\0", b" ").strip() == args.encode():
                return True
        except OSError:
            continue
    return False


def test_changes_are_read_however_deep_folders_are(box: Sandbox) -> None:
    way = "d/" * 1500
    _, code = sh(box, f"mkdir -p {way} && cd {way} && mkdir -p {way} && echo x > ~/last")
    found = box.changes()
    assert code == 0 and Change("/home/user/last", "made") in found
    assert Change("/home/user" + "/d" * 1500, "made") in found
