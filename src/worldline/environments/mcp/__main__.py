"""``python -m worldline.environments.mcp [NAME ...]``: install servers of the list, all by default."""

import sys

from worldline.environments.mcp.install import prepare
from worldline.environments.mcp.servers import listed
from worldline.errors import WorldlineError


def main(names: list[str]) -> int:
    """Install what is asked for; 0 if it is there."""
    try:
        prepare({"server": names or list(listed().servers)}, print)
    except WorldlineError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
