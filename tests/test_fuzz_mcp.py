"""What fuzzing found in how servers of tools are read."""

import asyncio

import pytest

pytest.importorskip("mcp")

from worldline.environments.mcp.connection import Connection, Reach, ServerError


class Listing(Connection):
    """A server that lists what it is given."""

    def __init__(self, tools):
        super().__init__("shed", Reach(None))
        self.given = tools

    async def _request(self, method, params, limit_s):
        return {"tools": self.given}


@pytest.mark.parametrize("tools", ["dig", 1, None, [None], [{"name": "dig"}, "sow"]])
def test_tools_that_are_no_objects_are_an_error_that_names_the_server(tools):
    with pytest.raises(ServerError, match="'shed' lists tools that are no objects"):
        asyncio.run(Listing(tools).refresh())


def test_odd_tools_that_are_objects_are_kept_as_they_are():
    tools = [{"name": 3}, {}, {"name": "dig", "inputSchema": None}]
    server = Listing(tools)
    asyncio.run(server.refresh())
    assert list(server.tools) == tools
