"""The search environment: a real engine over real documents, with pages and notes.

No agent code runs here: an action is a call, its arguments are data. The driver opens one index and
no other file, and an address an agent asks for is looked up in it, never opened.
"""

import shlex
import sys
from collections.abc import Callable
from typing import Any

from worldline.environments.base import Kind, Need

COMMAND = shlex.join([sys.executable or "python", "-m", "worldline.environments.search"])
"""Makes the index, pasted into a shell."""
_ONCE = f"{COMMAND}  # some minutes, once; the first use does it too"


def _tantivy() -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tantivy")
    except PackageNotFoundError:
        return None


def _corpus() -> str | None:
    from worldline.environments.search import recipe, store
    from worldline.errors import WorldlineError

    try:
        found = store.corpus(recipe.options({}))
    except WorldlineError:
        return None
    return str(found.place) if (found.place / "done.json").is_file() else None


def needs() -> tuple[Need, ...]:
    """The engine and a corpus; a folder of one's own does instead of the corpus."""
    return (
        Need("tantivy", _tantivy, "pip install tantivy"),
        Need("corpus", _corpus, _ONCE, optional=True),
    )


def prepare(options: dict[str, Any], tell: Callable[[str], None]) -> None:
    """Fetch the documents and make the index: some minutes the first time, then nothing."""
    from worldline.environments.search import recipe, store

    store.prepare(recipe.options(options), tell)


KIND = Kind(
    name="search",
    driver="worldline.environments.search.driver:SearchDriver",
    needs=needs,
    prepare=prepare,
    personal=lambda options: bool(options.get("folder")),
)
