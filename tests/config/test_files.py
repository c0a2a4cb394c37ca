"""Configuration files as a stranger would write them: bounded, quick, and never through a link."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import WarningCode
from codeplane.config import Config, TrustState, merge
from codeplane.config.files import parse_document, repository_layer, user_layer
from codeplane.config.trust import Grant

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

REFUSED = {
    "an object to construct": b"index: !!python/object/apply:os.system ['true']\n",
    "a tag of its own": b"index: !command ls\n",
    "an alias bomb": BOMB.encode(),
    "a plain alias": b"index: &x {workers: 1}\nlogging: *x\n",
    "ten megabytes": b"index:\n  ignore:\n" + b"    - pattern\n" * 700_000,
    "a key twice": b"index:\n  workers: 1\n  workers: 2\n",
    "a section twice": b"index: {workers: 1}\nindex: {overlay: off}\n",
    "deep nesting": b"[" * 30_000,
    "deep flow mappings": b"{a: " * 12_000,
    "deep blocks": b"".join(b" " * depth + b"a:\n" for depth in range(300)),
    "not UTF-8": b"index: \xff\xfe\n",
    "a NUL": b"index: \x00\n",
    "not a mapping": b"- 1\n- 2\n",
    "a word": b"hello",
    "broken syntax": b"index: [1, 2\n",
    "two documents": b"index: {}\n---\nindex: {}\n",
    "an impossible date": b"index: 2020-99-99\n",
    "an unhashable key": b"{[1]: 2}\n",
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_hostile_documents_are_refused_in_bounded_work(data: bytes) -> None:
    started = time.process_time()
    with pytest.raises(CodePlaneError) as caught:
        parse_document(data, "config.yaml")
    assert time.process_time() - started < 0.1
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert "config.yaml" in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("data", [b"", b"\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_an_empty_document_sets_nothing(data: bytes) -> None:
    assert parse_document(data, "config.yaml") == {}


def test_the_largest_document_is_still_read() -> None:
    data = b"index:\n  ignore:\n" + b"    - pattern\n" * 900
    data += b"#" * (64 * 1024 - len(data))
    document = parse_document(data, "config.yaml")
    assert document == {"index": {"ignore": ["pattern"] * 900}}


def test_the_user_file_is_read_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.yaml").write_text("index: {workers: 3}\n")
    (tmp_path / "config.yaml").symlink_to("dotfiles.yaml")
    config = merge([user_layer(tmp_path / "config.yaml")])
    assert config.index.workers == 3
    assert config.origin("index.workers") == str(tmp_path / "config.yaml")


def test_missing_file_is_an_empty_layer(tmp_path: Path) -> None:
    assert user_layer(tmp_path / "none" / "config.yaml").entries == ()
    assert repository_layer(tmp_path).entries == ()
    (tmp_path / ".codeplane").mkdir()
    assert repository_layer(tmp_path).entries == ()


def test_the_repository_file_is_read(tmp_path: Path) -> None:
    (tmp_path / ".codeplane").mkdir()
    (tmp_path / ".codeplane" / "config.yaml").write_text("index:\n  overlay: off\n")
    config = merge([repository_layer(tmp_path)])
    assert config.index.overlay == "off"
    assert config.origin("index.overlay") == ".codeplane/config.yaml"


def ignored_whole(root: Path) -> str:
    """Return the reason why the repository's file is ignored."""
    layer = repository_layer(root)
    config = merge([layer])
    assert layer.entries == () and layer.digest == ""
    assert (config.index, config.logging, config.server) == (Config().index, Config().logging, Config().server)
    (ignored,) = config.ignored
    assert (ignored.key, ignored.origin, ignored.code) == ("", ".codeplane/config.yaml", WarningCode.CONFIG_IGNORED)
    return ignored.reason


def test_linked_repository_file_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("token: hunter2\n")
    (tmp_path / ".codeplane").mkdir()
    (tmp_path / ".codeplane" / "config.yaml").symlink_to(secret)
    assert ignored_whole(tmp_path) == "is a link"


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_unreadable_repository_file_is_a_warning(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".codeplane").mkdir()
    (tmp_path / ".codeplane" / "config.yaml").write_bytes(data)
    assert ignored_whole(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        b"index: {" + b",".join(b"workerz%d: 1" % number for number in range(4000)) + b"}\n",
        b"".join(b"s%d: 1\n" % number for number in range(5000)),
    ],
)
def test_files_with_too_many_settings_are_rejected(tmp_path: Path, data: bytes) -> None:
    assert len(data) < 64 * 1024
    (tmp_path / ".codeplane").mkdir()
    (tmp_path / ".codeplane" / "config.yaml").write_bytes(data)
    started = time.process_time()
    assert ignored_whole(tmp_path) == "contains more than 100 settings"
    assert time.process_time() - started < 0.5


def test_unknown_settings_are_reported_up_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / ".codeplane").mkdir()
    lines = "".join(f"  max_parse_bytes_{number:03}{'x' * 80}: 1\n" for number in range(100))
    (tmp_path / ".codeplane" / "config.yaml").write_text("index:\n" + lines)
    started = time.process_time()
    assert len(merge([repository_layer(tmp_path)]).ignored) == 100
    assert time.process_time() - started < 0.5


def test_linked_state_directory_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "config.yaml").write_text("index: {workers: 3}\n")
    root = tmp_path / "repository"
    root.mkdir()
    (root / ".codeplane").symlink_to(elsewhere)
    assert repository_layer(root).entries == ()


def test_fifo_does_not_block(tmp_path: Path) -> None:
    (tmp_path / ".codeplane").mkdir()
    os.mkfifo(tmp_path / ".codeplane" / "config.yaml")
    assert ignored_whole(tmp_path) == "is not a regular file"


def test_directory_in_place_of_the_file_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / ".codeplane" / "config.yaml").mkdir(parents=True)
    open_before = len(os.listdir("/dev/fd"))
    assert ignored_whole(tmp_path) == "is not a regular file"
    with pytest.raises(CodePlaneError, match="is not a regular file"):
        user_layer(tmp_path / ".codeplane" / "config.yaml")
    assert len(os.listdir("/dev/fd")) == open_before


def test_invalid_user_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("index: [1\n")
    with pytest.raises(CodePlaneError) as caught:
        user_layer(tmp_path / "config.yaml")
    assert caught.value.code is ErrorCode.CONFIG_INVALID


def test_trust_applies_to_the_bytes_that_are_parsed(tmp_path: Path) -> None:
    path = tmp_path / ".codeplane" / "config.yaml"
    path.parent.mkdir()
    path.write_text("server: {port: 8099}\n")
    layer = repository_layer(tmp_path)
    assert layer.trust is TrustState.UNTRUSTED
    assert layer.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    grant = Grant(str(tmp_path), {".codeplane/config.yaml": layer.digest}, 1)
    assert repository_layer(tmp_path, grant).trust is TrustState.TRUSTED
    path.write_text("server: {port: 8099} \n")
    assert repository_layer(tmp_path, grant).trust is TrustState.VOID
    assert merge([repository_layer(tmp_path, grant)]).server.port == 0
    path.unlink()
    assert repository_layer(tmp_path, grant).trust is TrustState.ABSENT
    assert repository_layer(tmp_path, Grant(str(tmp_path), {}, 1)).entries == ()
