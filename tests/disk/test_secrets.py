"""Names of secret files and of their backups, and similar names that are not secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.disk.secrets import is_secret

NAMES = Path(__file__).parent / "names"


@pytest.mark.parametrize("path", (NAMES / "secret_files.txt").read_text().splitlines())
def test_secret_names_and_their_backups_are_blocked(path: str) -> None:
    assert is_secret(path)
    assert is_secret(path.upper())


@pytest.mark.parametrize("path", (NAMES / "readable_files.txt").read_text().splitlines())
def test_similar_names_are_readable(path: str) -> None:
    assert not is_secret(path)


@pytest.mark.parametrize("name", [".env", "key.pem", "id_rsa", "credentials.json", "kubeconfig", "secrets.yml"])
@pytest.mark.parametrize(
    "form",
    [
        "{}~",
        "#{}#",
        ".#{}",
        "{}.bak",
        "{}.orig.gz",
        "{}.old~",
        "{}.save.1",
        "{} (2)",
        "{} copy 3",
        "{}_20240131",
        "._{}",
    ],
)
def test_a_copy_of_a_secret_is_secret_whatever_the_order_of_its_marks(name: str, form: str) -> None:
    assert is_secret(form.format(name))
    assert not is_secret(form.format("main.py"))
    assert not is_secret(form.format("config.json"))
