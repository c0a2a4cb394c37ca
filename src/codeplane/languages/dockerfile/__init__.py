"""Dockerfiles: stages, and the arguments and variables set in them."""

from __future__ import annotations

from typing import Any

from codeplane.languages.family import Family
from codeplane.languages.keys import key_site, visibility, without_hashes
from codeplane.languages.spec import DefinitionSite, Language, Reading, RolePatterns


def read(root: Any, source: bytes, path: str) -> Reading:
    sites: list[DefinitionSite] = []
    stage: int | None = None
    end = 0
    for node in root.named_children:
        if node.type == "from_instruction":
            if stage is not None:
                sites[stage] = sites[stage]._replace(end=end)
            stage = len(sites)
            image = next((child for child in node.named_children if child.type == "image_spec"), None)
            named = node.child_by_field_name("as") or image
            if named is None:
                stage = None
            else:
                name = source[named.start_byte : named.end_byte].decode("utf-8", "replace")
                sites.append(
                    DefinitionSite(
                        "stage", name, node.start_byte, node.end_byte, named.start_byte, named.end_byte, node.end_byte
                    )
                )
        elif node.type == "arg_instruction":
            sites.extend(_setting(node, node.child_by_field_name("name"), source))
        elif node.type == "env_instruction":
            for pair in node.named_children:
                sites.extend(_setting(pair, pair.child_by_field_name("name"), source))
        if node.type != "comment":
            end = node.end_byte
    if stage is not None:
        sites[stage] = sites[stage]._replace(end=end)
    return Reading(sites)


def _setting(node: Any, name: Any, source: bytes) -> list[DefinitionSite]:
    if name is None or name.start_byte == name.end_byte:
        return []
    at = (name.start_byte, name.end_byte)
    site = key_site(source[at[0] : at[1]], node.start_byte, node.end_byte, at, (node.start_byte, node.end_byte))
    return [site._replace(kind="variable")]


LANGUAGES = (
    Language(
        name="dockerfile",
        roles=RolePatterns(
            build=(
                "Dockerfile Containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml"
                " *.dockerfile Dockerfile.*"
            ),
        ),
        family="docker",
        extensions=(".dockerfile", ".containerfile"),
        filenames=("Dockerfile", "Containerfile", "dockerfile"),
        name_prefixes=("Dockerfile.", "Containerfile."),
        grammar="tree_sitter_dockerfile:language",
        distribution="tree-sitter-dockerfile",
        coverage="definitions",
        module_name=lambda path: path,
        visibility=visibility,
        separator="#",
        comments=("#",),
        doc_prefixes=("#",),
        doc_lines=without_hashes,
        variables_are_items=True,
        read=read,
    ),
)

FAMILY = Family(
    name="docker",
    unit_files=("Dockerfile", "*.Dockerfile", "docker-compose.yml", "docker-compose.yaml"),
    is_ambient=True,
)
