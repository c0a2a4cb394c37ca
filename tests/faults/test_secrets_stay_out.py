"""Two hundred planted secrets: no byte of them reaches the index or the user's state, and no outline shows them."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path

from codeplane.base.errors import ErrorCode
from codeplane.operations.definitions import find_definitions
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.query.files import get_file
from codeplane.workspace.workspace import open_workspace
from support.repositories import git, make_repository, options_for, state_files, sync, write
from support.snapshots import open_view
from support.text_search import search_files
from support.tooling import serving

FORMATS = (
    ".env",
    ".env.production",
    "server.pem",
    "tls.key",
    "id_rsa",
    "id_ed25519",
    "store.p12",
    "vault.kdbx",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".aws/credentials",
    ".kube/config",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    "prod.tfvars",
    "service-account-prod.json",
    ".git-credentials",
    ".ssh/config",
    "release.jks",
)
PLACES = ("", "deploy/", "a/b/c/", "src/pkg/", "Grüße/", "with space/", "config/", "x.py/", "tests/", "UPPER/")


def plant(root: Path) -> dict[str, str]:
    """Path to secret: a token of letters that the tokenizer would keep whole."""
    chooser = random.Random(2026)
    planted = {}
    for place in PLACES:
        for name in FORMATS:
            shown = name.upper() if place == "UPPER/" else name
            token = "zq" + "".join(chooser.choices("abcdefghijklmnopqrstuvwxyz", k=24))
            planted[f"{place}{shown}"] = token
            write(root, f"{place}{shown}", f"def {token}():\n    password = '{token}'\nKEY={token}\n")
    return planted


def test_no_secret_byte_is_stored(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"src/pkg/a.py": "def visible():\n    return 1\n"})
    planted = plant(root)
    assert len(planted) == 200
    # Tracked as well as untracked: secrets may have been committed.
    git(root, "add", "-f", *list(planted)[::2])
    git(root, "commit", "-qm", "oops")
    assert sync(root).files == 1
    for path, token in list(planted.items())[::3]:
        write(root, path, f"{token} changed\n")
    assert sync(root).files == 1
    assert sync(root, overlay=False).files == 1
    kept = state_files(root)
    user_state = options_for(root).user_state
    kept.update({str(path): path.read_bytes() for path in user_state.rglob("*") if path.is_file()})
    assert len(kept) > 5
    everything = b"\0".join(kept.values())
    for path, token in planted.items():
        for spelled in _spellings(token):
            assert spelled not in everything, path
    with open_view(options_for(root)) as view:
        for path, token in planted.items():
            assert get_file(view.snapshot, path) is None
            assert search_files(view.snapshot, token, 5) == []


def _spellings(token: str) -> tuple[bytes, ...]:
    """As it is, and as an encoding would hide it; half of it is enough to be a leak."""
    half = token[:13]
    return (
        half.encode(),
        half.encode("utf-16-le"),
        base64.b64encode(half.encode()).rstrip(b"=")[:-1],
        half[::-1].encode(),
    )


def test_check_detects_a_planted_secret(tmp_path: Path) -> None:
    """The same token in an ordinary file is in the index, so looking for its bytes means something."""
    root = make_repository(tmp_path / "repo", {"a.py": "def zqordinarytokenxyz():\n    return 1\n"})
    sync(root)
    assert b"zqordinarytokenxyz" in b"\0".join(state_files(root).values())


def test_a_secret_has_no_outline(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def visible():\n    return 1\n"})
    planted = plant(root)
    sync(root)
    with serving(root) as server:
        for path, token in planted.items():
            answer = server.call("file_outline", {"file": path})
            assert answer["error"]["error"] == ErrorCode.SECRET_PATH.name
            assert token not in json.dumps(answer)
        shown = json.dumps(server.call("map_repo", {"depth": 20, "limit": 100}))
        assert not any(token in shown for token in planted.values())
    with open_workspace(options_for(root)) as workspace:
        for token in list(planted.values())[::20]:
            assert isinstance(find_definitions(workspace.read, token).value, SymbolNotFound)


def test_file_renamed_to_a_secret_is_removed(tmp_path: Path) -> None:
    """Renamed to a secret name, its old text must leave the index, pages and segments included."""
    root = make_repository(tmp_path / "repo", {"a.py": "def visible():\n    return 1\n"})
    write(root, "settings.txt", "password zqformerlyvisibletoken\n")
    sync(root)
    (root / "settings.txt").rename(root / ".env")
    assert sync(root).removed == 1
    with open_view(options_for(root)) as view:
        assert search_files(view.snapshot, "zqformerlyvisibletoken", 5) == []
