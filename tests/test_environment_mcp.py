"""The MCP environment at small servers of our own."""

import os
import subprocess
import sys

import pytest

from tests.mcp_play import SERVERS, call, plain, texts
from worldline.domains.mcp import DOMAIN
from worldline.environments.mcp.names import roof
from worldline.environments.process import RealityError, environment


def test_a_session_is_a_trajectory_that_the_domain_reads():
    with plain("more") as real:
        real.reset(seed=7)
        assert texts(real, call("echo", text="hi"), call("fail", text="no luck")) == [
            "hi",
            "Error: no luck",
        ]
        recorded = real.trajectory("one")
        assert (recorded.domain, recorded.dialect, recorded.source.seed) == ("mcp", "json", 7)
        assert recorded.meta["versions"]["server"] == "plain 1.2"
        assert "plain 1.2" in DOMAIN.system_text(recorded, "full")
        odd = next(tool for tool in recorded.tools or () if tool["name"] == "odd")
        assert odd["x-own"] == [1] and odd["inputSchema"]["additionalProperties"] is False


def test_the_whole_result_is_shown_in_the_other_dialect():
    with plain("more", dialect="call-tool-result") as real:
        real.reset()
        good, bad = texts(real, call("echo", text="it's"), call("fail", text="no"))
        shown = "content=[TextContent(type='text', text=\"it's\", annotations=None)]"
        assert good == f"meta=None {shown} isError=False"
        assert bad is not None and bad.endswith("isError=True")
        mixed = str(real.step(call("mixed")).observation)
        assert "ImageContent(type='image', data='[15 bytes]', mimeType='image/png'" in mixed
        parsed = DOMAIN.dialects["call-tool-result"].parse_observation(mixed)
        assert len(parsed.body.blocks) == 4


def test_the_server_refuses_what_it_can_and_the_harness_the_rest():
    with plain("more") as real:
        real.reset()
        actions = (
            call("nowhere"),
            "no call at all",
            '{"name": "echo", "arguments": "{"}',
            '{"name": "echo", "arguments": "{\\"text\\": \\"as text\\"}"}',
        )
        seen = texts(real, *actions)
        assert seen[0] == "MCP error -32602: Unknown tool: nowhere"
        assert seen[1] == "MCP error -32700: Parse error: the action is not JSON"
        assert seen[2] == "Error: Invalid arguments for tool echo: arguments: the text is not JSON"
        assert seen[3] == "as text"


def test_a_call_that_times_out_is_cancelled_and_the_session_goes_on():
    with plain("more") as real:
        real.reset()
        result = real.step(call("sleep", n=1), limit_s=0.2)
        assert result.outcome == "timeout"
        assert result.observation == "MCP error -32001: Request timed out"
        recovered = real.turns[-1].info["recovered"]
        assert recovered in ("cancelled", "restarted")
        assert real.step(call("echo", text="here")).observation == "here"
        if recovered == "cancelled":
            assert real.step(call("cancelled")).observation != "[]"


def test_a_server_that_hangs_is_replaced():
    with plain("more") as real:
        real.reset()
        assert real.step(call("sleep", n=60), limit_s=0.2).outcome == "timeout"
        assert real.turns[-1].info["recovered"] == "restarted"
        assert real.step(call("cancelled")).observation == "[]"


def test_a_crash_is_told_with_the_servers_last_words_and_the_next_step_restarts_it():
    with plain() as real:
        real.reset()
        result = real.step(call("crash"))
        assert (result.outcome, result.observation) == ("capture_failed", None)
        assert "status 3" in str(result.reason) and "the disk is full" in str(result.reason)
        assert real.step(call("echo", text="back")).observation == "back"
        assert real.turns[-1].info["recovered"] == "restarted"


def test_a_changed_tool_list_is_read_again():
    with plain("more") as real:
        real.reset()
        real.step(call("grow"))
        assert "extra" in [tool["name"] for tool in real.turns[-1].info["tools"]]
        assert real.step(call("extra")).observation == "more"


def test_numbers_that_are_none_and_half_characters_pass():
    with plain("more") as real:
        real.reset()
        seen = texts(real, call("nan"), '{"name": "echo", "arguments": {"text": "\\ud800"}}')
        assert str(seen[0]).startswith("a number") and seen[1] == "\ud800"
        assert real.turns[0].info["blocks"][1]["structuredContent"] == {"value": "NaN"}


def test_no_process_stays():
    with plain("more") as real:
        real.reset()
        pid = real._process.pid if real._process else 0
        told = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
        )
        servers = [int(one) for one in told.stdout.split()]
        assert servers
    for one in servers:
        with pytest.raises(ProcessLookupError):
            os.kill(one, 0)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"command": ["no-such-program"]}, "no-such-program"),
        ({"command": [sys.executable, "-c", "raise SystemExit('broken setup')"]}, "broken setup"),
        ({"url": "http://example.com/mcp"}, "this machine"),
        ({"colour": "red"}, "colour"),
        ({"command": ["true"], "dialect": "xml"}, "xml"),
        ({"server": "no-such-server"}, "no-such-server"),
        ({"server": "git", "command": ["true"]}, "one of server"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(options, says):
    with environment("mcp", **options) as real, pytest.raises(RealityError, match=says):
        real.reset()


def test_names_that_clash_get_their_servers():
    one, two = {"name": "read", "x": 1}, {"name": "list"}
    made = roof({"files": [one, two], "notes": [{"name": "read"}]})
    assert [tool["name"] for tool in made.tools] == ["files__read", "list", "notes__read"]
    assert made.tools[0]["x"] == 1 and made.tools[1] is two
    assert made.route("notes__read") == ("notes", "read") and made.route("read") is None
    alone = roof({"files": [one]})
    assert alone.tools == (one,) and alone.route("gone") == ("files", "gone")


@pytest.fixture
def over_http():
    """The URL of a server on this machine."""
    command = [sys.executable, str(SERVERS / "over_http.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"
        server.kill()


def test_a_server_over_http_on_this_machine(over_http):
    with environment("mcp", url=over_http) as real:
        real.reset()
        seen = texts(real, call("add", a=2, b=3), call("repeat", text="é", times=200_000))
        assert seen == ["5", "é" * 200_000]
        assert "Error" in str(real.step(call("add", a=2)).observation)


def test_a_ceiling_over_http_is_a_clean_error_too(over_http):
    with environment("mcp", url=over_http, ceiling_bytes=100_000) as real:
        real.reset()
        result = real.step(call("repeat", text="é", times=200_000))
        assert result.outcome == "capture_failed" and "100000 bytes" in str(result.reason)
        assert real.step(call("add", a=2, b=3)).observation == "5"
        assert real.turns[-1].info["recovered"] == "restarted"
