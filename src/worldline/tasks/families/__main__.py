"""Write the built-in sets: ``python -m worldline.tasks.families [--check] [DOMAIN ...]``.

With ``--check`` nothing is written; exit 1 when a set is not what its families make.
"""

import sys

import msgspec

from worldline import jsonl
from worldline.errors import WorldlineError
from worldline.tasks.families import made, tasks
from worldline.tasks.read import set_path


def main(args: list[str]) -> int:
    """The exit code."""
    checks = "--check" in args
    domains = [arg for arg in args if arg != "--check"] or made()
    stale = 0
    for domain in domains:
        found = tasks(domain)
        path = set_path(domain)
        rows = b"".join(jsonl.dumps(msgspec.to_builtins(one)) + b"\n" for one in found)
        same = path.is_file() and path.read_bytes() == rows
        stale += checks and not same
        if not same and not checks:
            path.parent.mkdir(exist_ok=True)
            jsonl.write(path, map(msgspec.to_builtins, found))
        families = len({one.family for one in found})
        unseen = sum(one.unseen for one in found)
        print(
            f"{domain}: {len(found)} tasks, {families} families, {unseen} unseen; "
            f"{'the same' if same else 'STALE' if checks else 'written'}"
        )
    return int(stale > 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except WorldlineError as error:
        sys.exit(f"error: {error}")
