"""Shared by all tests: no network model, no user configuration, and no silent skip in CI."""

import os

import pytest
from hypothesis import HealthCheck, settings

# Tests are never timed: a busy machine is no fault.
settings.register_profile("worldline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("worldline")


@pytest.fixture(autouse=True)
def _own_home(request, tmp_path_factory, monkeypatch):
    """Tests never read or write the caches and histories of the person who runs them.

    But for system tests: what they need is big, made once (a Debian root, servers, a corpus) and
    kept by what it is made of, so that nothing of theirs can be in anybody's way.
    """
    home = tmp_path_factory.mktemp("home")
    shared = request.node.get_closest_marker("system") is not None
    if "WORLDLINE_TEST_CACHE" not in os.environ and not shared:
        monkeypatch.setenv("WORLDLINE_CACHE", str(home / "cache"))
    monkeypatch.setenv("WORLDLINE_STATE", str(home / "state"))
    monkeypatch.setenv("WORLDLINE_CONFIG", str(home / "config"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if os.environ.get("WORLDLINE_NO_SKIP") and (report.skipped or hasattr(report, "wasxfail")):
        report.outcome = "failed"
        report.longrepr = f"skipped or expected to fail, which CI does not allow: {report.longrepr}"
