"""Secrets that the operator allows: by path, in one repository, and nothing beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.disk.allowed_secrets import allow_secrets, is_blocked_secret
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import walk
from support.repositories import write

SHOP = Path("/home/me/shop")


@pytest.fixture(autouse=True)
def nothing_allowed() -> Iterator[None]:
    yield
    allow_secrets(())


@pytest.mark.parametrize(
    ("pattern", "allowed", "blocked"),
    [
        ("/home/me/shop/.npmrc", [".npmrc"], [".npmrc.bak", "web/.npmrc", ".NPMRC"]),
        ("/home/me/shop/tests/**/*.pem", ["tests/a.pem", "tests/x/y/b.pem"], ["a.pem", "tests/a.key", "src/a.pem"]),
        ("/home/me/shop/tests/*.pem", ["tests/a.pem"], ["tests/x/b.pem"]),
        ("/home/me/shop/.aws/", [".aws/config", ".aws/x/credentials"], [".aws", "sub/.aws/config"]),
        ("/home/me/shop", [".env", "a/.env"], []),
        ("/home/*/shop/*.tfvars", ["dev.tfvars"], ["a/dev.tfvars"]),
        ("/home/me/shopping/.env", [], [".env"]),
        ("/.env", [], [".env"]),
    ],
)
def test_patterns_allow_their_own_paths_only(pattern: str, allowed: list[str], blocked: list[str]) -> None:
    allow_secrets([pattern])
    assert not [path for path in allowed if is_blocked_secret(SHOP, path)]
    assert [path for path in blocked if is_blocked_secret(SHOP, path)] == blocked
    assert is_blocked_secret(Path("/home/me/other"), ".npmrc")


def test_walk_finds_allowed_secrets_in_secret_directories(tmp_path: Path) -> None:
    for path in (".env", ".aws/config", ".aws/credentials", "certs/a.pem", "a.py"):
        write(tmp_path, path, "x\n")
    with Root.open(tmp_path) as root:
        before = walk(root, IgnoreRules())
        assert set(before.files) == {"a.py"}
        allow_secrets([f"{root.path}/.aws/config", f"{root.path}/certs/*.pem"])
        after = walk(root, IgnoreRules())
        assert set(after.files) == {"a.py", ".aws/config", "certs/a.pem"}
        assert after.ignore_signature != before.ignore_signature, "an index from before is not reused"
        assert why_ignored(root, IgnoreRules(), ".aws/config") is None  # type: ignore[arg-type]
        assert why_ignored(root, IgnoreRules(), ".aws/credentials") == "secret"  # type: ignore[arg-type]
