"""A repository and a home for each test of `cpl`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.sandbox import Sandbox, make_sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return make_sandbox(tmp_path)


@pytest.fixture
def indexed(sandbox: Sandbox) -> Sandbox:
    assert sandbox.run("init").returncode == 0
    return sandbox
