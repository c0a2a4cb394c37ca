"""Build configuration files that name resolution reads: modules, paths, workspaces."""

from __future__ import annotations

import re
from typing import Any

import orjson

from codeplane.base.paths import RepoPath, basename

MAX_BYTES = 256 * 1024

_JSON = re.compile(r"(?:package|composer|deno|jsconfig|lerna|tsconfig(?:\.[\w.-]+)?)\.jsonc?")
_TEXT = frozenset({"go.mod", "go.work", "Cargo.toml", "pyproject.toml", "pnpm-workspace.yaml"})
_ENDINGS = (".csproj", ".props")
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')


def is_configuration(path: RepoPath) -> bool:
    name = basename(path)
    return name in _TEXT or name.endswith(_ENDINGS) or _JSON.fullmatch(name) is not None


def read_configuration(path: RepoPath, data: bytes | None) -> str | None:
    """Return the content as JSON; None if it is too large or malformed."""
    if data is None or len(data) > MAX_BYTES:
        return None
    text = data.decode("utf-8", "replace")
    if not path.endswith((".json", ".jsonc")):
        return orjson.dumps({"text": text}).decode()
    found = _load(text)
    return orjson.dumps(found).decode() if isinstance(found, dict) else None


def _load(text: str) -> Any:
    """Parse JSON that may have comments and trailing commas."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        plain = _COMMENT.sub(lambda found: found[1] or " ", text)
        try:
            return orjson.loads(_TRAILING.sub(lambda found: found[1] or "", plain))
        except orjson.JSONDecodeError:
            return None
