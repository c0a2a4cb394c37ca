"""Ruby. A local is visible from its assignment on, in its method or block; any other bare word is a message to `self`,
which is never certain. Constants are looked up in the enclosing modules first, those of the file last.
"""

from __future__ import annotations

import re

from codeplane.languages.family import Family, markers
from codeplane.languages.names import NameRules, words
from codeplane.languages.ruby.syntax import expand_import, plain_lines
from codeplane.languages.spec import CALLABLE, MEMBER, TYPE, DefinitionHead, Language, RolePatterns

_FIRST_WORD = re.compile(r"\s*(private_class_method|private|protected|public)\b")
_END = re.compile(r"\s*;?\s*\bend$")
_CONSTANTS = frozenset({"class", "module", "constant"})


def visibility(head: DefinitionHead) -> str:
    """Return the visibility: classes, constants and class methods are public in every section."""
    if head.kind in _CONSTANTS:
        return "private" if head.section == "private_constant" else "public"
    written = _FIRST_WORD.match(head.text)
    if head.text.endswith("."):
        words = (head.section, written.group(1) if written else "")
        return "private" if "private_class_method" in words else "public"
    said = written.group(1) if written else head.section
    return said if said in ("private", "protected") else "public"


def owner_path(text: str) -> str:
    return text.removeprefix("::").replace("::", ".")


def symbol_name(text: str) -> str:
    """Return the name that `:name`, `:"name"` or `"name"` defines."""
    return text.removeprefix(":").strip("\"'")


_NAME_RULES = NameRules(
    reserved=words(
        "BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module"
        " next nil not or redo rescue retry return self super then true undef unless until when while yield"
    ),
    valid=re.compile(r"@{0,2}[^\W\d]\w*[?!=]?"),
    keyword_mark=":",
    name_readers=words("send public_send __send__ respond_to? method define_method instance_variable_get"),
    called_by_convention=re.compile(r"initialize|test_\w+"),
)

LANGUAGES = (
    Language(
        name="ruby",
        resolver="codeplane.languages.ruby.resolver:RubyResolver",
        name_rules=_NAME_RULES,
        aliases=("rb",),
        roles=RolePatterns(
            tests=(
                ("**/*_spec.rb", r".+_spec\.rb|(?:spec|rails|test)_helper\.rb"),
                ("**/*_test.rb", r".+_test\.rb|test_.+\.rb"),
            ),
            generated="*_pb.rb",
            build="Rakefile Gemfile Vagrantfile *.gemspec *.rake",
        ),
        family="ruby",
        extensions=(".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder", ".thor"),
        filenames=(
            "Rakefile",
            "Gemfile",
            "Guardfile",
            "Capfile",
            "Vagrantfile",
            "Podfile",
            "Fastfile",
            "Appraisals",
            "Brewfile",
            "Dangerfile",
        ),
        interpreters=("ruby", "jruby"),
        grammar="tree_sitter_ruby:language",
        distribution="tree-sitter-ruby",
        # Modules are written in the file, so a lexical path is already qualified.
        module_name=lambda path: "",
        visibility=visibility,
        separator="::",
        comments=("#",),
        doc_prefixes=("#",),
        doc_block=("=begin", "=end"),
        doc_lines=plain_lines,
        signature_noise=_END,
        sequential=True,
        sequential_throughout=True,
        redeclared=frozenset({"class", "module"}),
        variables_are_items=True,
        member_kinds={"function": "method"},
        type_kinds=frozenset({"class", "module"}),
        namespaces={
            "class": (TYPE,),
            "module": (TYPE,),
            "constant": (TYPE,),
            "function": (CALLABLE,),
            "method": (CALLABLE,),
            "method.static": (MEMBER,),
            "constructor": (MEMBER,),
            "property": (CALLABLE,),
            "property.member": (MEMBER,),
            "field": (MEMBER,),
            "variable": (MEMBER,),
        },
        call_namespace=CALLABLE,
        calls_dispatched=True,
        names_by_place=True,
        attributes_through="this",
        inherits_types=True,
        lexical_types_first=True,
        export_evidence="top_level",
        expand_import=expand_import,
        import_namespaces={"ruby_autoload": (TYPE,)},
        owner_path=owner_path,
        implied_name=symbol_name,
    ),
)

FAMILY = Family(
    name="ruby",
    unit_files=("*.rb", "*.rake", "Gemfile"),
    markers=(*markers("Gemfile"), *markers("Gemfile.lock", fence=True)),
)
