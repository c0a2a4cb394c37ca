"""Matches of ripgrep in a tree, in the shape of our own."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

RIPGREP = Path(sys.executable).parent / "rg"
"""Installed with the development tools."""


class Row(NamedTuple):
    path: str
    line: int
    column: int


class Refused(Exception):
    """Ripgrep rejects the pattern."""


def ripgrep(
    root: Path, query: str, *, regex: bool, case_sensitive: bool | None, across: bool = False, only: Iterable[str] = ()
) -> list[Row]:
    """Return matching lines with the first column and the number of matches, by path and line."""
    case = {None: "--smart-case", True: "--case-sensitive", False: "--ignore-case"}[case_sensitive]
    command = [str(RIPGREP), "--no-config", "--json", "--crlf", "--hidden", "--no-ignore", "--text", case]
    command += ["--glob", "!.git", "--glob", "!.codeplane"]
    command += ([] if regex else ["--fixed-strings"]) + (["--multiline"] if across else [])
    command += ["-e", query, *(only or ["."])]
    done = subprocess.run(command, cwd=root, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode > 1:
        raise Refused(done.stderr.decode("utf-8", "replace"))
    found: dict[tuple[str, int], Row] = {}
    for event in map(json.loads, done.stdout.splitlines()):
        if event["type"] != "match":
            continue
        data = event["data"]
        path = _bytes(data["path"]).decode("utf-8", "surrogateescape").removeprefix("./")
        block = _bytes(data["lines"])
        for submatch in data["submatches"]:
            before = block[: submatch["start"]]
            line = data["line_number"] + before.count(b"\n")
            column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
            found.setdefault((path, line), Row(path, line, column))
    return sorted(found.values())


def _bytes(text: dict[str, Any]) -> bytes:
    encoded: str | None = text.get("text")
    return encoded.encode("utf-8") if encoded is not None else b64decode(text["bytes"])
