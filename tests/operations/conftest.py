from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeplane.query.snapshot import Snapshot
from operations.fixtures import FILES, index


@pytest.fixture(scope="session")
def polyglot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """Shared by all tests; read-only."""
    with index(tmp_path_factory.mktemp("polyglot") / "shop", FILES) as snapshot:
        yield snapshot
