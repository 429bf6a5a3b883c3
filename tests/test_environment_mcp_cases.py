"""What users reported of other MCP clients."""

from tests.mcp_play import call, plain, texts
from worldline import jsonl
from worldline.domains.mcp import DOMAIN
from worldline.environments.mcp.results import result_of
from worldline.trajectory import trajectory


def test_ur_s27_banners_are_skipped_and_reported_and_large_messages_pass():
    with plain("banner") as real:
        real.reset()
        first, noisy = texts(real, call("echo", text="hi"), call("noisy", n=3))
        assert (first, noisy) == ("hi", "still here")
        told = [turn.info["noise"] for turn in real.turns]
        assert told[0] == {"lines": 2, "text": "plain server 1.2\n{ listening on stdio }"}
        assert told[1]["lines"] == 4 and told[1]["text"].endswith("loading...")
        large = "x" * 300_000
        assert texts(real, call("long", n=300_000), call("echo", text=large)) == [
            "é" * 300_000,
            large,
        ]


def test_ur_s27_a_ceiling_is_a_clean_error_and_the_session_goes_on():
    with plain("more", ceiling_bytes=100_000) as real:
        real.reset()
        for action in (call("long", n=100_000), call("endless"), call("echo", text="x" * 100_001)):
            result = real.step(action)
            assert (result.outcome, result.observation) == ("capture_failed", None)
            assert "ceiling" in str(result.reason)
            assert real.step(call("echo", text="still there")).observation == "still there"


def test_ur_s29_all_pages_of_tools_are_recorded_in_order():
    with plain() as real:
        real.reset()
        recorded = real.trajectory()
        names = [tool["name"] for tool in recorded.tools or ()]
        assert names == ["echo", "long", "mixed", "noisy", "sleep", "crash"]
        assert set(DOMAIN.open(recorded).memo.box.offered) == set(names)


def test_ur_s30_results_that_are_not_text_are_kept_in_order_and_rendered():
    with plain() as real:
        real.reset()
        seen = real.step(call("mixed")).observation
        assert seen == (
            "downloaded\n[resource file:///a.txt text/plain]\nBODY\n[image image/png 15 bytes]\n"
            '[resource_link b file:///b.bin x/y]\n{"n": 1}'
        )
        kept = real.turns[0].info["blocks"]
        assert [block["type"] for block in kept] == [
            "text",
            "resource",
            "image",
            "resource_link",
            "structuredContent",
        ]
        assert kept[1]["resource"]["mimeType"] == "text/plain"
        assert kept[2]["mimeType"] == "image/png" and kept[3]["uri"] == "file:///b.bin"
        again = trajectory(jsonl.loads(jsonl.dumps(real.trajectory().record())))
        assert again.turns[0].info["blocks"] == kept
        result = result_of(kept)
        assert result["content"] == kept[:4] and result["structuredContent"] == {"n": 1}
