"""What a language folder declares. Data, and small pure functions of text; no parsing here.

Both queries are plain tree-sitter patterns; capture names carry the meaning.

`facts.scm`, one fact per match:
    @scope.<kind>              the node opens a scope: function, lambda, class, block, comprehension, namespace ...
                               With @rest (and a @sealed or @open of the same two) it goes on to the end of that node
    @outer                     a part of a scope whose names are looked up outside of it (a default value)
    @sealed                    from inside of this scope nothing around it is seen (a Rust `mod`);
    @sealed.values @sealed.calls   no values, or neither values nor callables
    @open                      this scope has names that this file cannot show (inherited members)
    @receiver                  members of a value that this file does not show are seen in this scope before the
                               members and top-level names around it; locals and types are found all the same
    @shared                    what this scope defines is seen in the scope around it too (a companion object)
    @implicit.<name>           this scope has a variable of that name which nothing there declares (`value` in a C#
                               setter, Kotlin's `it`); never certain
    @def.<kind> @name          a definition; optional @params @returns @body @owner (the type that a method
                               declared elsewhere belongs to) @until (a local name is visible after its end).
                               A variable inside a function becomes a binding only. @implied instead of @name:
                               the identifier means something else (an embedded field is called like its type).
                               @hoisted beside it: bound in the enclosing function; @inner: bound in its own scope;
                               @filewide: bound in the file, and nested in nothing
                               @def.<kind>.forward announces what the file may define below: it gives way to that, see
                               `announces`; in a function it binds only. Any other variant has a row in `namespaces`
    @section                   what stands above the definitions that follow it in its scope (`private:`)
    @conditional               the definition may not come to be, or a file that is not seen may have another (an
                               overload), so that what its name means is never certain
    @marked @name              a word on what its scope defines under this name (`private :name`)
    @container @name           nesting without a definition of its own (an `impl` block)
    @wrapper @wrapped          a node around or before a definition that belongs to its span; optional @decorator,
                               and @doc, whose text documents it (Elixir's `@doc`)
    @bind.param @bind.local    the identifier is bound in its innermost scope; optional @until, the node after
    @bind.hoisted              whose end the name is visible; hoisted ones climb to the enclosing function
    @bind.type @bind.inferred  a type parameter; one that climbs to the enclosing scope of kind `conditional`
    @bind.maybe                bound in its innermost scope unless another pattern binds it, but never certain: where
                               exactly it is visible depends on the flow (Java's `instanceof T t`)
    @bind.assign               the variable of a scope around it that has the name already, else one of its own scope
    @bind.let                  like local, but a variable of its own that hides what the scope bound before
    @bind.global @bind.nonlocal  the name, in this scope, means the one of the file, of the enclosing function
    @import.<import_kind>      with @source, @name, @alias, @star as far as the syntax has them
    @export.<evidence> @name   an explicit export; optional @alias
    @reexport.<evidence> @source   optional @name, @alias; without a name everything is re-exported.
                               Without a source, `expand_import` reads the statement
Captures that start with an underscore are only for predicates. Where a bound, defined or exported name is
a pattern (`{ a, b: c }`), the language's `expand_pattern` lists the identifiers in it.

`names.scm`, one identifier per capture; where captures overlap the later in this list wins:
    @name  @type  @member  @label   and beside them @call for what is called, @macro for what is called and is looked
    up in the namespace of callables whatever `call_namespace` says, @none for what is no identifier after all,
    @as_type and @as_callable for plain names that are looked up among the types, or the callables, @as_value for those
    that are not after all,
    @words for a text whose identifiers `expand_words` lists
`names.<language>.scm` adds to it what only one of the languages of a folder has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from codeplane.languages.imports import ImportContext, OriginFinder


class Head(NamedTuple):
    """What a visibility rule may look at."""

    name: str
    text: str
    """The source from the start of the definition (wrappers included) to its name."""
    parent_kind: str | None
    """Kind of the definition or container that it is nested in."""
    kind: str = ""
    section: str = ""
    """Text of the @section that it stands in, or of the @marked that names it."""
    parent_visibility: str | None = None
    """Visibility of the definition that it is nested in."""
    exported: bool | None = None
    """Whether an explicit export of the file names it; None when there is none."""


class ImportSite(NamedTuple):
    """One imported name, as a language's own reader of import trees reports it. Nodes or None."""

    source: str
    name: str
    alias: str | None
    node: Any
    """The identifier that is bound, or None where no name is (a star import, one for its side effects)."""
    kind: str | None = None
    """Import kind, when it is not the one of the pattern."""


class Site(NamedTuple):
    """A definition in a file that its language reads by itself. Offsets count bytes."""

    kind: str
    name: str
    start: int
    end: int
    name_start: int
    name_end: int
    body: int | None = None
    """Where its signature ends, when that is not the end of its first line."""
    params: tuple[int, int] | None = None
    doc: str | None = None
    """What documents it, when that is not the comment above it."""


class Part(NamedTuple):
    """A stretch of a file that is written in another language."""

    language: str
    """Name of the language, or an ending of its files; one that is unknown leaves the stretch unread."""
    start: int
    end: int
    text: bytes | None = None
    """What to read instead: as many bytes, with the same line ends at least, without what belongs to the document."""
    nested: bool = False
    """What it defines belongs to the innermost definition of the document around it."""
    sample: bool = False
    """Nothing can import what it defines, and that it does not parse is no problem of the file."""


class Reading(NamedTuple):
    """What a language that reads its files by itself found: definitions that enclose each other or lie apart."""

    sites: list[Site]
    parts: tuple[Part, ...] = ()
    cut: int | None = None
    """Where definitions began to be left out because there are too many."""


VALUE, TYPE, CALLABLE, MEMBER = 0, 1, 2, 3
"""Namespaces. No plain name is ever looked up among the members."""

_NO_NAMESPACES: Mapping[str, tuple[int, ...]] = MappingProxyType({})
_METHODS: Mapping[str, str] = MappingProxyType({"function": "method", "variable": "field", "constant": "field"})


class RolePatterns(NamedTuple):
    """File names that tell the role of a file."""

    tests: tuple[tuple[str, str], ...] = ()
    """Test files beside the sources: a glob to show, and the pattern of all names that it stands for."""
    generated: str = ""
    """Names and globs of generated files, separated by spaces; likewise `build`."""
    build: str = ""


NO_ROLE_PATTERNS = RolePatterns()


class MainFunction(NamedTuple):
    """A function called `main`."""

    path: str
    is_nested: bool
    signature: str
    has_guard: bool
    """True if its file uses the `main_guard` of the language."""


class EntryPoints(NamedTuple):
    """Conventions for the beginning of programs and libraries."""

    scripts: str = ""
    """Pattern of the paths of files that are run."""
    libraries: str = ""
    """Pattern of the paths of files that others import first."""
    is_main: Callable[[MainFunction], bool] | None = None
    """True if a program starts at this function; None if no function starts one."""
    main_guard: str = ""
    """Name that a file with a main function uses (`__name__`)."""
    glue: tuple[str, ...] = ()
    """Names of scripts that are entry points only if they define next to nothing."""


NO_ENTRY_POINTS = EntryPoints()


@dataclass(frozen=True)
class Language:
    name: str
    family: str
    """Language family: the unit that its files belong to."""
    extensions: tuple[str, ...]
    grammar: str
    """`module:function` that returns the tree-sitter language; empty where `read` needs no syntax tree."""
    distribution: str
    """The package that the grammar is installed from; its version is part of the fingerprint."""
    module_name: Callable[[str], str]
    """Repository path -> the dotted module that a qualified name starts with."""
    visibility: Callable[[Head], str]
    coverage: str = "full"
    """`full`: all facts. `references`: identifiers are listed but not looked up, because the queries do not tell all
    scopes and bindings. `definitions`: no identifiers at all (no `names.scm`)."""
    folder: str = ""
    """Folder that holds the queries, when it is not the language's own (TSX uses TypeScript's)."""
    shared: str = ""
    """A query file, from the folder of all languages, that goes before the language's own `facts.scm`; what ends in
    `.flow.scm` beside it goes before its own `flow.scm`."""
    filenames: tuple[str, ...] = ()
    name_prefixes: tuple[str, ...] = ()
    """What file names of the language may begin with, when their ending says nothing (`Dockerfile.dev`)."""
    interpreters: tuple[str, ...] = ()
    separator: str = "."
    """Between module and lexical path in a qualified name."""
    comments: tuple[str, ...] = ("//", "/*")
    """What starts a comment."""
    doc_style: str = "comment"
    """`docstring`: the first string of the body; `comment`: comment lines above the definition."""
    aliases: tuple[str, ...] = ()
    """Other names of the language in a search filter."""
    filter_languages: tuple[str, ...] = ()
    """Other languages whose files a search filter by this one includes."""
    filter_extensions: tuple[str, ...] = ()
    """Extensions that a search filter includes although their files have another language or none."""
    has_code: bool = False
    """Documents or data with code in them: a file too large to parse is cut into passages like code."""
    roles: RolePatterns = NO_ROLE_PATTERNS
    entry_points: EntryPoints = NO_ENTRY_POINTS
    find_origins: Callable[[ImportContext], OriginFinder] | None = None
    """Returns a function that tells where an imported module comes from."""
    doc_prefixes: tuple[str, ...] = ("//",)
    """Line-comment markers that count as documentation."""
    doc_block: tuple[str, str] = ("/*", "*/")
    """What opens and closes a comment of several lines."""
    inner_doc_prefixes: tuple[str, ...] = ()
    """Markers of comments that open a body and document what it is the body of."""
    doc_lines: Callable[[list[str]], list[str]] | None = None
    """Turns the lines of a doc comment into plain text (markup resolved, tags for tools left out)."""
    doc_types: Callable[[str], list[tuple[str, str, str]]] | None = None
    """Text of a comment -> the types that it declares: `param`, `return` or `var`, the name if any, the type."""
    attribute_prefixes: tuple[str, ...] = ()
    """Lines between doc comment and definition that belong to the definition (`#[derive]`)."""
    signature_noise: re.Pattern[str] | None = None
    """Removed from the front of a signature (annotations that are shown as decorators)."""
    class_scope_hidden: bool = False
    """Names of a class body are not visible in the functions nested in it."""
    sequential: bool = False
    """A local name is visible only after its declaration, so that `x := x` reads the outer one."""
    sequential_throughout: bool = False
    """So are those of the file and of a class body, which otherwise are seen in all of it."""
    redefinition_is_same: bool = False
    """Several definitions of one name in one scope are one symbol (overload signatures)."""
    redeclared: frozenset[str] = frozenset()
    """Kinds of which several definitions of one name in one scope are one symbol (a namespace that is reopened)."""
    announces: Callable[[str, str], bool] | None = None
    """(parameters of a forward declaration, those of a definition of the same name in the same scope) -> whether it
    is the definition that was announced."""
    clause_key: Callable[[str], int] | None = None
    """Definitions of one name, kind and place whose parameters have the same key are clauses of one: the first
    is the definition, which those that follow it directly belong to the span of (Haskell's equations)."""
    member_kinds: Mapping[str, str] = field(default_factory=lambda: _METHODS)
    """Kind of a definition, when it is nested in a type."""
    type_kinds: frozenset[str] = frozenset({"class", "interface", "struct", "enum", "trait", "record", "object"})
    namespaces: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _NO_NAMESPACES)
    """Kind of a definition, or kind and variant -> namespaces that it binds; empty for languages with a single one.
    Where none binds types, these are looked up among the values."""
    call_namespace: int = VALUE
    """Namespace in which the name of a plain call is looked up."""
    calls_reach_values: bool = False
    """Where a scope has nothing callable of a name, a call means its value of that name (a delegate)."""
    calls_fall_through: bool = False
    """A call that fits nothing in one scope goes on to the next one, so that a value, or a function that has a
    namesake further out, is not certain."""
    variables_are_items: bool = False
    """Constants are defined in functions too, and seen in all of their scope; a second one is another."""
    attributes_through: str = ""
    """How methods give their object attributes that nothing declares: through their first `parameter`, through `this`,
    through the `this` of a `function`, which has an object of its own unless it is a method, or not at all."""
    calls_dispatched: bool = False
    """A plain call goes to whatever object runs it, so that what it means is never certain."""
    members_qualified: bool = False
    """Members are reached through a value or type only, never by their bare name."""
    bare_members: bool = False
    """Members of an object, inherited ones too, are named without it in the body of its class."""
    names_by_place: bool = False
    """What a name stands for that its file does not bind depends on the scope that it stands in."""
    inherits_types: bool = False
    """Types are inherited like other members, so that an open scope may hide the types around it."""
    lexical_types_first: bool = False
    """The types of the scopes around a class go before inherited ones; only those of the file come after them."""
    export_evidence: str | None = None
    """Evidence kind of top-level public definitions; None when only explicit exports count."""
    explicit_exports: str | None = None
    """Evidence kind of explicit exports that replace the public definitions (`__all__`)."""
    import_binding: Callable[[str, str], tuple[str, bool]] | None = None
    """(source, name) -> the local name that an import without alias binds, and whether that is certain."""
    import_namespaces: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _NO_NAMESPACES)
    """Import kind -> namespaces that it binds its name in, where they are not all."""
    blank_aliases: frozenset[str] = frozenset({"_", "."})
    """Aliases of an import that bind nothing."""
    expand_import: Callable[[Any, bytes], list[ImportSite]] | None = None
    """Reads an import tree that no single pattern can (nested Rust `use`)."""
    expand_pattern: Callable[[Any], list[Any]] | None = None
    """Destructuring pattern -> the identifiers that it binds."""
    expand_words: Callable[[bytes, int, int], list[tuple[int, int, str]]] | None = None
    """(source, start, end) of a text that the grammar leaves unread (@words) -> start, end and capture of each
    identifier in it."""
    lists_unread: bool = False
    """`expand_words` also lists the identifiers that `rewrite` and `mend` left out."""
    owner_path: Callable[[str], str] | None = None
    """Text of @owner -> the dotted path of the type below what the definition is nested in."""
    implied_name: Callable[[str], str] | None = None
    """Text of @implied -> the name of the definition."""
    prefer: Callable[[bytes], str | None] | None = None
    """Source -> the language that it is written in, when it is not this one after all (a `.h` of C++)."""
    rewrite: Callable[[bytes], bytes] | None = None
    """Any source -> as many bytes, without what the grammar misreads and does not say so."""
    forgiving: bool = False
    """Any text is well-formed: what the grammar stumbles over is no problem of the file."""
    read: Callable[[Any, bytes, str], Reading] | None = None
    """(root of the syntax tree or None, source, path) -> definitions and parts in other languages, instead of the two
    queries. For documents and data: only what is named in them is known, `coverage` is `definitions`."""
    repair: Callable[[bytes], bytes] | None = None
    """Source that did not parse -> as many bytes in words that the grammar can read, blanks for what it cannot."""
