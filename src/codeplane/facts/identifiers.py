"""Identifiers of a file: matches of the names query, with one handler per capture.

Captures may overlap; handlers run in the order of registration, and later ones overrule earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from tree_sitter import Node, QueryCursor

from codeplane.facts.captures import QueryFile, captures_of, handles
from codeplane.facts.grammar import Grammar
from codeplane.facts.model import Usage
from codeplane.languages.spec import CALLABLE, TYPE, VALUE

_CHANGED = re.compile(rb"[^\0]+(?:\0{1,2}[^\0]+)*")
_CALLED = {int(Usage.NAME): int(Usage.CALL), int(Usage.MEMBER): int(Usage.MEMBER_CALL)}
_WORD_USAGES = {"call": int(Usage.CALL), "member": int(Usage.MEMBER), "type": int(Usage.TYPE)}

ExpandWords = Callable[[bytes, int, int], list[tuple[int, int, str]]]


@dataclass
class IdentifierSites:
    """Identifiers by start offset."""

    source: bytes
    expand: ExpandWords | None
    ends: dict[int, int] = field(default_factory=dict)
    usages: dict[int, int] = field(default_factory=dict)
    """Usage of identifiers that are not plain names."""
    namespaces: dict[int, int] = field(default_factory=dict)
    """Namespace of identifiers whose usage does not determine it."""
    unparsed: set[int] = field(default_factory=set)
    """Identifiers that the parser did not see: never certain."""

    def add_words(self, start: int, end: int, *, unparsed: bool = False) -> None:
        """Add the identifiers of a text that the grammar does not parse."""
        for at, to, capture in self.expand(self.source, start, end) if self.expand is not None else ():
            if unparsed:
                if at in self.ends:
                    continue
                self.unparsed.add(at)
            self.ends[at] = to
            if capture != "name":
                self.usages[at] = _WORD_USAGES[capture]


def read_identifiers(grammar: Grammar, root: Node, source: bytes, parsed: bytes) -> IdentifierSites:
    """Return the identifiers of a source; `parsed` is the text that the parser saw."""
    language = grammar.language
    found = IdentifierSites(source, language.expand_words)
    captures = QueryCursor(grammar.names).captures(root)
    for capture in captures_of(QueryFile.NAMES):
        nodes = captures.get(capture.name)
        if nodes and capture.handler is not None:
            capture.handler(found, nodes)
        if capture.name == "words" and language.lists_unread:
            for start, end in _changed_spans(source, parsed):
                found.add_words(start, end, unparsed=True)
    return found


def _changed_spans(source: bytes, parsed: bytes) -> list[tuple[int, int]]:
    """Return the spans in which the parser saw a rewritten source."""
    if parsed == source or len(parsed) != len(source):
        return []
    difference = int.from_bytes(source, "big") ^ int.from_bytes(parsed, "big")
    return [found.span() for found in _CHANGED.finditer(difference.to_bytes(len(source), "big"))]


_handles = partial(handles, QueryFile.NAMES)


@_handles("name", "an identifier")
def _read_name(found: IdentifierSites, nodes: list[Node]) -> None:
    found.ends.update((node.start_byte, node.end_byte) for node in nodes)


def _read_usage(usage: Usage, found: IdentifierSites, nodes: list[Node]) -> None:
    captured = {node.start_byte: node.end_byte for node in nodes}
    found.ends |= captured
    found.usages |= dict.fromkeys(captured, int(usage))


_handles("type", "the name of a type")(partial(_read_usage, Usage.TYPE))
_handles("member", "the name of a member, never looked up in scopes")(partial(_read_usage, Usage.MEMBER))
_handles("label", "a label or keyword argument, never looked up in scopes")(partial(_read_usage, Usage.LABEL))


@_handles("words", "a text whose identifiers `expand_words` lists")
def _read_words(found: IdentifierSites, nodes: list[Node]) -> None:
    for node in nodes:
        found.add_words(node.start_byte, node.end_byte)


def _read_namespace(namespace: int, found: IdentifierSites, nodes: list[Node]) -> None:
    found.namespaces.update((node.start_byte, namespace) for node in nodes)


_handles("as_type", "a plain name that is looked up among the types")(partial(_read_namespace, TYPE))
_handles("as_callable", "a plain name that is looked up among the callables")(partial(_read_namespace, CALLABLE))


@_handles("call", "the identifier is called")
def _read_call(found: IdentifierSites, nodes: list[Node]) -> None:
    for node in nodes:
        usage = found.usages.get(node.start_byte, 0)
        found.usages[node.start_byte] = _CALLED.get(usage, usage)


@_handles("macro", "the identifier is called, and looked up among the callables whatever `call_namespace` says")
def _read_macro(found: IdentifierSites, nodes: list[Node]) -> None:
    _read_call(found, nodes)
    _read_namespace(CALLABLE, found, nodes)


_handles("as_value", "a name that is looked up among the values, whatever the captures above say")(
    partial(_read_namespace, VALUE)
)


@_handles("none", "not an identifier after all")
def _read_none(found: IdentifierSites, nodes: list[Node]) -> None:
    for node in nodes:
        found.ends.pop(node.start_byte, None)
