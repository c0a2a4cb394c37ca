"""Declaration of a language. Data, and small pure functions of text; no parsing here.

The queries of a language are plain tree-sitter patterns whose capture names carry the meaning: `facts.scm` for scopes,
definitions, bindings, imports and exports; `names.scm` for identifiers; `flow.scm` for data flow. `facts/captures.py`
documents every capture (docs/reference/captures.md). Captures that start with an underscore are for predicates only.
`names.<language>.scm` adds patterns of one of several languages in a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from codeplane.languages.imports import ImportContext, OriginFinder
from codeplane.languages.names import NO_NAME_RULES, NameRules


class DefinitionHead(NamedTuple):
    """Input of a visibility rule."""

    name: str
    text: str
    """The source from the start of the definition (wrappers included) to its name."""
    parent_kind: str | None
    """Kind of the enclosing definition or container."""
    kind: str = ""
    section: str = ""
    """Text of the enclosing @section, or of the @marked that names the definition."""
    parent_visibility: str | None = None
    """Visibility of the enclosing definition."""
    exported: bool | None = None
    """True if an explicit export of the file names it; None if the file has no explicit exports."""


class ImportSite(NamedTuple):
    """One imported name, from a language's own reader of import trees."""

    source: str
    name: str
    alias: str | None
    node: Any
    """The identifier that is bound, or None (a star import, one for its side effects)."""
    kind: str | None = None
    """Import kind, if it is not the one of the pattern."""


class DefinitionSite(NamedTuple):
    """A definition in a file with its own reader. Offsets count bytes."""

    kind: str
    name: str
    start: int
    end: int
    name_start: int
    name_end: int
    body: int | None = None
    """End of the signature, if it is not the end of the first line."""
    params: tuple[int, int] | None = None
    doc: str | None = None
    """Documentation, if it is not the comment above."""
    owner: str | None = None
    """First parts of a dotted name (`aws_s3_bucket` of `aws_s3_bucket.shop`), read by `owner_path`."""


class Part(NamedTuple):
    """A part of a file in another language."""

    language: str
    """Name of the language, or a file extension; an unknown one leaves the part unread."""
    start: int
    end: int
    text: bytes | None = None
    """Text to parse instead: as many bytes with the same line endings, without what belongs to the document."""
    nested: bool = False
    """Its definitions are nested in the innermost enclosing definition of the document."""
    sample: bool = False
    """Its definitions cannot be imported, and its syntax errors are not problems of the file."""


class Reading(NamedTuple):
    """Result of a language's own reader: definitions that nest or are disjoint."""

    sites: list[DefinitionSite]
    parts: tuple[Part, ...] = ()
    cut: int | None = None
    """Offset from which definitions were left out because there are too many."""


VALUE, TYPE, CALLABLE, MEMBER = 0, 1, 2, 3
"""Namespaces. No plain name is ever looked up among the members."""

_NO_NAMESPACES: Mapping[str, tuple[int, ...]] = MappingProxyType({})
_METHODS: Mapping[str, str] = MappingProxyType({"function": "method", "variable": "field", "constant": "field"})


class RolePatterns(NamedTuple):
    """File names that tell the role of a file."""

    tests: tuple[tuple[str, str], ...] = ()
    """Test files beside the sources: a glob to show, and the pattern of all names that it represents."""
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
    """Conventions for entry points."""

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
    """Language family, which determines the unit of a file."""
    extensions: tuple[str, ...]
    grammar: str
    """`module:function` that returns the tree-sitter language; empty if `read` needs no syntax tree."""
    distribution: str
    """Distribution of the grammar; its version is part of the fingerprint."""
    module_name: Callable[[str], str]
    """Repository path -> the dotted module that prefixes a qualified name."""
    visibility: Callable[[DefinitionHead], str]
    coverage: str = "full"
    """`full`: all facts. `references`: identifiers are listed but not looked up, because the queries do not cover all
    scopes and bindings. `definitions`: no identifiers (no `names.scm`).
    """
    folder: str = ""
    """Folder of the queries, if it is not the language's own (TSX uses TypeScript's)."""
    shared: str = ""
    """A query file, relative to the folder of all languages, that precedes the language's own `facts.scm`; its sibling
    `*.flow.scm` precedes `flow.scm`.
    """
    filenames: tuple[str, ...] = ()
    name_prefixes: tuple[str, ...] = ()
    """Prefixes of file names whose extension says nothing (`Dockerfile.dev`)."""
    interpreters: tuple[str, ...] = ()
    separator: str = "."
    """Separator between module and lexical path in a qualified name."""
    comments: tuple[str, ...] = ("//", "/*")
    """Prefixes of comments."""
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
    name_rules: NameRules = NO_NAME_RULES
    resolver: str = ""
    """`module:class` of the adapter for cross-file name resolution, a subclass of `index.resolve`'s LanguageResolver;
    empty if references are not resolved across files."""
    find_origins: Callable[[ImportContext], OriginFinder] | None = None
    """Return a function that maps an import to its origin."""
    doc_prefixes: tuple[str, ...] = ("//",)
    """Line-comment markers that count as documentation."""
    doc_block: tuple[str, str] = ("/*", "*/")
    """Start and end of a block comment."""
    inner_doc_prefixes: tuple[str, ...] = ()
    """Markers of comments at the start of a body that document its definition."""
    doc_lines: Callable[[list[str]], list[str]] | None = None
    """Convert the lines of a doc comment to plain text (markup resolved, tags for tools left out)."""
    doc_types: Callable[[str], list[tuple[str, str, str]]] | None = None
    """Text of a comment -> the types that it declares: `param`, `return` or `var`, the name if any, the type."""
    attribute_prefixes: tuple[str, ...] = ()
    """Lines between doc comment and definition that belong to the definition (`#[derive]`)."""
    signature_noise: re.Pattern[str] | None = None
    """Removed from the start of a signature (annotations, which are shown as decorators)."""
    class_scope_hidden: bool = False
    """Names of a class body are not visible in nested functions."""
    sequential: bool = False
    """A local name is visible only after its declaration, so that `x := x` reads the outer one."""
    sequential_throughout: bool = False
    """Likewise for names of the file and of a class body, which otherwise are visible in all of it."""
    redefinition_is_same: bool = False
    """Several definitions of one name in one scope are one symbol (overload signatures)."""
    redeclared: frozenset[str] = frozenset()
    """Kinds of which several definitions of one name in one scope are one symbol (a reopened namespace)."""
    announces: Callable[[str, str], bool] | None = None
    """(parameters of a forward declaration, those of a definition of the same name in the same scope) -> True if they
    declare the same function.
    """
    clause_key: Callable[[str], int] | None = None
    """Key of a clause by its parameters. Definitions of one name, kind and place with the same key are clauses of one
    definition, whose span covers those that follow directly (Haskell's equations).
    """
    member_kinds: Mapping[str, str] = field(default_factory=lambda: _METHODS)
    """Kind of a definition nested in a type."""
    type_kinds: frozenset[str] = frozenset({"class", "interface", "struct", "enum", "trait", "record", "object"})
    namespaces: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _NO_NAMESPACES)
    """Kind of a definition, or kind and variant -> namespaces in which it is bound; empty for languages with one
    namespace. If none binds types, types are looked up among the values.
    """
    call_namespace: int = VALUE
    """Namespace in which the name of a plain call is looked up."""
    calls_reach_values: bool = False
    """If a scope has no callable of a name, a call means its value of that name (a delegate)."""
    calls_fall_through: bool = False
    """A call that fits nothing in one scope continues in the next one, so that a value, or a function with a namesake
    further out, is not certain.
    """
    variables_are_items: bool = False
    """Constants are also defined in functions and visible in all of their scope; a second one is another definition."""
    attributes_through: str = ""
    """Way in which methods assign undeclared attributes: through their first `parameter`, `this`, the `this` of a
    `function` (which has an object of its own unless it is a method), or not at all.
    """
    calls_dispatched: bool = False
    """A plain call is dispatched to the receiver at run time, so that its target is never certain."""
    members_qualified: bool = False
    """Members are reached through a value or type only, never by their bare name."""
    bare_members: bool = False
    """Members of an object, including inherited ones, are named without it in the body of its class."""
    names_by_place: bool = False
    """The meaning of a name that its file does not bind depends on its scope."""
    inherits_types: bool = False
    """Types are inherited like other members, so that an open scope may hide the types around it."""
    lexical_types_first: bool = False
    """Types of the scopes around a class precede inherited ones; only those of the file come after them."""
    export_evidence: str | None = None
    """Evidence kind of top-level public definitions; None if only explicit exports count."""
    explicit_exports: str | None = None
    """Evidence kind of explicit exports that replace the public definitions (`__all__`)."""
    import_binding: Callable[[str, str], tuple[str, bool]] | None = None
    """(source, name) -> the local name that an import without alias binds, and whether that is certain."""
    import_namespaces: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _NO_NAMESPACES)
    """Import kind -> namespaces in which it binds its name, if not all."""
    blank_aliases: frozenset[str] = frozenset({"_", "."})
    """Aliases of an import that bind nothing."""
    expand_import: Callable[[Any, bytes], list[ImportSite]] | None = None
    """Read an import tree that no single pattern can (nested Rust `use`)."""
    expand_pattern: Callable[[Any], list[Any]] | None = None
    """Destructuring pattern -> the identifiers that it binds."""
    expand_words: Callable[[bytes, int, int], list[tuple[int, int, str]]] | None = None
    """(source, start, end) of a text that the grammar does not parse (@words) -> start, end and capture of each
    identifier.
    """
    lists_unread: bool = False
    """`expand_words` also lists the identifiers that `rewrite` and `repair` removed."""
    owner_path: Callable[[str], str] | None = None
    """Text of @owner -> the dotted path of the type, relative to the enclosing definition."""
    implied_name: Callable[[str], str] | None = None
    """Text of @implied -> the name of the definition."""
    prefer: Callable[[bytes], str | None] | None = None
    """Source -> the actual language, if it is not this one (a C++ `.h`)."""
    rewrite: Callable[[bytes], bytes] | None = None
    """Any source -> as many bytes, without constructs that the grammar misparses without an error."""
    forgiving: bool = False
    """Any text is well-formed: syntax errors are not problems of the file."""
    read: Callable[[Any, bytes, str], Reading] | None = None
    """(root of the syntax tree or None, source, path) -> definitions and embedded parts, instead of the queries. For
    documents and data with `coverage` `definitions`.
    """
    repair: Callable[[bytes], bytes] | None = None
    """Source with syntax errors -> as many bytes that the grammar can parse, with blanks for what it cannot."""
