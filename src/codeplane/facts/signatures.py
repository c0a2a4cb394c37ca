"""Signatures and documentation of definitions, read from the source."""

from __future__ import annotations

import re
from hashlib import sha256

from codeplane.base.limits import MAX_DOC_CHARS, MAX_SIGNATURE_CHARS
from codeplane.facts.lines import Lines
from codeplane.facts.structure import DefSite
from codeplane.languages.spec import Language

_DOCSTRING = re.compile(rb'[ \t\r\n]*(?:\#[^\n]*\n[ \t\r\n]*)*[rRuU]?("""|\'\'\'|"|\')(.*?)(?<!\\)\1', re.DOTALL)
_MAX_DOC_LINE_CHARS = 2 * MAX_DOC_CHARS
"""Longer docs are truncated; finding a comment's start is O(n²)."""
_COMMENT_EDGE = re.compile(r"^\s*(?:/\*+!?|\*+/|\*|//[/!]?)?\s?|\s*\*+/\s*$")
_TAIL = " :{=;,\\"
"""Characters that a signature does not end with; nor with an arrow."""
_MAX_DOC_LINES = 200
_NO_SIGNATURE = sha256(b"->").hexdigest()[:16]


def read_signature(language: Language, site: DefSite, source: bytes) -> str:
    """Return the text from the start of the definition to its body, on one line, without comments."""
    limit = min(site.body[0] if site.body else site.end, site.start + 4 * MAX_SIGNATURE_CHARS)
    if site.body is None:
        raw = source[site.start : limit]
        if site.kind not in ("function", "method"):
            # The line of the name, and annotations above it; parameters may span several lines.
            known = (site.params[1] if site.params else max(site.start, site.name_end)) - site.start
            raw = raw[:known] + raw[known:].partition(b"\n")[0]
        text = _without_comments(language, raw.decode("utf-8", "replace"))
    elif site.body[1] <= site.name_start:
        # `typedef struct { ... } name`
        behind = source[site.body[1] : min(site.end, site.body[1] + MAX_SIGNATURE_CHARS)]
        text = (source[site.start : limit] + b" " + behind).decode("utf-8", "replace")
    else:
        known = max(site.name_end, site.params[1] if site.params else 0, site.returns[1] if site.returns else 0)
        text = _without_comments(language, source[site.start : min(known, limit)].decode("utf-8", "replace"))
        if known < limit:
            tail = source[known:limit].decode("utf-8", "replace")
            for marker in language.comments:
                tail = tail.partition(marker)[0]
            text += tail
    text = " ".join(text.split())
    if language.signature_noise is not None:
        text = language.signature_noise.sub("", text)
    text = text.rstrip(_TAIL)
    while text.endswith("=>"):
        text = text[:-2].rstrip(_TAIL)
    text = text.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return text if len(text) <= MAX_SIGNATURE_CHARS else text[: MAX_SIGNATURE_CHARS - 1] + "…"


def _without_comments(language: Language, text: str) -> str:
    """Remove comments at line ends and on lines of their own from a text of several lines."""
    if "\n" not in text:
        return text
    start, end = language.doc_block
    if start in language.comments and start in text:
        text = re.sub(rf"(?m)^[ \t]*{re.escape(start)}(?s:.*?)(?:{re.escape(end)}|\Z)", "", text)
    kept = [line for line in text.split("\n") if not line.lstrip().startswith(language.comments)]
    for marker in language.comments:
        if marker != start:
            kept = [line.partition(f" {marker}")[0] for line in kept]
    return "\n".join(kept)


def hash_signature(site: DefSite, source: bytes) -> str:
    """Return a hash of parameters and result as written, without blanks; the same for all that have neither."""
    params, returns = site.params, site.returns
    if params is None and returns is None:
        return _NO_SIGNATURE
    written = b"".join(source[params[0] : params[1]].split()) if params else b""
    result = b"".join(source[returns[0] : returns[1]].split()) if returns else b""
    return sha256(written + b"->" + result).hexdigest()[:16]


def start_with_attributes(language: Language, lines: Lines, start: int) -> int:
    """Return `start`, moved up over the attribute lines directly above (siblings in some grammars)."""
    if not language.attribute_prefixes:
        return start
    line = lines.position(start)[0]
    while line > 1:
        text = lines.text(line - 1).lstrip()
        if not text.decode("utf-8", "replace").startswith(language.attribute_prefixes):
            break
        line -= 1
        start = lines.starts[line - 1] + len(lines.text(line)) - len(text)
    return start


def read_doc(language: Language, site: DefSite, line: int, lines: Lines, given: str | None) -> str | None:
    if given is not None:
        raw = given.splitlines()
    elif language.doc_style == "docstring":
        if site.body is None:
            return None
        found = _DOCSTRING.match(lines.source, site.body[0], min(site.body[1], site.body[0] + 65536))
        raw = found.group(2).decode("utf-8", "replace").splitlines() if found else []
    else:
        raw = _comment_above(language, lines, line)
        if not raw and not language.attribute_prefixes and line < (own_line := lines.position(site.start)[0]):
            raw = _comment_above(language, lines, own_line)
        if not raw and language.inner_doc_prefixes and site.body is not None:
            raw = _comment_below(language, lines, lines.position(site.body[0])[0])
    if not raw:
        return None
    if language.doc_lines is not None:
        raw = language.doc_lines(raw)
    paragraph: list[str] = []
    for written in raw:
        text = written.strip()
        if text:
            paragraph.append(text)
        elif paragraph:
            break
    text = " ".join(paragraph)
    if not text:
        return None
    return text if len(text) <= MAX_DOC_CHARS else text[: MAX_DOC_CHARS - 1] + "…"


def _comment_above(language: Language, lines: Lines, line: int) -> list[str]:
    """Return the comment that ends on the line directly above `line`, without its markers."""
    collected: list[str] = []
    current = line - 1
    above = lines.text(current).decode("utf-8", "replace").strip() if current >= 1 else ""
    opening, closing = language.doc_block
    if above.endswith(closing):
        while current >= 1 and len(collected) < _MAX_DOC_LINES:
            text = lines.text(current).decode("utf-8", "replace").strip()
            collected.append(_COMMENT_EDGE.sub("", text[:_MAX_DOC_LINE_CHARS]))
            # A comment after code on its line documents that code.
            if opening in text:
                return collected[::-1] if text.startswith(opening) else []
            current -= 1
        return []
    while current >= 1 and len(collected) < _MAX_DOC_LINES:
        text = lines.text(current).decode("utf-8", "replace").strip()
        if not text.startswith(language.doc_prefixes):
            break
        collected.append(_COMMENT_EDGE.sub("", text[:_MAX_DOC_LINE_CHARS]))
        current -= 1
    return collected[::-1]


def _comment_below(language: Language, lines: Lines, line: int) -> list[str]:
    """Return the comment at the start of a body, if its marker says that it documents the enclosing definition."""
    collected: list[str] = []
    for current in range(line + 1, min(line + _MAX_DOC_LINES, len(lines.starts)) + 1):
        text = lines.text(current).decode("utf-8", "replace").strip()
        if not text.startswith(language.inner_doc_prefixes):
            break
        collected.append(_COMMENT_EDGE.sub("", text[:_MAX_DOC_LINE_CHARS]))
    return collected


def base_name(owner: str) -> str:
    """Return the name of a type without its parameters: `Stack` for `*Stack[T]`."""
    return re.split(r"[\[<(]", owner.lstrip("*&( "), maxsplit=1)[0].strip(" )")
