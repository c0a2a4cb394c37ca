"""Keys and tokens in files stay out of every answer, unless the caller or the operator asks for them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.config.model import SecretsConfig
from support.repositories import make_repository, sync, write
from support.tooling import QUIET, Server, error_of, serving

TOKEN = "ghp_" + "a1B2" * 9
OLD_TOKEN = "ghp_" + "c3D4" * 9
BODY = [base64.b64encode(bytes(range(number, number + 48))).decode() for number in range(5)]
KEY = "\n".join(["-----BEGIN " + "PRIVATE KEY-----", *BODY, "-----END " + "PRIVATE KEY-----"])
SOURCE = f'''def connect_token(name: str = "{TOKEN}") -> str:
    """Connect with {TOKEN}."""
    return "{TOKEN}"


KEY = """
{KEY}
"""


def load_token() -> str:
    return connect_token("{TOKEN}")
'''
KEY_LINE = SOURCE.split("\n").index(BODY[2]) + 1

ASKED: list[tuple[str, dict[str, object]]] = [
    ("read", {"target": "app.py"}),
    ("read", {"target": "app.py#connect_token"}),
    ("read", {"targets": ["app.py:1-3", "app.py"]}),
    ("read", {"target": f"app.py:{KEY_LINE}-{KEY_LINE + 1}"}),
    ("read", {"target": "app.py", "mode": "diff_preview"}),
    ("read", {"target": "app.py", "annotated": True}),
    ("read_file_full", {"file": "app.py", "confirm": True}),
    ("read_source", {"targets": [{"path": "app.py"}]}),
    ("get_snippet", {"path": "app.py", "start_line": KEY_LINE, "end_line": KEY_LINE}),
    ("dry_run_diff", {"path": "app.py"}),
    ("search", {"query": "connect_token"}),
    ("search", {"query": "ghp_", "mode": "lexical"}),
    ("search", {"query": "ghp_[a-zA-Z0-9]+", "mode": "regex"}),
    ("search", {"query": TOKEN, "mode": "lexical"}),
    ("search", {"query": "connect_token", "mode": "references"}),
    ("search", {"query": BODY[2][:12], "mode": "lexical"}),
    ("search", {"query": BODY[2][:12], "mode": "lexical", "detail_level": "context"}),
    ("search", {"query": "^[A-Za-z0-9+/=]{40,}$", "mode": "regex", "limit": 2}),
    ("search", {"query": BODY[2]}),
    ("file_outline", {"file": "app.py"}),
    ("call_graph", {"symbol": "connect_token"}),
    ("refs", {"symbol": "connect_token"}),
    ("defs", {"symbol": "connect_token"}),
    ("map_repo", {"depth": 5}),
    ("read", {"target": f"app.py#{TOKEN}"}),
    ("write_source", {"edits": [{"path": "app.py", "old_string": TOKEN, "new_string": "x"}]}),
    ("write_source", {"edits": [{"path": "app.py", "old_string": "no such text", "new_string": "x"}]}),
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = make_repository(tmp_path_factory.mktemp("redaction") / "repo", {"app.py": f'OLD = "{OLD_TOKEN}"\n'})
    write(root, "app.py", SOURCE)
    sync(root)
    with serving(root) as server:
        yield server


def leaks(answer: str) -> list[str]:
    return [secret for secret in (TOKEN, OLD_TOKEN, *BODY) if secret in answer]


@pytest.mark.parametrize(("tool", "arguments"), ASKED, ids=lambda value: json.dumps(value)[:60])
def test_no_answer_shows_a_key(shop: Server, tool: str, arguments: dict[str, object]) -> None:
    assert not leaks(json.dumps(shop.call(tool, arguments)))
    assert not leaks(shop.text(tool, arguments | {"format": "text"}))


def test_a_redacted_answer_says_so_and_keeps_its_lines(shop: Server) -> None:
    found = shop.call("read", {"target": "app.py"})
    (warning,) = found["warnings"]
    assert warning["code"] == "SECRETS_REDACTED" and warning["count"] == 4 + len(BODY)
    lines = found["result"]["content"].split("\n")
    assert len(lines) == len(SOURCE.split("\n"))
    assert lines[0] == 'def connect_token(name: str = "[redacted:github-token]") -> str:'
    assert lines[KEY_LINE - 1] == "[redacted:private-key]"
    assert "warning SECRETS_REDACTED: " in shop.text("read", {"target": "app.py"})


def test_read_shows_secrets_if_asked(shop: Server) -> None:
    shop.call("read", {"target": "app.py"})
    found = shop.call("read", {"target": "app.py", "show_secrets": True})
    assert found["result"]["content"] == SOURCE
    (warning,) = found["warnings"]
    assert warning["code"] == "SECRETS_IN_TEXT" and warning["lines"][:3] == [1, 2, 3]
    assert TOKEN in shop.text("read", {"target": "app.py", "show_secrets": True})


def test_setting_shows_secrets_everywhere(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"app.py": SOURCE})
    with serving(root, config=replace(QUIET, secrets=SecretsConfig(redact=False))) as server:
        for tool, arguments in (ASKED[0], ASKED[6], ASKED[11]):
            assert TOKEN in json.dumps(server.call(tool, arguments)), (tool, arguments)


def test_delta_of_an_edit_is_redacted_and_the_file_is_not(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"app.py": SOURCE})
    new = "ghp_" + "e5F6" * 9
    edits = [{"path": "app.py", "old_string": f'return "{TOKEN}"', "new_string": f'return "{new}"'}]
    with serving(root) as server:
        for dry_run in (True, False):
            found = json.dumps(server.call("write_source", {"edits": edits, "dry_run": dry_run}))
            assert not leaks(found) and new not in found
    assert f'return "{new}"' in (root / "app.py").read_text()


@pytest.mark.parametrize(
    "edit",
    [
        {
            "path": "app.py",
            "old_string": "return connect_token(",
            "new_string": "return '[redacted:github-token]' or (",
        },
        {"path": "new.py", "action": "create", "content": 'TOKEN = "[redacted:github-token]"\n'},
    ],
)
def test_a_mark_is_not_written_to_a_file(tmp_path: Path, edit: dict[str, object]) -> None:
    root = make_repository(tmp_path / "repo", {"app.py": SOURCE})
    with serving(root) as server:
        error = error_of(server.call("write_source", {"edits": [edit]}), ErrorCode.ARGUMENT_INVALID)
        assert "[redacted:" in error["message"]
    assert (root / "app.py").read_text() == SOURCE and not (root / "new.py").exists()
