"""Convert doc comments of C and C++ to plain text: Doxygen commands are dropped, marked-up words stay."""

from __future__ import annotations

import re

_LEAD = re.compile(r"^[@\\](?:brief|short|details|note)\b\s*")
_BLOCK = re.compile(
    r"^[@\\](?:param|tparam|return|returns|retval|throws?|exception|see|sa|since|author|date|version|copyright|file|pre"
    r"|post|code|verbatim|deprecated|todo|warning|addtogroup|defgroup|ingroup|name|\{|\})"
)
_INLINE = re.compile(r"[@\\](?:p|c|a|b|e|em|ref|link|endlink)\s+")
_RULER = re.compile(r"^[-=*#~_/+. ]{3,}$")


def plain_lines(lines: list[str]) -> list[str]:
    """Return the lines before the first block command; rulers become blank lines."""
    plain: list[str] = []
    for line in lines:
        text = _LEAD.sub("", line.strip())
        if _BLOCK.match(text):
            if any(plain):
                break
            continue
        plain.append("" if _RULER.match(text) else _INLINE.sub("", text))
    return plain
