"""Few descriptors, permissions and errors of the system: the reason is the true one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode, internal_error
from codeplane.store.state_files import open_directory
from support.repositories import make_repository, write
from support.sandbox import CPL, Sandbox

FILES: dict[str, str | bytes] = {"a.py": "class S:\n    def f(self):\n        return 1\n\n\ndef top():\n    S().f()\n"}


@pytest.mark.parametrize("descriptors", [12, 16, 24, 40, 64])
def test_few_descriptors_do_not_discard_a_good_index(tmp_path: Path, descriptors: int) -> None:
    """Answers are right or name the limit; the index is not called damaged and not rebuilt."""
    root = make_repository(tmp_path / "repo", FILES)
    sandbox = Sandbox(root, tmp_path)
    assert sandbox.run("init").returncode == 0
    before = (root / ".codeplane" / "CURRENT").read_bytes()
    write(root, "b.py", "def more():\n    return 1\n")
    limited = Sandbox(root, tmp_path)
    done = subprocess.run(
        ["bash", "-c", f'ulimit -n {descriptors}; exec "$@"', "bash", *CPL, "search", "top", "--mode", "definitions"],
        cwd=root,
        env=limited.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = done.stdout + done.stderr
    assert "top" in done.stdout if done.returncode == 0 else "Too many open files" in said, said
    for wrong in ("internal error", "damaged", "INDEX_CORRUPT", "symbolic link", "cpl init"):
        assert wrong not in said, said
    assert (root / ".codeplane" / "CURRENT").read_bytes() == before


@pytest.mark.parametrize("number", [5, 12, 24])
def test_reasons_outside_of_the_program_are_not_internal(number: int) -> None:
    error = internal_error(OSError(number, os.strerror(number)))
    assert error.code is ErrorCode.SYSTEM_FAILED and os.strerror(number) in error.message


def test_unexpected_exceptions_stay_internal() -> None:
    assert internal_error(FileNotFoundError(2, "No such file")).code is ErrorCode.INTERNAL
    assert internal_error(ValueError()).code is ErrorCode.INTERNAL


@pytest.mark.parametrize(
    ("number", "words"), [(13, "Permission denied"), (20, "a symbolic link, or not a directory"), (24, "Too many")]
)
def test_state_directory_errors_name_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def fails(*arguments: object, **named: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", fails)
    with pytest.raises(Exception, match=words), open_directory(tmp_path):
        pass
