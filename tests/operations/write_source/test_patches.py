"""Patches have the effect of `git apply`, or are refused."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.edits.model import Edit
from codeplane.operations.write_source.patches import parse_patch
from support.edits import bench, tree_of
from support.repositories import git, make_repository, write


def as_edits(text: str) -> list[Edit]:
    found = []
    for fields in parse_patch(text):
        named = {**fields, "path": RepoPath(fields["path"])}
        if "new_path" in named:
            named["new_path"] = RepoPath(named["new_path"])
        named["expected_sha256"] = named.pop("expected_file_sha256", None)
        found.append(Edit(**named))
    return found


def changed_lines(chance: random.Random, text: str) -> str:
    lines = text.split("\n")
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(lines))
        how = chance.randrange(3)
        if how == 0:
            lines[at] = f"changed {chance.randrange(1000)}"
        elif how == 1:
            lines.insert(at, f"new {chance.randrange(1000)}")
        elif len(lines) > 3:
            del lines[at]
    result = "\n".join(lines)
    return result.rstrip("\n") if chance.random() < 0.2 else result


@pytest.mark.parametrize("seed", range(6))
def test_patches_equal_git_apply(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    files: dict[str, str | bytes] = {
        f"d/f {number}é.txt" if number % 3 == 0 else f"f{number}.txt": "".join(
            f"line {number} {line}\n" for line in range(chance.randrange(4, 60))
        )
        for number in range(8)
    }
    files["crlf.txt"] = b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n"
    root = make_repository(tmp_path / "repo", files)
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    names = sorted(name for name in files if name != "crlf.txt")
    for name in names[:5]:
        text = files[name]
        assert isinstance(text, str)
        write(root, name, changed_lines(chance, text))
    (root / names[5]).unlink()
    (root / "moved").mkdir()
    (root / names[6]).rename(root / "moved" / "here.txt")
    write(root, "made/new.sh", "#!/bin/sh\nrun")
    (root / "made/new.sh").chmod(0o755)
    write(root, "crlf.txt", b"one\r\ntwo\r\n3\r\nfour\r\nfive\r\n")
    git(root, "add", "-A")
    patch = git(root, "-c", "core.quotepath=true", "diff", "--cached", "-M")
    with bench(copy) as opened:
        opened.apply(*as_edits(patch))
    expected = {name: data for name, data in tree_of(root).items() if data is not None}
    assert {name: data for name, data in tree_of(copy).items() if data is not None} == expected
    assert (copy / "made/new.sh").stat().st_mode & 0o100


def test_plain_diff(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "1\n2\n3\n")
    patch = "--- a.txt\t2024-01-01 00:00:00\n+++ a.txt\t2024-01-02 00:00:00\n@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n"
    with bench(tmp_path) as opened:
        opened.apply(*as_edits(patch))
    assert (tmp_path / "a.txt").read_text() == "1\nzwei\n3\n"


def test_moved_hunk_is_found(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "0\n0\n0\n1\n2\n3\n")
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,2 @@\n 1\n-2\n 3\n"
    with bench(tmp_path) as opened:
        done = opened.apply(*as_edits(patch))
    assert (tmp_path / "a.txt").read_text() == "0\n0\n0\n1\n3\n"
    assert str(done.plan.changes[0].sites[0].requested) == "1-3"


def test_final_newline_changes(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "1\n2")
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n"
    with bench(tmp_path) as opened:
        opened.apply(*as_edits(patch))
    assert (tmp_path / "a.txt").read_bytes() == b"1\n2\n"


@pytest.mark.parametrize("prefix", ["--src-prefix=a/", "--no-prefix"])
def test_empty_files(tmp_path: Path, prefix: str) -> None:
    files: dict[str, str | bytes] = {"full.txt": "", "gone é.txt": "", "other.txt": "1\n"}
    root = make_repository(tmp_path / "repo", files)
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    write(root, "full.txt", "one\ntwo")
    (root / "gone é.txt").unlink()
    write(root, "made/a b.txt", "")
    write(root, "other.txt", "2\n")
    git(root, "add", "-A")
    patch = git(root, "-c", "core.quotepath=true", "diff", "--cached", "--no-renames", prefix)
    with bench(copy) as opened:
        opened.apply(*as_edits(patch))
    assert tree_of(copy) == tree_of(root)


def test_text_between_patches_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "1\n")
    write(tmp_path, "b.txt", "1\n")
    hunk = "@@ -1 +1 @@\n-1\n+2\n"
    patch = (
        f"--- a/a.txt\n+++ b/a.txt\n{hunk}-- \n2.40\n\ncopy all of it\nGIT is fine\n--- a/b.txt\n+++ b/b.txt\n{hunk}"
    )
    with bench(tmp_path) as opened:
        opened.apply(*as_edits(patch))
    assert (tmp_path / "a.txt").read_text() == (tmp_path / "b.txt").read_text() == "2\n"


@pytest.mark.parametrize(
    "patch",
    [
        "",
        "hello\n",
        "--- a/x\nno plus\n",
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n 1\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n?1\n",
        "--- a/x\n+++ b/x\n@@ -3,0 +4 @@\n+1\n",
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/x b/y\nold mode 100644\nnew mode 100755\nrename from x\nrename to y\n",
        "diff --git a/x b/y z\nnew file mode 100644\n",
        "--- x.orig\n+++ x\n@@ -1 +1 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\r\n+b\n",
        "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
        "diff --git a/x b/x\nGIT binary patch\n",
        "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n",
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n",
        "@@ -1 +1 @@\n-a\n+b\n",
    ],
)
def test_unsupported_patches_are_refused(patch: str) -> None:
    with pytest.raises(CodePlaneError) as caught:
        parse_patch(patch)
    assert caught.value.code is ErrorCode.ARGUMENT_INVALID
