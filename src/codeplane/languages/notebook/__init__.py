"""Jupyter notebooks: cells, and the code or text in them.

A notebook is JSON. A line of a cell is a line of the file, at its column there, so that every position maps to bytes;
quotes and escapes are blanked out before the code is parsed.
"""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.keys import module_name, visibility
from codeplane.languages.spec import DefinitionSite, Language, Part, Reading

_ESCAPE = re.compile(rb'((?:\\")+)|\\(u[0-9a-fA-F]{4}|.)', re.DOTALL)
_ENDS_LINE = re.compile(rb"(?:^|[^\\])(?:\\\\)*+\\n\Z")
_MAGIC = re.compile(rb"(?m)^[ \t]*+(?:%[A-Za-z%]|![^=])[^\n]*+")
_CELL_MAGIC = re.compile(rb"\s*%%(\w+)[^\n]*")
_PYTHON_MAGICS = frozenset({b"time", b"timeit", b"capture", b"prun", b"python", b"python3", b"cython"})
_LANGUAGES = {"ipython": "python", "python3": "python", "r": "r", "c++": "cpp", "c#": "csharp", "sh": "bash"}


def read(root: Any, source: bytes, path: str) -> Reading:
    document = next((node for node in root.named_children if node.type == "object"), None)
    cells = _value(document, b"cells", source)
    if cells is None or cells.type != "array":
        return Reading([])
    language = _kernel_language(document, source)
    sites: list[DefinitionSite] = []
    parts: list[Part] = []
    number = 0
    for cell in cells.named_children:
        if cell.type != "object":
            continue
        number += 1
        sites.append(
            DefinitionSite(
                "cell",
                f"cell {number}",
                cell.start_byte,
                cell.end_byte,
                cell.start_byte,
                cell.start_byte,
                cell.start_byte,
            )
        )
        kind = _text(_value(cell, b"cell_type", source), source)
        if kind in ("code", "markdown"):
            part = _part(_value(cell, b"source", source), language if kind == "code" else "markdown", source)
            if part is not None:
                parts.append(part)
    return Reading(sites, tuple(parts))


def _kernel_language(document: Any, source: bytes) -> str:
    metadata = _value(document, b"metadata", source)
    said = _text(_value(_value(metadata, b"kernelspec", source), b"language", source), source) or _text(
        _value(_value(metadata, b"language_info", source), b"name", source), source
    )
    word = said.lower() or "python"
    return _LANGUAGES.get(word, word)


def _part(node: Any, language: str, source: bytes) -> Part | None:
    if node is None:
        return None
    strings = [child for child in node.named_children if child.type == "string"] if node.type == "array" else [node]
    strings = [string for string in strings if string.type == "string" and string.end_byte - string.start_byte > 2]
    if not strings:
        return None
    # From the start of the line, so that all lines of a list have the same indentation.
    start = strings[0].start_byte + 1
    if node.type == "array" and not source[(line := source.rfind(b"\n", 0, start) + 1) : start - 1].strip():
        start = line
    end = strings[-1].end_byte - 1
    pieces: list[bytes] = []
    done = start
    for number, string in enumerate(strings):
        begin, stop = string.start_byte + 1, string.end_byte - 1
        pieces.append(_blank(source[done:begin]))
        following = strings[number + 1].start_byte if number + 1 < len(strings) else stop
        # If the list has a line per string, the line endings are already there.
        content = source[begin:stop]
        if _ENDS_LINE.search(content) and b"\n" in source[stop:following]:
            content = content[:-2] + b"  "
        pieces.append(_ESCAPE.sub(_unescaped, content))
        done = stop
    text = b"".join(pieces)
    if language == "python":
        magic = _CELL_MAGIC.match(text)
        if magic is not None and magic.group(1) not in _PYTHON_MAGICS:
            language = magic.group(1).decode("utf-8", "replace").lower()
            text = _blank(text[: magic.end()]) + text[magic.end() :]
        else:
            text = _MAGIC.sub(lambda found: _blank(found.group()), text)
    return Part(language, start, end, text, nested=True, sample=True)


def _unescaped(found: re.Match[bytes]) -> bytes:
    """Replace an escape by as many bytes: blanks and the character itself; quotes are kept together."""
    quotes, escape = found.groups()
    if quotes is not None:
        return b'"' * (len(quotes) // 2) + b" " * (len(quotes) // 2)
    meant = {b"n": b"\n", b"t": b"\t", b"r": b" ", b"b": b" ", b"f": b" "}.get(escape, escape)
    return found.group() if len(escape) > 1 else b" " + meant


def _blank(text: bytes) -> bytes:
    return b"\n".join(b" " * len(line) for line in text.split(b"\n"))


def _value(node: Any, key: bytes, source: bytes) -> Any:
    for pair in node.named_children if node is not None and node.type == "object" else ():
        name, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if name is not None and source[name.start_byte + 1 : name.end_byte - 1] == key:
            return value
    return None


def _text(node: Any, source: bytes) -> str:
    if node is None or node.type != "string":
        return ""
    return source[node.start_byte + 1 : node.end_byte - 1].decode("utf-8", "replace")


LANGUAGES = (
    Language(
        name="notebook",
        aliases=("ipynb", "jupyter"),
        family="python",
        extensions=(".ipynb",),
        grammar="tree_sitter_json:language",
        distribution="tree-sitter-json",
        coverage="definitions",
        module_name=module_name,
        visibility=visibility,
        separator="#",
        variables_are_items=True,
        read=read,
    ),
)
