"""The languages whose names are resolved beyond their file, each with its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codeplane.index.resolve.evaluate import Evaluator
from codeplane.index.resolve.go import GoRules
from codeplane.index.resolve.php import PhpRules
from codeplane.index.resolve.python import PythonRules
from codeplane.index.resolve.ruby import RubyRules
from codeplane.index.resolve.rules import Rules

RULES: Mapping[str, Callable[[Evaluator], Rules]] = MappingProxyType(
    {"go": GoRules, "php": PhpRules, "python": PythonRules, "ruby": RubyRules}
)
"""By the name of the language."""
