"""What follows from lines that tools have shown in part."""

from tests.swe_play import LOOM, ROWS, ask, call, numbered
from worldline.domains.swe import DOMAIN
from worldline.facts import fact
from worldline.trajectory import Source, Trajectory, Turn

PATH = "/w/loom.py"


def read(first, count):
    return call("Read", file_path=PATH, offset=first, limit=count)


def swap(old, new, **more):
    return call("Edit", file_path=PATH, old_string=old, new_string=new, **more)


def bash(command):
    return call("Bash", command=command)


SEEN = (read(2, 5), numbered("\n".join(ROWS[1:6]), first=2))
DONE = f"The file {PATH} has been updated successfully."


def known(turns, action, **options):
    found = ask(turns, action, dialect="claude-code", **{"foreign": False, **options})
    return None if found is None else found.observation


def test_a_part_of_what_was_read_is_known():
    assert known([SEEN], read(3, 2)) == numbered("\n".join(ROWS[2:4]), first=3)
    assert known([SEEN], read(3, 9)) is None
    assert known([SEEN, (bash("python x.py"), "")], read(3, 2)) is None


def test_a_foreign_harness_may_refuse_to_show_again_what_has_not_changed():
    assert known([SEEN], read(3, 2), foreign=True) is None


def test_lines_around_an_edit_are_known_with_their_new_numbers():
    edited = [SEEN, (swap("WARP = 12", "WARP = 12\nWEFT = 3"), DONE)]
    assert known(edited, read(3, 3)) == numbered("WARP = 12\nWEFT = 3\n", first=3)
    assert known(edited, bash(f"sed -n '6,7p' {PATH}")) is None
    assert known(edited, bash(f"sed -n '3,4p' {PATH}")) == "WARP = 12\nWEFT = 3"


def test_an_edit_that_is_not_among_the_known_lines_leaves_nothing_certain():
    edited = [SEEN, (swap("return rows", "return 2 * rows"), DONE)]
    assert known(edited, read(3, 2)) is None
    everywhere = [SEEN, (swap("WARP", "WEFT", replace_all=True), DONE)]
    assert known(everywhere, read(3, 2)) is None


def test_the_last_line_of_trimmed_output_is_not_certain():
    shown = (bash(f"sed -n '1,4p' {PATH}"), '"""Weaves."""\n\nWARP = 12')
    assert known([shown], bash(f"sed -n '1,2p' {PATH}")) is not None
    assert known([shown], bash(f"sed -n '3p' {PATH}")) is None


def test_output_that_was_cut_teaches_nothing():
    rows = "\n".join(f"{n} " + "x" * 90 for n in range(400))
    cut = f"{rows[:15_000]}\n\n... [80 lines truncated] ...\n\n{rows[-15_000:]}"
    assert known([(bash("cat /w/long.txt"), cut)], bash("cat /w/long.txt")) is None


def test_a_read_that_failed_is_no_content():
    failed = (call("read", path="/w/x"), "ENOENT: no such file or directory, access '/w/x'")
    assert ask([failed], call("bash", command="cat /w/x"), dialect="pi", foreign=False) is None


def test_windows_of_the_editor_teach_lines():
    view = f"[File: {PATH} (8 lines total)]\n" + numbered(LOOM.rstrip("\n"), ":") + "\n"
    found = ask([("open /w/loom.py", view)], f"sed -n '3,4p' {PATH}", dialect="aci", foreign=False)
    assert found is not None
    assert found.observation == "WARP = 12\n\n"
    after = [("open /w/loom.py", view), ("python x.py", "")]
    assert ask(after, f"sed -n '3,4p' {PATH}", dialect="aci", foreign=False) is None


def collected(**meta):
    return Trajectory(
        id="t",
        domain="swe",
        dialect="bash-returncode",
        source=Source(kind="collected"),
        meta=meta,
    )


def test_a_recording_of_ours_gives_the_facts_of_its_start():
    facts = [{"id": "cwd", "kind": "cwd", "key": "cwd", "value": "/w", "origin": "given"}]
    one = fact("cwd", "cwd", "/w", origin="given")
    ledger = DOMAIN.open(collected(facts=[{**facts[0], "id": one.id, "turn": 0, "complete": True}]))
    found = DOMAIN.known(ledger, "pwd")
    assert found is not None
    assert found.observation == "<returncode>0</returncode>\n<output>\n/w\n</output>"
    assert DOMAIN.known(DOMAIN.open(collected(facts=["no fact"])), "pwd") is None


def test_a_turn_that_did_not_end_leaves_nothing_certain():
    ledger = DOMAIN.open(collected())
    turns = [
        ("cat /w/a", {}),
        ("cat /w/b", {"status": "timeout"}),
    ]
    for action, info in turns:
        shown = "<returncode>0</returncode>\n<output>\nx\n</output>"
        ledger = DOMAIN.track(ledger, Turn(action=action, observation=shown, info=info), "real")
    assert DOMAIN.known(ledger, "cat /w/b") is None


def test_an_editor_of_ours_that_shows_its_state_always_shows_it():
    state = "(Open file: /w/loom.py)\n(Current directory: /w)\nbash-$"
    view = f"[File: {PATH} (8 lines total)]\n" + numbered(LOOM.rstrip("\n"), ":") + f"\n{state}"
    turns = [("pwd", f"/w\n{state}"), ("open /w/loom.py", view)]
    found = ask(turns, f"sed -n '3p' {PATH}", dialect="aci", foreign=False)
    assert found is not None
    assert found.observation == f"WARP = 12\n{state}"
    assert ask(turns, f"sed -n '3p' {PATH}", dialect="aci", foreign=True) is None
    assert ask(turns, "open /w/loom.py", dialect="aci", foreign=False) is None
    assert ask(turns, "cd / && pwd", dialect="aci", foreign=False) is None
