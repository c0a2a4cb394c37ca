"""The languages whose names are resolved beyond their file, each with its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codeplane.index.resolve.ecma.rules import ecma_rules
from codeplane.index.resolve.evaluate import Evaluator
from codeplane.index.resolve.python import PythonRules
from codeplane.index.resolve.rules import Rules

RULES: Mapping[str, Callable[[Evaluator], Rules]] = MappingProxyType(
    {"javascript": ecma_rules, "python": PythonRules, "tsx": ecma_rules, "typescript": ecma_rules}
)
"""By the name of the language."""
