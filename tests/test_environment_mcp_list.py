"""The servers of the list, installed and driven in the sandbox."""

import json

import pytest

from tests.mcp_play import call
from worldline.environments.mcp.install import ensure, folder
from worldline.environments.mcp.servers import listed, server
from worldline.environments.process import RealityError, environment
from worldline.environments.registry import kind
from worldline.errors import UsageError


def test_every_server_has_a_set_a_version_and_a_licence():
    for name, one in listed().servers.items():
        assert one.set in listed().sets, name
        assert one.version and one.licence and one.argv()
    with pytest.raises(UsageError, match="There are: git"):
        server("nowhere")


def test_a_server_that_is_not_installed_says_how_to_get_it():
    with environment("mcp", server="memory") as real, pytest.raises(RealityError) as told:
        real.reset()
    assert "not installed" in str(told.value) or "sandbox" in str(told.value)


def test_an_install_that_fails_leaves_nothing_that_looks_whole(monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    said = []
    with pytest.raises(UsageError, match="failed"):
        ensure("python-new", said.append)
    assert len(said) == 1 and not folder("python-new").exists()


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """The list's servers, in the cache of the person who runs the tests if it is shared."""
    kind("mcp").prepare({"server": ["filesystem", "git", "sqlite"]}, print)


@pytest.mark.system
@pytest.mark.usefixtures("ready")
def test_files_in_the_sandbox_are_fresh_at_every_reset_and_the_same_for_a_seed():
    with environment("mcp", server="filesystem", files={"given.txt": "42\n"}) as real:
        real.reset(seed=3)
        first = real.trajectory().system.initial_state
        path = "/home/user/new.txt"
        assert "Successfully" in str(
            real.step(call("write_file", path=path, content="x")).observation
        )
        assert real.step(call("read_text_file", path="/home/user/given.txt")).observation == "42\n"
        outside = str(real.step(call("read_text_file", path="/etc/passwd")).observation)
        assert outside.startswith("Error: Access denied")
        taken = real.snapshot()
        assert path in taken["text"] and any(f["key"] == path for f in taken["facts"])
        real.reset(seed=3)
        assert real.trajectory().system.initial_state == first
        assert "ENOENT" in str(real.step(call("read_text_file", path=path)).observation)
        real.reset(seed=4)
        assert real.trajectory().system.initial_state != first


@pytest.mark.system
@pytest.mark.usefixtures("ready")
def test_servers_together_share_a_home():
    with environment("mcp", server=["git", "filesystem"]) as real:
        real.reset(seed=1)
        repo = "/home/user/project"
        real.step(call("write_file", path=f"{repo}/more.md", content="# More\n"))
        assert "more.md" in str(real.step(call("git_status", repo_path=repo)).observation)
        real.step(call("git_add", repo_path=repo, files=["more.md"]))
        done = str(real.step(call("git_commit", repo_path=repo, message="More")).observation)
        assert "committed" in done
        assert [turn.info["server"] for turn in real.turns] == ["filesystem", "git", "git", "git"]
        again = environment("mcp", server=["git", "filesystem"])
        with again:
            again.reset(seed=1)
            for turn in real.turns:
                assert again.step(turn.action).observation == turn.observation


@pytest.mark.system
@pytest.mark.usefixtures("ready")
def test_the_shop_is_made_from_the_seed():
    with environment("mcp", server="sqlite", dialect="call-tool-result") as real:
        real.reset(seed=5)
        seen = str(
            real.step(call("read_query", query="SELECT COUNT(*) AS n FROM orders")).observation
        )
        assert seen.startswith("meta=None content=[TextContent(") and "'n': " in seen
        wrong = str(real.step(call("read_query", query=["a"])).observation)
        assert "isError=True" in wrong and json.dumps("a") not in wrong
