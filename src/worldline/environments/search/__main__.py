"""``python -m worldline.environments.search [FOLDER | PACKAGE ...]``: make an index ready."""

import sys
from pathlib import Path
from typing import Any

from worldline.environments.search import prepare
from worldline.errors import WorldlineError


def main(args: list[str]) -> int:
    """Prepare the whole corpus, some packages of it, or a folder."""
    if {"-h", "--help"} & set(args):
        print(__doc__)
        return 0
    options: dict[str, Any] = {"packages": args}
    if len(args) == 1 and (Path(args[0]).is_dir() or "/" in args[0]):
        options = {"folder": args[0]}
    try:
        prepare(options, lambda said: print(said, flush=True))
    except WorldlineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
