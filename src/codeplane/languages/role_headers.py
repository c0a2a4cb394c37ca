"""Detection of generated files by the comment at their head.

Generators announce themselves in a comment before the first line of code. Nothing else is read: a generator's own
source, a template of the comment and a test that expects it have it elsewhere. Copyright says nothing about the role.
The rules are data: comment syntax by extension, and the phrases of generators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from codeplane.base.paths import basename

HEAD_BYTES = 2048
"""Number of leading bytes that are read."""
MAX_SHOWN = 100
_NEAR = 3
"""Maximum distance in lines between two halves of a statement."""
_MIN_MINIFIED = 500
_LONG_LINES = 200
_MAX_SPACES = 0.08
"""Thresholds of minified text: bytes, bytes per line, share of spaces. In prose every sixth character is a space."""


def find_header(path: str, head: bytes) -> str | None:
    """Return the evidence in the first bytes that a file is generated; None without evidence."""
    name = basename(path).lower()
    dot = name.rfind(".")
    extension = name[dot:] if dot >= 0 else ""
    head = head[:HEAD_BYTES]
    lowered = head.lower()
    if any(part in lowered for part in _TELLING_BYTES) and extension not in _TEMPLATES:
        found = _find_statement(_read_comments(head.decode("utf-8", "replace"), _STYLES.get(extension, _ANY)))
        if found is not None:
            return found
    return _find_minified(head) if extension in _MINIFIED else None


class _Style(NamedTuple):
    """Comment syntax."""

    lines: tuple[str, ...]
    blocks: tuple[tuple[str, str], ...] = ()


_C = _Style(("//",), (("/*", "*/"),))
_HASH = _Style(("#",))
_MARKUP = _Style((), (("<!--", "-->"),))
_DASHES = _Style(("--",), (("--[[", "]]"), ("{-", "-}"), ("/*", "*/")))
_SEMICOLON = _Style((";", "#"), (("#|", "|#"),))
_ANY = _Style(("//", "#", "--", ";", "%", "dnl"), (("/*", "*/"), ("<!--", "-->")))
"""For an unknown extension, or none."""
_BY_STYLE: tuple[tuple[_Style, str], ...] = (
    (
        _C,
        ".c .h .cc .cpp .cxx .hh .hpp .hxx .inc .ipp .cu .m .mm .java .kt .kts .scala .sc .groovy .gradle .js .mjs"
        " .cjs .jsx .ts .mts .cts .tsx .go .rs .swift .cs .dart .proto .css .scss .less .sass .styl .zig .sol .g4 .y .l"
        " .v .sv .glsl .hlsl .vert .frag .json .jsonc .json5 .d .vala .idl .fbs .capnp",
    ),
    (
        _HASH,
        ".py .pyi .pyx .pxd .rb .rake .gemspec .sh .bash .zsh .fish .pl .pm .t .yaml .yml .toml .r .jl .ex .exs .tf"
        " .hcl .nix .mk .mak .cmake .properties .conf .graphql .gql .ps1 .psm1 .nim .cr .tcl .awk .dockerfile .txt"
        " .am .bzl .star .bazel",
    ),
    (_MARKUP, ".html .htm .xhtml .xml .svg .xsd .wsdl .xaml .resx .plist .csproj .md .markdown .vue .svelte"),
    (_DASHES, ".sql .lua .luau .hs .elm .purs .adb .ads .vhd .vhdl"),
    (_SEMICOLON, ".asm .s .lisp .lsp .clj .cljs .cljc .el .scm .ss .rkt .ini .cfg .ll"),
    (_Style(("%",)), ".erl .hrl .tex .sty .cls .bib"),
    (_Style(("//",), (("(*", "*)"),)), ".ml .mli .mll .mly .fs .fsi .fsx"),
    (_Style(("//",), (("(*", "*)"), ("{", "}"))), ".pas .pp"),
    (_Style(("'",)), ".vb .bas .vbs"),
    (_Style(("!", "c ", "C ")), ".f .f90 .f95 .f03 .for"),
    (_Style(("rem ", "REM ", "::")), ".bat .cmd"),
    (_Style(("//", "#"), (("/*", "*/"),)), ".php .thrift"),
)
_STYLES = {extension: style for style, extensions in _BY_STYLE for extension in extensions.split()}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEMPLATES = _words(
    ".tmpl .tpl .gotmpl .tm .template .j2 .jinja .jinja2 .mustache .hbs .handlebars .erb .ejs .eex .heex .tt .t4 .stg"
    " .ftl .vm .liquid .mako .pug .twig .njk .cookiecutter .snap"
)
"""The head of a template describes the files that are made from it."""
_MINIFIED = _words(".js .mjs .cjs .css")

_PREAMBLE = re.compile(
    r"#!|<\?|<!doctype\b|[\"']use (?:strict|client|server)[\"']|@charset\b|#pragma once|#ifndef \w+$"
    r"|#define\s+\w+(?:\s+(?:1|short int))?$"
    r"|#line\b|%YAML|---$|@echo off",
    re.IGNORECASE,
)
"""Lines that may precede the head comment."""
_FILLED_IN = re.compile(r"\{\{|\{%|<%|\$\{|%s|%\(")
"""Placeholders of a template."""
_QUOTED = re.compile(r"\"[^\"]*\"|`[^`]*`|“[^”]*”")

_TELLING = ("generated", "this file", "gnu bison", "reading c++ file")
_WARNING = (" edit", " modify", " change", " touch")
"""In lower case; without one of these no rule applies."""
_TELLING_BYTES = tuple(part.encode() for part in _TELLING)
_THIS = (
    r"(?:this (?:source |java |python |header )?(?:file|code|class|module|header|source|script|document|interface|type"
    r"|package|enum|unit|parser|lexer|client)|the following (?:code|file)|the code in this file)"
)
_LEAD = r"(?:\w{1,20}[:!]{1,3} {0,3}){0,2}"
"""One or two words of warning."""
_SUBJECT = rf"{_LEAD}(?:{_THIS} (?:is|was|has been)|this is)"
_AUTO = r"(?:auto(?:matically)?|machine|programmatically|mechanically)"
_BY = r"(?:by|from|with|using|via)"
_TOOLS = (
    r"protoc(?:-gen-[\w-]+)?|protocol buffers? compiler|grpc|nanopb|thrift|swagger|openapi|antlr|swig|jooq|javacc|jflex"
    r"|flex|bison|yacc|re2c|ragel|gperf|lemon|cython|f2py|autoconf|automake|autoheader|aclocal|libtool"
    r"|graphql[- ]code[- ]?gen(?:erator)?|gqlgen|sqlc|sqlboiler|prisma|mockgen|mockery|counterfeiter|stringer"
    r"|go-bindata|controller-gen|deepcopy-gen|client-gen|flatbuffers|flatc|cap'?n ?proto|capnp|rust-bindgen|bindgen"
    r"|cbindgen|wit-bindgen|wasm-bindgen|cxxbridge|uniffi|lalrpop|tonic|prost|pip-compile|peg\.?js|peggy|jison|nearley"
    r"|coffeescript|livescript|haxe|avro|xjc|jaxb|javatm architecture|wsdl2java|svcutil|mybatis generator|rpcgen|gsoap"
    r"|pyuic\d?|wayland-scanner|gdbus-codegen|glib-mkenums|glib-genmarshal|tree-sitter|kotlinpoet|javapoet|smithy"
    r"|kiota|autorest|nswag"
)
_SAYS = re.compile(
    "|".join(
        (
            r"code generated\b.*\bdo not (?:edit|modify)\b",
            rf"(?:{_SUBJECT} (?:{_AUTO} )?)?@generated\b",
            r"</?auto-?generated\s*/?>",
            rf"{_SUBJECT} (?:an? )?{_AUTO}[- ]?generated\b",
            rf"{_SUBJECT} generated(?:\s*[.,;!]|\s*$| (?:\w+ly )?{_BY}\b)",
            rf"{_LEAD}{_AUTO}[- ]?generated\b(?:\W*$|[.,;:!]| +- | +(?:file|code|source|class|{_BY}|do not)\b)",
            rf"(?:{_AUTO}[- ]?)?generated {_BY}\b.{{0,120}}?\b(?:{_TOOLS})\b",
            rf"{_LEAD}(?:(?:all|any|manual|your|local) )?(?:changes|edits|modifications)(?: made)? (?:in|to) this"
            r" file\b.*\b(?:will be|may be|are|get)\b.*\b(?:lost|overwritten|discarded)\b",
            r"a bison parser, made by gnu bison|a lexical scanner generated by flex|(?:lexer|parser) generated by\b"
            r"|meta object code from reading c\+\+ file|form implementation generated from reading ui file"
            r"|[\w.-]{1,80} generated (?:automatically )?by (?:gnu )?(?:automake|autoconf|aclocal|autoheader)\b"
            r"|[\w.-]{1,80}\. +generated from [\w.-]{1,80} by (?:gnu )?(?:configure|autoheader|autoconf)\b",
        )
    ),
    re.IGNORECASE,
)
"""Start of a comment line that announces a generator."""
_GENERATED = re.compile(rf"\b(?:{_AUTO}[- ]?)?generated\b(?! (?:files|outputs?)\b)", re.IGNORECASE)
_HANDS_OFF = re.compile(
    r"\b(?:do not|don't|never)(?: manually| ever)? (?:edit|modify|change|touch)"
    r"(?=\W*$|[.,;:!)]|(?: it| this| manually| directly| by hand| -)\b|(?: (?:this|the) (?:file|class|code|module))\b)",
    re.IGNORECASE,
)
"""Two phrases that announce a generator when they are near each other."""


def _find_statement(comments: Iterator[tuple[int, str]]) -> str | None:
    """Return the first line that announces a generator; of two halves, the one that names it."""
    generated: list[tuple[int, str]] = []
    hands_off = -_NEAR - 1
    for number, text in comments:
        lowered = text.lower()
        telling = any(part in lowered for part in _TELLING)
        warning = any(part in lowered for part in _WARNING)
        # Nearly all lines of licences contain neither.
        if not (telling or warning) or _FILLED_IN.search(text) is not None:
            continue
        bare = _QUOTED.sub('""', text)
        if telling and _SAYS.match(bare) is not None:
            return _shown(number, text)
        if warning and _HANDS_OFF.search(bare) is not None:
            hands_off = number
        if telling and _GENERATED.search(bare) is not None:
            generated.append((number, text))
        for near, said in generated:
            if abs(hands_off - near) <= _NEAR:
                return _shown(near, said)
    return None


def _shown(number: int, text: str) -> str:
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return f"line {number}: {plain[:MAX_SHOWN].rstrip()}"


def _read_comments(head: str, style: _Style) -> Iterator[tuple[int, str]]:
    """Yield the comment lines before the first line of code, without comment signs."""
    closing = ""
    for number, line in enumerate(head.split("\n"), 1):
        text = line.strip().removeprefix("\ufeff")
        while text:
            if closing:
                body, closed, text = text.partition(closing)
                yield number, _bare(body)
                if not closed:
                    break
                closing, text = "", text.strip()
                continue
            block = next((block for block in style.blocks if text.startswith(block[0])), None)
            if block is not None:
                closing, text = block[1], text[len(block[0]) :]
                continue
            mark = next((mark for mark in style.lines if text.startswith(mark)), None)
            if mark is not None:
                yield number, _bare(text[len(mark) :])
            elif _PREAMBLE.match(text) is None:
                return
            break


def _bare(text: str) -> str:
    return text.lstrip(" \t*/#!;=-%|~+_>").rstrip(" \t*/#=-|;~+_")


def _find_minified(head: bytes) -> str | None:
    """Detect few long lines without spaces, after an optional banner."""
    text = head.lstrip()
    while text.startswith(b"/*"):
        text = text.partition(b"*/")[2].lstrip()
    text = text.rstrip()
    lines = text.count(b"\n") + 1
    length = len(text) // lines
    if len(text) < _MIN_MINIFIED or length < _LONG_LINES or text.count(b" ") > _MAX_SPACES * len(text):
        return None
    # Long data in a source lacks the punctuation of code.
    signs = sum(map(text.count, (b"(", b"{", b";", b",", b":", b"=")))
    return f"minified: lines of {length} bytes" if signs * 20 > len(text) else None
