"""What a language folder declares. Data, and small pure functions of text; no parsing here.

Both queries are plain tree-sitter patterns; capture names carry the meaning.

`facts.scm`, one fact per match:
    @scope.<kind>              the node opens a scope: function, lambda, class, block, comprehension, namespace ...
    @outer                     a part of a scope whose names are looked up outside of it (a default value)
    @sealed                    from inside of this scope nothing around it is seen (a Rust `mod`)
    @open                      this scope has names that this file cannot show (inherited members)
    @def.<kind> @name          a definition; optional @params @returns @body @owner (the type that a method
                               declared elsewhere belongs to) @until (a local name is visible after its end).
                               A variable inside a function becomes a binding only. @implied instead of @name:
                               the identifier means something else (an embedded field is called like its type).
                               @hoisted beside it: bound in the enclosing function; @inner: bound in its own scope
    @container @name           nesting without a definition of its own (an `impl` block)
    @wrapper @wrapped          a node around or before a definition that belongs to its span; optional @decorator
    @bind.param @bind.local    the identifier is bound in its innermost scope; optional @until, the node after
    @bind.hoisted              whose end the name is visible; hoisted ones climb to the enclosing function
    @bind.type @bind.inferred  a type parameter; one that climbs to the enclosing scope of kind `conditional`
    @bind.maybe                bound in its innermost scope unless another pattern binds it, but never certain: where
                               exactly it is visible depends on the flow (Java's `instanceof T t`)
    @bind.let                  like local, but a variable of its own that hides what the scope bound before
    @bind.global @bind.nonlocal  the name, in this scope, means the one of the file, of the enclosing function
    @import.<import_kind>      with @source, @name, @alias, @star as far as the syntax has them
    @export.<evidence> @name   an explicit export; optional @alias
    @reexport.<evidence> @source   optional @name, @alias; without a name everything is re-exported.
                               Without a source, `expand_import` reads the statement
    @dynamic.<pattern>         a dynamic access; optional @key, its key expression
Captures that start with an underscore are only for predicates. Where a bound, defined or exported name is
a pattern (`{ a, b: c }`), the language's `expand_pattern` lists the identifiers in it.

`names.scm`, one identifier per capture; where captures overlap the later in this list wins:
    @name  @type  @member  @label   and beside them @call for what is called, @macro for what is called and is looked
    up in the namespace of callables whatever `call_namespace` says, @none for what is no identifier after all
`names.<language>.scm` adds to it what only one of the languages of a folder has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple


class Head(NamedTuple):
    """What a visibility rule may look at."""

    name: str
    text: str
    """The source from the start of the definition (wrappers included) to its name."""
    parent_kind: str | None
    """Kind of the definition or container that it is nested in."""
    kind: str = ""


class ImportSite(NamedTuple):
    """One imported name, as a language's own reader of import trees reports it. Nodes or None."""

    source: str
    name: str
    alias: str | None
    node: Any
    """The identifier that is bound, or None where no name is (a star import, one for its side effects)."""
    kind: str | None = None
    """Import kind, when it is not the one of the pattern."""


VALUE, TYPE, CALLABLE, MEMBER = 0, 1, 2, 3
"""Namespaces. No plain name is ever looked up among the members."""

_NO_NAMESPACES: Mapping[str, tuple[int, ...]] = MappingProxyType({})
_METHODS: Mapping[str, str] = MappingProxyType({"function": "method", "variable": "field", "constant": "field"})


@dataclass(frozen=True)
class Language:
    name: str
    family: str
    """Language family: the unit that its files belong to."""
    extensions: tuple[str, ...]
    grammar: str
    """`module:function` that returns the tree-sitter language."""
    distribution: str
    """The package that the grammar is installed from; its version is part of the fingerprint."""
    module_name: Callable[[str], str]
    """Repository path -> the dotted module that a qualified name starts with."""
    visibility: Callable[[Head], str]
    folder: str = ""
    """Folder that holds the queries, when it is not the language's own (TSX uses TypeScript's)."""
    shared: str = ""
    """A query file, from the folder of all languages, that goes before the language's own `facts.scm`."""
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    separator: str = "."
    """Between module and lexical path in a qualified name."""
    comments: tuple[str, ...] = ("//", "/*")
    """What starts a comment."""
    doc_style: str = "comment"
    """`docstring`: the first string of the body; `comment`: comment lines above the definition."""
    doc_prefixes: tuple[str, ...] = ("//",)
    """Line-comment markers that count as documentation."""
    inner_doc_prefixes: tuple[str, ...] = ()
    """Markers of comments that open a body and document what it is the body of."""
    doc_lines: Callable[[list[str]], list[str]] | None = None
    """Turns the lines of a doc comment into plain text (markup resolved, tags for tools left out)."""
    attribute_prefixes: tuple[str, ...] = ()
    """Lines between doc comment and definition that belong to the definition (`#[derive]`)."""
    signature_noise: re.Pattern[str] | None = None
    """Removed from the front of a signature (annotations that are shown as decorators)."""
    class_scope_hidden: bool = False
    """Names of a class body are not visible in the functions nested in it."""
    sequential: bool = False
    """A local name is visible only after its declaration, so that `x := x` reads the outer one."""
    redefinition_is_same: bool = False
    """Several definitions of one name in one scope are one symbol (overload signatures)."""
    member_kinds: Mapping[str, str] = field(default_factory=lambda: _METHODS)
    """Kind of a definition, when it is nested in a type."""
    type_kinds: frozenset[str] = frozenset({"class", "interface", "struct", "enum", "trait", "record", "object"})
    namespaces: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _NO_NAMESPACES)
    """Kind of a definition -> namespaces that it binds; empty for languages with a single namespace."""
    call_namespace: int = VALUE
    """Namespace in which the name of a plain call is looked up."""
    variables_are_items: bool = False
    """Constants are defined in functions too, and seen in all of their scope; a second one is another."""
    members_qualified: bool = False
    """Members are reached through a value or type only, never by their bare name."""
    inherits_types: bool = False
    """Types are inherited like other members, so that an open scope may hide the types around it."""
    export_evidence: str | None = None
    """Evidence kind of top-level public definitions; None when only explicit exports count."""
    explicit_exports: str | None = None
    """Evidence kind of explicit exports that replace the public definitions (`__all__`)."""
    import_binding: Callable[[str, str], tuple[str, bool]] | None = None
    """(source, name) -> the local name that an import without alias binds, and whether that is certain."""
    blank_aliases: frozenset[str] = frozenset({"_", "."})
    """Aliases of an import that bind nothing."""
    expand_import: Callable[[Any, bytes], list[ImportSite]] | None = None
    """Reads an import tree that no single pattern can (nested Rust `use`)."""
    expand_pattern: Callable[[Any], list[Any]] | None = None
    """Destructuring pattern -> the identifiers that it binds."""
    mend: Callable[[bytes], bytes] | None = None
    """Source that did not parse -> as many bytes in words that the grammar can read, blanks for what it cannot."""
