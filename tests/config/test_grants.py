"""Grants are valid for one path and its bytes, and only if the grant file is private."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.config.trust import REPOSITORY_CONFIG, grant_path, read_grant, remove_grant, write_grant

DIGEST = "a" * 64


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state" / "codeplane"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repository").mkdir()
    return tmp_path / "repository"


def test_grant_covers_exactly_the_reviewed_bytes(state: Path, root: Path) -> None:
    assert read_grant(state, root) is None
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1000.7)
    grant = read_grant(state, root)
    assert grant is not None and grant.granted == 1000
    assert grant.covers(REPOSITORY_CONFIG, DIGEST)
    assert not grant.covers(REPOSITORY_CONFIG, "b" * 64)
    assert not grant.covers(REPOSITORY_CONFIG, "")
    assert not grant.covers("package.json", DIGEST)
    assert not grant.covers("package.json", "")


def test_grant_is_bound_to_its_repository(state: Path, root: Path) -> None:
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    other = root.with_name("other")
    assert read_grant(state, other) is None
    os.rename(grant_path(state, root), grant_path(state, other))
    assert read_grant(state, other) is None


def test_grants_are_private_with_any_umask(state: Path, root: Path) -> None:
    before = os.umask(0)
    try:
        write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    finally:
        os.umask(before)
    path = grant_path(state, root)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_group_writable_grant_file_is_ignored(state: Path, root: Path) -> None:
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    path = grant_path(state, root)
    for mode in (0o620, 0o602, 0o640):
        path.chmod(mode)
        assert read_grant(state, root) is None
    path.chmod(0o600)
    assert read_grant(state, root) is not None


def test_linked_grant_file_is_ignored(state: Path, root: Path, tmp_path: Path) -> None:
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    path = grant_path(state, root)
    moved = tmp_path / "moved.json"
    path.rename(moved)
    path.symlink_to(moved)
    assert read_grant(state, root) is None
    path.unlink()
    os.link(moved, path)
    assert read_grant(state, root) is None
    path.unlink()
    os.mkfifo(path)
    assert read_grant(state, root) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_grant_file_of_another_user_is_ignored(state: Path, root: Path) -> None:
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    os.chown(grant_path(state, root), 12345, 12345)
    assert read_grant(state, root) is None


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"root": "/elsewhere"},
        {"files": [DIGEST]},
        {"files": None},
        {"granted": "yesterday"},
    ],
)
def test_special_grant_file_is_ignored(state: Path, root: Path, change: dict[str, object]) -> None:
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    path = grant_path(state, root)
    fields = json.loads(path.read_text())
    path.write_text(json.dumps({**fields, **change}))
    assert read_grant(state, root) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 50_000])
def test_damaged_grant_file_is_ignored(state: Path, root: Path, text: str) -> None:
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    grant_path(state, root).write_text(text)
    assert read_grant(state, root) is None


def test_new_grant_replaces_an_old_file_or_link(state: Path, root: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("keep")
    path = grant_path(state, root)
    path.parent.mkdir(parents=True)
    path.symlink_to(victim)
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    write_grant(state, root, {REPOSITORY_CONFIG: "b" * 64}, 2)
    grant = read_grant(state, root)
    assert grant is not None and grant.covers(REPOSITORY_CONFIG, "b" * 64)
    assert not grant.covers(REPOSITORY_CONFIG, DIGEST)
    assert victim.read_text() == "keep"


def test_grant_can_be_revoked_once(state: Path, root: Path) -> None:
    assert not remove_grant(state, root)
    write_grant(state, root, {REPOSITORY_CONFIG: DIGEST}, 1)
    assert remove_grant(state, root)
    assert not remove_grant(state, root)
    assert read_grant(state, root) is None


def test_unwritable_state_directories_are_reported(tmp_path: Path, root: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(CodePlaneError) as caught:
        write_grant(tmp_path / "state", root, {REPOSITORY_CONFIG: DIGEST}, 1)
    assert caught.value.code is ErrorCode.STATE_DIRECTORY_READ_ONLY
    assert caught.value.remedy


def test_non_utf8_repository_paths_have_their_own_grant(state: Path, tmp_path: Path) -> None:
    one, two = (tmp_path / os.fsdecode(name) for name in (b"r\xff", b"r\xfe"))
    write_grant(state, one, {REPOSITORY_CONFIG: DIGEST}, 1)
    assert read_grant(state, one) is not None
    assert read_grant(state, two) is None
