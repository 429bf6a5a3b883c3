"""The terminal's explorer: seeded, driven by what it sees, honest about what it has not seen."""

import json
import random
from collections import Counter

import pytest

from worldline.collect.explorers import explorer
from worldline.collect.explorers.base import Move
from worldline.collect.explorers.terminal import TerminalExplorer
from worldline.collect.explorers.terminal.acts import Act, seen_on_screen
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.families import KINDS
from worldline.collect.explorers.terminal.phrases import group, phrase
from worldline.domains.terminal import DOMAIN
from worldline.environments import environment
from worldline.environments.base import Opening
from worldline.environments.terminal.options import read_options
from worldline.prediction import StepResult
from worldline.trajectory import SystemPrompt, Trajectory

FAMILIES = tuple(TerminalExplorer.families)


def _moves(family: str, seed: int, shown: str = "", outcome: str = "ok") -> list[Move]:
    """An episode in a world where every action shows the same."""
    agent = TerminalExplorer(family, random.Random(seed))
    dialect = agent.options()["dialect"]
    agent.begin(Opening(domain="terminal", dialect=dialect, system=SystemPrompt()))
    if dialect == "terminus2" and outcome == "ok":
        shown = f"New Terminal Output:\n\n{shown}user@box:~$ \n"
    result = StepResult(observation=shown, outcome=outcome, origin="real", seq=1, branch="main")
    moves: list[Move] = []
    while (move := agent.act(result if moves else None)) is not None:
        moves.append(move)
        assert len(moves) < 120
    return moves


def test_it_is_the_terminals() -> None:
    assert explorer("terminal") is TerminalExplorer


def test_some_families_are_held_out() -> None:
    held = [name for name, family in TerminalExplorer.families.items() if family.held_out]
    assert 0.15 <= len(held) / len(FAMILIES) <= 0.3


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_and_sights_give_the_same_episode(family: str) -> None:
    assert _moves(family, 4) == _moves(family, 4)
    assert _moves(family, 4) != _moves(family, 5)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("shown", ["", "bash: nothing: command not found\n", "\x00\ud800 [[(\n"])
def test_an_episode_ends_whatever_it_sees(family: str, shown: str) -> None:
    for seed in range(6):
        assert 12 <= len(_moves(family, seed, shown)) <= 60


@pytest.mark.parametrize("family", FAMILIES)
def test_a_program_that_never_leaves_the_screen_does_not_trap_it(family: str) -> None:
    for seed in range(4):
        assert _moves(family, seed, "stuck", "awaiting_input")


def test_no_observation_ends_the_episode() -> None:
    agent = TerminalExplorer("text", random.Random(1))
    agent.begin(Opening(domain="terminal", dialect="command", system=SystemPrompt()))
    assert agent.act(None) is not None
    gone = StepResult(observation=None, outcome="infra_error", origin="real", seq=1, branch="main")
    assert agent.act(gone) is None


def test_actions_are_of_the_dialect_and_options_are_the_drivers() -> None:
    for family in FAMILIES:
        for seed in range(4):
            options = TerminalExplorer(family, random.Random(seed)).options()
            read_options(options)
            for move in _moves(family, seed):
                DOMAIN.dialects[options["dialect"]].parse_action(move.action)
                assert move.intent


def test_half_is_keystrokes() -> None:
    weights = [TerminalExplorer.families[name].weight for name in FAMILIES]
    rng = random.Random(0)
    dialects = Counter(
        TerminalExplorer(rng.choices(FAMILIES, weights)[0], rng).dialect for _ in range(2000)
    )
    assert 0.42 < dialects["terminus2"] / 2000 < 0.58


def test_batches_may_say_what_the_agent_thinks() -> None:
    forms = Counter(
        type(json.loads(move.action)).__name__
        for seed in range(12)
        for move in _moves("keys", seed)
    )
    assert set(forms) == {"list", "dict"}


def test_it_only_reads_files_that_it_saw_or_made() -> None:
    desk = Desk(random.Random(3), screen=False)
    for _ in range(300):
        line = phrase(desk, "text").line
        assert "notes.txt" not in line
    desk.found("./notes.txt\n./data/table.csv\n")
    assert any("notes.txt" in phrase(desk, "text").line for _ in range(80))


def test_listings_of_all_forms_are_understood() -> None:
    desk = Desk(random.Random(0), screen=False)
    long = "total 4\ndrwxr-xr-x 2 user user 60 Jun  1  2025 docs\n"
    long += "-rw-r--r-- 1 user user 12 Jun  1  2025 my file.txt\n"
    desk.listed("", long)
    desk.listed("docs", "a.md  'odd one.txt'\nMakefile  sub\n")
    desk.found("/home/user/x/y.log\nfind: nothing\n../up.txt\n/etc/passwd\n")
    assert desk.folders == {"docs", "docs/sub", "x"}
    assert set(desk.files) == {
        "my file.txt", "docs/a.md", "docs/odd one.txt", "docs/Makefile", "x/y.log",
    }  # fmt: skip


def test_paths_are_written_from_where_it_is() -> None:
    desk = Desk(random.Random(1), screen=False)
    desk.went("a/b")
    shown = {desk.at("a/c d.txt") for _ in range(60)}
    assert shown == {"'../c d.txt'", "~/'a/c d.txt'", "'/home/user/a/c d.txt'"}
    desk.went("")
    assert "./-x.txt" in {desk.at("-x.txt") for _ in range(20)}


def test_outputs_are_told_apart_on_a_screen() -> None:
    screen = (
        "New Terminal Output:\n\nuser@box:~$ pwd\n/home/user\nuser@box:~$ echo aaaa bb\nbb cccc\n"
        "aaaa bbbb cccc\nuser@box:~$ \n"
    )
    seen = seen_on_screen(Act(("pwd", "echo aaaa bbbb cccc"), "look"), screen, "ok")
    assert seen.outputs == ("/home/user\n", "aaaa bbbb cccc\n")
    assert seen.ready


@pytest.mark.parametrize("name", sorted({kind.phrases for kind in KINDS.values()}))
def test_phrases_are_well_formed(name: str) -> None:
    for one in group(name).phrases:
        assert one.line, one
        assert one.why, one
    desk = Desk(random.Random(2), screen=False)
    desk.found(
        "./a/b.txt\n./c.csv\n./d.json\n./e.py\n./f.sh\n./g.log\n./h.db\n./i.tar.gz\n./j.zip\n"
    )
    lines = {phrase(desk, name).line for _ in range(200)}
    assert len(lines) > 100
    assert not any("@noun" in line or "@num" in line for line in lines)


@pytest.mark.system
def test_what_is_known_of_real_episodes_is_never_wrong() -> None:
    import msgspec

    from worldline.facts import Fact

    turns = known = 0
    actions: set[str] = set()
    for seed, family in enumerate(("edit", "env", "git", "keys", "text", "shell")):
        agent = TerminalExplorer(family, random.Random(seed))
        with environment("terminal", **agent.options()) as real:
            trajectory = _played(agent, real, seed)
        ledger = DOMAIN.open(trajectory, msgspec.convert(trajectory.meta["facts"], list[Fact]))
        for turn in trajectory.turns:
            answer = DOMAIN.known(ledger, turn.action)
            if answer is not None:
                known += 1
                assert _plain(answer.observation) == _plain(turn.observation), turn.action
            ledger = DOMAIN.track(ledger, turn, "real")
            turns += 1
            actions.add(turn.action)
    assert turns > 100
    assert known >= turns * 0.05
    assert len(actions) >= turns * 0.85


def _played(agent: TerminalExplorer, real, seed: int) -> Trajectory:
    real.reset(seed)
    agent.begin(real.opening)
    last = None
    while (move := agent.act(last)) is not None:
        last = real.step(move.action, move.limit_s)
        assert last.observation is not None, last.reason
        if last.terminated:
            break
    return real.trajectory()


def _plain(text: str) -> str:
    return "\n".join(row.rstrip() for row in text.replace("\r", "").split("\n")).rstrip("\n")
