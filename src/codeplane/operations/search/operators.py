"""Operators at the head of a query: `lang:go path:src/ -path:**/gen must:retry exclude:mock where is the backoff`.

They are read from the first token on until one that is none, within the first characters of the query, so that a
colon in the question itself is never an operator. A token that begins with a backslash is text. What looks like an
operator and cannot be one, `lang:` or `must:"no end`, is refused with an example: searching for it would answer a
question that nobody asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from codeplane.base.edit_distance import edit_distance
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.languages.filters import LanguageFilter, language_filters

PREFIX_MAX_CHARS = 200
"""An operator begins within so many characters, or it is text."""
MAX_NAME_CHARS = 30
"""Of what was written for a language; none has a longer name."""

_KEYS = ("lang:", "path:", "-path:", "must:", "exclude:")
_EXAMPLE = 'lang:python path:src/ must:"retry later" how are failures retried'


@dataclass(frozen=True)
class ParsedQuery:
    """A query without its operators, and what they ask for; values of one key in the order in which they came."""

    text: str
    languages: tuple[str, ...] = ()
    """By their own names, whatever alias was written."""
    paths: tuple[str, ...] = ()
    excluded_paths: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    summary: Mapping[str, object] = field(default_factory=dict)
    """For the debug payload: what was read, and how long the prefix is."""


def parse_query(query: str) -> ParsedQuery:
    values: dict[str, list[str]] = {key: [] for key in _KEYS}
    position = _skip_spaces(query, 0)
    while position < min(len(query), PREFIX_MAX_CHARS):
        key = next((key for key in _KEYS if query.startswith(key, position)), None)
        if key is None:
            break
        value, position = _read_value(query, position + len(key), key)
        if value not in values[key]:
            values[key].append(value)
        position = _skip_spaces(query, position)
    text = query[position:].strip()
    escaped = text.startswith("\\") and any(text.startswith(key, 1) for key in _KEYS)
    asked = tuple(
        dict.fromkeys(find_language_filter(name).name for value in values["lang:"] for name in value.split(","))
    )
    parsed = ParsedQuery(
        text=text[1:] if escaped else text,
        languages=asked,
        paths=tuple(values["path:"]),
        excluded_paths=tuple(values["-path:"]),
        must=tuple(values["must:"]),
        exclude=tuple(values["exclude:"]),
        summary={
            "prefix_chars": position if any(values.values()) else 0,
            "lang": list(asked),
            "path": values["path:"],
            "exclude_path": values["-path:"],
            "must": values["must:"],
            "exclude": values["exclude:"],
            "escaped": escaped,
        },
    )
    if not parsed.text and any(values.values()) and not parsed.must:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "the query holds operators only, and none of them says what to look for",
            expected="words after the operators, or must:",
            received=_shown(query),
            example=_EXAMPLE,
        )
    return parsed


def find_language_filter(name: str) -> LanguageFilter:
    """The language of a name or an alias, in any case; an unknown one is refused with the one that it is a slip of."""
    known = language_filters()
    asked = name.strip().lower()
    if asked in known:
        return known[asked]
    names = sorted({tongue.name for tongue in known.values()})
    slips, nearest = min((edit_distance(asked[:MAX_NAME_CHARS], each), each) for each in names)
    # Of a short name that is not half of it; an alias would stand for a name that looks like nothing that was written.
    near = nearest if slips <= (1 if len(nearest) <= 5 else 2) and 2 * slips < len(asked) else None
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"there is no language '{_shown(name)}'",
        expected=near or ", ".join(names),
        received=_shown(name),
        example="lang:python",
        remedy=f"Use '{near}'." if near else None,
    )


def _skip_spaces(query: str, position: int) -> int:
    while position < len(query) and query[position].isspace():
        position += 1
    return position


def _read_value(query: str, position: int, key: str) -> tuple[str, int]:
    """The value that begins at `position`, and where it ends."""
    if not query.startswith('"', position):
        end = position
        while end < len(query) and not query[end].isspace():
            end += 1
        if end == position:
            raise _refused(key, "a value right behind the colon", key)
        return query[position:end], end
    chars: list[str] = []
    end = position + 1
    while end < len(query) and query[end] != '"':
        # Only a quote and a backslash are escaped; before anything else a backslash is itself, as in a pattern.
        if query[end] == "\\" and query[end + 1 : end + 2] in ('"', "\\"):
            end += 1
        chars.append(query[end])
        end += 1
    if end >= len(query):
        raise _refused(key, 'a closing "', query[position - len(key) :])
    value = "".join(chars)
    if not value.strip():
        raise _refused(key, "a value between the quotes", query[position - len(key) : end + 1])
    following = query[end + 1 : end + 2]
    if following and not following.isspace():
        raise _refused(key, "a space behind the closing quote", query[position - len(key) : end + 2])
    return value, end + 1


_SAMPLES = {
    "lang:": "lang:python",
    "path:": "path:src/",
    "-path:": '-path:"old code/"',
    "must:": 'must:"retry later"',
    "exclude:": "exclude:mock",
}


def _refused(key: str, expected: str, received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"the operator {key} cannot be read",
        expected=expected,
        received=_shown(received),
        example=_SAMPLES[key],
        remedy=f"To search for it as text, write \\{key} at the beginning.",
    )


def _shown(text: str) -> str:
    return display(text if len(text) <= 60 else text[:59] + "…")
