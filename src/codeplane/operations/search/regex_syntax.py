"""Tokenizer for regular expressions in RE2 syntax. Matches nothing itself.

Constructs that other engines know and RE2 does not are rejected by name, as far as they can be recognized; other errors
are left to RE2. Each token has two spellings: for ASCII text, and for other text, where `\\d`, `\\s` and `\\w` mean
Unicode digits, spaces and word characters.
"""

from __future__ import annotations

import re
import sys
from enum import Enum, auto
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

MAX_MEMBERS = 16
"""Larger character classes are not enumerated."""


class TokenKind(Enum):
    CHARACTER = auto()
    CLASS = auto()
    NOTHING = auto()
    """Matches no text: an anchor, a boundary, a change of flags."""
    OPEN = auto()
    CLOSE = auto()
    OR = auto()
    REPEAT = auto()


class RegexToken(NamedTuple):
    piece: TokenKind
    narrow: str
    """Spelling for ASCII text."""
    wide: str
    """Spelling for any other text."""
    members: frozenset[str] | None = None
    """Characters that it can match; None if there are too many."""
    least: int = 0
    most: int | None = 0
    """Bounds of a repetition; None is unbounded."""
    newline: bool = False
    """True if it matches a line feed, or lets the dot match one."""
    whole: bool = False
    """True if it anchors to the start or end of the text, or may make `^` and `$` do so."""
    capital: bool | None = None
    """True if it contains an upper-case letter; None if it contains no letter, such as `\\S` and the dot."""


def tokenize_regex(pattern: str) -> tuple[RegexToken, ...]:
    """Return the tokens of a pattern; raise PATTERN_UNSUPPORTED for constructs that RE2 does not have."""
    tokens: list[RegexToken] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\" and pattern.startswith("\\Q", at):
            end = pattern.find("\\E", at + 2)
            quoted = pattern[at + 2 :] if end < 0 else pattern[at + 2 : end]
            tokens += map(_character, quoted)
            at = len(pattern) if end < 0 else end + 2
            continue
        if character == "\\":
            token, at = _read_escape(pattern, at)
        elif character == "[":
            token, at = _read_class(pattern, at)
        elif character == "(":
            token, at = _read_open(pattern, at)
        elif character in _MARKS:
            token, at = RegexToken(_MARKS[character], character, character), at + 1
        elif character == ".":
            token, at = RegexToken(TokenKind.CLASS, ".", "."), at + 1
        else:
            repeat = _REPEAT.match(pattern, at)
            if repeat is None:
                token, at = _character(character), at + 1
            else:
                token, at = _repeat(pattern, repeat), repeat.end()
        tokens.append(token)
    return tuple(tokens)


def _character(character: str) -> RegexToken:
    spelled = f"\\x{{{ord(character):x}}}" if character < " " else re.escape(character)
    newline, capital = character == "\n", character.isupper()
    return RegexToken(TokenKind.CHARACTER, spelled, spelled, frozenset(character), newline=newline, capital=capital)


def _read_escape(pattern: str, at: int) -> tuple[RegexToken, int]:
    letter = pattern[at + 1 : at + 2]
    if letter in _SETS:
        return RegexToken(TokenKind.CLASS, _SETS[letter].narrow, _SETS[letter].wide), at + 2
    if letter in ("p", "P"):
        end = _end_of_property(pattern, at)
        return RegexToken(TokenKind.CLASS, pattern[at:end], pattern[at:end]), end
    if letter in ("b", "B", "A", "z"):
        if pattern.startswith("{", at + 2) and letter in "bB":
            raise unsupported(pattern, at, "a named boundary", r"\bword\b")
        return RegexToken(TokenKind.NOTHING, f"\\{letter}", f"\\{letter}", whole=letter in "Az"), at + 2
    character, end = _read_character(pattern, at)
    return _character(character), end


def _read_character(pattern: str, at: int) -> tuple[str, int]:
    """Return the character that an escape denotes, and the offset after it."""
    if numbered := _NUMBERED.match(pattern, at):
        number = int(numbered["octal"], 8) if numbered["octal"] else int(numbered[0].lstrip("\\xuU").strip("{}"), 16)
        if number > sys.maxunicode:
            raise invalid(pattern, at, rf"the code point is out of range; the maximum is \x{{{sys.maxunicode:x}}}")
        if 0xD800 <= number < 0xE000:
            raise invalid(pattern, at, "half of a surrogate pair is not a character")
        return chr(number), numbered.end()
    letter = pattern[at + 1 : at + 2]
    if letter in _CONTROLS:
        return _CONTROLS[letter], at + 2
    if letter in _REFUSED:
        raise unsupported(pattern, at, *_REFUSED[letter])
    if letter and (not letter.isascii() or not letter.isalnum()):
        return letter, at + 2
    raise invalid(pattern, at, "nothing follows the backslash" if not letter else f"unknown escape '\\{letter}'")


def _read_open(pattern: str, at: int) -> tuple[RegexToken, int]:
    if not pattern.startswith("(?", at):
        return RegexToken(TokenKind.OPEN, "(", "("), at + 1
    if named := _NAMED.match(pattern, at):
        return RegexToken(TokenKind.OPEN, "(?:", "(?:"), named.end()
    flags = _FLAGS.match(pattern, at)
    if _CUT_OFF.fullmatch(pattern, at):
        raise invalid(pattern, at, "the group is not closed")
    if flags is None:
        refused = (row for row in _REFUSED_GROUPS if pattern.startswith(row[0], at))
        _, name, example = next(refused, ("", "this group", "(?:one|two)"))
        raise unsupported(pattern, at, name, example)
    piece = TokenKind.OPEN if flags[2] == ":" else TokenKind.NOTHING
    added, _, removed = flags[1].partition("-")
    return RegexToken(piece, flags[0], flags[0], newline="s" in added, whole="m" in removed), flags.end()


def _repeat(pattern: str, found: re.Match[str]) -> RegexToken:
    if pattern.startswith("+", found.end()) and not found["lazy"]:
        raise unsupported(pattern, found.start(), "a possessive repetition", "a+")
    if found["sign"]:
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[found["sign"]]
        return RegexToken(TokenKind.REPEAT, found[0], found[0], None, least, most)
    least = int(found["least"] or 0)
    most = least if not found["comma"] else int(found["most"]) if found["most"] else None
    # Without its first number, RE2 takes the braces literally, which is never intended.
    spelled = f"{{{least}{found['comma']}{found['most']}}}{found['lazy']}"
    return RegexToken(TokenKind.REPEAT, spelled, spelled, None, least, most)


def _read_class(pattern: str, start: int) -> tuple[RegexToken, int]:
    negated = pattern.startswith("[^", start)
    at = first = start + 1 + negated
    narrow = wide = "[^" if negated else "["
    members: set[str] | None = None if negated else set()
    newline = False
    capital: bool | None = None
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        nested = _read_nested_set(pattern, at)
        if nested is not None:
            narrow, wide, at = narrow + nested[0], wide + nested[1], nested[2]
            members = None
            continue
        low, high, at = _read_range(pattern, at)
        spelled = _in_class(low) if low == high else f"{_in_class(low)}-{_in_class(high)}"
        narrow += spelled
        wide += spelled
        newline = newline or low == high == "\n"
        capital = bool(capital) or low.isupper() or high.isupper()
        if members is not None:
            few = ord(high) - ord(low) < MAX_MEMBERS and len(members) < MAX_MEMBERS
            members = members | set(map(chr, range(ord(low), ord(high) + 1))) if few else None
    if at >= len(pattern):
        raise invalid(pattern, start, "the class is not closed")
    known = None if members is None else frozenset(members)
    crosses = newline and not negated
    return RegexToken(TokenKind.CLASS, f"{narrow}]", f"{wide}]", known, newline=crosses, capital=capital), at + 1


def _read_nested_set(pattern: str, at: int) -> tuple[str, str, int] | None:
    """Return both spellings of a POSIX class, property or set escape inside of a class, and the offset after it."""
    if posix := _POSIX.match(pattern, at):
        return posix[0], posix[0], posix.end()
    letter = pattern[at + 1 : at + 2] if pattern[at] == "\\" else ""
    if letter in ("p", "P"):
        end = _end_of_property(pattern, at)
        return pattern[at:end], pattern[at:end], end
    if letter and letter in _SETS:
        return _SETS[letter].narrow_inside, _SETS[letter].inside, at + 2
    return None


def _read_range(pattern: str, start: int) -> tuple[str, str, int]:
    """Return the first and last character of a class member, and the offset after it."""
    low, at = _read_member(pattern, start)
    if not pattern.startswith("-", at) or at + 1 >= len(pattern) or pattern[at + 1] == "]":
        return low, low, at
    if pattern[at + 1 : at + 3] in _SET_ESCAPES:
        raise invalid(pattern, start, "a range cannot end with a class")
    high, at = _read_member(pattern, at + 1)
    if high < low:
        raise invalid(pattern, start, "a range is reversed")
    return low, high, at


def _read_member(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at] != "\\":
        return pattern[at], at + 1
    # In a class this is a backspace, not a boundary.
    return ("\b", at + 2) if pattern.startswith("\\b", at) else _read_character(pattern, at)


def _in_class(character: str) -> str:
    return f"\\x{{{ord(character):x}}}" if not character.isalnum() or not character.isascii() else character


def _end_of_property(pattern: str, at: int) -> int:
    end = pattern.find("}", at) + 1 if pattern.startswith("{", at + 2) else at + 3
    if end <= 0 or end > len(pattern):
        raise invalid(pattern, at, "the property name is incomplete")
    return end


def unsupported(pattern: str, at: int, construct: str, example: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.PATTERN_UNSUPPORTED,
        f"the pattern uses {construct} at character {at + 1}, which is not supported",
        details={"construct": construct, "position": at + 1},
        expected="a pattern in RE2 syntax, which runs in linear time",
        received=display(pattern[at : at + 40]),
        example={"mode": "regex", "query": example},
        remedy="Search for a simpler pattern that matches more, and filter the results.",
    )


def invalid(pattern: str, at: int, why: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"invalid pattern at character {at + 1}: {why}",
        details={"position": at + 1},
        expected="a regular expression in RE2 syntax",
        received=display(pattern[at : at + 40]),
        example={"mode": "regex", "query": r"def \w+_total\("},
        remedy="Escape a literal character with a backslash, or use mode 'lexical'.",
    )


class _Set(NamedTuple):
    narrow: str
    narrow_inside: str
    """Spelling inside of a character class."""
    wide: str
    inside: str


_WORD = (
    r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}"
    r"\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}"
)
_SPACE = r"\x{9}-\x{d}\x{20}\x{85}\p{Z}"
# RE2 does not count the vertical tab as a space.
_ASCII_SPACE = r"\x{9}-\x{d}\x{20}"
_SETS = {
    "d": _Set(r"\d", r"\d", r"\p{Nd}", r"\p{Nd}"),
    "D": _Set(r"\D", r"\D", r"\P{Nd}", r"\P{Nd}"),
    "s": _Set(f"[{_ASCII_SPACE}]", _ASCII_SPACE, f"[{_SPACE}]", _SPACE),
    "S": _Set(
        f"[^{_ASCII_SPACE}]",
        r"\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{7f}",
        f"[^{_SPACE}]",
        r"\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}"
        r"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}",
    ),
    "w": _Set(r"\w", r"\w", f"[{_WORD}]", _WORD),
    # A class cannot negate a part of itself; unassigned code points are left out.
    "W": _Set(r"\W", r"\W", f"[^{_WORD}]", r"\p{Cc}\p{Cf}\p{Co}\p{No}\p{Pd}\p{Pe}\p{Pf}\p{Pi}\p{Po}\p{Ps}\p{S}\p{Z}"),
}
_SET_ESCAPES = frozenset(f"\\{letter}" for letter in "dDsSwWpP")
_MARKS = {"^": TokenKind.NOTHING, "$": TokenKind.NOTHING, ")": TokenKind.CLOSE, "|": TokenKind.OR}
_REPEAT = re.compile(
    r"(?:(?P<sign>[*+?])|\{(?=[0-9]|,[0-9])(?P<least>[0-9]*)(?P<comma>,?)(?P<most>[0-9]*)\})(?P<lazy>\??)"
)
_NAMED = re.compile(r"\(\?P?<[^\W\d]\w*>")
_FLAGS = re.compile(r"\(\?([imsU]*(?:-[imsU]+)?)([:)])")
_CUT_OFF = re.compile(r"\(\?(?:[imsU]*-?[imsU]*|P|P?<\w*)")
_POSIX = re.compile(r"\[:\^?[a-z]+:\]")
_NUMBERED = re.compile(
    r"\\(?:x[0-9A-Fa-f]{2}|[xu]\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|(?P<octal>0[0-7]{0,2}|[1-7][0-7]{2}))"
)
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_REFUSED = {
    **dict.fromkeys("123456789", ("a backreference", r"(\w+) = \w+")),
    "k": ("a backreference", r"(\w+) = \w+"),
    "g": ("a backreference", r"(\w+) = \w+"),
    "K": ("a reset of the match start", r"total = \d+"),
    "G": ("the end of the previous match", r"^total"),
    "Z": ("the end of the text as '\\Z'", r"total\z"),
    "X": ("a grapheme cluster", r"\pL\pM*"),
    "R": ("any line ending", r"\r?\n"),
    "h": ("horizontal space", r"[ \t]"),
    "H": ("non-horizontal space", r"[^ \t]"),
    "N": ("a character by its name", r"\x{2014}"),
    "C": ("a single byte", r"[\x{80}-\x{ff}]"),
    "c": ("a control character by its letter", r"\x1b"),
    "e": ("the escape character as '\\e'", r"\x1b"),
    "<": ("the start of a word as '\\<'", r"\bword"),
    ">": ("the end of a word as '\\>'", r"word\b"),
}
_REFUSED_GROUPS = (
    ("(?=", "look-ahead", r"total\s*\("),
    ("(?!", "negative look-ahead", r"total[^(]"),
    ("(?<=", "look-behind", r"def total"),
    ("(?<!", "negative look-behind", r"[^.]total"),
    ("(?>", "an atomic group", r"(?:one|two)"),
    ("(?P=", "a backreference", r"(\w+) = \w+"),
    ("(?P>", "recursion", r"\([^()]*\)"),
    ("(?R", "recursion", r"\([^()]*\)"),
    ("(?&", "recursion", r"\([^()]*\)"),
    ("(?#", "a comment", r"total"),
    ("(?|", "a branch reset", r"(?:one|two)"),
    ("(?(", "a condition", r"one|two"),
    ("(?'", "a group named in quotes", r"(?P<name>\w+)"),
    *((f"(?{digit}", "recursion", r"\([^()]*\)") for digit in "0123456789+-"),
    ("(?x", "the flag 'x'", r"(?i)total"),
)
