"""Settings of the whole suite."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow at times: no test depends on how long an example takes.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with SIGINT ignored, and child processes inherit that; several tests interrupt one.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
