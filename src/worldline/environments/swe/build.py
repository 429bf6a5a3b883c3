"""Builds the store in a process of its own: ``python -m worldline.environments.swe.build``."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib import resources
from pathlib import Path

from worldline.environments.sandbox import Bind, Limits, Sandbox, debian_root
from worldline.environments.sandbox.roots import FIXED_TIME
from worldline.environments.swe.fetch import archive_of
from worldline.environments.swe.repos import Repo, repos, requirements

PYTHON = "/usr/bin/python3"
LIMITS = Limits(memory_mb=2048, disk_mb=1024)


def main() -> None:
    """Fill the folder named first from the source distributions in the second."""
    folder, sdists = Path(sys.argv[1]), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)  # noqa: PTH101 - the sandbox's user looks into it
        sources = Path(scratch)
        for one in repos().values():
            _unpack(one, sdists, sources)
        version = _python(folder, sources)
        (folder / "repos").mkdir()
        for one in repos().values():
            print(f"swe: building {one.name} {one.version}", flush=True)
            (folder / "repos" / f"{one.name}.tar").write_bytes(_repository(one, sources))
    versions = {one.name: one.version for one in repos().values()}
    versions |= dict(one.split("==") for one in requirements())
    (folder / "ready.json").write_text(json.dumps({"python": version, **versions}, indent=1))


def _unpack(repo: Repo, sdists: Path, sources: Path) -> None:
    archive = archive_of(sdists, repo)
    assert archive is not None, repo.name
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(archive) as tar:
            tar.extractall(scratch, filter="data")
        (inside,) = Path(scratch).iterdir()
        shutil.copytree(inside, sources / repo.name, symlinks=True)


def _repository(repo: Repo, sources: Path) -> bytes:
    """The archive of a git repository, made in the sandbox."""
    script = resources.files("worldline.environments.swe").joinpath("build.sh").read_bytes()
    tests = repo.units[0].tests[0].rpartition("/")[0] or repo.units[0].tests[0]
    arguments = [repo.name, repo.version, str(FIXED_TIME), tests]
    return _inside(sources, script, arguments)


def _inside(sources: Path, script: bytes, arguments: list[str]) -> bytes:
    binds = (Bind(sources, "/opt/src"),)
    with Sandbox(debian_root(), binds=binds, limits=LIMITS) as box:
        done = box.run(["bash", "-s", *arguments], input=script, timeout=300)
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip()
        raise SystemExit(f"building {arguments} failed: {told}")
    return done.stdout


def _python(folder: Path, sources: Path) -> str:
    """A virtual environment by hand: the sandbox's own Python, pytest, the repositories' roots."""
    site = folder / "site"
    with Sandbox(debian_root()) as box:
        done = box.run([PYTHON, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"])
    version = done.stdout.decode().strip()
    short = version.rpartition(".")[0]
    shutil.rmtree(site / "bin", ignore_errors=True)
    roots = [f"{one.home}/{one.root}".removesuffix("/.") for one in repos().values()]
    (site / "repositories.pth").write_text("\n".join(roots) + "\n")
    for one in repos().values():
        _metadata(site, one, sources)
    compiled = _inside(site, COMPILE, [])
    venv = folder / "venv"
    library = venv / "lib" / f"python{short}" / "site-packages"
    library.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(compiled)) as tar:
        tar.extractall(library, filter="data")
    _programs(venv, version)
    shutil.rmtree(site)
    _settled(venv)
    return version


COMPILE = b"""
set -eu
cp -r /opt/src "$HOME/site"
cd "$HOME/site"
find . -name __pycache__ -prune -exec rm -rf {} +
python3 -m compileall -q --invalidation-mode unchecked-hash . > /dev/null 2>&1 || true
tar cf - --sort=name .
"""


def _metadata(site: Path, repo: Repo, sources: Path) -> None:
    """So that a repository knows its own version, as after ``pip install -e``."""
    told = site / f"{repo.name.replace('-', '_')}-{repo.version}.dist-info"
    told.mkdir()
    shutil.copyfile(sources / repo.name / "PKG-INFO", told / "METADATA")
    (told / "INSTALLER").write_text("pip\n")


def _programs(venv: Path, version: str) -> None:
    binaries = venv / "bin"
    binaries.mkdir()
    for name in ("python", "python3"):
        (binaries / name).symlink_to(PYTHON)
    script = "#!/opt/venv/bin/python\nimport sys\n\nfrom pytest import console_main\n\n"
    (binaries / "pytest").write_text(f"{script}sys.exit(console_main())\n")
    (binaries / "pytest").chmod(0o755)
    told = f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n"
    (venv / "pyvenv.cfg").write_text(told)


def _settled(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
        os.utime(path, (FIXED_TIME, FIXED_TIME), follow_symlinks=False)


if __name__ == "__main__":
    try:
        main()
    except subprocess.TimeoutExpired as error:
        raise SystemExit(f"building took too long: {error}") from None
