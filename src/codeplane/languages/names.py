"""Rules of a language for the names in it, for refactorings: which are valid, and where a name is written as a text.

Data only. A language without rules of its own gets NO_NAME_RULES, which reserve nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple


class Reach(IntEnum):
    """Visibility of a name by its form."""

    CLASS = 0
    """In the body of its class (Python's `__name`)."""
    PACKAGE = 1
    """In its package (Go's lower case)."""
    NAMED = 2
    """Wherever it is imported by name, but not by `*` (Python's `_name`)."""
    ANYWHERE = 3


def anywhere(name: str) -> Reach:
    return Reach.ANYWHERE


class NameRules(NamedTuple):
    reserved: frozenset[str] = frozenset()
    """Words that cannot be names."""
    valid: re.Pattern[str] = re.compile(r"[^\W\d]\w*")
    keyword_mark: str = ""
    """Text after the name of a keyword argument; empty if a language has none."""
    shorthand: bool = False
    """`{name}` in a literal or a pattern means `{name: name}`."""
    name_lists: tuple[str, ...] = ()
    """Variables that list names as strings (`__all__`)."""
    name_readers: frozenset[str] = frozenset()
    """Functions whose string argument names a member of another argument (`getattr`)."""
    called_by_convention: re.Pattern[str] | None = None
    """Names that the language, or a tool, calls by themselves (`__init__`, `test_x`)."""
    reach: Callable[[str], Reach] = anywhere
    type_names_file: bool = False
    """A public type has the name of its file."""


NO_NAME_RULES = NameRules()


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
