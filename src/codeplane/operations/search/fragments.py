"""Literals that every match must contain, to select candidate files in the trigram index.

The result is a set of alternatives; a matching text contains all fragments of at least one of them. A fragment is a
lower-case run of three or more identifier characters. No alternatives means that every file may match. This is the safe
result: one fragment too many loses a match, one too few only costs time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from codeplane.operations.search.regex_syntax import RegexToken, TokenKind

MAX_ALTERNATIVES = 16
MAX_FRAGMENTS = 16
"""Maximum fragments of one alternative; the longest are kept."""

Alternatives = tuple[tuple[str, ...], ...]

_MAX_LENGTH = 64
_RUN = re.compile(r"[a-z0-9_$]{3,}")


def fragments_of_text(query: str) -> Alternatives:
    return _ordered(_needs([_folded(query)]))


def fragments_of_pattern(tokens: Sequence[RegexToken]) -> Alternatives:
    """Return the fragments of a tokenized pattern; groups are kept on a stack, so nesting depth does not matter."""
    stack: list[list[list[_Part]]] = [[[]]]
    for token in tokens:
        branch = stack[-1][-1]
        match token.piece:
            case TokenKind.CHARACTER | TokenKind.CLASS:
                branch.append(_one_of(token.members))
            case TokenKind.NOTHING:
                # A repetition after an anchor applies to the anchor, not to what precedes it.
                branch.append(_EMPTY)
            case TokenKind.OPEN:
                stack.append([[]])
            case TokenKind.OR:
                stack[-1].append([])
            case TokenKind.CLOSE if len(stack) > 1:
                branches = stack.pop()
                stack[-1][-1].append(_either([_concatenated(parts) for parts in branches]))
            case TokenKind.REPEAT if branch:
                branch.append(_repeated(branch.pop(), token.least, token.most))
            case _:
                return ()
    if len(stack) > 1:
        return ()
    whole = _either([_concatenated(parts) for parts in stack[0]])
    return _ordered(_part_needs(whole))


_Needs = frozenset[frozenset[str]]
_NO_NEEDS: _Needs = frozenset({frozenset()})


class _Part(NamedTuple):
    """Known about a part of a pattern: all texts that it matches, or fragments that those contain."""

    exact: frozenset[str] | None
    needs: _Needs = _NO_NEEDS


_EMPTY = _Part(frozenset({""}))
_ANYTHING = _Part(None)


def _folded(text: str) -> str:
    """Return lower-case text, with a space for every character that cannot be part of a fragment; lengths are
    preserved."""
    return "".join(character.lower() if character.isascii() else " " for character in text)


def _one_of(members: frozenset[str] | None) -> _Part:
    if not members:
        return _ANYTHING
    folded = frozenset(map(_folded, members))
    return _Part(folded) if len(folded) <= MAX_ALTERNATIVES else _ANYTHING


def _concatenated(parts: Sequence[_Part]) -> _Part:
    pending = frozenset({""})
    needs = _NO_NEEDS
    whole = True
    for part in parts:
        if part.exact is not None and _fits(pending, part.exact):
            pending = frozenset(before + after for before in pending for after in part.exact)
            continue
        whole = False
        needs = _both(needs, _needs(pending))
        pending = part.exact if part.exact is not None else frozenset({""})
        needs = _both(needs, part.needs)
    return _Part(pending) if whole else _Part(None, _both(needs, _needs(pending)))


def _either(parts: Sequence[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    exact: frozenset[str] = frozenset().union(*(part.exact or () for part in parts))
    if all(part.exact is not None for part in parts) and len(exact) <= MAX_ALTERNATIVES:
        return _Part(exact)
    needs: _Needs = frozenset().union(*map(_part_needs, parts))
    return _Part(None, _NO_NEEDS if len(needs) > MAX_ALTERNATIVES or frozenset() in needs else needs)


def _repeated(part: _Part, least: int, most: int | None) -> _Part:
    if least == 0:
        optional = most == 1 and part.exact is not None and len(part.exact) < MAX_ALTERNATIVES
        return _Part((part.exact or frozenset()) | {""}) if optional else _ANYTHING
    if part.exact is not None and least == most and least <= _MAX_LENGTH:
        return _concatenated([part] * least)
    return _Part(None, _part_needs(part))


def _fits(left: frozenset[str], right: frozenset[str]) -> bool:
    longest = max(map(len, left), default=0) + max(map(len, right), default=0)
    return len(left) * len(right) <= MAX_ALTERNATIVES and longest <= _MAX_LENGTH


def _part_needs(part: _Part) -> _Needs:
    return part.needs if part.exact is None else _needs(part.exact)


def _needs(texts: Iterable[str]) -> _Needs:
    found = frozenset(frozenset(_RUN.findall(text)) for text in texts)
    return _NO_NEEDS if frozenset() in found else found


def _both(left: _Needs, right: _Needs) -> _Needs:
    if len(left) * len(right) <= MAX_ALTERNATIVES:
        return frozenset(one | other for one in left for other in right)
    # Too many combinations: keep the side whose weakest alternative is longest.
    return max(left, right, key=lambda needs: (min(_weight(alternative) for alternative in needs), _ordered(needs)))


def _weight(alternative: frozenset[str]) -> int:
    return max(map(len, alternative), default=0)


def _ordered(needs: _Needs) -> Alternatives:
    if not needs or frozenset() in needs:
        return ()
    return tuple(sorted(tuple(sorted(needed, key=lambda run: (-len(run), run))[:MAX_FRAGMENTS]) for needed in needs))
