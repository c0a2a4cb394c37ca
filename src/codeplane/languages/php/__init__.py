"""PHP. Variables, classes and functions have namespaces of their own, and a function sees no variable around it; a
closure sees those that it lists, an arrow function all. Names of variables are stored without their `$`, so that a
property has the same name where it is declared and used. PHP ignores the case of classes and functions; only an exact
match is linked here.
"""

from __future__ import annotations

import re

from codeplane.languages.family import Family, Marker, markers
from codeplane.languages.manifest import Manifest, nonempty_string, parse_json
from codeplane.languages.names import NameRules, words
from codeplane.languages.php.syntax import doc_types, expand_import, only_code, plain_lines
from codeplane.languages.spec import CALLABLE, MEMBER, TYPE, VALUE, DefinitionHead, Language, RolePatterns

_SOURCE_ROOT = re.compile(r"^(?:.*?/)??(?:src|lib|app|includes|tests?)/", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"\A(?:#\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*+\])*+\])*+\]\s*)+")
_NOT_MODIFIERS = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|/\*.*?\*/|//[^\n]*|#[^\n]*""", re.DOTALL)
_VISIBILITY = re.compile(r"\b(public|protected|private)\b(?!\s*\(\s*set)", re.IGNORECASE)
_TYPES = (TYPE,)


def module_name(path: str) -> str:
    """Return the directory under the source root, as autoloaders expect it; the file may declare more."""
    return _SOURCE_ROOT.sub("", path, count=1).rpartition("/")[0].replace("/", "\\")


def visibility(head: DefinitionHead) -> str:
    if head.kind in ("function", "class", "interface", "trait", "enum", "module", "variable", "enum_member"):
        return "public"
    found = _VISIBILITY.search(_NOT_MODIFIERS.sub("", _ATTRIBUTES.sub("", head.text)))
    return found.group(1).lower() if found else "public"


_NAME_RULES = NameRules(
    reserved=words(
        "abstract and array as break callable case catch class clone const continue declare default do echo else"
        " elseif empty enddeclare endfor endforeach endif endswitch endwhile eval exit extends final finally fn for"
        " foreach function global goto if implements include include_once instanceof insteadof interface isset list"
        " match namespace new or print private protected public readonly require require_once return static switch"
        " throw trait try unset use var while xor yield"
    ),
    keyword_mark=":",
    called_by_convention=re.compile(r"__\w+|test\w+"),
)

LANGUAGES = (
    Language(
        name="php",
        resolver="codeplane.languages.php.resolver:PhpResolver",
        name_rules=_NAME_RULES,
        roles=RolePatterns(
            tests=(("**/*Test.php", r".+(?:Test|TestCase|Cest)\.php|.+\.phpt"),),
            build="composer.json",
        ),
        family="php",
        extensions=(".php", ".phtml", ".php3", ".php4", ".php5", ".php7", ".php8", ".phpt"),
        interpreters=("php",),
        grammar="tree_sitter_php:language_php",
        distribution="tree-sitter-php",
        module_name=module_name,
        visibility=visibility,
        separator="\\",
        doc_prefixes=("//", "# "),
        doc_lines=plain_lines,
        doc_types=doc_types,
        names_by_place=True,
        signature_noise=_ATTRIBUTES,
        member_kinds={"function": "method"},
        namespaces={
            "class": _TYPES,
            "interface": _TYPES,
            "trait": _TYPES,
            "enum": _TYPES,
            "constant": _TYPES,
            "function": (CALLABLE,),
            "variable": (VALUE,),
            "method": (MEMBER,),
            "constructor": (MEMBER,),
            "property": (MEMBER,),
            "enum_member": (MEMBER,),
            "module": (),
        },
        call_namespace=CALLABLE,
        members_qualified=True,
        export_evidence="top_level",
        expand_import=expand_import,
        rewrite=only_code,
        # The first part of a qualified name can be an import, but not a class: it is looked up among the callables.
        import_namespaces={
            "php_use": (TYPE, CALLABLE),
            "php_use_function": (CALLABLE,),
            "php_use_const": (TYPE,),
        },
    ),
)


def _read_composer(data: bytes) -> Manifest:
    return Manifest(nonempty_string(parse_json(data).get("name")))


FAMILY = Family(
    name="php",
    unit_files=("*.php",),
    markers=(Marker("composer.json", _read_composer), *markers("composer.lock", fence=True)),
)
