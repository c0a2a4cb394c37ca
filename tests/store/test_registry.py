from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from codeplane.store.registry import (
    NotBound,
    binding_path,
    next_binding,
    read_binding,
    remove_binding,
    write_binding,
)

ROOT = Path("/some/repo")


def test_binding_round_trips_with_private_mode(tmp_path: Path) -> None:
    assert read_binding(tmp_path, ROOT) is None
    binding = next_binding(ROOT, None)
    assert write_binding(tmp_path, ROOT, binding) is None
    assert read_binding(tmp_path, ROOT) == binding
    assert stat.S_IMODE(os.stat(binding_path(tmp_path, ROOT)).st_mode) == 0o600
    assert read_binding(tmp_path, Path("/some/other")) is None
    remove_binding(tmp_path, ROOT)
    remove_binding(tmp_path, ROOT)
    assert read_binding(tmp_path, ROOT) is None


def test_new_generation_keeps_the_repository_id_and_trusts_the_previous_index() -> None:
    first = next_binding(ROOT, None)
    second = next_binding(ROOT, first)
    third = next_binding(ROOT, second)
    assert first.repo_uuid == second.repo_uuid == third.repo_uuid
    assert second.covers(first.repo_uuid, first.index_id)
    assert second.covers(first.repo_uuid, second.index_id)
    assert not third.covers(first.repo_uuid, first.index_id)
    assert not second.covers("0" * 32, second.index_id)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"root": 1}', b'"x"'])
def test_damaged_binding_is_ignored(tmp_path: Path, content: bytes) -> None:
    write_binding(tmp_path, ROOT, next_binding(ROOT, None))
    binding_path(tmp_path, ROOT).write_bytes(content)
    assert read_binding(tmp_path, ROOT) is None


def test_binding_of_another_root_is_ignored(tmp_path: Path) -> None:
    write_binding(tmp_path, ROOT, next_binding(ROOT, None))
    other = Path("/some/other")
    binding_path(tmp_path, ROOT).rename(binding_path(tmp_path, other))
    assert read_binding(tmp_path, other) is None


def test_symlinked_binding_is_ignored(tmp_path: Path) -> None:
    write_binding(tmp_path, ROOT, next_binding(ROOT, None))
    path = binding_path(tmp_path, ROOT)
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert read_binding(tmp_path, ROOT) is None


def test_unwritable_directory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the directory should be")
    result = write_binding(tmp_path / "state", ROOT, next_binding(ROOT, None))
    assert isinstance(result, NotBound)
    assert "rebuilt at every start" in result.message


def test_non_utf8_root_has_a_binding(tmp_path: Path) -> None:
    root = Path(os.fsdecode(b"/repo/\xff"))
    write_binding(tmp_path, root, next_binding(root, None))
    assert read_binding(tmp_path, root) is not None
