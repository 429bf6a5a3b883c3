"""``python -m worldline.environments.search [FOLDER]``: make the index ready."""

import sys

from worldline.environments.search import prepare
from worldline.errors import WorldlineError


def main() -> int:
    """Prepare the default corpus, or a folder's."""
    try:
        prepare(
            {"folder": sys.argv[1]} if sys.argv[1:] else {}, lambda said: print(said, flush=True)
        )
    except WorldlineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
