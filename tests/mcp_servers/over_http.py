"""A server over streamable HTTP, on a port that is written to stdout: ``python over_http.py``."""

import socket

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("over-http")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def repeat(text: str, times: int) -> str:
    """A text, some times over."""
    return text * times


def main():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        free.listen()
        print(free.getsockname()[1], flush=True)
        app = server.streamable_http_app()
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[free])


if __name__ == "__main__":
    main()
