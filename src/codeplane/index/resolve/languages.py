"""The languages whose names are resolved beyond their file, each with its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codeplane.index.resolve.cpp import CppRules
from codeplane.index.resolve.evaluate import Evaluator
from codeplane.index.resolve.python import PythonRules
from codeplane.index.resolve.rules import Rules
from codeplane.index.resolve.rust import RustRules

RULES: Mapping[str, Callable[[Evaluator], Rules]] = MappingProxyType(
    {"python": PythonRules, "rust": RustRules, "c": CppRules, "cpp": CppRules}
)
"""By the name of the language."""
