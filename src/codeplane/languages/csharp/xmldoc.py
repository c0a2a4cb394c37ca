"""Convert C# documentation comments to plain text: the content of `<summary>`, with references as names."""

from __future__ import annotations

import html
import re

_SUMMARY = re.compile(r"<summary\b[^>]*>(.*?)(?:</summary>|\Z)", re.DOTALL)
_DROPPED = re.compile(
    r"<(remarks|param|typeparam|returns|exception|example|value|seealso|permission|inheritdoc|include)\b"
    r"(?:[^>]*/>|[^>]*>.*?(?:</\1>|\Z))",
    re.DOTALL,
)
_REFERENCE = re.compile(
    r"<(?:see|seealso|paramref|typeparamref)\s+(?:cref|name|langword|href)\s*=\s*[\"']([^\"']*)[\"']\s*/?>"
)
_TAG = re.compile(r"</?([a-zA-Z]\w*)(?:\s[^<>]*)?/?>")
_BREAKS = frozenset({"para", "br", "list", "item", "description", "code", "summary"})
_CREF_KIND = re.compile(r"^[A-Z]:|\{.*\}|\(.*\)$|`+\d+")


def plain_lines(lines: list[str]) -> list[str]:
    """Return the plain lines of a comment that is already stripped of slashes; an empty line ends a paragraph."""
    text = "\n".join(lines)
    summary = _SUMMARY.search(text)
    text = summary[1] if summary else _DROPPED.sub("\n", text)
    text = _REFERENCE.sub(lambda found: _target(found[1]), text)
    text = _TAG.sub(lambda found: "\n\n" if found[1].lower() in _BREAKS else "", text)
    return html.unescape(text).split("\n")


def _target(cref: str) -> str:
    """Return the name of a cref: `System.String` for `T:System.String`, without parameters and type arguments."""
    if cref.startswith(("http:", "https:")):
        return cref
    return _CREF_KIND.sub("", _CREF_KIND.sub("", cref))
