"""The MCP explorer, its words and its broken calls; and the homes that sessions begin with."""

import json
import random

import pytest

from tests.mcp_play import plain
from tests.mcp_rows import QUERY, READ_FILE, tool
from worldline.collect.explorers import explorer
from worldline.collect.explorers.mcp.breaking import broken
from worldline.collect.explorers.mcp.explorer import _GROUPS
from worldline.collect.explorers.mcp.hand import Hand
from worldline.collect.explorers.mcp.servers import goals
from worldline.collect.explorers.mcp.values import arguments
from worldline.domains.mcp.actions import call_text
from worldline.domains.mcp.schema import check
from worldline.domains.mcp.tools import read_tool
from worldline.environments.base import Opening
from worldline.environments.mcp import fixtures
from worldline.environments.mcp.servers import listed
from worldline.prediction import StepResult
from worldline.trajectory import SystemPrompt

RICH = {
    "name": "plan",
    "inputSchema": {
        "type": "object",
        "$defs": {"Item": {"type": "object", "properties": {"id": {"type": "integer"}}}},
        "properties": {
            "title": {"type": "string"},
            "kind": {"enum": ["a", "b"]},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 1},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["title", "kind", "items"],
    },
}


def result(text: str) -> StepResult:
    return StepResult(observation=text, outcome="ok", origin="real", seq=1, branch="main")


def acted(family: str, seed: int, tools=(READ_FILE,)) -> list[str]:
    agent = explorer("mcp")(family, random.Random(seed))
    system = SystemPrompt(initial_state="/home/user/a.txt (3 bytes)")
    agent.begin(Opening(domain="mcp", dialect="json", system=system, tools=tools))
    moves, last = [], None
    while (move := agent.act(last)) is not None:
        moves.append(move.action)
        last = result("[FILE] a.txt\n[DIR] notes" if len(moves) % 3 else "Error: not found")
    return moves


@pytest.mark.parametrize("family", sorted(_GROUPS))
def test_an_episode_follows_from_its_seed_and_what_was_seen(family):
    moves = acted(family, 1)
    assert 25 <= len(moves) <= 40
    assert moves == acted(family, 1) != acted(family, 2)
    assert len(set(moves)) > len(moves) / 2


def test_some_families_are_held_out_and_all_servers_have_goals():
    families = explorer("mcp").families
    held = [name for name, family in families.items() if family.held_out]
    assert 0.15 <= len(held) / len(families) <= 0.25
    used = {server for group in _GROUPS.values() for server in group.servers}
    assert used == set(listed().servers)
    assert all(goals(server) for server in used)


@pytest.mark.parametrize(
    "given", [READ_FILE, QUERY, RICH, tool("save", "", path="string", n="integer")]
)
def test_arguments_made_from_a_schema_fit_it(given):
    hand, read = Hand(random.Random(3), [given]), read_tool(given)
    for _ in range(50):
        assert check(read.input_schema, arguments(hand, read)).message is None


def test_what_was_used_before_is_used_again():
    hand = Hand(random.Random(1), [READ_FILE])
    hand.keep("path", "/home/user/known.txt")
    made = [arguments(hand, read_tool(READ_FILE))["path"] for _ in range(20)]
    assert made.count("/home/user/known.txt") > 8


def test_broken_calls_are_broken_in_many_ways():
    hand = Hand(random.Random(1), [RICH])
    action = call_text("plan", {"title": "x", "kind": "a", "items": [{"id": 1}], "share": 0.5})
    moves = [broken(hand, action) for _ in range(300)]
    intents = {move.intent for move in moves if move}
    assert {"break: missing", "break: type", "break: choice", "break: unknown tool"} <= intents
    assert {"break: surplus", "break: nowhere", "break: odd", "break: extreme"} <= intents
    assert all(move and move.action != action for move in moves)
    assert broken(hand, "no call") is None


def test_an_explorer_works_at_a_server_it_does_not_know():
    agent = explorer("mcp")("files", random.Random(5))
    with plain("more") as real:
        real.reset()
        assert real.opening is not None
        agent.begin(real.opening)
        last, outcomes = None, set()
        for _ in range(8):
            move = agent.act(last)
            assert move is not None
            last = real.step(move.action, 5)
            outcomes.add(last.outcome)
        assert outcomes == {"ok"}


@pytest.mark.parametrize(
    "name", ["documents", "site", "memory", "workbooks", "letters", "database"]
)
def test_a_home_follows_from_its_seed(name):
    one = fixtures.make(name, 4)
    assert one == fixtures.make([name], 4) != fixtures.make(name, 5)
    assert one.files and one.truth[name]


def test_a_knowledge_graph_is_in_the_servers_own_format():
    text = fixtures.make("memory", 9).files["memory.jsonl"]
    lines = [json.loads(line) for line in str(text).split("\n")]
    assert {line["type"] for line in lines} == {"entity", "relation"}
