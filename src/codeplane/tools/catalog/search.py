"""Catalog entries of search and its deprecated names."""

from __future__ import annotations

from dataclasses import replace

from codeplane.tools.catalog.shared import COMPACT, CURSOR, DETAIL, EXPLAIN, LIMIT, NO_CURSOR, PATH, POLICY
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

MAX_QUERY = 256 * 1024
"""Maximum characters: an issue text or the log of a failed run fits."""

SEARCH = ToolSpec(
    "search",
    ("core",),
    "Search the code of the repository. Ranks definitions for a question, a name, an error message or a stack trace; "
    "or lists every matching line, like rg, but grouped by file and complete.",
    (
        Param(
            "query",
            "string",
            "What to find. Except in lexical and regex, it may start with filters: lang:go path:src/ -path:gen/ "
            "must:word exclude:word",
            aliases=("q", "pattern", "text", "search", "search_term", "name", "symbol", "query_string"),
            max_chars=MAX_QUERY,
        ),
        Param(
            "mode",
            "string",
            "auto: ranked results. lexical, regex (RE2): every matching line. references: every use of a symbol. "
            "definitions, symbol: by exact or similar name. files: by file name or glob.",
            choices=("auto", "lexical", "regex", "symbol", "definitions", "references", "files"),
            default="auto",
            aliases=("search_mode", "search_type"),
            synonyms={
                "hybrid": "auto",
                "default": "auto",
                "literal": "lexical",
                "text": "lexical",
                "exact": "lexical",
                "grep": "regex",
                "regexp": "regex",
                "symbols": "symbol",
                "definition": "definitions",
                "defs": "definitions",
                "reference": "references",
                "refs": "references",
                "usages": "references",
                **dict.fromkeys(("file", "filename", "filenames", "path", "glob"), "files"),
                "semantic": "semantic",
                "vector": "semantic",
            },
        ),
        Param(
            "scope",
            "string",
            "runtime: code only. docs: docs and tests only. mixed: everything. Default: mixed (auto: runtime)",
            choices=("runtime", "mixed", "docs"),
            synonyms={"all": "mixed", "everything": "mixed", "code": "runtime", "source": "runtime", "tests": "docs"},
            expands_to=("paths", "languages", "kinds"),
        ),
        Param(
            "paths",
            "array",
            "Only files that match one of these .gitignore-style patterns.",
            aliases=("include", "glob", "globs", "files", "file_pattern", "include_pattern", "path_pattern"),
        ),
        Param("languages", "array", aliases=("language", "lang", "langs")),
        Param(
            "kinds",
            "array",
            "Only symbols of these kinds: function, class, method, ...",
            aliases=("kind", "symbol_kind", "symbol_kinds"),
        ),
        Param(
            "case_sensitive",
            "boolean",
            "Default: true if the query has a capital letter",
            aliases=("case", "match_case"),
            advertised=False,
        ),
        Param(
            "result_mode",
            "string",
            "raw: each match on its own. grouped: one result per symbol or file. Default: raw for lines, else grouped",
            choices=("grouped", "raw"),
            advertised=False,
        ),
        Param(
            "group_by",
            "string",
            "Group matches by symbol or by file. Default: symbol",
            choices=("symbol", "file"),
            advertised=False,
        ),
        Param(
            "tiers",
            "array",
            "references: only uses that are known this well.",
            choices=("proven", "strong", "anchored", "unknown"),
            aliases=("tier",),
            advertised=False,
        ),
        Param(
            "ranking_mode",
            "string",
            "auto_changed_first: files with uncommitted changes rank higher. default: they do not.",
            choices=("auto_changed_first", "default"),
            default="auto_changed_first",
            advertised=False,
        ),
        DETAIL,
        Param(
            "enrichment",
            "string",
            "Deprecated name of detail_level.",
            choices=("none", "minimal", "standard", "function", "class"),
            advertised=False,
        ),
        Param(
            "include_snippets",
            "boolean",
            "Show the matching line of each result. Default: true",
            aliases=("snippets",),
            advertised=False,
        ),
        COMPACT,
        EXPLAIN,
        LIMIT,
        CURSOR,
        Param("debug", "boolean", "Show how the query was read and what was filtered.", advertised=False),
        replace(PATH, aliases=(*PATH.aliases, "directory", "dir", "cwd")),
        POLICY,
    ),
    when=("to find where something is done, defined or used", "instead of grep: complete, counted and up to date"),
    when_not=("for the symbols of a known file: file_outline", "for the layout of the repository: map_repo"),
    examples=(
        Example("in your own words", {"query": "start the server"}),
        Example("every match of a pattern", {"query": r"def \w+_part_\d", "mode": "regex", "paths": ["src/"]}),
        Example("where a name is defined", {"query": "Server", "mode": "definitions"}),
        Example("only some files", {"query": "lang:python path:src/ start", "detail_level": "location"}),
    ),
)

SEARCH_CODEBASE = ToolSpec(
    "search_codebase",
    ("compat",),
    "Deprecated name of search.",
    (
        Param("query", "string", NO_CURSOR, required=True, unless="cursor", max_chars=MAX_QUERY),
        Param("path", "string", "Directory to search in. Default: this repository"),
        Param("scope", "string", choices=("runtime", "mixed", "docs"), default="runtime"),
        Param("resultMode", "string", choices=("grouped", "raw"), default="grouped"),
        Param("groupBy", "string", choices=("symbol", "file"), default="symbol"),
        Param("rankingMode", "string", choices=("auto_changed_first", "default"), default="auto_changed_first"),
        Param("limit", "integer", minimum=1, maximum=100),
        Param("debug", "boolean"),
        CURSOR,
    ),
    examples=(Example("in your own words", {"query": "start the server"}),),
    deprecated=Deprecated(
        "search",
        renames={"resultMode": "result_mode", "groupBy": "group_by", "rankingMode": "ranking_mode"},
        camel_case=True,
        echoes={"path": ".", "query": None, "scope": None, "groupBy": None, "resultMode": None, "limit": 20},
    ),
)

SEARCH_CODE = ToolSpec(
    "search_code",
    ("compat",),
    "Deprecated name of search.",
    (
        Param("query", "string", NO_CURSOR, required=True, unless="cursor", max_chars=MAX_QUERY),
        Param("language", "string"),
        LIMIT,
        DETAIL,
        COMPACT,
        EXPLAIN,
        CURSOR,
        PATH,
        POLICY,
    ),
    examples=(Example("in your own words", {"query": "start the server"}),),
    deprecated=Deprecated("search", renames={"language": "languages"}),
)

LOCATE_SYMBOL = ToolSpec(
    "locate_symbol",
    ("compat",),
    "Deprecated name of search with mode symbol.",
    (
        Param(
            "name",
            "string",
            f"Name, or Class.method. {NO_CURSOR}",
            required=True,
            unless="cursor",
            aliases=("query", "symbol"),
        ),
        Param("kind", "string", "Only of this kind: function, class, method ..."),
        Param("language", "string"),
        LIMIT,
        DETAIL,
        COMPACT,
        EXPLAIN,
        CURSOR,
        PATH,
        POLICY,
    ),
    examples=(Example("a class", {"name": "Server"}),),
    deprecated=Deprecated(
        "search",
        renames={"name": "query", "kind": "kinds", "language": "languages"},
        fixed={"mode": "symbol"},
    ),
)
