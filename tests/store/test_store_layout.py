from __future__ import annotations

import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.layout import StateDirectory, create_state, open_state
from codeplane.store.state_files import write_atomic
from support.privileges import ordinary_rights


def _mode(path: Path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def _refused(action: object) -> ErrorCode:
    with pytest.raises(CodePlaneError) as raised:
        action()  # type: ignore[operator]
    return raised.value.code


def test_created_private_and_ignored_by_git(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    state = create_state(tmp_path)
    state.new_generation()
    assert _mode(state.path) == 0o700
    assert _mode(state.path / ".gitignore") == 0o600
    assert (state.path / ".gitignore").read_text() == "*\n!config.yaml\n!contexts.yaml\n"
    status = ["git", "-C", str(tmp_path), "status", "--porcelain", "-uall"]
    assert subprocess.run(status, check=True, capture_output=True).stdout == b""
    (state.path / "config.yaml").write_text("a: 1\n")
    assert b".codeplane/config.yaml" in subprocess.run(status, check=True, capture_output=True).stdout


def test_create_narrows_the_mode_of_an_existing_directory(tmp_path: Path) -> None:
    (tmp_path / ".codeplane").mkdir(mode=0o755)
    assert _mode(create_state(tmp_path).path) == 0o700


def test_open_returns_none_and_writes_nothing(tmp_path: Path) -> None:
    assert open_state(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["directory", "missing", "file"])
def test_symlinked_state_directory_is_refused(tmp_path: Path, target: str) -> None:
    outside = tmp_path / "outside"
    root = tmp_path / "repo"
    root.mkdir()
    if target == "directory":
        outside.mkdir()
        (outside / "precious").write_text("kept")
    elif target == "file":
        outside.write_text("kept")
    (root / ".codeplane").symlink_to(outside)
    assert _refused(lambda: create_state(root)) is ErrorCode.STATE_DIRECTORY_UNSAFE
    assert _refused(lambda: open_state(root)) is ErrorCode.STATE_DIRECTORY_UNSAFE
    if target == "directory":
        assert os.listdir(outside) == ["precious"]


def test_symlinked_generations_are_refused(tmp_path: Path, state: StateDirectory) -> None:
    outside = tmp_path / "outside"
    (outside / "1").mkdir(parents=True)
    state.generations_path.symlink_to(outside)
    actions = (
        lambda: open_state(state.path.parent),
        lambda: create_state(state.path.parent),
        state.new_generation,
        state.generations,
        state.sweep,
        lambda: state.remove_generation(state.generation("1")),
    )
    for action in actions:
        assert _refused(action) is ErrorCode.STATE_DIRECTORY_UNSAFE
    assert (outside / "1").is_dir()


def test_a_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    (tmp_path / ".codeplane").mkdir()
    os.chown(tmp_path / ".codeplane", 12345, 12345)
    assert _refused(lambda: create_state(tmp_path)) is ErrorCode.STATE_DIRECTORY_UNSAFE


def test_a_generation_becomes_current_by_a_switch(state: StateDirectory) -> None:
    assert state.current() is None
    first = state.new_generation()
    assert state.current() is None
    first.database.touch()
    state.switch(first)
    assert state.current() == first
    assert _mode(state.path / "CURRENT") == 0o600
    second = state.new_generation()
    assert int(second.name) > int(first.name)
    second.database.touch()
    state.switch(second)
    assert state.current() == second
    assert state.generations() == [first, second]


def test_generation_names_are_not_reused(state: StateDirectory) -> None:
    first = state.new_generation()
    first.database.touch()
    state.switch(first)
    state.remove_generation(first)
    assert state.new_generation().name != first.name


@pytest.mark.parametrize("content", [b"", b"1", b"0\n", b"x\n", b"../1\n", b"1\n2\n", b"\xff\xfe\n", b"9" * 100])
def test_damaged_current_file_is_corruption(state: StateDirectory, content: bytes) -> None:
    state.new_generation()
    (state.path / "CURRENT").write_bytes(content)
    assert _refused(state.current) is ErrorCode.INDEX_CORRUPT


def test_current_naming_a_missing_or_linked_generation_is_corruption(tmp_path: Path, state: StateDirectory) -> None:
    (state.path / "CURRENT").write_text("7\n")
    assert _refused(state.current) is ErrorCode.INDEX_CORRUPT
    generation = state.new_generation()
    (tmp_path / "other.db").touch()
    generation.database.symlink_to(tmp_path / "other.db")
    assert not generation.is_plain()


def test_symlinked_current_file_is_corruption(tmp_path: Path, state: StateDirectory) -> None:
    (tmp_path / "pointer").write_text("1\n")
    (state.path / "CURRENT").symlink_to(tmp_path / "pointer")
    assert _refused(state.current) is ErrorCode.INDEX_CORRUPT


def test_sweep_keeps_only_the_current_generation(state: StateDirectory) -> None:
    old, current, building = (state.new_generation() for _ in range(3))
    current.database.touch()
    state.switch(current)
    (state.path / ".tmp-CURRENT-99").write_text("x")
    (state.path / "config.yaml").write_text("a: 1\n")
    removed = state.sweep()
    assert removed == [".tmp-CURRENT-99", f"generations/{old.name}", f"generations/{building.name}"]
    assert state.generations() == [current]
    assert (state.path / "config.yaml").exists()


def test_concurrent_atomic_writes_succeed(state: StateDirectory) -> None:
    directory = os.open(state.path, os.O_RDONLY)

    def replace(number: int) -> None:
        for _ in range(20):
            write_atomic(directory, "note", str(number).encode() * 1000)

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(replace, range(8)))
    finally:
        os.close(directory)
    content = (state.path / "note").read_bytes()
    assert len(content) == 1000 and len(set(content)) == 1
    assert not [name for name in os.listdir(state.path) if name.startswith(".tmp-")]


@pytest.mark.parametrize(
    ("trouble", "code"),
    [("rights", ErrorCode.STATE_DIRECTORY_READ_ONLY), ("name", ErrorCode.STATE_DIRECTORY_UNSAFE)],
)
def test_write_errors_map_to_codes(state: StateDirectory, trouble: str, code: ErrorCode) -> None:
    directory = os.open(state.path, os.O_RDONLY)
    name = "note" if trouble == "rights" else "n" * 250
    try:
        if trouble == "rights":
            state.path.chmod(0o500)
        with ordinary_rights():
            assert _refused(lambda: write_atomic(directory, name, b"")) is code
    finally:
        os.close(directory)
        state.path.chmod(0o700)


def test_clear_removes_links_but_not_their_targets(tmp_path: Path, state: StateDirectory) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("kept")
    generation = state.new_generation()
    generation.database.touch()
    state.switch(generation)
    (generation.path / "link").symlink_to(outside)
    (state.path / "loose").symlink_to(outside)
    (state.path / "config.yaml").write_text("a: 1\n")
    assert state.clear(keep=("config.yaml", "lock", ".gitignore")) == ["CURRENT", "generations", "loose"]
    assert sorted(os.listdir(state.path)) == [".gitignore", "config.yaml"]
    assert (outside / "precious").read_text() == "kept"
    assert state.clear(keep=("config.yaml", "lock", ".gitignore")) == []
    assert state.clear(keep=()) == [".gitignore", "config.yaml"]


def test_size_does_not_follow_links(tmp_path: Path, state: StateDirectory) -> None:
    before = state.size_bytes()
    (tmp_path / "big").write_bytes(b"x" * 100_000)
    (state.path / "link").symlink_to(tmp_path / "big")
    (state.path / "own").write_bytes(b"x" * 1000)
    assert 1000 <= state.size_bytes() - before < 2000
