"""Languages whose names are resolved beyond their file. The rules of one are loaded with the first file of it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeplane.index.resolve.rules import Rules

_RULES = {
    "c": "cpp.CppRules",
    "cpp": "cpp.CppRules",
    "csharp": "csharp.CSharpRules",
    "go": "go.GoRules",
    "java": "java.JavaRules",
    "javascript": "ecma.rules.EcmaRules",
    "kotlin": "kotlin.KotlinRules",
    "php": "php.PhpRules",
    "python": "python.PythonRules",
    "ruby": "ruby.RubyRules",
    "rust": "rust.RustRules",
    "tsx": "ecma.rules.EcmaRules",
    "typescript": "ecma.rules.EcmaRules",
}
RESOLVED = frozenset(_RULES)


@cache
def rules_of(language: str) -> type[Rules]:
    module, _, name = _RULES[language].rpartition(".")
    found: type[Rules] = getattr(import_module(f"{__package__}.{module}"), name)
    return found
