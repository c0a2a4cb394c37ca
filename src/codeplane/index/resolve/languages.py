"""The languages whose names are resolved beyond their file, each with its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codeplane.index.resolve.cpp import CppRules
from codeplane.index.resolve.csharp import CSharpRules
from codeplane.index.resolve.ecma.rules import EcmaRules
from codeplane.index.resolve.evaluate import Evaluator
from codeplane.index.resolve.go import GoRules
from codeplane.index.resolve.java import JavaRules
from codeplane.index.resolve.kotlin import KotlinRules
from codeplane.index.resolve.php import PhpRules
from codeplane.index.resolve.python import PythonRules
from codeplane.index.resolve.ruby import RubyRules
from codeplane.index.resolve.rules import Rules
from codeplane.index.resolve.rust import RustRules

RULES: Mapping[str, Callable[[Evaluator], Rules]] = MappingProxyType(
    {
        "c": CppRules,
        "cpp": CppRules,
        "csharp": CSharpRules,
        "go": GoRules,
        "java": JavaRules,
        "javascript": EcmaRules,
        "kotlin": KotlinRules,
        "php": PhpRules,
        "python": PythonRules,
        "ruby": RubyRules,
        "rust": RustRules,
        "tsx": EcmaRules,
        "typescript": EcmaRules,
    }
)
"""By the name of the language."""
