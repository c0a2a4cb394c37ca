"""A language is a folder: a toy language of at most 150 lines gets definitions and cross-file references."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_FOLDER = Path(__file__).parent / "toy_folder"
_PROGRAM = """
import sys

import codeplane.languages

codeplane.languages.__path__.append(sys.argv[1])

from codeplane.facts.extract import extract
from codeplane.languages.registry import detect
from support.resolving import resolve

files = {
    "cart.toy": "function total(items)\\n  return items\\nend\\n",
    "main.toy": "local sum = require(\\"cart\\").total\\n\\nfunction run()\\n  return sum(1)\\nend\\n",
}
for path, text in files.items():
    language = detect(path)
    for row in extract(language.name, path, text.encode()).facts.defs:
        print("def", row.kind, row.qualified_name, row.signature)
for place, targets in sorted(resolve(files).items()):
    print("ref", *place, "->", *targets)
"""


def test_toy_language_gets_definitions_and_references() -> None:
    # A process of its own, because the registry of languages is cached.
    tests = str(Path(__file__).parents[1])
    program = f"import sys; sys.path.insert(0, {tests!r})\n{_PROGRAM}"
    done = subprocess.run([sys.executable, "-c", program, str(_FOLDER)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "def function cart.total function total(items)",
        "def function main.run function run()",
        "ref main.toy 1 6 -> ('cart.toy', 1)",
        "ref main.toy 4 9 -> ('cart.toy', 1)",
    ]


def test_toy_language_is_small() -> None:
    lines = [line for path in _FOLDER.rglob("*") if path.suffix in (".py", ".scm") for line in path.open()]
    assert 0 < len(lines) <= 150
