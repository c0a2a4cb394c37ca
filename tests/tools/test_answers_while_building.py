"""What tools answer while the first index is being built: from the disk, and saying so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.held_index import HeldBuild, build_held
from support.repositories import make_repository, write
from support.tooling import Server

FILES: dict[str, str | bytes] = {
    "shop/cart.py": (
        '"""The cart."""\n\n\nclass Cart:\n    def __init__(self, items):\n        self.items = items\n\n'
        "    def total(self, discount: int = 0) -> int:\n        return sum(self.items) - discount\n\n\n"
        "def total(items):\n    return Cart(items).total()\n"
    ),
    "shop/limits.py": "MAX_BODY_BYTES = 2048\n\n\ndef limit_body(request):\n    return request[:MAX_BODY_BYTES]\n",
    "tests/test_limits.py": "from shop.limits import limit_body\n\n\ndef test_limit_body():\n    limit_body('')\n",
    "docs/limits.md": "# Limits\n\nA body has at most 2048 bytes, see `limit_body`.\n",
    "notes.txt": "no grammar reads limit_body here\n",
    ".env": "TOKEN=limit_body\n",
    **{f"pkg/m{number:02}.py": f"def filler_{number}():\n    return {number}\n" for number in range(30)},
}


@pytest.fixture
def building(tmp_path: Path) -> Iterator[tuple[Server, HeldBuild]]:
    with build_held(make_repository(tmp_path / "repo", FILES)) as found:
        yield found


def test_an_outline_is_made_from_the_file_alone(building: tuple[Server, HeldBuild]) -> None:
    server, held = building
    asked: list[dict[str, object]] = [
        {"file": "shop/cart.py"},
        {"file": "shop/cart.py", "depth": "top"},
        {"file": "shop/cart.py", "symbol_label": "Cart.total"},
        {"file": "shop/cart.py", "start_line": 12},
    ]
    early = [server.call("file_outline", arguments) for arguments in asked]
    assert all(answer["meta"]["source"] == "disk" and "epoch" not in answer["meta"] for answer in early)
    held.release()
    server.wait_ready()
    late = [server.call("file_outline", arguments) for arguments in asked]
    assert [answer["result"] for answer in early] == [answer["result"] for answer in late]
    assert all("source" not in answer["meta"] for answer in late)


def test_files_without_an_outline_are_refused_as_with_an_index(building: tuple[Server, HeldBuild]) -> None:
    server, held = building
    write(server.root, ".gitignore", "hidden.py\n")
    write(server.root, "hidden.py", "x = 1\n")
    files = ("notes.txt", ".env", ".git/config", "hidden.py", "no/such.py", "shop")
    early = [server.call("file_outline", {"file": file})["error"] for file in files]
    held.release()
    server.wait_ready()
    late = [server.call("file_outline", {"file": file})["error"] for file in files]
    assert [error["error"] for error in early] == [error["error"] for error in late]
    assert [error["error"] for error in early][:3] == ["LANGUAGE_UNSUPPORTED", "SECRET_PATH", "PROTECTED_PATH"]
    assert early[3]["details"]["ignored_by"] == late[3]["details"]["ignored_by"]
