"""Configuration files as a stranger would write them: bounded, quick, and never through a link."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.config import merge
from codeplane.config.documents import parse_document, repository_layer, user_layer

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
def test_refused_quickly(data: bytes) -> None:
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


def test_no_file_is_an_empty_layer(tmp_path: Path) -> None:
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


def test_a_linked_repository_file_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("token: hunter2\n")
    (tmp_path / ".codeplane").mkdir()
    (tmp_path / ".codeplane" / "config.yaml").symlink_to(secret)
    with pytest.raises(CodePlaneError) as caught:
        repository_layer(tmp_path)
    assert "hunter2" not in str(caught.value.as_dict())


def test_nothing_is_read_through_a_linked_state_directory(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "config.yaml").write_text("index: {workers: 3}\n")
    root = tmp_path / "repository"
    root.mkdir()
    (root / ".codeplane").symlink_to(elsewhere)
    assert repository_layer(root).entries == ()


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    (tmp_path / ".codeplane").mkdir()
    os.mkfifo(tmp_path / ".codeplane" / "config.yaml")
    with pytest.raises(CodePlaneError, match="not a regular file"):
        repository_layer(tmp_path)
