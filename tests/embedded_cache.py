"""The real embedded model for system tests, fetched once into a cache that outlives the run.

That is the user's own cache, or the folder that WORLDLINE_TEST_CACHE names.
"""

import os

import platformdirs
import pytest

from worldline.models import library


@pytest.fixture(scope="session")
def fetched():
    """The cache folder, with the model in it."""
    given = os.environ.get("WORLDLINE_TEST_CACHE") or os.environ.get("WORLDLINE_CACHE")
    folder = given or platformdirs.user_cache_dir("worldline")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORLDLINE_CACHE", folder)
        library.pull()
    return folder


@pytest.fixture
def embedded_cache(fetched, monkeypatch):
    """Points this test at the cache that holds the model."""
    monkeypatch.setenv("WORLDLINE_CACHE", fetched)
    return fetched
