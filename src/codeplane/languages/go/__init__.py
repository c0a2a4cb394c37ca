"""Go. Parameters are visible in the body only, a local name after its declaration, a package in all its files.

A file does not say the name of a package that it imports without an alias. The standard library uses the last segment
of the path; for other paths that is a good guess.
"""

from __future__ import annotations

import re

from codeplane.base.paths import parent
from codeplane.languages.go.modules import FAMILY as FAMILY
from codeplane.languages.go.origins import find_origins
from codeplane.languages.names import NameRules, Reach, words
from codeplane.languages.spec import DefinitionHead, EntryPoints, Language, RolePatterns

_STANDARD_LIBRARY = frozenset(
    {
        "archive",
        "bufio",
        "bytes",
        "cmp",
        "compress",
        "container",
        "context",
        "crypto",
        "database",
        "debug",
        "embed",
        "encoding",
        "errors",
        "expvar",
        "flag",
        "fmt",
        "go",
        "hash",
        "html",
        "image",
        "index",
        "io",
        "iter",
        "log",
        "maps",
        "math",
        "mime",
        "net",
        "os",
        "path",
        "plugin",
        "reflect",
        "regexp",
        "runtime",
        "slices",
        "sort",
        "strconv",
        "strings",
        "structs",
        "sync",
        "syscall",
        "testing",
        "text",
        "time",
        "unicode",
        "unique",
        "unsafe",
        "weak",
    }
)
"""First segments of its paths; other modules have a dot in theirs."""

_MAJOR_VERSION = re.compile(r"v\d+")
_NOT_IN_IDENTIFIERS = re.compile(r"\W")


def module_name(path: str) -> str:
    """Return the directory: all its files are one package."""
    return parent(path)


def visibility(head: DefinitionHead) -> str:
    if head.parent_kind in ("function", "method"):
        return "private"
    return "public" if head.name[:1].isupper() else "package"


def import_binding(source: str, name: str) -> tuple[str, bool]:
    """Return the name that an import binds: `rand` for `math/rand/v2`; most likely `yaml` for `gopkg.in/yaml.v3` and
    `github.com/x/go-yaml`.
    """
    segments = source.split("/")
    last = segments[-1]
    if len(segments) > 1 and _MAJOR_VERSION.fullmatch(last):
        last = segments[-2]
    if source == "C" or segments[0] in _STANDARD_LIBRARY:
        return last, True
    last = last.removeprefix("go-")
    return _NOT_IN_IDENTIFIERS.split(last, maxsplit=1)[0] or last, False


_NAME_RULES = NameRules(
    reserved=words(
        "break case chan const continue default defer else fallthrough for func go goto if import interface map"
        " package range return select struct switch type var _"
    ),
    called_by_convention=re.compile(r"main|init|(?:Test|Benchmark|Fuzz|Example)(?![a-z])\w*"),
    reach=lambda name: Reach.ANYWHERE if name[:1].isupper() else Reach.PACKAGE,
)

LANGUAGES = (
    Language(
        name="go",
        resolver="codeplane.languages.go.resolver:GoResolver",
        name_rules=_NAME_RULES,
        aliases=("golang",),
        roles=RolePatterns(
            tests=(("**/*_test.go", r".+_test\.go"),),
            generated="*.pb.go *.pb.gw.go *_gen.go mock_*.go bindata.go go.sum go.work.sum",
            build="go.mod go.work",
        ),
        family="go",
        extensions=(".go",),
        grammar="tree_sitter_go:language",
        distribution="tree-sitter-go",
        module_name=module_name,
        find_origins=find_origins,
        entry_points=EntryPoints(
            is_main=lambda main: not main.is_nested and main.signature.startswith("func main()"),
        ),
        visibility=visibility,
        attribute_prefixes=("//go:", "//export ", "//nolint", "//lint:"),
        class_scope_hidden=True,
        sequential=True,
        export_evidence="exported_identifier",
        import_binding=import_binding,
    ),
)
