"""What every test shares: a clean environment, the evaluation data when it is there, and the requirements each test proves."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

DATA = Path(os.environ.get("BEEBREAD_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")

settings.register_profile("beebread", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("beebread")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting, home or colour of the person who runs the tests reaches a test."""
    for name in [name for name in os.environ if name.startswith("BEEBREAD_") and name != "BEEBREAD_DATA"]:
        monkeypatch.delenv(name)
    for name in ("FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BEEBREAD_HOME", str(tmp_path / "beebread-home"))
    monkeypatch.setenv("BEEBREAD_EMBEDDER", "none")  # a test that is about meaning names its embedder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of evaluation data (BEEBREAD_DATA, else shared/data beside the repository); the test is skipped without it."""
    if not DATA.is_dir():
        pytest.skip("no evaluation data: set BEEBREAD_DATA to its folder")
    return DATA


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave soak tests out unless they are asked for by name with -m."""
    if "soak" in str(config.getoption("markexpr")):
        return
    soak = [item for item in items if item.get_closest_marker("soak")]
    if soak:
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]


class Proofs:
    """Which requirements the tests of this run proved, and which were only skipped."""

    def __init__(self) -> None:
        self.proved: set[str] = set()
        self.skipped: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        named = {str(name) for marker in item.iter_markers("requirement") for name in marker.args}
        if report.skipped:
            self.skipped |= named
        elif report.when == "call" and report.passed:
            self.proved |= named
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.proved:
            terminalreporter.write_line(f"requirements proved by this run: {len(self.proved)}")
        if only := sorted(self.skipped - self.proved):
            terminalreporter.write_line(f"requirements whose tests were all skipped: {', '.join(only)}")


def pytest_configure(config: pytest.Config) -> None:
    """Count proofs in every run."""
    config.pluginmanager.register(Proofs(), "proofs")
