"""Reads the expressions of a file and where their values flow: assignments, parameters, returns, bases and types.

`flow.scm` of a language captures them; nothing is inferred here. Expressions (the span is that of the first capture):
    @member @of @name          a member of a value; @member.field where fields and methods have separate namespaces: the
                               name is stored as `$name`; @member.put one that is assigned by a method `name=`,
                               @member.called one that is called, stored as `name()`
    @own                       a member of the receiver of the enclosing method
    @path @name                a qualified name that is looked up as a whole; @name is its last part
    @call @callee @arg*        the result of a call; @new instead of @call: an instance of the type that is called
    @send @of @name @arg*      the result of a method call, where the syntax has no node for the member; @send.method
                               stores the name as `name()`, @send.own is sent to the enclosing receiver
    @types @of*                explicit type arguments of a call; the first of its arguments
    @labelled @label @of       a keyword argument; @splat @of a spread list of arguments, @splat.keys a spread mapping
    @item @of @key*            an element, or a type with its arguments
    @same @of                  the value of a part (parentheses); @await @of the awaited value
    @either @of*               a union of values; @choice @of* the branches of a conditional type
    @list @of* @tuple @of* @dict @of*   containers, and patterns that destructure them; @pair @key @of in a @dict
    @cast @type @of            a value with an asserted type
    @typeof @of                the type of a value; @lookup @of @key the type of a member of a type, @keyof @of of its
                               keys; @literal.<type> a value of a built-in type
    @array @of                 an array of instances of a type; @list.list, @array.array with more dimensions
    @type.value @of            a type as a value (`Shape.class`)
    @case @of @name            a constant that a value is compared with: a member of the value's type, or a plain name
    @function @key             the function, or anonymous type, whose scope it opens; its name as a member
    @this @super               the receiver, and the receiver as an instance of its base; @this.exact: an instance of
                               the enclosing class, never of a subclass
    @this.type                 the type that a method belongs to
    @here @outer @root         the enclosing module, its parent, the root module
    @pattern @callee @arg*     destructures an instance of a type, by position or @labelled; @literal.rest skips some
    @try @of                   the success value of a result
Flows:
    @assign @to @from @type    any two of them; @for an element of @from; @with the context value of @from; @catch
    @return @from              of the innermost function, or else of the file; @yield, @yield.from
    @param @name @type @from   of the innermost function, in order, with its default; the name may be a pattern.
                               @param.rest, @param.keys, @param.self for the receiver, @param.result for a named result,
                               @param.type for a type parameter
    @returns @type             of the function with this span
    @made @base* @key*         of the definition with this span, if any: its bases or embedded types, and its type
                               parameters
    @class @base* @body        of the class with this span; its body where that is a separate scope. A scope without a
                               definition is an anonymous class
    @mixed @base*              mixins of the class with this span; @extended @base* modules whose methods the class
                               object gets
    @defines @type @from       of the definition with this span: its type, its value; @static: a member of the class
                               object
    @reads                     the function with this span runs when the member of its name is read or written;
                               @called when an instance of the enclosing type is called, @makes when one is constructed
    @bound @to @type           the bound of a type variable
    @partial                   the type with this span has parts elsewhere
    @receiver @type            type that the function or property with this span extends
    @within @of                the package or namespace of the innermost scope
    @decorated @decorator* @definition
    @narrow @to @type          a type test of a value
    @region @name @type        the region of the source where a name has a narrower type
    @raise @of
    @documented @definition    a doc comment whose types (`Language.doc_types`) are those of a function,
    @documented @to            or of a variable; they count where the source declares none
    @adds @of @base*           the scope with this span adds members and bases to a type
    @fields @type*             positional fields of the definition with this span
    @settled @name             an assignment that has run when later statements of its scope run, and replaces the value
                               of the name; @settled.item replaces an item of its container
    @opens @definition         the scope with this span is the body of the definition with the other
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node, Query

from codeplane.facts.flow_captures import (
    BASE_KINDS,
    OUT_KINDS,
    PARAM_KINDS,
    RUN_KINDS,
    TYPE_KINDS,
    VALUE_KINDS,
    FlowCaptures,
    FlowMatch,
    read_matches,
)
from codeplane.facts.flow_exprs import ALWAYS_BUILT, NEEDS_SCOPE, ExprBuilder, Identifiers, Span
from codeplane.facts.flow_windows import find_windows
from codeplane.facts.ir import ExprKind, FlowKind, PackedFlow
from codeplane.facts.scopes import ScopeTree, locate
from codeplane.languages.spec import Language


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
    """Read the flow of a file. `definitions` with a body are given by span, `spans` are those of all definitions;
    `position` returns line and column of an offset."""
    captures = read_matches(query, root, FLOW_CAPTURES)
    return _FlowBuilder(source, tree, identifiers, definitions, spans, position, language, captures).build()


class _PackedParameter(NamedTuple):
    """A row of `PackedFlow.params`: `ir.Parameter` with the index of its name."""

    scope: int
    binding: int
    name: int
    kind: int
    type: int
    default: int
    pattern: int


class _FlowBuilder:
    def __init__(
        self,
        source: bytes,
        tree: ScopeTree,
        identifiers: Identifiers,
        definitions: Mapping[Span, int],
        spans: Sequence[Span],
        position: Callable[[int], tuple[int, int]],
        language: Language,
        captures: FlowCaptures,
    ) -> None:
        self._tree = tree
        self._identifiers = identifiers
        self._definitions = definitions
        self._spans = spans
        self._position = position
        self._language = language
        self._captures = captures
        self._scopes = {(site.start, site.end): number for number, site in enumerate(tree.sites) if number}
        self._exprs = ExprBuilder(source, identifiers, captures.exprs, self._scopes, language)
        self._flows: list[tuple[int, int, int]] = []
        self._params: list[tuple[int, _PackedParameter]] = []
        """(offset, parameter)"""
        self._bodies: list[tuple[int, int]] = []
        """(scope, class)"""

    def build(self) -> PackedFlow:
        exprs = self._exprs
        exprs.scope_of = self._scope_finder()
        self._read_regions()
        for match in self._captures.flows:
            FLOW_CAPTURES[match.capture](self, match)
        self._read_doc_types()
        for span, (capture, _) in self._captures.exprs.items():
            if capture in ALWAYS_BUILT:
                exprs.node(span)
        calls = [(node, exprs.scope_of(start), *self._position(start)) for start, node in sorted(exprs.calls)]
        # A parameter with a default, or a rest parameter, matches twice.
        self._params.sort(key=lambda item: (item[0], item[1].kind != 0 or item[1].default >= 0))
        params = list(dict(self._params).values())
        owners = sorted(self._owners().union(self._bodies))
        flows = sorted(self._flows)
        windows = find_windows(self._captures.flows, exprs, self._identifiers, flows, self._tree)
        ambient = sorted(exprs.ambient)
        return PackedFlow(exprs.nodes, exprs.lists, exprs.texts, flows, params, owners, calls, ambient, windows)

    def _owners(self) -> set[tuple[int, int]]:
        """Scopes with the definitions that they are the bodies of."""
        opened = [
            (match.span, definition)
            for match in self._captures.flows
            if match.capture == "opens"
            and (definition := self._definitions.get(match.parts["definition"][0])) is not None
        ]
        owners = {
            (body, definition)
            for span, definition in (*self._definitions.items(), *opened)
            if (body := self._scopes.get(span))
        }
        owned = {body for body, _ in owners}
        for flow, definition, node in self._flows:
            # An anonymous function is named after the definition whose value it is.
            kind, scope, _, _ = self._exprs.nodes[node]
            if flow == FlowKind.VALUE and kind == ExprKind.FUNCTION and scope not in owned:
                owned.add(scope)
                owners.add((scope, definition))
        return owners

    @cached_property
    def _unique_definitions(self) -> Mapping[Span, int]:
        """Definitions that share their span with no other, by span."""
        known = Counter(self._spans)
        return {span: number for number, span in enumerate(self._spans) if known[span] == 1}

    def _scope_finder(self) -> Callable[[int], int]:
        offsets = sorted(
            {match.span[0] for match in self._captures.flows if match.capture in OUT_KINDS or match.capture == "within"}
            | {match.parts["name"][0][0] for match in self._captures.flows if match.capture in PARAM_KINDS}
            | {span[0] for span, (capture, _) in self._captures.exprs.items() if capture in NEEDS_SCOPE}
        )
        innermost, _ = locate(self._tree, offsets)
        return dict(zip(offsets, innermost, strict=True)).__getitem__

    def _read_regions(self) -> None:
        for match in self._captures.flows:
            if match.capture == "region":
                ordinal = self._exprs.ordinals.get(match.parts["name"][0][0])
                bind = self._identifiers.binds[ordinal] if ordinal is not None else 0
                if bind:
                    self._exprs.regions.setdefault(bind, []).append((match.span, match.parts["type"][0]))

    # --- captures

    def _add(self, kind: FlowKind, subject: int | None, node: int = 0) -> None:
        if subject is not None:
            self._flows.append((kind, subject, node))

    def _add_all(self, kind: FlowKind, subject: int, spans: Sequence[Span]) -> None:
        self._flows.extend((kind, subject, self._exprs.node(span)) for span in spans)

    def _param(self, match: FlowMatch) -> None:
        exprs, parts = self._exprs, match.parts
        name = parts["name"][0]
        ordinal = exprs.ordinals.get(name[0])
        is_plain = ordinal is not None and self._identifiers.ends[name[0]] == name[1]
        param = _PackedParameter(
            exprs.scope_of(name[0]),
            self._identifiers.binds[ordinal] - 1 if is_plain and ordinal is not None else -1,
            exprs.text(exprs.slice(name) if is_plain else ""),
            PARAM_KINDS[match.capture],
            exprs.node(parts["type"][0]) if "type" in parts else -1,
            exprs.node(parts["from"][0]) if "from" in parts else -1,
            -1 if is_plain else exprs.node(name),
        )
        self._params.append((name[0], param))

    def _out(self, match: FlowMatch) -> None:
        scope = self._tree.function_of(self._exprs.scope_of(match.span[0]))
        node = self._exprs.one(match.parts, "from" if "from" in match.parts else "of")
        self._add(OUT_KINDS[match.capture], scope, node)

    def _returns(self, match: FlowMatch) -> None:
        scope = self._scopes.get(match.span)
        if scope is not None:
            self._add(FlowKind.RETURN_TYPE, scope, self._exprs.one(match.parts, "type"))

    def _defines(self, match: FlowMatch) -> None:
        definition = self._unique_definitions.get(match.span)
        if definition is not None and "type" in match.parts:
            self._add(FlowKind.TYPE, definition, self._exprs.one(match.parts, "type"))
        if definition is not None and "from" in match.parts:
            self._add(FlowKind.VALUE, definition, self._exprs.one(match.parts, "from"))

    def _static(self, match: FlowMatch) -> None:
        self._add(FlowKind.STATIC, self._unique_definitions.get(match.span))

    def _runs(self, match: FlowMatch) -> None:
        self._add(RUN_KINDS[match.capture], self._scopes.get(match.span))

    def _bases(self, match: FlowMatch) -> None:
        definition = self._definitions.get(match.span)
        if definition is None and match.capture == "class" and match.span in self._scopes:
            definition = -self._scopes[match.span]
            self._add(FlowKind.BASE, definition)
        elif "body" in match.parts and definition is not None:
            body = self._scopes.get(match.parts["body"][0])
            if body:
                self._bodies.append((body, definition))
        if definition is not None:
            self._add_all(BASE_KINDS[match.capture], definition, match.parts.get("base", ()))

    def _partial(self, match: FlowMatch) -> None:
        self._add(FlowKind.PARTIAL, self._definitions.get(match.span))

    def _made(self, match: FlowMatch) -> None:
        definition = self._definitions.get(match.span)
        if definition is not None:
            self._add_all(FlowKind.BASE, definition, match.parts.get("base", ()))
            self._add_all(FlowKind.TYPE_PARAMETER, definition, match.parts.get("key", ()))

    def _within(self, match: FlowMatch) -> None:
        dotted = "".join(self._exprs.slice(match.parts["of"][0]).split())
        scope = self._exprs.scope_of(match.span[0])
        self._add(FlowKind.WITHIN, scope, self._exprs.add(ExprKind.STRING, self._exprs.text(dotted)))

    def _receiver(self, match: FlowMatch) -> None:
        definition = self._definitions.get(match.span)
        if definition is not None:
            self._add(FlowKind.RECEIVER, definition, self._exprs.one(match.parts, "type"))

    def _decorated(self, match: FlowMatch) -> None:
        definition = self._definitions.get(match.parts["definition"][0])
        if definition is not None:
            self._add_all(FlowKind.DECORATOR, definition, match.parts["decorator"])

    def _adds(self, match: FlowMatch) -> None:
        scope = self._scopes.get(match.span)
        if scope is not None:
            self._add(FlowKind.IMPL, scope, self._exprs.one(match.parts, "of"))
            self._add_all(FlowKind.CONFORMS, scope, match.parts.get("base", ()))

    def _fields(self, match: FlowMatch) -> None:
        definition = self._definitions.get(match.span)
        if definition is not None:
            types = self._exprs.list(match.parts.get("type", ()))
            self._add(FlowKind.POSITIONAL_FIELDS, definition, self._exprs.add(ExprKind.TUPLE, types))

    def _from_value(self, match: FlowMatch) -> None:
        to = self._exprs.one(match.parts, "to")
        self._add(VALUE_KINDS[match.capture], to, self._exprs.one(match.parts, "from"))

    def _from_type(self, match: FlowMatch) -> None:
        to = self._exprs.one(match.parts, "to")
        self._add(TYPE_KINDS[match.capture], to, self._exprs.one(match.parts, "type"))

    def _assign(self, match: FlowMatch) -> None:
        to = self._exprs.one(match.parts, "to")
        if "type" in match.parts:
            self._add(FlowKind.DECLARE, to, self._exprs.one(match.parts, "type"))
        if "from" in match.parts:
            self._add(FlowKind.ASSIGN, to, self._exprs.one(match.parts, "from"))

    def _no_flow(self, match: FlowMatch) -> None:
        """Read before or after the other captures."""

    # --- types in doc comments

    def _read_doc_types(self) -> None:
        parse = self._language.doc_types
        if parse is None:
            return
        typed = {
            (kind, to)
            for kind, to, node in self._flows
            if kind in (FlowKind.RETURN_TYPE, FlowKind.DECLARE) and self._is_known(node)
        }
        params = {(param.scope, self._exprs.texts[param.name]): index for index, (_, param) in enumerate(self._params)}
        for match in self._captures.flows:
            if match.capture != "documented":
                continue
            parts = match.parts
            scope = self._scopes.get(parts["definition"][0]) if "definition" in parts else None
            to = self._exprs.one(parts, "to")
            for tag, name, text in parse(self._exprs.slice(match.span)):
                if tag == "return" and scope is not None and (FlowKind.RETURN_TYPE, scope) not in typed:
                    self._add(FlowKind.RETURN_TYPE, scope, self._doc_type(text, scope))
                elif tag == "param" and scope is not None and (scope, name) in params:
                    self._add_param_type(params[scope, name], text)
                elif tag == "var" and to and (FlowKind.DECLARE, to) not in typed:
                    self._add_variable_type(to, name, text)

    def _add_param_type(self, index: int, text: str) -> None:
        offset, param = self._params[index]
        if param.type < 0 or not self._is_known(param.type):
            self._params[index] = (offset, param._replace(type=self._doc_type(text, param.scope)))

    def _add_variable_type(self, to: int, name: str, text: str) -> None:
        kind, _, written, ordinal = self._exprs.nodes[to]
        if kind == ExprKind.NAME and name in ("", self._exprs.texts[written]):
            self._add(FlowKind.DECLARE, to, self._doc_type(text, self._identifiers.scopes[ordinal]))

    def _doc_type(self, text: str, scope: int) -> int:
        return self._exprs.add(ExprKind.DOC_TYPE, self._exprs.text(text), scope)

    def _is_known(self, node: int) -> bool:
        """True if a type expression names a type."""
        kind, a, _, _ = self._exprs.nodes[node]
        if kind == ExprKind.UNION:
            return any(map(self._is_known, self._exprs.lists[a]))
        return kind != ExprKind.UNKNOWN


FLOW_CAPTURES: Mapping[str, Callable[[_FlowBuilder, FlowMatch], None]] = {
    **dict.fromkeys(BASE_KINDS, _FlowBuilder._bases),
    **dict.fromkeys(VALUE_KINDS, _FlowBuilder._from_value),
    **dict.fromkeys(TYPE_KINDS, _FlowBuilder._from_type),
    **dict.fromkeys(OUT_KINDS, _FlowBuilder._out),
    **dict.fromkeys(RUN_KINDS, _FlowBuilder._runs),
    **dict.fromkeys(PARAM_KINDS, _FlowBuilder._param),
    **dict.fromkeys(("documented", "region", "opens", "settled", "settled.item"), _FlowBuilder._no_flow),
    "assign": _FlowBuilder._assign,
    "returns": _FlowBuilder._returns,
    "defines": _FlowBuilder._defines,
    "static": _FlowBuilder._static,
    "partial": _FlowBuilder._partial,
    "made": _FlowBuilder._made,
    "within": _FlowBuilder._within,
    "receiver": _FlowBuilder._receiver,
    "decorated": _FlowBuilder._decorated,
    "adds": _FlowBuilder._adds,
    "fields": _FlowBuilder._fields,
}
