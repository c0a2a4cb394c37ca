"""Places to start servers in: one that a module shares and leaves as it was, and one for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.mcp_client import McpClient, Place, server_place

FILES: dict[str, str | bytes] = {
    "app.py": "class App:\n    def start(self) -> int:\n        return 1\n\n\ndef main() -> None:\n    App().start()\n",
    "pkg/tool.py": "def tool() -> int:\n    return 1\n",
    "README.md": "# App\n",
    "NOTES.rst": "App\n",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with server_place(tmp_path_factory.mktemp("shared"), FILES) as made:
        yield made


@pytest.fixture(scope="module")
def client(shared: Place) -> McpClient:
    """A client whose server has an index; tests leave it usable."""
    return shared.ready("--toolsets", "core,admin,compat")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with server_place(tmp_path, FILES) as made:
        yield made
