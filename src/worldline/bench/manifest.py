"""The manifest of a run: all that decides its results, beside them in ``OUT.manifest.json``.

A run can be continued by running it again; it is the same run only if everything here is the same.
Recorded too, but free to differ: Python's version, the time of the start, and of a remote model
where it is served and how it is called (timeouts, attempts), which a restart may change.
"""

import platform
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import worldline
from worldline import jsonl, manifests
from worldline.errors import DataError

MANIFEST_SCHEMA = "worldline.manifest/1"
_MAY_DIFFER = ("python", "started_at")
_OF_MODEL_MAY_DIFFER = ("host", "options")


def manifest(verb: str, **decides: Any) -> dict[str, Any]:
    """A new manifest.

    Args:
        verb: the command, as ``predict``.
        decides: what the results depend on, as JSON values.
    """
    return {
        "schema": MANIFEST_SCHEMA,
        "verb": verb,
        "versions": {"worldline": worldline.__version__},
        "python": platform.python_version(),
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **jsonl.loads(jsonl.dumps(decides)),
        "prompts": prompt_hashes(),
    }


def prompt_hashes() -> dict[str, str]:
    """SHA-256 of every prompt that shapes predictions, by ``domain/name``."""
    package = Path(worldline.__file__).parent
    found = (path.relative_to(package) for path in package.glob("**/prompts/*.txt"))
    return {
        f"{path.parts[-3]}/{path.stem}": sha256((package / path).read_bytes()).hexdigest()
        for path in sorted(found)
        if path.parts[0] in ("domains", "trees")
    }


def manifest_path(out: Path) -> Path:
    """Where the manifest of an output lies."""
    return out.with_name(out.name + ".manifest.json")


def settle(out: Path, wanted: dict[str, Any], *, fresh: bool) -> None:
    """Write the manifest of a fresh run, or make sure that an earlier run was the same.

    Args:
        fresh: no result is there yet.

    Raises:
        UsageError: the results were made otherwise; it names what differs.
        DataError: results without a manifest, or a broken one.
    """
    path = manifest_path(out)
    if fresh:
        manifests.write(path, wanted)
        return
    old, new = _decisive(manifests.read(path, MANIFEST_SCHEMA, _missing(out))), _decisive(wanted)
    remedy = "Run it as it was run before, or give another output file."
    for key in (*new, *old):
        was, now = old.get(key), new.get(key)
        manifests.must_agree(path, key, was, now, made="these results were made", remedy=remedy)


def _missing(out: Path) -> DataError:
    return DataError(
        "holds something already, and there is no manifest beside it",
        file=out,
        remedy="Give another output file; this one was not made by this command.",
    )


def _decisive(values: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in values.items() if key not in _MAY_DIFFER}
    for who in ("model", "judge"):
        if isinstance(kept.get(who), dict):
            kept[who] = lasting(kept[who])
    return kept


def lasting(model: dict[str, Any]) -> dict[str, Any]:
    """What a model is, without where it is served and how it is called."""
    return {key: value for key, value in model.items() if key not in _OF_MODEL_MAY_DIFFER}
