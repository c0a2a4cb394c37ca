"""Options of a read, and its result: lines of a text, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from codeplane.base.paths import RepoPath
from codeplane.base.text_lines import TextLine
from codeplane.base.warnings import Notice
from codeplane.operations.read.diff_preview import Baseline, Comparison
from codeplane.operations.read.documents import Document, TextBody
from codeplane.operations.read.targets import Mode
from codeplane.query.relations import Symbol
from codeplane.workspace.freshness import FreshResult


@dataclass(frozen=True)
class ReadOptions:
    """Options that apply to each target, as far as its mode has them."""

    within: str = ""
    """File or directory that a symbol name is resolved in."""
    include_context: bool = False
    context_lines: int | None = None
    against: Baseline = "HEAD"
    proposed: str | None = None
    merge_namesakes: bool = False
    """Read adjacent definitions of one name, such as a getter and its setter, as one."""


@dataclass(frozen=True)
class LocatedText:
    mode: Mode
    path: RepoPath
    body: TextBody
    first: int
    last: int
    document: Document | None = None
    symbol: Symbol | None = None
    comparison: Comparison | None = None
    context: dict[str, object] = field(default_factory=dict)
    read: FreshResult[Any] | None = None
    """Result of the index query that located the text; None if no query was needed."""
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class NotLocated:
    mode: Mode
    status: str
    message: str
    fields: dict[str, object] = field(default_factory=dict)
    read: FreshResult[Any] | None = None
    lines: tuple[TextLine, ...] | None = None
    """Text form, if it is not derived from the fields."""
