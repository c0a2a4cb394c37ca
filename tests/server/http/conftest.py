"""One front for a whole module of tests that leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.http_front import Front, running_front


@pytest.fixture(scope="module")
def front() -> Iterator[Front]:
    with running_front() as running:
        yield running
