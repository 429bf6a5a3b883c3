"""A server of the list in its sandbox, on this process's own stdin and stdout.

``python -m benchmarks.boxed NAME SEED``: what a plain client is given as the server's command, so
that both sides talk to the same server in the same place.
"""

import sys

from worldline.environments.mcp.options import read
from worldline.environments.mcp.place import Place
from worldline.environments.mcp.servers import server


def main(name: str, seed: int) -> int:
    """Run it until it ends."""
    place = Place(read({"server": name}), seed)
    one = server(name)
    assert place.box is not None
    try:
        return place.box.popen(
            one.argv(), env=one.environment(), stdin=0, stdout=1, stderr=2
        ).wait()
    finally:
        place.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
