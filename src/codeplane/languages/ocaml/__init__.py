"""OCaml: implementations and interfaces. A file is a module; what its interface leaves out is not known here."""

from __future__ import annotations

from codeplane.base.paths import basename
from codeplane.languages.spec import DefinitionHead, Language, RolePatterns


def module_name(path: str) -> str:
    """Return the module of a file: `Cart` for `lib/cart.ml`."""
    stem = basename(path).partition(".")[0]
    return stem[:1].upper() + stem[1:]


def visibility(head: DefinitionHead) -> str:
    return "private" if head.name.startswith("_") or head.parent_kind == "function" else "public"


def _language(name: str, extension: str, function: str) -> Language:
    return Language(
        name=name,
        roles=RolePatterns(tests=(("**/*_test.ml", r".+_test\.ml|test_.+\.ml"),)),
        family="config",
        extensions=(extension,),
        grammar=f"tree_sitter_ocaml:{function}",
        distribution="tree-sitter-ocaml",
        folder="ocaml",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        aliases=(extension.removeprefix("."),),
        filter_languages=("ocaml-interface",) if name == "ocaml" else (),
        comments=("(*",),
        doc_prefixes=(),
        doc_block=("(**", "*)"),
        member_kinds={"function": "method"},
        type_kinds=frozenset({"class", "struct", "enum"}),
        export_evidence="public_name",
    )


LANGUAGES = (
    _language("ocaml", ".ml", "language_ocaml"),
    _language("ocaml-interface", ".mli", "language_ocaml_interface"),
)
