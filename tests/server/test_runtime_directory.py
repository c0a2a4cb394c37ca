"""The runtime directory of a user: private, its own, and never through a link."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.runtime_directory import (
    HTTP_NAME,
    MAX_SOCKET_PATH,
    HttpRecord,
    RuntimeDirectory,
    new_token,
    prove,
    read_http,
    repository_id,
    runtime_base,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    return root


@pytest.fixture
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("r") / "codeplane"


@pytest.fixture
def directory(base: Path, root: Path) -> Iterator[RuntimeDirectory]:
    with RuntimeDirectory.open(base, root) as opened:
        yield opened


def refused(error: pytest.ExceptionInfo[CodePlaneError]) -> bool:
    return error.value.code is ErrorCode.RUNTIME_DIRECTORY_UNSAFE


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_directories_and_files_are_private(base: Path, directory: RuntimeDirectory) -> None:
    directory.write_secret("token", "secret")
    assert mode(base) == mode(directory.path) == 0o700
    assert mode(directory.path / "token") == 0o600
    assert directory.read_secret("token") == "secret"
    assert os.listdir(directory.path) == ["token"]


def test_files_are_private_with_any_umask(base: Path, root: Path) -> None:
    before = os.umask(0)
    try:
        with RuntimeDirectory.open(base, root) as opened:
            opened.write_secret("token", "secret")
            assert (mode(opened.path), mode(opened.path / "token")) == (0o700, 0o600)
    finally:
        os.umask(before)


def test_a_secret_is_replaced_and_removed(directory: RuntimeDirectory) -> None:
    assert directory.read_secret("token") is None
    directory.write_secret("token", "old")
    directory.write_secret("token", "new")
    assert directory.read_secret("token") == "new"
    directory.remove("token", holding="old")
    assert directory.read_secret("token") == "new"
    directory.remove("token", holding="new")
    directory.remove("token")
    assert os.listdir(directory.path) == []


def test_repository_id_is_independent_of_path_spelling(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    spellings = {repository_id(path) for path in (root, tmp_path / "link", root / ".." / root.name)}
    assert len(spellings) == 1
    assert len(spellings.pop()) == 16
    assert repository_id(root) != repository_id(tmp_path)


@pytest.mark.parametrize("planted", ["symlink", "dangling", "directory", "open", "fifo"])
def test_planted_file_is_refused_and_left_alone(directory: RuntimeDirectory, tmp_path: Path, planted: str) -> None:
    path = directory.path / "token"
    outside = tmp_path / "outside"
    if planted != "dangling":
        outside.write_text("outside")
    if planted in ("symlink", "dangling"):
        path.symlink_to(outside)
    elif planted == "directory":
        path.mkdir()
    elif planted == "open":
        path.write_text("theirs")
        path.chmod(0o640)
    else:
        os.mkfifo(path)
    with pytest.raises(CodePlaneError) as written:
        directory.write_secret("token", "secret")
    with pytest.raises(CodePlaneError) as read:
        directory.read_secret("token")
    assert refused(written) and refused(read)
    assert outside.exists() == (planted != "dangling")
    assert not outside.exists() or outside.read_text() == "outside"
    assert os.listdir(directory.path) == ["token"]


@pytest.mark.parametrize("level", ["base", "repository"])
@pytest.mark.parametrize("planted", ["symlink", "file", "open"])
def test_a_planted_directory_is_refused(base: Path, root: Path, tmp_path: Path, level: str, planted: str) -> None:
    path = base
    if level == "repository":
        base.mkdir(mode=0o700)
        path = base / repository_id(root)
    if planted == "symlink":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        path.symlink_to(tmp_path / "elsewhere")
    elif planted == "file":
        path.write_text("")
    else:
        path.mkdir()
        path.chmod(0o750)
    with pytest.raises(CodePlaneError) as caught:
        RuntimeDirectory.open(base, root)
    assert refused(caught)
    assert planted != "open" or mode(path) == 0o750


def test_parent_writable_by_others_is_refused(base: Path, root: Path) -> None:
    base.parent.chmod(0o777)
    with pytest.raises(CodePlaneError) as caught:
        RuntimeDirectory.open(base, root)
    assert refused(caught)
    base.parent.chmod(0o1777)
    RuntimeDirectory.open(base, root).close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_files_of_other_users_are_rejected(base: Path, root: Path) -> None:
    with RuntimeDirectory.open(base, root) as opened:
        opened.write_secret("token", "secret")
        os.chown(opened.path / "token", 65534, 65534)
        with pytest.raises(CodePlaneError) as file:
            opened.read_secret("token")
        with pytest.raises(CodePlaneError) as replaced:
            opened.write_secret("token", "x")
        os.chown(opened.path, 65534, 65534)
    with pytest.raises(CodePlaneError) as directory:
        RuntimeDirectory.open(base, root)
    os.chown(base, 65534, 65534)
    with pytest.raises(CodePlaneError) as above:
        RuntimeDirectory.open(base, root)
    assert refused(file) and refused(replaced) and refused(directory) and refused(above)


@pytest.mark.parametrize("name", ["", ".", "..", "../token", "a/b", "a\0b"])
def test_names_are_plain(directory: RuntimeDirectory, name: str) -> None:
    with pytest.raises(CodePlaneError) as caught:
        directory.write_secret(name, "x")
    assert caught.value.code is ErrorCode.INTERNAL


def test_xdg_runtime_dir_is_used_if_owned_by_the_user(tmp_path_factory: pytest.TempPathFactory) -> None:
    own = tmp_path_factory.mktemp("x")
    uid = os.geteuid()
    users, temporary = str(own / "users"), "/tmp"
    fallback = Path(f"/tmp/codeplane-{uid}")
    assert runtime_base(str(own), temporary=temporary, users=users) == own / "codeplane"
    for value in (None, "", "relative", str(own / "missing"), "a\0b"):
        assert runtime_base(value, temporary=temporary, users=users) == fallback
    (own / "users" / str(uid)).mkdir(parents=True)
    assert runtime_base(None, temporary=temporary, users=users) == own / "users" / str(uid) / "codeplane"


def test_overlong_socket_path_uses_another_base(tmp_path_factory: pytest.TempPathFactory, root: Path) -> None:
    deep = tmp_path_factory.mktemp("y") / ("d" * 80)
    deep.mkdir()
    assert runtime_base(str(deep), users=str(deep)) == Path(f"/tmp/codeplane-{os.geteuid()}")
    with pytest.raises(CodePlaneError) as caught:
        RuntimeDirectory.open(deep, root)
    assert refused(caught)


def test_the_path_of_a_socket_is_short(directory: RuntimeDirectory) -> None:
    assert len(os.fsencode(directory.socket_path)) <= MAX_SOCKET_PATH


def test_the_record_of_a_server(directory: RuntimeDirectory) -> None:
    assert read_http(directory) is None
    record = HttpRecord(4711, os.getpid(), new_token(), "0.1.0", 1.5)
    directory.write_secret(HTTP_NAME, record.as_text())
    assert read_http(directory) == record
    for damaged in ("", "[]", "{}", '{"port":"x"}', "[" * 60_000):
        directory.write_secret(HTTP_NAME, damaged)
        assert read_http(directory) is None


def test_tokens_are_long_and_never_the_same() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) == 43 for token in tokens)


def test_token_proof_requires_the_token() -> None:
    assert prove("a", "one") == prove("a", "one")
    assert len({prove("a", "one"), prove("a", "two"), prove("b", "one")}) == 3


def test_import_loads_few_modules() -> None:
    script = (
        "import codeplane.server.runtime_directory, sys;"
        "print(*[name for name in ('asyncio', 'ssl', 'mcp', 'orjson') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == []
