from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.store.layout import StateDirectory, create_state
from support.store_sample import Sample


@pytest.fixture
def sample() -> Sample:
    return Sample()


@pytest.fixture
def state(tmp_path: Path) -> StateDirectory:
    root = tmp_path / "repo"
    root.mkdir()
    return create_state(root)


@pytest.fixture
def texts() -> dict[str, str]:
    return {
        f"src/module_{number}.py": f"def load_{number}(path):\n    return parse_{number % 3}(path, load_{number - 1})\n"
        for number in range(12)
    }
