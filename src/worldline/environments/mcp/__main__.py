"""``python -m worldline.environments.mcp [NAME ...]``: install servers, by default all listed."""

import sys

from worldline.environments.mcp.install import prepare
from worldline.errors import WorldlineError


def main(names: list[str]) -> int:
    """Install what is asked for; 0 if it is there now."""
    if {"-h", "--help"} & set(names):
        print(__doc__)
        return 0
    try:
        prepare({"server": names}, print)
    except WorldlineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
