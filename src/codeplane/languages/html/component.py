"""Single-file components (Vue, Svelte): one definition named after the file, which owns the scripts."""

from __future__ import annotations

from typing import Any

from codeplane.base.paths import basename, parent
from codeplane.languages.html.tags import read_part, read_tags
from codeplane.languages.keys import visibility
from codeplane.languages.spec import DefinitionSite, Language, Reading


def component_language(name: str, extension: str) -> Language:
    return Language(
        name=name,
        has_code=True,
        family="javascript",
        extensions=(extension,),
        grammar="",
        distribution="",
        coverage="definitions",
        module_name=module_name,
        visibility=visibility,
        comments=("<!--",),
        doc_prefixes=(),
        variables_are_items=True,
        read=read,
    )


def read(root: Any, source: bytes, path: str) -> Reading:
    # Markup outside scripts and styles has framework-specific syntax and is skipped.
    found = (read_part(tag, nested=True) for tag in read_tags(source, blocks_only=True))
    component = DefinitionSite("component", component_name(path), 0, len(source), 0, 0, 0)
    return Reading([component], tuple(part for part in found if part is not None))


def component_name(path: str) -> str:
    """Return the component name: `Button` for `src/Button.vue` and `src/Button/index.vue`."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return (basename(folder) or stem) if stem == "index" else stem


def module_name(path: str) -> str:
    folder, _, name = path.rpartition("/")
    if name.startswith("index."):
        folder = parent(folder)
    return folder.removeprefix("src/").replace("/", ".") if folder != "src" else ""
