"""Fixtures: the same seed gives the same home, two seeds share no content."""

import sqlite3
import subprocess
from pathlib import Path

import pytest

from worldline.environments.terminal import fixtures
from worldline.errors import UsageError


def _home(folder: Path, name: str, seed: int) -> Path:
    for path, content in fixtures.make(name, seed).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return folder


@pytest.mark.parametrize("name", fixtures.NAMES)
def test_a_seed_decides_everything(name: str) -> None:
    assert fixtures.make(name, 3) == fixtures.make(name, 3)
    assert fixtures.setup(name, 3) == fixtures.setup(name, 3)


@pytest.mark.parametrize("name", fixtures.NAMES)
def test_two_seeds_share_no_content(name: str) -> None:
    for seed in range(4):
        ours = {content for content in fixtures.make(name, seed).values() if content}
        theirs = set(fixtures.make(name, seed + 100).values())
        assert not ours & theirs


@pytest.mark.parametrize("name", fixtures.NAMES)
def test_paths_stay_in_the_home(name: str) -> None:
    for path in fixtures.make(name, 5):
        assert not path.startswith("/")
        assert ".." not in path.split("/")


def test_several_fixtures_together() -> None:
    both = fixtures.make("notes+data", 7)
    assert both == fixtures.make("notes", 7) | fixtures.make("data", 7)
    assert fixtures.make("empty", 7) == {}


def test_an_unknown_fixture_is_named() -> None:
    with pytest.raises(UsageError, match="no fixture 'castle'"):
        fixtures.make("notes+castle", 1)


def test_the_same_history_has_the_same_hashes(tmp_path: Path) -> None:
    heads = []
    for number in (1, 2):
        home = _home(tmp_path / str(number), "git", 11)
        for command in fixtures.setup("git", 11):
            subprocess.run(["bash", "-ec", command], cwd=home, check=True, capture_output=True)
        (top,) = home.iterdir()
        log = subprocess.run(
            ["git", "log", "--all", "--oneline"], cwd=top, check=True, capture_output=True
        )
        heads.append(log.stdout)
    assert heads[0] == heads[1]
    assert len(heads[0].splitlines()) >= 6


@pytest.mark.parametrize("name", ["nested", "scripts"])
@pytest.mark.parametrize("seed", range(3))
def test_setups_run(tmp_path: Path, name: str, seed: int) -> None:
    home = _home(tmp_path, name, seed)
    for command in fixtures.setup(name, seed):
        subprocess.run(["bash", "-ec", command], cwd=home, check=True)


def test_the_database_opens(tmp_path: Path) -> None:
    home = _home(tmp_path, "database", 2)
    (place,) = home.glob("*.db")
    with sqlite3.connect(place) as base:
        assert base.execute("SELECT count(*) FROM sales").fetchone()[0] >= 40
    base.close()
