"""Where the values of a file come from: the expressions that members, calls and types hang on, and what is assigned,
passed and returned. `flow.scm` of a language tells them; nothing is concluded here.

`flow.scm`, a value per match (its span is that of the first capture of the list):
    @member @of @name          a member of a value; @member.field where fields and methods have names of their own: its
                               name is kept as `$name`; @member.put one that is assigned by a method called `name=`,
                               @member.called one that is called, where it is kept as `name()`
    @own                       a member of the object that the method around belongs to
    @path @name                a name of several parts that is looked up as a whole; @name is the last of them
    @call @callee @arg*        what a call gives; @new instead of @call: an instance of the type that is called
    @send @of @name @arg*      what a call of a member gives, where the syntax has no node for the member; @send.method
                               keeps its name as `name()`, @send.own is sent to the object around
    @types @of*                the types that a call is given; the first of its arguments
    @labelled @label @of       an argument by name; @splat @of a list in place of arguments, @splat.keys a mapping
    @item @of @key*            an element, or a type with its arguments
    @same @of                  the value of a part (parentheses); @await @of what is waited for
    @either @of*               one of several values; @choice @of* one of several types, by a test that is not made here
    @list @of* @tuple @of* @dict @of*   containers, and patterns that take them apart; @pair @key @of in a @dict
    @cast @type @of            a value that is said to be of a type
    @typeof @of                the type of a value; @lookup @of @key the type of a member of a type, @keyof @of of its
                               names; @literal.<type> a value of a type that the language itself has
    @array @of                 an array of objects of a type; @list.list, @array.array of more than one dimension
    @type.value @of            a type as a value (`Shape.class`)
    @case @of @name            a constant that a value is compared with: of the type of the value, or a plain name
    @function @key             the function, or the type without a name, whose scope it opens; its name as a member
    @this @super               the object that a method belongs to, and that object as one of its base; @this.exact: one
                               of the class around, whatever object it is called on
    @this.type                 the type that a method belongs to
    @here @outer @root         the module that it stands in, the one around that, the outermost one
    @pattern @callee @arg*     takes an object of a type apart, by place or @labelled; @literal.rest leaves some out
    @try @of                   what is left of a value if it is no failure
and what becomes of them:
    @assign @to @from @type    any two of them; @for an element of @from; @with what entering @from gives; @catch
    @return @from              of the innermost function, or else what the file gives; @yield, @yield.from
    @param @name @type @from   of the innermost function, in order, with its default; its name may be a pattern.
                               @param.rest, @param.keys, @param.self for the object of a method, @param.result for a
                               result that has a name, @param.type for one that stands for a type
    @returns @type             of the function with this span
    @made @base* @key*         of the definition with this span, if there is one: what a type is made of or embeds, and
                               the type parameters of a type or of a function
    @class @base* @body        of the class with this span; its body where that is a scope of its own. A scope that no
                               definition has is a class without a name
    @mixed @base*              what is mixed into the class with this span; @extended @base* what gives members to the
                               class itself
    @defines @type @from       of the definition with this span: its type, its value; @static: it is a member of its
                               class, not of its objects
    @reads                     the function with this span runs when the member of its name is read or written;
                               @called when an object of the type around it is called, @makes when it makes one
    @bound @to @type           a type variable that stands for such objects
    @partial                   the type with this span has parts elsewhere
    @receiver @type            of the function or property with this span: what its object is
    @within @of                the package or namespace that the innermost scope belongs to
    @decorated @decorator* @definition
    @narrow @to @type          a test that a value is of a type
    @region @name @type        the part of the source where what a name is bound to is of a type
    @raise @of
    @documented @definition    a comment whose types, as the language reads them (`doc_types`), are those of a function,
    @documented @to            or of a variable; they count where the source itself names no type
    @adds @of @base*           the scope with this span adds members and bases to a type
    @fields @type*             parts without names of the definition with this span
    @opens @definition         the scope with this span is the body of the definition with the other
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node, Query, QueryCursor

from codeplane.facts.ir import ExprKind, FlowKind, PackedFlow
from codeplane.facts.model import Role, Tier
from codeplane.facts.scopes import ScopeTree, locate
from codeplane.facts.structure import MAX_OPEN_MATCHES
from codeplane.languages.spec import Language


class Identifiers(NamedTuple):
    """The identifiers of a file, in their order."""

    offsets: Sequence[int]
    ends: Mapping[int, int]
    binds: Sequence[int]
    """Ordinal of the binding plus one; 0 for none, or for one that does not tell what the name means."""
    scopes: Sequence[int]
    """In which they are looked up."""
    flags: Sequence[int]


Span = tuple[int, int]


def read_flow(
    query: Query,
    root: Node,
    source: bytes,
    tree: ScopeTree,
    identifiers: Identifiers,
    definitions: Mapping[Span, int],
    spans: Sequence[Span],
    position: Callable[[int], tuple[int, int]],
    language: Language,
) -> PackedFlow:
    """`definitions` that have a body, by their span, and the `spans` of all; `position` gives line and column of an
    offset."""
    raw = _read_matches(query, root)
    return _Builder(source, tree, identifiers, definitions, spans, position, language, raw).build()


class _PackedParameter(NamedTuple):
    """A row of `PackedFlow.params`: `ir.Parameter` with the index of its name."""

    scope: int
    binding: int
    name: int
    kind: int
    type: int
    default: int
    pattern: int


class _Raw(NamedTuple):
    values: dict[Span, tuple[str, dict[str, list[Span]]]]
    flows: list[tuple[str, Span, dict[str, list[Span]]]]


_FLOWS = frozenset(
    {
        "assign",
        "for",
        "with",
        "catch",
        "return",
        "yield",
        "yield.from",
        "param",
        "param.rest",
        "param.keys",
        "param.self",
        "param.type",
        "param.result",
        "returns",
        "class",
        "mixed",
        "extended",
        "defines",
        "static",
        "reads",
        "called",
        "makes",
        "bound",
        "within",
        "partial",
        "receiver",
        "made",
        "decorated",
        "narrow",
        "region",
        "raise",
        "documented",
        "adds",
        "fields",
        "opens",
    }
)
_PARTS = frozenset(
    {"of", "name", "callee", "arg", "label", "key", "type", "to", "from", "base", "body", "decorator", "definition"}
)


_OVERRULING = frozenset({"member.put", "member.called", "here", "cast"})
"""Values that are told from others of the same kind by what is around them."""


def _read_matches(query: Query, root: Node) -> _Raw:
    values: dict[Span, tuple[str, dict[str, list[Span]]]] = {}
    flows: list[tuple[str, Span, dict[str, list[Span]]]] = []
    subjects: dict[int, str] = {}
    for pattern, captures in QueryCursor(query, match_limit=MAX_OPEN_MATCHES).matches(root):
        subject = subjects.get(pattern)
        if subject is None:
            subject = subjects[pattern] = next(
                name for name in captures if name not in _PARTS and not name.startswith("_")
            )
        node = captures[subject][0]
        span = (node.start_byte, node.end_byte)
        parts = {
            name: [(part.start_byte, part.end_byte) for part in nodes]
            for name, nodes in captures.items()
            if name != subject and name[0] != "_"
        }
        if subject in _FLOWS:
            flows.append((subject, span, parts))
        elif subject in _OVERRULING or (span not in values and parts.get("of") != [span]):
            values[span] = (subject, parts)
    return _Raw(values, flows)


_LISTS = {
    "either": ExprKind.UNION,
    "list": ExprKind.LIST,
    "tuple": ExprKind.TUPLE,
    "dict": ExprKind.DICT,
    "types": ExprKind.TYPE_ARGUMENTS,
    "choice": ExprKind.CONDITIONAL,
}
_MODULES = {"here": 0, "outer": 1, "root": 2}
_ONE = {
    "try": ExprKind.TRY,
    "await": ExprKind.AWAIT,
    "splat": ExprKind.SPLAT,
    "splat.keys": ExprKind.SPLAT_KEYS,
    "typeof": ExprKind.TYPEOF,
    "keyof": ExprKind.KEYOF,
}
_BASES = {"class": FlowKind.BASE, "mixed": FlowKind.MIXIN, "extended": FlowKind.EXTENDED}
_TO = {"for": FlowKind.FOR, "with": FlowKind.WITH}
_TYPED = {"catch": FlowKind.CATCH, "narrow": FlowKind.NARROW, "bound": FlowKind.BOUND}
_OUT = {"return": FlowKind.RETURN, "yield": FlowKind.YIELD, "yield.from": FlowKind.YIELD_FROM, "raise": FlowKind.RAISE}
_SILENT = frozenset({"region", "opens"})
_RUNNING = {"reads": FlowKind.ACCESSOR, "called": FlowKind.CALL_OPERATOR, "makes": FlowKind.CONSTRUCTOR}
_PASSING = {"param": 0, "param.rest": 1, "param.keys": 2, "param.self": 3, "param.result": 4, "param.type": 10}
_SENDS = {"send": "{}", "send.method": "{}()", "send.own": "{}"}
_MEMBERS = {"member": "{}", "member.field": "${}", "member.put": "{}=", "member.called": "{}()"}
"""How a member is called, by the capture."""
_ALWAYS = frozenset({"own", "call", "new", "case", "path", "pattern", "lookup", *_SENDS, *_MEMBERS})
_PLACED = frozenset({"own", "call", "new", "this", "this.exact", "this.type", "super", *_SENDS, *_MODULES})
_ARRAYS = frozenset({"array", "list.list", "array.array"})
_QUOTES = b"\"'`"
_MAX_DEPTH = 150
_MAX_TEXT = 200
_MAX_TUPLE = 24
"""What has more parts is a table, whose parts are alike."""


class _Builder:
    def __init__(
        self,
        source: bytes,
        tree: ScopeTree,
        identifiers: Identifiers,
        definitions: Mapping[Span, int],
        spans: Sequence[Span],
        position: Callable[[int], tuple[int, int]],
        language: Language,
        raw: _Raw,
    ) -> None:
        self._source = source
        self._tree = tree
        self._ends = identifiers.ends
        self._binds = identifiers.binds
        self._identifiers = identifiers
        self._ambient: list[tuple[int, int, int]] = []
        self._ordinals = dict(zip(identifiers.offsets, range(len(identifiers.offsets)), strict=True))
        self._definitions = definitions
        self._spans = spans
        self._position = position
        self._language = language
        self._comments = tuple(mark.encode() for mark in language.comments)
        self._raw = raw
        self._scopes = {(site.start, site.end): number for number, site in enumerate(tree.sites) if number}
        self._nodes: list[tuple[int, int, int, int]] = [(0, 0, 0, 0)]
        self._known: dict[Span, int] = {}
        self._lists: list[list[int]] = []
        self._texts: dict[str, int] = {}
        self._spelled: list[str] = []
        self._depth = 0
        self._regions: dict[int, list[tuple[Span, Span]]] = {}
        """Parts of the source where a binding is of a type."""
        self._calls: list[tuple[int, int]] = []
        self._scope_of: Callable[[int], int] = lambda offset: 0

    def build(self) -> PackedFlow:
        into: list[tuple[int, int, int]] = []
        params: list[tuple[int, _PackedParameter]] = []
        bodies: list[Span] = []
        scope_of = self._scope_of = self._scope_finder()
        self._read_regions()
        for subject, span, parts in self._raw.flows:
            if subject in _PASSING:
                name = parts["name"][0]
                ordinal = self._ordinals.get(name[0])
                plain = ordinal is not None and self._ends[name[0]] == name[1]
                params.append(
                    (
                        name[0],
                        _PackedParameter(
                            scope_of(name[0]),
                            self._binds[ordinal] - 1 if plain and ordinal is not None else -1,
                            self._text(self._slice(name) if plain else ""),
                            _PASSING[subject],
                            self._part(parts, "type"),
                            self._part(parts, "from"),
                            -1 if plain else self._node(name),
                        ),
                    )
                )
            elif subject == "documented":
                continue
            elif subject in _OUT:
                scope = self._tree.function_of(scope_of(span[0]))
                into.append((_OUT[subject], scope, self._one(parts, "from" if "from" in parts else "of")))
            elif subject == "returns":
                opened = self._scopes.get(span)
                if opened is not None:
                    into.append((FlowKind.RETURN_TYPE, opened, self._one(parts, "type")))
            elif subject == "defines":
                definition = self._named.get(span)
                if definition is not None and "type" in parts:
                    into.append((FlowKind.TYPE, definition, self._one(parts, "type")))
                if definition is not None and "from" in parts:
                    into.append((FlowKind.VALUE, definition, self._one(parts, "from")))
            elif subject == "static":
                if span in self._named:
                    into.append((FlowKind.STATIC, self._named[span], 0))
            elif subject in _RUNNING:
                if span in self._scopes:
                    into.append((_RUNNING[subject], self._scopes[span], 0))
            elif subject in _BASES:
                definition = self._definitions.get(span)
                if definition is None and subject == "class" and span in self._scopes:
                    definition = -self._scopes[span]
                    into.append((FlowKind.BASE, definition, 0))
                elif "body" in parts and definition is not None and (body := self._scopes.get(parts["body"][0])):
                    bodies.append((body, definition))
                for base in parts.get("base", ()) if definition is not None else ():
                    into.append((_BASES[subject], definition or 0, self._node(base)))
            elif subject == "partial":
                definition = self._definitions.get(span)
                if definition is not None:
                    into.append((FlowKind.PARTIAL, definition, 0))
            elif subject == "made":
                definition = self._definitions.get(span)
                if definition is not None:
                    into.extend((FlowKind.BASE, definition, self._node(base)) for base in parts.get("base", ()))
                    into.extend((FlowKind.TYPE_PARAMETER, definition, self._node(key)) for key in parts.get("key", ()))
            elif subject == "within":
                dotted = "".join(self._slice(parts["of"][0]).split())
                into.append((FlowKind.WITHIN, scope_of(span[0]), self._add(ExprKind.STRING, self._text(dotted))))
            elif subject == "receiver":
                definition = self._definitions.get(span)
                if definition is not None:
                    into.append((FlowKind.RECEIVER, definition, self._one(parts, "type")))
            elif subject == "decorated":
                definition = self._definitions.get(parts["definition"][0])
                for decorator in parts["decorator"] if definition is not None else ():
                    into.append((FlowKind.DECORATOR, definition or 0, self._node(decorator)))
            elif subject == "adds":
                opened = self._scopes.get(span)
                if opened is not None:
                    into.append((FlowKind.IMPL, opened, self._one(parts, "of")))
                    into.extend((FlowKind.CONFORMS, opened, self._node(base)) for base in parts.get("base", ()))
            elif subject == "fields":
                definition = self._definitions.get(span)
                if definition is not None:
                    into.append(
                        (
                            FlowKind.POSITIONAL_FIELDS,
                            definition,
                            self._add(ExprKind.TUPLE, self._list(parts.get("type", ()))),
                        )
                    )
            elif subject in _TO:
                into.append((_TO[subject], self._one(parts, "to"), self._one(parts, "from")))
            elif subject in _TYPED:
                into.append((_TYPED[subject], self._one(parts, "to"), self._one(parts, "type")))
            elif subject not in _SILENT:
                to = self._one(parts, "to")
                if "type" in parts:
                    into.append((FlowKind.DECLARE, to, self._one(parts, "type")))
                if "from" in parts:
                    into.append((FlowKind.ASSIGN, to, self._one(parts, "from")))
        self._read_comments(into, params)
        for span, (subject, _) in self._raw.values.items():
            if subject in _ALWAYS:
                self._node(span)
        calls = [(node, scope_of(start), *self._position(start)) for start, node in sorted(self._calls)]
        named = [
            (span, definition)
            for subject, span, parts in self._raw.flows
            if subject == "opens" and (definition := self._definitions.get(parts["definition"][0])) is not None
        ]
        owners = {
            (body, definition)
            for span, definition in (*self._definitions.items(), *named)
            if (body := self._scopes.get(span))
        }
        owned = {body for body, _ in owners}
        for what, number, node in into:
            # A function without a name of its own has that of what it is the value of.
            if (
                what == FlowKind.VALUE
                and self._nodes[node][0] == ExprKind.FUNCTION
                and self._nodes[node][1] not in owned
            ):
                owned.add(self._nodes[node][1])
                owners.add((self._nodes[node][1], number))
        # One that is a list or has a default is told twice.
        params.sort(key=lambda item: (item[0], item[1].kind != 0 or item[1].default >= 0))
        ordered = list(dict(params).values())
        return PackedFlow(
            self._nodes,
            self._lists,
            self._spelled,
            sorted(into),
            ordered,
            sorted(owners.union(bodies)),
            calls,
            sorted(self._ambient),
        )

    @cached_property
    def _named(self) -> Mapping[Span, int]:
        """Definitions that have a span for themselves, by it."""
        known = Counter(self._spans)
        return {span: number for number, span in enumerate(self._spans) if known[span] == 1}

    def _read_comments(self, into: list[tuple[int, int, int]], params: list[tuple[int, _PackedParameter]]) -> None:
        read = self._language.doc_types
        if read is None:
            return
        typed = {
            (kind, to)
            for kind, to, node in into
            if kind in (FlowKind.RETURN_TYPE, FlowKind.DECLARE) and self._says(node)
        }
        passed = {(param.scope, self._spelled[param.name]): at for at, (_, param) in enumerate(params)}
        for subject, span, parts in self._raw.flows:
            if subject != "documented":
                continue
            scope = self._scopes.get(parts["definition"][0]) if "definition" in parts else None
            to = self._one(parts, "to")
            for tag, name, text in read(self._slice(span)):
                if tag == "return" and scope is not None and (FlowKind.RETURN_TYPE, scope) not in typed:
                    into.append((FlowKind.RETURN_TYPE, scope, self._said(text, scope)))
                elif tag == "param" and scope is not None and (scope, name) in passed:
                    offset, param = params[passed[scope, name]]
                    if param.type < 0 or not self._says(param.type):
                        params[passed[scope, name]] = (offset, param._replace(type=self._said(text, scope)))
                elif (
                    tag == "var" and to and self._nodes[to][0] == ExprKind.NAME and (FlowKind.DECLARE, to) not in typed
                ):
                    _, _, written, ordinal = self._nodes[to]
                    if name in ("", self._spelled[written]):
                        into.append((FlowKind.DECLARE, to, self._said(text, self._identifiers.scopes[ordinal])))

    def _said(self, text: str, scope: int) -> int:
        return self._add(ExprKind.DOC_TYPE, self._text(text), scope)

    def _says(self, node: int) -> bool:
        """Whether a type is more than words of the language."""
        kind, a, _, _ = self._nodes[node]
        return any(map(self._says, self._lists[a])) if kind == ExprKind.UNION else kind != ExprKind.UNKNOWN

    def _read_regions(self) -> None:
        for subject, span, parts in self._raw.flows:
            if subject == "region":
                ordinal = self._ordinals.get(parts["name"][0][0])
                if ordinal is not None and self._binds[ordinal]:
                    self._regions.setdefault(self._binds[ordinal], []).append((span, parts["type"][0]))

    def _scope_finder(self) -> Callable[[int], int]:
        offsets = sorted(
            {span[0] for subject, span, _ in self._raw.flows if subject in _OUT or subject == "within"}
            | {parts["name"][0][0] for subject, _, parts in self._raw.flows if subject in _PASSING}
            | {span[0] for span, (subject, _) in self._raw.values.items() if subject in _PLACED}
        )
        innermost, _ = locate(self._tree, offsets)
        return dict(zip(offsets, innermost, strict=True)).__getitem__

    def _part(self, parts: dict[str, list[Span]], name: str) -> int:
        return self._node(parts[name][0]) if name in parts else -1

    def _one(self, parts: dict[str, list[Span]], name: str) -> int:
        return self._node(parts[name][0]) if name in parts else 0

    def _slice(self, span: Span) -> str:
        return self._source[span[0] : span[1]].decode("utf-8", "replace")

    def _text(self, text: str) -> int:
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = len(self._spelled)
            self._spelled.append(text)
        return known

    def _add(self, kind: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        self._nodes.append((kind, a, b, c))
        return len(self._nodes) - 1

    def _list(self, spans: Sequence[Span]) -> int:
        self._lists.append([self._node(span) for span in spans if not self._source.startswith(self._comments, span[0])])
        return len(self._lists) - 1

    def _node(self, span: Span) -> int:
        known = self._known.get(span)
        if known is not None:
            return known
        if self._depth >= _MAX_DEPTH:
            return 0
        self._depth += 1
        # A value that is part of itself, in a broken tree, is unknown.
        self._known[span] = 0
        node = self._known[span] = self._make(span)
        self._depth -= 1
        return node

    def _make(self, span: Span) -> int:
        found = self._raw.values.get(span)
        if found is None:
            return self._leaf(span)
        subject, parts = found
        if subject in _MEMBERS:
            return self._member(self._one(parts, "of"), parts["name"][0], _MEMBERS[subject])
        if subject == "own":
            return self._member(self._add(ExprKind.THIS, self._scope_of(span[0])), span)
        if subject in ("call", "new") or subject in _SENDS:
            if subject in _SENDS:
                of = (
                    self._add(ExprKind.THIS, self._scope_of(span[0]))
                    if subject == "send.own"
                    else self._one(parts, "of")
                )
                callee = self._member(of, parts["name"][0], _SENDS[subject])
            else:
                callee = self._one(parts, "callee")
            arguments = self._list(parts.get("arg", ()))
            node = self._add(
                ExprKind.NEW if subject == "new" else ExprKind.CALL, callee, arguments, self._reference(callee)
            )
            self._calls.append((span[0], node))
            return node
        if subject == "same":
            return self._one(parts, "of")
        if subject in _ONE:
            return self._add(_ONE[subject], self._one(parts, "of"))
        if subject in _LISTS:
            spans = parts.get("of", ())
            kind = ExprKind.LIST if subject == "tuple" and len(spans) > _MAX_TUPLE else _LISTS[subject]
            return self._add(kind, self._list(spans))
        if subject == "item":
            return self._add(ExprKind.INDEX, self._one(parts, "of"), self._list(parts.get("key", ())))
        if subject == "labelled":
            label = parts["label"][0]
            ordinal = self._ordinals.get(label[0], -1)
            return self._add(ExprKind.LABELLED, self._one(parts, "of"), self._text(self._slice(label)), ordinal)
        if subject == "pattern":
            return self._add(ExprKind.PATTERN, self._one(parts, "callee"), self._list(parts.get("arg", ())))
        if subject == "pair":
            return self._add(ExprKind.PAIR, self._one(parts, "key"), self._one(parts, "of"))
        if subject == "cast":
            return self._add(ExprKind.CAST, self._one(parts, "of"), self._one(parts, "type"))
        if subject == "lookup":
            key = parts["key"][0]
            # The name lies within the quotes.
            return self._add(
                ExprKind.INDEXED_ACCESS, self._one(parts, "of"), self._node(key), self._ordinals.get(key[0] + 1, -1)
            )
        if subject in _ARRAYS:
            held = self._add(ExprKind.LIST, self._list(parts["of"]))
            for _ in range(subject.count(".")):
                self._lists.append([held])
                held = self._add(ExprKind.LIST, len(self._lists) - 1)
            return self._add(ExprKind.CAST, 0, held) if subject.startswith("array") else held
        if subject == "type.value":
            return self._add(ExprKind.CLASS_LITERAL, self._one(parts, "of"))
        if subject == "case":
            name = parts["name"][0]
            ordinal = self._ordinals.get(name[0], -1)
            node = self._add(ExprKind.CASE, self._one(parts, "of"), self._text(self._slice(name)), ordinal)
            if ordinal >= 0:
                self._place(node, ordinal)
            return node
        if subject == "function":
            return self._add(ExprKind.FUNCTION, self._scopes.get(span, 0), self._one(parts, "key"))
        if subject in ("this", "super", "this.exact"):
            kind = ExprKind.SUPER if subject == "super" else ExprKind.THIS
            return self._add(kind, self._scope_of(span[0]), int(subject == "this.exact"))
        if subject == "this.type":
            return self._add(ExprKind.SELF_TYPE, self._scope_of(span[0]))
        if subject in _MODULES:
            return self._add(ExprKind.MODULE, self._scope_of(span[0]), _MODULES[subject])
        if subject == "path":
            ordinal = self._ordinals.get(parts["name"][0][0], -1)
            return self._name(span, ordinal) if ordinal >= 0 and not self._binds[ordinal] else 0
        if subject.startswith("literal."):
            return self._add(ExprKind.LITERAL, self._text(subject[8:]))
        return 0

    def _member(self, of: int, name: Span, spelled: str = "{}") -> int:
        ordinal = self._ordinals.get(name[0], -1)
        return self._add(ExprKind.MEMBER, of, self._text(spelled.format(self._slice(name))), ordinal)

    def _name(self, span: Span, ordinal: int) -> int:
        node = self._add(ExprKind.NAME, self._binds[ordinal], self._text(self._slice(span)), ordinal)
        if self._language.bare_members or (self._language.names_by_place and not self._binds[ordinal]):
            self._place(node, ordinal)
        return node

    def _leaf(self, span: Span) -> int:
        start, end = span
        ordinal = self._ordinals.get(start)
        if ordinal is None and self._source[start : start + 1] == b"$":
            # Names of variables stand without their mark.
            start += 1
            ordinal = self._ordinals.get(start)
        if ordinal is not None and self._ends[start] == end:
            bind = self._binds[ordinal]
            name = self._name((start, end), ordinal)
            for (first, last), said in reversed(self._regions.get(bind, ())) if bind else ():
                if first <= start < last and not said[0] <= start < said[1]:
                    return self._add(ExprKind.CAST, name, self._node(said))
            return name
        head = self._source[start : start + 3]
        quote = next((at for at, byte in enumerate(head) if byte in _QUOTES), None)
        if quote is not None and head[:quote].isalpha() == bool(quote):
            text = self._source[start:end]
            mark = text[quote : quote + 1]
            if not quote and text.endswith(mark) and len(text) < _MAX_TEXT and not text.startswith(mark * 3):
                return self._add(ExprKind.STRING, self._text(text[1:-1].decode("utf-8", "replace")))
            return self._add(ExprKind.LITERAL, self._text("str"))
        if head[:1].isdigit():
            number = self._source[start:end]
            if number.isdigit() and len(number) < 10:
                return self._add(ExprKind.LITERAL, self._text("int"), self._text(number.decode()) + 1)
            return self._add(ExprKind.LITERAL, self._text("float" if b"." in number else "int"))
        return 0

    def _place(self, node: int, ordinal: int) -> None:
        """Where a name is looked up whose meaning this file alone does not tell."""
        given = self._identifiers.flags[ordinal]
        if given >> 5 & 3 != Tier.PROVEN and given & 3 != Role.DEFINITION:
            self._ambient.append((node, self._identifiers.scopes[ordinal], given >> 2 & 7))

    def _reference(self, callee: int) -> int:
        """The identifier by which something is called."""
        kind, a, _, reference = self._nodes[callee]
        while kind in (ExprKind.PAREN, ExprKind.AWAIT, ExprKind.INDEX):
            kind, a, _, reference = self._nodes[a]
        return reference if kind in (ExprKind.NAME, ExprKind.MEMBER) else -1
