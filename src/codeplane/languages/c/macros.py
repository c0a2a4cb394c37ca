"""Patterns of macros and directives that the grammars cannot parse, for text without comments and strings.

The first group of each pattern is the part to blank or to replace.
"""

from __future__ import annotations

import re

AROUND_CLASS = re.compile(rb"\b[A-Z][A-Z0-9_]+\((class|struct|union)\)(?=[ \t\n]+[A-Za-z_])")
GLOB = re.compile(rb'^[ \t]*#[ \t]*define\b[^\n"]{0,200}"[^"\n]{0,300}/\*[^"\n]{0,300}"', re.MULTILINE)
"""`#define ALL "all/*"`: the grammars see a comment start in the value of a macro, without a syntax error."""
EXPORTED = re.compile(
    rb"\b(?:class|struct|union)\s+"
    rb"((?:[A-Z][A-Z0-9_]+(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?\s+|\[\[[^\[\]]*\]\]\s*)+)"
    rb"(?=(?!final\b)[A-Za-z_][\w:]*(?:\s*<[^;{}()]{0,800}>)?\s*(?:final\s*)?(?:\{|:(?!:)\s*[A-Za-z_:]))"
)
HIDDEN = re.compile(
    rb'R"([^(\s\\]{0,16})\((?:[^)]|\)(?!\1")){0,4096}+(?:\)\1")?'
    rb'|"(?:[^"\\\n]|\\.)*"'
    rb"|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+'"
    rb"|//(?:[^\n\\]|\\.)*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?",
    re.DOTALL,
)
COMMENT = re.compile(rb"/\*(?:[^*]|\*(?!/))*+\*/")
DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
CONDITION = re.compile(rb"[ \t]*#[ \t]*(?:if|el|endif)")
ASKS_FOR_FILE = re.compile(rb"[ \t]*#[ \t]*(?:el)?if[ \t]+(.*(?:\(\s*[<\"]|::).*)", re.DOTALL)
LINE = re.compile(rb"[^\n]+")
BLACK = re.compile(rb"\S")
_MACRO = rb"[A-Z_][A-Z0-9_]{2,}"
_BALANCED = rb"\((?:[^(){};]++|\((?:[^(){};]++|\([^(){};]*+\))*+\))*+\)"
_SPECIFIER = rb"(?:static|extern|inline|virtual|constexpr|friend|explicit|typedef|const|mutable)"
_TYPE_WORD = (
    rb"(?:void|int|char|bool|float|double|long|short|unsigned|signed|struct|enum|union|class|static|extern|inline"
    rb"|virtual|typedef|typename|template|explicit|constexpr|operator|friend|using|auto|size_t)\b"
)
_NO_TYPE = (
    rb"(?!(?:return|else|if|for|while|do|switch|case|goto|break|continue|delete|new|throw|default|public|private"
    rb"|protected|namespace)\b)"
)
_PATH = rb"(?:::)?[A-Za-z_]\w*(?:\s*<[^;{}()]{0,800}>)?(?:::[A-Za-z_]\w*(?:\s*<[^;{}()]{0,800}>)?)*"
_BEFORE = re.compile(
    rb"^[ \t]*(?:" + _SPECIFIER + rb"\s+|template\s*<[^;{}()]{0,800}>\s*)*"
    rb"((?:" + _NO_TYPE + _MACRO + rb"\b(?:[ \t]*" + _BALANCED + rb")?\s+){1,4})"
    rb"(?=const\b|~|::|"
    + _TYPE_WORD
    + rb"|"
    + _NO_TYPE
    + _PATH
    + rb"(?:\s*+[*&]++\s*+|\s++)(?:const\s+)?(?:[A-Za-z_~]|::))",
    re.MULTILINE,
)
"""Macro before the type: the type must follow, and then the name."""
BEFORE_KEYWORD = re.compile(
    rb"^[ \t]*(?:" + _SPECIFIER + rb"[ \t]+)*([A-Za-z_]\w*)[ \t]+"
    rb"(?=(?:void|int|char|bool|float|double|unsigned|signed|struct|enum|union|static|extern|inline)\b"
    rb"[ \t*]+[A-Za-z_*])",
    re.MULTILINE,
)
BETWEEN = re.compile(
    rb"(?<=[ \t*&>])((?:" + _MACRO + rb"|\w*(?:cdecl|stdcall|fastcall))\b(?:[ \t]*" + _BALANCED + rb")?)"
    rb"(?=\s+[A-Za-z_~][\w:]*[ \t]*\()"
)
WORD_BEFORE = re.compile(rb"(?:^|[^\w])([A-Za-z_]\w*)[ \t]*[*&>]*[ \t]*\Z", re.MULTILINE)
_IN_POINTER = re.compile(
    rb"\([ \t]*(" + _MACRO + rb"(?:[ \t]+" + _MACRO + rb")?)(?=[ \t]*\*[ \t]*(?:const[ \t]+)?[A-Za-z_]\w*[ \t]*\)\s*\()"
)
BEHIND = re.compile(
    rb"(?<=\))\s*+(?:const\b\s*)?(?:&&?\s*)?(?:noexcept\b\s*)?(?:override\b\s*)?((?:\b"
    + _MACRO
    + rb"\b(?:[ \t]*"
    + _BALANCED
    + rb")?\s*){1,4})"
    rb"(?=[;{]|:(?!:)|=[ \t]*(?:0|default|delete)|(?:override|const|noexcept)\b)"
)
IN_SECTION = re.compile(rb"^[ \t]*([A-Z][A-Z0-9_]{5,})(?=[ \t]*:(?!:))", re.MULTILINE)
ALONE = re.compile(rb"^[ \t]*(" + _MACRO + rb"|" + _MACRO + rb"[ \t]*" + _BALANCED + rb")([ \t]*)(\n|\Z)", re.MULTILINE)
MADE = re.compile(
    rb"^[ \t]*(?!(?:if|while|for|switch|else|do|return|sizeof)\b)[A-Za-z_]\w*[ \t]*"
    + _BALANCED
    + rb"([ \t\n])(?=\s*\{)",
    re.MULTILINE,
)
TEST = re.compile(
    rb"^[ \t]*(?!(?:if|while|for|switch|else|do|return)\b)[A-Za-z_]\w*[ \t]*"
    rb"(?=\(\s*(?:[A-Za-z_]\w*\s*,\s*)?\")(" + _BALANCED + rb")([ \t\n])(?=\s*\{)",
    re.MULTILINE,
)
"""Macro called with a string and followed by a body: `TEST_CASE("name") {`."""
CALL = re.compile(
    rb"(?:\bva_arg[ \t]*|(?:^|[=(,!&|?:+-]|\breturn\b)[ \t]*(?:"
    + _MACRO
    + rb"|(?<==)[ \t]*[a-z_]\w*)[ \t]*)("
    + _BALANCED
    + rb")(?!\s*[{:])",
    re.MULTILINE,
)
"""Call that cannot be a declaration: no type precedes it."""
BUILT_IN = re.compile(
    rb"(?:\A\(|,)\s*((?:(?:const|void|int|char|bool|float|double|long|short|unsigned|signed|s?size_t|ptrdiff_t"
    rb"|u?int(?:8|16|32|64|ptr|max)_t)\b\s*)+\**)(?=\s*[,)])"
)
POINTED = re.compile(rb"(?:\A\(|,)\s*(?:(struct|union|enum|const)\s+)?[A-Za-z_]\w*(\s*\*+)?(?=\s*[,)])")
ENUM = re.compile(rb"\benum\b[^;{}()]{0,800}\{([^{}]*)\}")
IN_ENUM = re.compile(
    rb"^[ \t]*" + _MACRO + rb"(?:[ \t]*" + _BALANCED + rb"(?:[ \t]*,)?|(?=[ \t]*\n\s*[A-Za-z_]))(?=[ \t]*$)",
    re.MULTILINE,
)
DEFINES = re.compile(rb"[ \t]*#[ \t]*(?:define|undef|error|pragma)\b")
RECORD_BODY = re.compile(rb"\b(?:struct|class|union)\b[^;{}()]{0,800}\{")
BRACE = re.compile(rb"[{}]")
RECORD = re.compile(rb"\b(?:struct|class|union)\b[^;{}()]{0,800}\{\Z")
_OF_VARIABLE = re.compile(
    rb"[\w>*&][ \t*&]{1,40}[A-Za-z_]\w*+(?:\[[^\]\n]*\])?[ \t]+(" + _MACRO + rb"[ \t]*" + _BALANCED + rb")(?=\s*[;={])"
)
_BESIDE_STRING = re.compile(rb'(?<=")\s++(' + _MACRO + rb'|PRI\w+)(?=\s*[",);])')
_BEFORE_STRING = re.compile(rb"(?<=[(,=<])\s*+(" + _MACRO + rb'|PRI\w+)(?=\s+")')
LAST_WORD = re.compile(rb"(\w+)[ \t]*\Z")
CONTROL = frozenset(b"if while for switch return catch sizeof else do".split())
BUILT_INS = frozenset(b"void int char bool float double long short unsigned signed auto".split())
_OTHERS = b"""
    static extern inline virtual constexpr friend explicit typedef const mutable struct enum union class typename
    template operator using case goto new delete throw volatile register restrict in public private protected namespace
    thread_local alignas export import consteval constinit requires final co_return co_yield _Atomic _Thread_local
    _Noreturn __extension__ __inline __inline__ __forceinline __restrict __restrict__
"""
WORDS = CONTROL | BUILT_INS | frozenset(_OTHERS.split())
_IN_PARAMETERS = re.compile(
    rb"(?<=[(,])\s*+(__[a-z]\w*+|_[A-Z][a-z]\w*_|" + _MACRO + rb"\b)[ \t]+"
    rb"(?=const\b|" + _TYPE_WORD + rb"|[A-Za-z_]\w*+[ \t*&]{1,40}[A-Za-z_]\w*+[ \t]*+[,)])"
)
_FORMAT_OF = re.compile(rb"(?<=[\w*])\s+([a-z_]\w*[ \t]*\([\d, \t]+\))(?=\s+\*?[A-Za-z_]\w*[ \t]*\()")
_BEFORE_CONSTRUCTOR = re.compile(
    rb"^[ \t]*(?:template\s*<[^;{}()]{0,800}>\s*|explicit\s+)*((?:" + _MACRO + rb"\b[ \t]+){1,3})"
    rb"(?=(?:explicit[ \t]+)?[A-Za-z_]\w*[ \t]*" + _BALANCED + rb"\s*(?:noexcept\s*)?:(?!:))",
    re.MULTILINE,
)
_TEMPLATE_ARGUMENT = re.compile(rb"(?<=[,<])\s*+(" + _MACRO + rb"[ \t]*" + _BALANCED + rb")(?=\s*[,>])")
_AS_TYPE = re.compile(
    rb"^[ \t]*(?:static[ \t]+)?(" + _MACRO + rb"[ \t]*\([^(){};,\n]*,[^(){};\n]*\))(?=\s+\*?[A-Za-z_]\w*[ \t]*[;=,\[])",
    re.MULTILINE,
)
_RETURN_TYPE = re.compile(
    rb"^[ \t]*(" + _MACRO + rb"[ \t]*\((?:(?:const|struct|enum|unsigned)[ \t]+)*[A-Za-z_]\w*[ \t*]*\))"
    rb"(?=\s+[a-z_]\w*[ \t]*\()",
    re.MULTILINE,
)
"""`API(int) name(`."""
_TYPEDEF_OF = re.compile(rb"\btypedef\s[^;(){}]{1,200}?\b(" + _MACRO + rb")(?=\([A-Za-z_]\w*\)\s*\()")
_BEHIND_PARAMETER = re.compile(rb"[&*][ \t]*[a-z_]\w*[ \t]+(" + _MACRO + rb")\b(?=[ \t]*[,)])")
_RETURNED = re.compile(rb",\s*(return)\b(?=[^;{}]{0,400}\))")
"""`WITH_LOCK(mutex, return value)`."""
_TYPE_OF_VALUE = re.compile(rb"(?<==)\s*(typename)(?=\s+[\w:]+(?:<[^;{}()]{0,800}>)?(?:::\w+)*[ \t]*\()")
_PROPERTY = re.compile(rb"^[ \t]*(Q_(?:PROPERTY|CLASSINFO)[ \t]*" + _BALANCED + rb")(?=[ \t]*$)", re.MULTILINE)
_EMPTY_DEFAULT = re.compile(rb"=[ \t]*(\{\})(?=\s*[,)])")
_STEP = re.compile(rb"(?<=[\s;{}(])(operator(?:\+\+|--))(?=\(\);)")
_UNNAMED_DEFAULT = re.compile(rb"[*>][ \t]*(=[ \t]*(?:nullptr|NULL|0))(?=\s*[,)])")
_TRY = re.compile(rb"^[ \t]*([A-Z][A-Z0-9_]*_TRY)(?=\s*\{)", re.MULTILINE)
_CATCH = re.compile(rb"(?:^|\})[ \t]*([A-Z][A-Z0-9_]*_CATCH(?:_[A-Z]+)?)(?=[ \t]*\([^(){};]*\)\s*\{)", re.MULTILINE)
_OPERATOR = re.compile(rb",\s*([<>=!]=?|[+*/-])(?=\s*\))")
_SLOTS = re.compile(rb"\b(?:public|private|protected)[ \t]+(slots|Q_SLOTS)(?=[ \t]*:)")
_SIGNALS = re.compile(rb"^[ \t]*(signals|Q_SIGNALS)(?=[ \t]*:(?!:))", re.MULTILINE)
LEFT_OUT = (_BEFORE, _BEFORE, BEFORE_KEYWORD, _IN_PARAMETERS, _TYPEDEF_OF, _IN_POINTER, _FORMAT_OF, BETWEEN, BEHIND)
LEFT_OUT_OF_CPLUSPLUS = (
    *LEFT_OUT,
    _OF_VARIABLE,
    _BEFORE_CONSTRUCTOR,
    _SLOTS,
    _BESIDE_STRING,
    _BEFORE_STRING,
    _BEHIND_PARAMETER,
    _RETURNED,
    _TYPE_OF_VALUE,
    _PROPERTY,
    _UNNAMED_DEFAULT,
)
PUT = ((_AS_TYPE, b"int"), (_RETURN_TYPE, b"int"), (_OPERATOR, b"0"))
PUT_IN_CPLUSPLUS = (
    *PUT,
    (_TRY, b"try"),
    (_CATCH, b"catch"),
    (_TEMPLATE_ARGUMENT, b"int"),
    (_SIGNALS, b"public"),
    (_EMPTY_DEFAULT, b"0"),
    (_STEP, b"operator__"),
)
"""Patterns that the grammar cannot parse, and their replacements."""
