"""Notices about text that is shown: hidden characters, and credentials.

The text itself is not altered, since what is shown must be what is edited. Only characters are checked, not words:
characters that are invisible or change the order of others, except those that scripts and emoji require. Credentials
are reported where their format is unmistakable: by count and line, never by value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from codeplane.base.credentials import find_credentials
from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode

MAX_PLACES = 5

_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f]"
    "|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f]"
    "|[\u3164\ufeff\uffa0\ufff0-\ufffb]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}|[\U000e0000-\U000e007f]"
)
_TAGGED_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,10}\U000e007f")
_JOINERS = "\u200c\u200d"
_PLAIN = re.compile(b"[\x00-\x08\x0e-\x1f\x7f-\xff]")


def content_notices(path: RepoPath, content: str, first_line: int, *, shows_secrets: bool) -> tuple[Notice, ...]:
    """Return the notices for some lines of a file; of credentials only if they are shown."""
    notices = []
    hidden = list(_hidden(content))
    if hidden:
        places = [_place(content, at, first_line) for at in hidden[:MAX_PLACES]]
        kinds = sorted({f"U+{ord(content[at]):04X}" for at in hidden})[:MAX_PLACES]
        about = {"path": path, "at": places, "characters": kinds, "count": len(hidden)}
        notices.append(Notice(WarningCode.HIDDEN_UNICODE, about))
    keys = find_credentials(content) if shows_secrets else []
    if keys:
        lines = sorted({content.count("\n", 0, at) + first_line for at in keys})[:MAX_PLACES]
        notices.append(Notice(WarningCode.SECRETS_IN_TEXT, {"path": path, "lines": lines, "count": len(keys)}))
    return tuple(notices)


def _hidden(content: str) -> Iterator[int]:
    if content.isascii() and not _PLAIN.search(content.encode("ascii")):
        return
    # Some flags are written with tag characters.
    content = _TAGGED_FLAG.sub(lambda flag: "x" * len(flag[0]), content)
    for match in _HIDDEN.finditer(content):
        if match[0] not in _JOINERS or not _joins(content, match.start()):
            yield match.start()


def _joins(content: str, at: int) -> bool:
    """True if a joiner is needed: inside of an emoji sequence, or in a word of joining letters."""
    before = content[at - 1 : at] if at else ""
    after = content[at + 1 : at + 2]
    if not before or not after:
        return False
    if _is_emoji(after):
        return _is_emoji(before) or before == "\ufe0f"
    return _is_joined(before) and _is_joined(after)


def _is_emoji(char: str) -> bool:
    return unicodedata.category(char) in ("So", "Sk") or char in "♀♂⚕⚖"


def _is_joined(char: str) -> bool:
    return unicodedata.category(char) in ("Lo", "Mn", "Mc") and not char.isascii()


def _place(content: str, at: int, first_line: int) -> str:
    line = content.count("\n", 0, at)
    return f"{line + first_line}:{at - content.rfind(chr(10), 0, at)}"
