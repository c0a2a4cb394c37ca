"""Languages with cross-file name resolution. A resolver is loaded with the first file of its language."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeplane.index.resolve.resolver import LanguageResolver

_RESOLVERS = {
    "c": "cpp.CppResolver",
    "cpp": "cpp.CppResolver",
    "csharp": "csharp.CSharpResolver",
    "go": "go.GoResolver",
    "java": "java.JavaResolver",
    "javascript": "ecma.rules.EcmaResolver",
    "kotlin": "kotlin.KotlinResolver",
    "php": "php.PhpResolver",
    "python": "python.PythonResolver",
    "ruby": "ruby.RubyResolver",
    "rust": "rust.RustResolver",
    "tsx": "ecma.rules.EcmaResolver",
    "typescript": "ecma.rules.EcmaResolver",
}
RESOLVED = frozenset(_RESOLVERS)


@cache
def resolver_of(language: str) -> type[LanguageResolver]:
    module, _, name = _RESOLVERS[language].rpartition(".")
    found: type[LanguageResolver] = getattr(import_module(f"{__package__}.{module}"), name)
    return found
