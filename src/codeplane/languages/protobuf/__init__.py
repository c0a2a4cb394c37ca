"""Protocol Buffers: messages, enums, services, their fields, values and calls. Read without a grammar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from codeplane.languages.family import Family, Marker, markers
from codeplane.languages.keys import visibility
from codeplane.languages.manifest import Manifest, nonempty_string
from codeplane.languages.spec import DefinitionSite, Language, Reading

MAX_DEPTH = 32

_NOISE = re.compile(rb"""//[^\n]*+|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?""", re.DOTALL)
_MARK = re.compile(rb"[{};]")
_BLOCK = re.compile(rb"(message|enum|service|extend|oneof)\s++([\w.]++)\s*+\Z")
_RPC = re.compile(rb"rpc\s++(\w++)\s*+(\([^()]*+\)\s*+returns\s*+\([^()]*+\))?")
_FIELD = re.compile(
    rb"(?:(?:optional|required|repeated)\s++)?+(?:map\s*+<[^<>]*+>|(?:group|\.?[A-Za-z_][\w.]*+))\s++(\w++)\s*+=\s*+-?\w++"
)
_VALUE = re.compile(rb"(\w++)\s*+=\s*+-?\w++")
_NO_FIELD = (b"option ", b"option(", b"reserved", b"extensions", b"package", b"import", b"syntax", b"edition")
_KINDS = {b"message": "message", b"enum": "enum", b"service": "interface", b"extend": "", b"oneof": ""}


def read(root: Any, source: bytes, path: str) -> Reading:
    text = _NOISE.sub(lambda found: b" " * len(found.group()), source)
    sites: list[DefinitionSite] = []
    stack: list[tuple[bytes, int | None]] = []
    """Owner of each open brace, and its definition."""
    start, cut = 0, None
    waiting: int | None = None
    """A definition whose options are open."""
    for mark in _MARK.finditer(text):
        end = mark.start()
        begin = end - len(text[start:end].lstrip())
        around = stack[-1][0] if stack else b""
        start = mark.end()
        if mark.group() == b"}":
            if stack:
                _, number = stack.pop()
                if number is not None:
                    sites[number] = sites[number]._replace(end=mark.end())
            continue
        block = _BLOCK.match(text, begin, end) if mark.group() == b"{" else None
        site = None
        if block is not None:
            if block.group(1) == b"oneof":
                # Its fields are fields of the message, so it ends before them.
                sites.append(DefinitionSite("field", _name(block, 2), begin, block.end(2), *block.span(2)))
            elif _KINDS[block.group(1)]:
                site = DefinitionSite(_KINDS[block.group(1)], _name(block, 2), begin, end, *block.span(2), end)
        elif waiting is None or mark.group() == b"{":
            site = _statement(text, begin, end, around)
        if site is not None and len(stack) >= MAX_DEPTH:
            site, cut = None, begin if cut is None else cut
        number = len(sites) if site is not None else None
        if site is not None:
            sites.append(site)
        if mark.group() == b"{":
            word = block.group(1) if block is not None else b"options"
            inside = around if word in (b"oneof",) else b"message" if word == b"extend" else word
            stack.append((inside, number))
            if word == b"options" and number is not None and site is not None and site.kind != "rpc":
                waiting = number
        elif waiting is not None:
            sites[waiting] = sites[waiting]._replace(end=end)
            waiting = None
    return Reading(sites, cut=cut)


def _statement(text: bytes, begin: int, end: int, around: bytes) -> DefinitionSite | None:
    if around == b"service":
        found = _RPC.match(text, begin, end)
        if found is not None:
            params = found.span(2) if found.group(2) else None
            return DefinitionSite("rpc", _name(found, 1), begin, end, *found.span(1), end, params)
    elif around == b"message" and not text.startswith(_NO_FIELD, begin, end):
        found = _FIELD.match(text, begin, end)
        if found is not None:
            return DefinitionSite("field", _name(found, 1), begin, end, *found.span(1))
    elif around == b"enum" and not text.startswith(_NO_FIELD, begin, end):
        found = _VALUE.match(text, begin, end)
        if found is not None:
            return DefinitionSite("enum_member", _name(found, 1), begin, end, *found.span(1))
    return None


def _name(found: re.Match[bytes], group: int) -> str:
    return found.group(group).decode("utf-8", "replace")


LANGUAGES = (
    Language(
        name="protobuf",
        aliases=("proto",),
        has_code=True,
        family="protobuf",
        extensions=(".proto",),
        grammar="",
        distribution="",
        coverage="definitions",
        module_name=lambda path: "",
        visibility=visibility,
        variables_are_items=True,
        read=read,
    ),
)


def _read_buf(document: Mapping[object, object]) -> Manifest:
    return Manifest(nonempty_string(document.get("name")))


FAMILY = Family(
    name="protobuf",
    unit_files=("*.proto",),
    markers=(Marker("buf.yaml", read_yaml=_read_buf), *markers("buf.work.yaml", fence=True)),
)
