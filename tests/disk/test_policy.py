"""Paths that no tool opens, in every spelling that some file system takes for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.policy import (
    fold_name,
    is_protected,
    refuse_protected,
    refuse_secret,
    refuse_unportable,
)

PROTECTED = [
    ".git",
    ".git/config",
    ".GIT/config",
    ".Git/HEAD",
    "sub/.git/hooks/pre-commit",
    "sub/.git",
    "git~1/config",
    "GIT~12/config",
    "a/Git~1",
    ".git./config",
    ".git /config",
    ".git . ./config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:stream",
    ".g\u200cit/config",
    ".gi\u200dt/config",
    "\ufeff.git/config",
    ".git\u202e/config",
    ".g\x01it/config",
    "\uff0egit/config",
    ".\uff47it/config",
    ".git\\config",
    "sub\\.git\\config",
    ".codeplane",
    ".codeplane/ledger.db",
    ".CodePlane/config.yaml",
    "codepl~1/ledger.db",
    ".codeplane /x",
    ".hg/store",
    ".svn/entries",
    ".jj/repo/store",
    ".JJ/working_copy",
    "sub/.jj",
    "jj~1/repo",
    ".sl/store",
    ".bzr/branch",
    "_darcs/prefs/defaults",
    "_DARCS/x",
    ".pijul/config",
]

ORDINARY = [
    "",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".github/workflows/ci.yml",
    "git/config",
    "digit/x",
    "git~/x",
    "x.git/config",
    ".git-blame-ignore-revs",
    "src/.gitkeep",
    "codeplane/app.py",
    ".codeplanes",
    "darcs/x",
    "_darcs.py",
    "x.jj",
    ".jjconfig.toml",
    ".slugignore",
    "a..b/c. d",
]


@pytest.mark.parametrize("path", PROTECTED)
def test_protected_paths_are_refused_in_every_spelling(path: str) -> None:
    with pytest.raises(CodePlaneError) as caught:
        refuse_protected(path)
    assert caught.value.code is ErrorCode.PROTECTED_PATH
    assert caught.value.message.isprintable()


@pytest.mark.parametrize("path", ORDINARY)
def test_ordinary_names_pass(path: str) -> None:
    refuse_protected(path)
    assert not is_protected(path)


def test_secrets_are_refused_by_name() -> None:
    with pytest.raises(CodePlaneError) as caught:
        refuse_secret(Path("/r"), "deploy/.env.production")
    assert caught.value.code is ErrorCode.SECRET_PATH
    refuse_secret(Path("/r"), "deploy/.env.example")


UNPORTABLE = ["CON", "nul.txt", "a/COM1", "lpt9.log", "a.", "a ", " a", "a:b", "a<b", "a|b", 'a"b', "a*", "a?", "a\\b"]
UNPORTABLE += ["\u202egpj.py", "a\u200bb", "tag\U000e0041", "e\u0301.py", "x\udc80", "a／b", "a\x07", "a\nb", "com¹"]


@pytest.mark.parametrize("name", UNPORTABLE)
def test_unportable_names_are_reported(name: str) -> None:
    with pytest.raises(CodePlaneError) as caught:
        refuse_unportable(f"dir/{name}")
    assert caught.value.code is ErrorCode.PATH_UNPORTABLE


@pytest.mark.parametrize(
    "name", ["é.py", "a b.py", "console.py", "nullable.txt", ".hidden", "日本語.md", "a~b", "a%20b"]
)
def test_portable_names_pass(name: str) -> None:
    refuse_unportable(name)


def test_case_and_normalization_variants_fold_together() -> None:
    assert fold_name("README") == fold_name("readme")
    assert fold_name("\u00e9") == fold_name("e\u0301")
    assert fold_name("a") != fold_name("b")
