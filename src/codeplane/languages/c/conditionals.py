"""Find conditional directives that split a declaration or statement, and the branches to leave out.

The grammars accept `#if` only around complete statements and declarations. The branch that stays does not depend on
any setting: the first one, unless its condition is never true in the language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Span = tuple[int, int]

_EVENT = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b((?:[^\n\\]|\\.|\\\n)*)|[(){}\[\]]",
    re.MULTILINE,
)
_CONTINUES = b"&|+-*/?,.)=<"
_CPLUSPLUS = re.compile(rb"\b__cplusplus\b")
_UNFINISHED = re.compile(rb"(?:[=+*&|,(-]|\b[a-z]\w*|\breturn|\belse)\s*\Z")
"""Text that neither a declaration nor a statement ends with."""

_SPECIFIERS = re.compile(rb"(?:(?:constexpr|inline|static|extern|explicit|virtual|const|noexcept)\s*)+\Z")


@dataclass
class _Group:
    condition: bytes
    directive: bytes
    stack: list[tuple[int, int]]
    """Brackets open at its start."""
    start: int
    """Start of the current branch."""
    lowest: int
    spans: list[Span] = field(default_factory=list)
    branches: list[Span] = field(default_factory=list)
    uneven: bool = False
    first: list[tuple[int, int]] = field(default_factory=list)
    """Brackets open at the end of the first branch."""


def cutting(text: bytes, bare: bytes, cplusplus: bool) -> list[Span]:
    """Return the spans to leave out of `text`, which has no comments or strings; `bare` has no directives either."""
    left_out: list[Span] = []
    groups: list[_Group] = []
    stack: list[tuple[int, int]] = []
    for event in _EVENT.finditer(text):
        directive = event[1]
        if directive is None:
            bracket = text[event.start()]
            if bracket in b"({[":
                stack.append((bracket, event.start()))
            elif stack:
                stack.pop()
                if groups and len(stack) < groups[-1].lowest:
                    groups[-1].lowest = len(stack)
            continue
        span = (event.start(), event.end())
        if directive in (b"if", b"ifdef", b"ifndef"):
            groups.append(_Group(event[2].strip(), directive, list(stack), span[1], len(stack), [span]))
            continue
        if not groups:
            continue
        group = groups[-1]
        _end_branch(group, span, stack)
        if directive != b"endif":
            stack = list(group.stack)
            group.start, group.lowest = span[1], len(stack)
            continue
        groups.pop()
        stack = group.first
        if groups and group.uneven:
            groups[-1].lowest = min(groups[-1].lowest, len(stack))
        left_out.extend(_left_out(group, bare, cplusplus))
    return left_out


def _end_branch(group: _Group, span: Span, stack: list[tuple[int, int]]) -> None:
    if not group.branches:
        group.first = list(stack)
    group.branches.append((group.start, span[0]))
    group.spans.append(span)
    depth = len(group.stack)
    group.uneven = group.uneven or len(stack) != depth or group.lowest < depth


def _left_out(group: _Group, bare: bytes, cplusplus: bool) -> list[Span]:
    never = _never(group, cplusplus)
    if not group.uneven and not any(_is_cut(group, bare[start:end], bare) for start, end in group.branches):
        return group.branches[:1] if never else []
    kept = 1 if never else 0
    return [*group.spans, *(branch for number, branch in enumerate(group.branches) if number != kept)]


def _never(group: _Group, cplusplus: bool) -> bool:
    """True if the first branch is never compiled: `#if 0`, or meant for the other language."""
    if group.condition == b"0":
        return True
    if _CPLUSPLUS.search(group.condition) is None or b"&&" in group.condition or b"||" in group.condition:
        return False
    negated = group.directive == b"ifndef" or group.condition.startswith(b"!")
    return negated == cplusplus


def _is_cut(group: _Group, content: bytes, bare: bytes) -> bool:
    content = content.strip()
    if not content:
        return False
    if group.stack:
        bracket, at = group.stack[-1]
        if bracket in b"([":
            return True
        before = bare[max(0, at - 200) : at].rstrip()
        if before and before[-1] in b"=,({[":
            return True
    if _UNFINISHED.search(bare, max(0, group.spans[0][0] - 200), group.spans[0][0]) is not None:
        return True
    return (
        content[0] in _CONTINUES
        or _SPECIFIERS.match(content) is not None
        or content.endswith((b"else", b",", b"(", b"&&", b"||", b"="))
        or (content[-1:] == b")" and b"\n" not in content and content.startswith((b"if", b"else", b"while", b"for")))
    )
