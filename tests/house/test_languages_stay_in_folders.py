"""No module outside `languages/` knows a language by name or by extension."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import codeplane
from codeplane.languages.registry import languages

_SOURCE = Path(codeplane.__file__).parent
_NAMES = frozenset(language.name for language in languages())
_EXTENSIONS = frozenset(extension for language in languages() for extension in language.extensions)
_FORMATS = frozenset({"css", "html", "json", "markdown", "notebook", "sql", "toml", "yaml"})
"""Languages that are also formats of our own output and settings, or ordinary words."""
_FORMAT_EXTENSIONS = frozenset({".json", ".md", ".toml", ".yaml", ".yml", ".html", ".css", ".sql", ".py"})
_EXCEPTIONS = {
    "cli/": "shells and the version of Python that runs this program; comment signs for the terminal",
    "disk/policy.py": "git hooks are shell scripts",
    "index/configurations.py": "JSON with comments",
    "operations/call_graph.py": "a declaration in a header is not a caller",
    "operations/describe.py": "one dialect counts as its language in figures",
    "operations/doctor.py": "the version of Python that runs this program",
    "operations/map_repo/structure.py": "names of source directories",
    "operations/outline_tree.py": "languages that declare members outside of the type",
    "operations/read/": "how a declaration is shown without its body",
    "operations/search/name_matches.py": "languages with separate declarations and definitions",
    "operations/search/regex_syntax.py": "letters of regular expressions",
    "query/overrides.py": "inheritance rules by language",
    "query/structural.py": "structural typing by language",
}
"""Places with the reason; a prefix of the path."""


def _literals(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text())
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def test_no_language_is_named_outside_its_folder() -> None:
    found = []
    for path in sorted(_SOURCE.rglob("*.py")):
        place = path.relative_to(_SOURCE).as_posix()
        if place.startswith(("languages/", *_EXCEPTIONS)):
            continue
        found += [
            f"{place}:{line}: {value!r}"
            for line, value in _literals(path)
            if value in _NAMES - _FORMATS or value in _EXTENSIONS - _FORMAT_EXTENSIONS
        ]
    assert found == []


def test_every_exception_is_needed() -> None:
    files = [path.relative_to(_SOURCE).as_posix() for path in _SOURCE.rglob("*.py")]
    assert [place for place in _EXCEPTIONS if not any(file.startswith(place) for file in files)] == []
