"""Query operators: `lang:go path:src/ -path:**/gen must:retry exclude:mock where is the backoff`.

Operators are read from the start of the query up to the first other token, so a colon in the question itself is never
an operator. A token with a leading backslash is text. A malformed operator, such as `lang:` or `must:"no end`, is
rejected with an example: searching for it literally would answer another question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from codeplane.base.edit_distance import edit_distance
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.languages.filters import LanguageFilter, language_filters

PREFIX_MAX_CHARS = 200
"""An operator must start within this many characters."""
MAX_NAME_CHARS = 30
"""Maximum length of a language name in a suggestion."""

_KEYS = ("lang:", "path:", "-path:", "must:", "exclude:")
_EXAMPLE = 'lang:python path:src/ must:"retry later" how are failures retried'


@dataclass(frozen=True)
class ParsedQuery:
    """Query text without operators, and the operator values in the order in which they were written."""

    text: str
    languages: tuple[str, ...] = ()
    """Canonical names, whatever alias was written."""
    paths: tuple[str, ...] = ()
    excluded_paths: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    summary: Mapping[str, object] = field(default_factory=dict)
    """Debug payload: parsed operators and length of the prefix."""


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
    names = tuple(
        dict.fromkeys(find_language_filter(name).name for value in values["lang:"] for name in value.split(","))
    )
    parsed = ParsedQuery(
        text=text[1:] if escaped else text,
        languages=names,
        paths=tuple(values["path:"]),
        excluded_paths=tuple(values["-path:"]),
        must=tuple(values["must:"]),
        exclude=tuple(values["exclude:"]),
        summary={
            "prefix_chars": position if any(values.values()) else 0,
            "lang": list(names),
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
            "the query has only operators, and no words to search for",
            expected="words after the operators, or must:",
            received=_shown(query),
            example=_EXAMPLE,
        )
    return parsed


def find_language_filter(name: str) -> LanguageFilter:
    """Return the language of a name or alias, in any case; an unknown one is rejected with the nearest name."""
    known = language_filters()
    wanted = name.strip().lower()
    if wanted in known:
        return known[wanted]
    names = sorted({language.name for language in known.values()})
    edits, nearest = min((edit_distance(wanted[:MAX_NAME_CHARS], each), each) for each in names)
    # A short name must not differ by half of its letters. Aliases are not suggested.
    near = nearest if edits <= (1 if len(nearest) <= 5 else 2) and 2 * edits < len(wanted) else None
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"unknown language '{_shown(name)}'",
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
    """Return the value that starts at `position`, and its end."""
    if not query.startswith('"', position):
        end = position
        while end < len(query) and not query[end].isspace():
            end += 1
        if end == position:
            raise _malformed(key, "a value directly after the colon", key)
        return query[position:end], end
    chars: list[str] = []
    end = position + 1
    while end < len(query) and query[end] != '"':
        # Only a quote and a backslash can be escaped; any other backslash is literal, as in patterns.
        if query[end] == "\\" and query[end + 1 : end + 2] in ('"', "\\"):
            end += 1
        chars.append(query[end])
        end += 1
    if end >= len(query):
        raise _malformed(key, 'a closing "', query[position - len(key) :])
    value = "".join(chars)
    if not value.strip():
        raise _malformed(key, "a value between the quotes", query[position - len(key) : end + 1])
    following = query[end + 1 : end + 2]
    if following and not following.isspace():
        raise _malformed(key, "a space after the closing quote", query[position - len(key) : end + 2])
    return value, end + 1


_SAMPLES = {
    "lang:": "lang:python",
    "path:": "path:src/",
    "-path:": '-path:"old code/"',
    "must:": 'must:"retry later"',
    "exclude:": "exclude:mock",
}


def _malformed(key: str, expected: str, received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"malformed operator {key}",
        expected=expected,
        received=_shown(received),
        example=_SAMPLES[key],
        remedy=f"To search for it as text, escape it as \\{key}.",
    )


def _shown(text: str) -> str:
    return display(text if len(text) <= 60 else text[:59] + "…")
