"""Python children of a test: another process that uses the same code, to be killed or raced with."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import codeplane

_PREFACE = """
import os, signal, sys, time
from pathlib import Path
from codeplane.base.errors import CodePlaneError
from codeplane.index.indexer import Indexer
from codeplane.query.snapshot import open_current
from support.index_dump import dump
from support.repositories import logical_dump, options_for
from support.snapshots import open_view
root = Path(os.fsdecode(bytes.fromhex(sys.argv[1])))
"""


def start(root: Path, script: str, *, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Run `script` in a new interpreter; it finds `root` and the names of the preface."""
    tests, sources = Path(__file__).parents[1], Path(codeplane.__file__).parents[1]
    search = os.pathsep.join([str(sources), str(tests)])
    command = [sys.executable, "-c", _PREFACE + textwrap.dedent(script), os.fsencode(root).hex()]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {}), "PYTHONPATH": search},
    )


def run(root: Path, script: str, *, environment: Mapping[str, str] | None = None, seconds: float = 60) -> str:
    """The output of a script that must succeed."""
    child = start(root, script, environment=environment)
    output, errors = child.communicate(timeout=seconds)
    assert child.returncode == 0, errors
    return output
