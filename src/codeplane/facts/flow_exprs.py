"""Builds the packed expressions of a file (`ir.PackedFlow.nodes`) from the expression captures of `flow.scm`.

`EXPR_CAPTURES` has one handler per capture; `facts.flow` documents them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from codeplane.facts.ir import ExprKind, ModuleLevel
from codeplane.facts.model import ReferenceRole, Tier
from codeplane.languages.spec import Language

Span = tuple[int, int]
Parts = dict[str, list[Span]]
"""Spans of the other captures of a match, by name."""

_QUOTES = b"\"'`"
_MAX_DEPTH = 150
_MAX_TEXT = 200
_MAX_TUPLE = 24
"""A longer tuple is a table of similar items, and becomes a list."""


class Identifiers(NamedTuple):
    """The identifiers of a file, in source order."""

    offsets: Sequence[int]
    ends: Mapping[int, int]
    binds: Sequence[int]
    """Ordinal of the binding plus one; 0 for none, or for one that does not determine the meaning of the name."""
    scopes: Sequence[int]
    """Scopes that the names are looked up in."""
    flags: Sequence[int]


class ExprBuilder:
    def __init__(
        self,
        source: bytes,
        identifiers: Identifiers,
        captures: Mapping[Span, tuple[str, Parts]],
        scopes: Mapping[Span, int],
        language: Language,
    ) -> None:
        self._source = source
        self._ends = identifiers.ends
        self._binds = identifiers.binds
        self._identifiers = identifiers
        self._captures = captures
        self._scopes = scopes
        self._language = language
        self._comments = tuple(mark.encode() for mark in language.comments)
        self._known: dict[Span, int] = {}
        self._text_numbers: dict[str, int] = {}
        self._depth = 0
        self.ordinals = dict(zip(identifiers.offsets, range(len(identifiers.offsets)), strict=True))
        self.nodes: list[tuple[int, int, int, int]] = [(0, 0, 0, 0)]
        self.lists: list[list[int]] = []
        self.texts: list[str] = []
        self.calls: list[tuple[int, int]] = []
        """(offset, node)"""
        self.ambient: list[tuple[int, int, int]] = []
        self.regions: dict[int, list[tuple[Span, Span]]] = {}
        """Regions of the source where a binding has a narrower type: binding -> region, type."""
        self.scope_of: Callable[[int], int] = lambda offset: 0

    def node(self, span: Span) -> int:
        """Return the node of an expression, which is built once."""
        known = self._known.get(span)
        if known is not None:
            return known
        if self._depth >= _MAX_DEPTH:
            return 0
        self._depth += 1
        # An expression that contains itself, in a broken tree, is unknown.
        self._known[span] = 0
        node = self._known[span] = self._build(span)
        self._depth -= 1
        return node

    def _build(self, span: Span) -> int:
        found = self._captures.get(span)
        if found is None:
            return self._leaf(span)
        capture, parts = found
        handler = EXPR_CAPTURES.get(capture)
        if handler is not None:
            return handler(self, capture, span, parts)
        if capture.startswith("literal."):
            return self.add(ExprKind.LITERAL, self.text(capture.removeprefix("literal.")))
        return 0

    def one(self, parts: Parts, name: str) -> int:
        """Return the node of a part, or 0 if the match does not have it."""
        return self.node(parts[name][0]) if name in parts else 0

    def slice(self, span: Span) -> str:
        return self._source[span[0] : span[1]].decode("utf-8", "replace")

    def text(self, text: str) -> int:
        known = self._text_numbers.get(text)
        if known is None:
            known = self._text_numbers[text] = len(self.texts)
            self.texts.append(text)
        return known

    def add(self, kind: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        self.nodes.append((kind, a, b, c))
        return len(self.nodes) - 1

    def list(self, spans: Sequence[Span]) -> int:
        self.lists.append([self.node(span) for span in spans if not self._source.startswith(self._comments, span[0])])
        return len(self.lists) - 1

    # --- captures

    def _member(self, receiver: int, name: Span, spelling: str = "{}") -> int:
        ordinal = self.ordinals.get(name[0], -1)
        return self.add(ExprKind.MEMBER, receiver, self.text(spelling.format(self.slice(name))), ordinal)

    def _this(self, span: Span) -> int:
        return self.add(ExprKind.THIS, self.scope_of(span[0]))

    def _member_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self._member(self.one(parts, "of"), parts["name"][0], _MEMBER_SPELLINGS[capture])

    def _own_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self._member(self._this(span), span)

    def _send_capture(self, capture: str, span: Span, parts: Parts) -> int:
        receiver = self._this(span) if capture == "send.own" else self.one(parts, "of")
        callee = self._member(receiver, parts["name"][0], _SEND_SPELLINGS[capture])
        return self._call(ExprKind.CALL, callee, span, parts)

    def _call_capture(self, capture: str, span: Span, parts: Parts) -> int:
        kind = ExprKind.NEW if capture == "new" else ExprKind.CALL
        return self._call(kind, self.one(parts, "callee"), span, parts)

    def _call(self, kind: ExprKind, callee: int, span: Span, parts: Parts) -> int:
        arguments = self.list(parts.get("arg", ()))
        node = self.add(kind, callee, arguments, self._reference(callee))
        self.calls.append((span[0], node))
        return node

    def _reference(self, callee: int) -> int:
        """Return the identifier of a callee, or -1."""
        kind, a, _, reference = self.nodes[callee]
        while kind in (ExprKind.PAREN, ExprKind.AWAIT, ExprKind.INDEX):
            kind, a, _, reference = self.nodes[a]
        return reference if kind in (ExprKind.NAME, ExprKind.MEMBER) else -1

    def _same_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.one(parts, "of")

    def _unary_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(_UNARY_KINDS[capture], self.one(parts, "of"))

    def _list_capture(self, capture: str, span: Span, parts: Parts) -> int:
        spans = parts.get("of", ())
        is_table = capture == "tuple" and len(spans) > _MAX_TUPLE
        return self.add(ExprKind.LIST if is_table else _LIST_KINDS[capture], self.list(spans))

    def _item_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(ExprKind.INDEX, self.one(parts, "of"), self.list(parts.get("key", ())))

    def _labelled_capture(self, capture: str, span: Span, parts: Parts) -> int:
        label = parts["label"][0]
        ordinal = self.ordinals.get(label[0], -1)
        return self.add(ExprKind.LABELLED, self.one(parts, "of"), self.text(self.slice(label)), ordinal)

    def _pattern_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(ExprKind.PATTERN, self.one(parts, "callee"), self.list(parts.get("arg", ())))

    def _pair_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(ExprKind.PAIR, self.one(parts, "key"), self.one(parts, "of"))

    def _cast_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(ExprKind.CAST, self.one(parts, "of"), self.one(parts, "type"))

    def _lookup_capture(self, capture: str, span: Span, parts: Parts) -> int:
        key = parts["key"][0]
        # The name starts after the quote.
        reference = self.ordinals.get(key[0] + 1, -1)
        return self.add(ExprKind.INDEXED_ACCESS, self.one(parts, "of"), self.node(key), reference)

    def _array_capture(self, capture: str, span: Span, parts: Parts) -> int:
        array = self.add(ExprKind.LIST, self.list(parts["of"]))
        for _ in range(capture.count(".")):
            self.lists.append([array])
            array = self.add(ExprKind.LIST, len(self.lists) - 1)
        return self.add(ExprKind.CAST, 0, array) if capture.startswith("array") else array

    def _class_literal_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(ExprKind.CLASS_LITERAL, self.one(parts, "of"))

    def _case_capture(self, capture: str, span: Span, parts: Parts) -> int:
        name = parts["name"][0]
        ordinal = self.ordinals.get(name[0], -1)
        node = self.add(ExprKind.CASE, self.one(parts, "of"), self.text(self.slice(name)), ordinal)
        if ordinal >= 0:
            self._note_position(node, ordinal)
        return node

    def _function_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(ExprKind.FUNCTION, self._scopes.get(span, 0), self.one(parts, "key"))

    def _this_capture(self, capture: str, span: Span, parts: Parts) -> int:
        kind = ExprKind.SUPER if capture == "super" else ExprKind.THIS
        return self.add(kind, self.scope_of(span[0]), int(capture == "this.exact"))

    def _self_type_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(ExprKind.SELF_TYPE, self.scope_of(span[0]))

    def _module_capture(self, capture: str, span: Span, parts: Parts) -> int:
        return self.add(ExprKind.MODULE, self.scope_of(span[0]), _MODULE_LEVELS[capture])

    def _path_capture(self, capture: str, span: Span, parts: Parts) -> int:
        ordinal = self.ordinals.get(parts["name"][0][0], -1)
        return self._name(span, ordinal) if ordinal >= 0 and not self._binds[ordinal] else 0

    # --- names and literals without a capture

    def _name(self, span: Span, ordinal: int) -> int:
        node = self.add(ExprKind.NAME, self._binds[ordinal], self.text(self.slice(span)), ordinal)
        if self._language.bare_members or (self._language.names_by_place and not self._binds[ordinal]):
            self._note_position(node, ordinal)
        return node

    def _leaf(self, span: Span) -> int:
        start, end = span
        ordinal = self.ordinals.get(start)
        if ordinal is None and self._source[start : start + 1] == b"$":
            # The name of a variable does not include the sigil.
            start += 1
            ordinal = self.ordinals.get(start)
        if ordinal is not None and self._ends[start] == end:
            return self._narrowed((start, end), ordinal)
        head = self._source[start : start + 3]
        quote = next((at for at, byte in enumerate(head) if byte in _QUOTES), None)
        if quote is not None and head[:quote].isalpha() == bool(quote):
            return self._string(self._source[start:end], quote)
        if head[:1].isdigit():
            return self._number(self._source[start:end])
        return 0

    def _narrowed(self, span: Span, ordinal: int) -> int:
        """Return a name, cast to the type of the innermost region around it."""
        bind = self._binds[ordinal]
        name = self._name(span, ordinal)
        for (first, last), type_span in reversed(self.regions.get(bind, ())) if bind else ():
            if first <= span[0] < last and not type_span[0] <= span[0] < type_span[1]:
                return self.add(ExprKind.CAST, name, self.node(type_span))
        return name

    def _string(self, text: bytes, quote: int) -> int:
        mark = text[quote : quote + 1]
        if not quote and text.endswith(mark) and len(text) < _MAX_TEXT and not text.startswith(mark * 3):
            return self.add(ExprKind.STRING, self.text(text[1:-1].decode("utf-8", "replace")))
        return self.add(ExprKind.LITERAL, self.text("str"))

    def _number(self, number: bytes) -> int:
        if number.isdigit() and len(number) < 10:
            return self.add(ExprKind.LITERAL, self.text("int"), self.text(number.decode()) + 1)
        return self.add(ExprKind.LITERAL, self.text("float" if b"." in number else "int"))

    def _note_position(self, node: int, ordinal: int) -> None:
        """Record the scope and usage of a name whose meaning depends on its position."""
        flags = self._identifiers.flags[ordinal]
        if flags >> 5 & 3 != Tier.PROVEN and flags & 3 != ReferenceRole.DEFINITION:
            self.ambient.append((node, self._identifiers.scopes[ordinal], flags >> 2 & 7))


_LIST_KINDS = {
    "either": ExprKind.UNION,
    "list": ExprKind.LIST,
    "tuple": ExprKind.TUPLE,
    "dict": ExprKind.DICT,
    "types": ExprKind.TYPE_ARGUMENTS,
    "choice": ExprKind.CONDITIONAL,
}
_UNARY_KINDS = {
    "try": ExprKind.TRY,
    "await": ExprKind.AWAIT,
    "splat": ExprKind.SPLAT,
    "splat.keys": ExprKind.SPLAT_KEYS,
    "typeof": ExprKind.TYPEOF,
    "keyof": ExprKind.KEYOF,
}
_MODULE_LEVELS = {"here": ModuleLevel.CURRENT, "outer": ModuleLevel.PARENT, "root": ModuleLevel.ROOT}
_SEND_SPELLINGS = {"send": "{}", "send.method": "{}()", "send.own": "{}"}
_MEMBER_SPELLINGS = {"member": "{}", "member.field": "${}", "member.put": "{}=", "member.called": "{}()"}
"""Format of the member name, by the capture."""

ExprHandler = Callable[[ExprBuilder, str, Span, Parts], int]
EXPR_CAPTURES: Mapping[str, ExprHandler] = {
    **dict.fromkeys(_MEMBER_SPELLINGS, ExprBuilder._member_capture),
    **dict.fromkeys(_SEND_SPELLINGS, ExprBuilder._send_capture),
    **dict.fromkeys(_LIST_KINDS, ExprBuilder._list_capture),
    **dict.fromkeys(_UNARY_KINDS, ExprBuilder._unary_capture),
    **dict.fromkeys(_MODULE_LEVELS, ExprBuilder._module_capture),
    **dict.fromkeys(("array", "list.list", "array.array"), ExprBuilder._array_capture),
    **dict.fromkeys(("this", "super", "this.exact"), ExprBuilder._this_capture),
    **dict.fromkeys(("call", "new"), ExprBuilder._call_capture),
    "own": ExprBuilder._own_capture,
    "same": ExprBuilder._same_capture,
    "item": ExprBuilder._item_capture,
    "labelled": ExprBuilder._labelled_capture,
    "pattern": ExprBuilder._pattern_capture,
    "pair": ExprBuilder._pair_capture,
    "cast": ExprBuilder._cast_capture,
    "lookup": ExprBuilder._lookup_capture,
    "type.value": ExprBuilder._class_literal_capture,
    "case": ExprBuilder._case_capture,
    "function": ExprBuilder._function_capture,
    "this.type": ExprBuilder._self_type_capture,
    "path": ExprBuilder._path_capture,
}
ALWAYS_BUILT = frozenset(
    {"own", "call", "new", "case", "path", "pattern", "lookup", *_SEND_SPELLINGS, *_MEMBER_SPELLINGS}
)
"""Captures that are built even if no flow refers to them."""
NEEDS_SCOPE = frozenset(
    {"own", "call", "new", "this", "this.exact", "this.type", "super", *_SEND_SPELLINGS, *_MODULE_LEVELS}
)
"""Captures whose scope a handler asks for."""
