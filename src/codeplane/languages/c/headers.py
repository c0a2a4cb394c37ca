"""Decide from its content whether a `.h` file is C++.

Looks for words that no C header contains outside comments and `__cplusplus` sections.
"""

from __future__ import annotations

import re

_SIGN = re.compile(
    rb"^[ \t]*(?:"
    rb"(?:class|struct)\s+(?:[A-Za-z_]\w*\s+)?[A-Za-z_]\w*\s*(?:final\s*)?:(?!:)\s*[A-Za-z_]"
    rb"|class\s+(?:[A-Za-z_]\w*(?:\([^()\n]*\))?\s+)?[A-Za-z_]\w*\s*(?:final\s*)?[;{]"
    rb"|(?:inline\s+)?namespace(?:\s+[A-Za-z_][\w:]*)?\s*\{"
    rb"|template\s*<"
    rb"|(?:public|private|protected)\s*:"
    rb"|using\s+(?:namespace\s+)?[A-Za-z_][\w:]*\s*[;=]"
    rb"|enum\s+class\s"
    rb"|(?:virtual|explicit|friend|constexpr)\s+[\w~]"
    rb"|#[ \t]*include[ \t]*<(?:string|vector|map|memory|iostream|algorithm|utility|functional|cstdint|cstddef"
    rb"|type_traits|cstring|string_view|set|list|array|atomic|mutex|optional|limits|tuple|initializer_list|ostream|sstream)>"
    rb")|\bconst\s+[A-Za-z_][\w:]*(?:<[^;{}()]*>)?\s*&|\)\s*const\s*[;{]|\bstd::[a-z]|\boperator\s*(?:[=!<>+*/-]=?|\(\)|\[\])\s*\(|\b(?:static|const|reinterpret|dynamic)_cast\s*<",
    re.MULTILINE,
)
_HIDDEN = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/'
    rb"|^[ \t]*#[ \t]*if(?!ndef)[^\n]*\b__cplusplus\b"
    rb".*?^[ \t]*#[ \t]*(?:else|elif|endif)\b",
    re.MULTILINE | re.DOTALL,
)


def prefer(source: bytes) -> str | None:
    """Return "cpp" for a C++ header. Searches the raw text first, because most C headers match nowhere."""
    if _SIGN.search(source) is None:
        return None
    return "cpp" if _SIGN.search(_HIDDEN.sub(b" ", source)) is not None else None
