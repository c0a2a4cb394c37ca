"""Token counts by a real tokenizer, which runs in an environment of its own.

tiktoken downloads its vocabularies when it runs; the wheel of litellm contains them. Both are installed from PyPI into
a folder that the caller names, without the dependencies of litellm, and are found there the next time. The project
itself depends on neither.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.server.peers import PeerFailed, last_words

TIKTOKEN = "tiktoken==0.14.0"
VOCABULARIES = "litellm==1.109.1"
ENCODINGS = ("cl100k_base", "o200k_base")
_CACHED_COUNTS = 4096
_SCRIPT = """
import json, os, sys
from importlib.util import find_spec
litellm = find_spec("litellm")  # located, never imported: its dependencies are not installed
folder = os.path.join(litellm.submodule_search_locations[0], "litellm_core_utils", "tokenizers")
os.environ["TIKTOKEN_CACHE_DIR"] = folder
import tiktoken
encoding = tiktoken.get_encoding(sys.argv[1])
for line in sys.stdin:
    print(len(encoding.encode(json.loads(line), disallowed_special=())), flush=True)
"""


class Tokenizer:
    """A child process that counts the tokens of one text at a time."""

    def __init__(self, folder: Path, encoding: str = ENCODINGS[0]) -> None:
        self.title = f"{encoding} ({TIKTOKEN.replace('==', ' ')})"
        # Isolated, so that it finds its own modules and none of ours.
        command = [str(_install(folder)), "-I", "-c", _SCRIPT, encoding]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = lru_cache(_CACHED_COUNTS)(self._count)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _count(self, text: str) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed("the tokenizer ended without an answer")
        return int(line)


def _install(folder: Path) -> Path:
    """Return the interpreter of the environment; create it on the first use."""
    place = folder.resolve() / "tokenizer"
    python, done = place / "bin" / "python", place / f"installed-{TIKTOKEN}-{VOCABULARIES}"
    if not done.exists():
        _run([sys.executable, "-m", "venv", "--clear", str(place)])
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        _run([*pip, TIKTOKEN])
        _run([*pip, "--no-deps", VOCABULARIES])
        done.touch()
    return python


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise PeerFailed(last_words(done.stderr) or f"exit code {done.returncode}")
